// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan of many lines that lie side by side, on devices of compute capability 9.0 and later: one
// persistent block on each multiprocessor, in which lanes walk down their lines, a chunk of steps
// at a time, out of a ring of chunks in shared memory. Nothing is handed from lane to lane or from
// block to block.
//
//   loader    1 warp    a row of up to 512 neighbours a lane, by one bulk copy each
//   walkers   16 warps  take a chunk of their 32 lines, free the stage, scan and store
//
// Rows may begin anywhere: a stage holds each at its own distance from a multiple of 16 bytes.
#pragma once

#include "upsweep/cuda/bulk_ring.cuh"
#include "upsweep/cuda/chunk_prefix.cuh"
#include "upsweep/cuda/column_cells.cuh"
#include "upsweep/cuda/stream_order.cuh"

namespace upsweep::cuda {

template <class In, class T>
struct walk_shape {
  static constexpr int walkers = 16, threads = 32 * (walkers + 2);
  static constexpr int rows = column_rows<T>, lines = 32 * walkers;
  static constexpr int level =
      sizeof(T) <= 16 ? 14 : 10;  // log2 of the chunks that no line reaches
  static constexpr std::uint64_t longest = rows * ((std::uint64_t{1} << level) - 1);
  static constexpr std::size_t row_bytes = lines * sizeof(In) + 128;
  static constexpr std::size_t stage_bytes = rows * row_bytes;
  static constexpr std::size_t available = 227 * 1024 - 256;
  static constexpr int fitting = static_cast<int>(available / (stage_bytes + 16));
  static constexpr bool fits = fitting >= 2;
  static constexpr int stages = fitting < 8 ? (fits ? fitting : 1) : 8;
  static constexpr int slots = stages;  // see ring_turn: nothing outlives its stage
};

// full: a chunk is there, what is copied by hand included. done: all have put their results in its
// place. empty: all have read it or, where results are there, these have been copied away.
template <class In, class T>
struct walk_ring {
  using shape = walk_shape<In, T>;
  alignas(128) unsigned char stage[shape::stages][shape::stage_bytes];
  barrier_word full[shape::stages], done[shape::stages], empty[shape::stages];
};

// How an array is cut: groups of neighbouring lines, of which a block walks down one at a time.
struct walk_layout {
  column_steps steps;
  unsigned width = 1;        // lines that lie side by side, one element apart
  unsigned group_lines = 1;  // of a group
  unsigned row_groups = 1, groups = 1;
  int on_the_way = 2;        // chunks that a block has under way from memory
  bool bulk_stores = false;  // see column_engine
};

template <class In, class Out, class T, class Op>
class block_of_walkers {
 public:
  using shape = walk_shape<In, T>;
  using cells = column_cells<In, Out, T, Op>;
  static constexpr int rows = shape::rows;

  __device__ block_of_walkers(const problem<In, Out, T, Op>& p, const walk_layout& cut)
      : p_(p), cut_(cut), ring_(*reinterpret_cast<walk_ring<In, T>*>(shared())) {
    n_ = static_cast<unsigned>(p.n);
    chunks_ = (n_ + rows - 1) / rows;
  }

  // By one thread, before anything that another kernel may have written is read.
  __device__ void set_up() {
    for (int i = 0; i < shape::stages; ++i) {
      ::cuda::ptx::mbarrier_init(&ring_.full[i], 32);
      ::cuda::ptx::mbarrier_init(&ring_.done[i], shape::walkers);
      ::cuda::ptx::mbarrier_init(&ring_.empty[i], cut_.bulk_stores ? 1 : shape::walkers);
    }
    ::cuda::ptx::fence_mbarrier_init(::cuda::ptx::sem_release, ::cuda::ptx::scope_cluster);
  }

  __device__ void run() {
    __syncthreads();
    ring_turn<shape> turn;
    for (unsigned group = blockIdx.x; group < cut_.groups; group += gridDim.x) {
      const unsigned row = group / cut_.row_groups;
      const unsigned first = (group - row * cut_.row_groups) * cut_.group_lines;
      const unsigned rest = cut_.width - first;
      const place at{row * cut_.width + first,
                     static_cast<int>(rest < cut_.group_lines ? rest : cut_.group_lines)};
      if (warp_id() == shape::walkers)
        load(at, turn);
      else if (warp_id() > shape::walkers)
        store(at, turn);
      else
        walk(at, turn);
    }
    if (warp_id() > shape::walkers) ::cuda::ptx::cp_async_bulk_wait_group(::cuda::ptx::n32_t<0>());
  }

 private:
  struct place {
    unsigned line;  // the group's first
    int lines;
  };

  __device__ static unsigned char* shared() {
    extern __shared__ __align__(128) unsigned char upsweep_walk[];
    return upsweep_walk;
  }
  // By a whole warp, which is done with a stage.
  __device__ static void release(barrier_word* b) {
    __syncwarp();
    if (lane_id() == 0) arrive(b);
  }
  // Where a row of the group begins.
  __device__ std::uintptr_t begin_of(const place& at) const {
    return reinterpret_cast<std::uintptr_t>(p_.in + p_.at(at.line).in);
  }
  __device__ std::uintptr_t pitch() const {
    return static_cast<std::uintptr_t>(cut_.steps.in) * sizeof(In);
  }

  __device__ void load(const place& at, ring_turn<shape>& turn);
  __device__ void walk(const place& at, ring_turn<shape>& turn);
  __device__ void store(const place& at, ring_turn<shape>& turn) const;

  const problem<In, Out, T, Op>& p_;
  const walk_layout& cut_;
  walk_ring<In, T>& ring_;
  unsigned n_, chunks_;
};

template <class In, class Out, class T, class Op>
__device__ void block_of_walkers<In, Out, T, Op>::load(const place& at, ring_turn<shape>& turn) {
  const unsigned lane = static_cast<unsigned>(lane_id());
  const std::uintptr_t first = begin_of(at), bytes = at.lines * sizeof(In);
  for (unsigned row = lane, chunk = 0; chunk < chunks_; ++chunk, row += rows, turn.next()) {
    const unsigned arriving = turn.count - static_cast<unsigned>(cut_.on_the_way);
    if (turn.count >= static_cast<unsigned>(cut_.on_the_way))
      wait(&ring_.full[arriving % shape::stages], arriving / shape::stages & 1);
    wait(&ring_.empty[turn.stage()], turn.stage_parity() ^ 1);
    barrier_word* const full = &ring_.full[turn.stage()];
    if (lane >= rows || row >= n_) {
      arrive(full);
      continue;
    }
    const bool inside = row != 0 && row + 1 != n_;
    const std::uintptr_t begin = first + row * pitch();
    copy_bytes(begin, begin + bytes, inside, inside,
               ring_.stage[turn.stage()] + lane * shape::row_bytes, begin & ~std::uintptr_t{127},
               full);
  }
}

// A stage is free again when the bulk copies out of it have read it.
template <class In, class Out, class T, class Op>
__device__ void block_of_walkers<In, Out, T, Op>::store(const place& at,
                                                        ring_turn<shape>& turn) const {
  if (!cut_.bulk_stores) return;
  const unsigned lane = static_cast<unsigned>(lane_id());
  const unsigned low = static_cast<unsigned>(begin_of(at)), step = static_cast<unsigned>(pitch());
  Out* to = p_.out + p_.at(at.line).out + static_cast<std::int64_t>(lane) * cut_.steps.out;
  for (unsigned row = lane, chunk = 0; chunk < chunks_; ++chunk, row += rows, turn.next()) {
    wait(&ring_.done[turn.stage()], turn.stage_parity());
    if (lane < rows && row < n_)
      ::cuda::ptx::cp_async_bulk(
          ::cuda::ptx::space_global, ::cuda::ptx::space_shared, to,
          ring_.stage[turn.stage()] + lane * shape::row_bytes + ((low + row * step) & 127u),
          static_cast<std::uint32_t>(at.lines * sizeof(Out)));
    to += rows * cut_.steps.out;
    ::cuda::ptx::cp_async_bulk_commit_group();
    ::cuda::ptx::cp_async_bulk_wait_group_read(::cuda::ptx::n32_t<1>());
    __syncwarp();
    if (lane == 0 && turn.count > 0) arrive(&ring_.empty[(turn.count - 1) % shape::stages]);
  }
}

template <class In, class Out, class T, class Op>
__device__ void block_of_walkers<In, Out, T, Op>::walk(const place& at, ring_turn<shape>& turn) {
  const int index = warp_id() * 32 + lane_id(), warp_lines = at.lines - warp_id() * 32;
  const bool exists = index < at.lines;
  const unsigned low = static_cast<unsigned>(begin_of(at)), step = static_cast<unsigned>(pitch());
  const cells out(p_, cut_.steps, p_.at(at.line + (exists ? index : 0)));
  chunk_prefix<T, Op, shape::level> prefix(p_.start, p_.has_start, p_.op);
  for (unsigned chunk = 0; chunk < chunks_; ++chunk, turn.next()) {
    const unsigned begin = chunk * rows;
    const int m = exists ? static_cast<int>(n_ - begin) : 0;
    wait(&ring_.full[turn.stage()], turn.stage_parity());
    T x[rows], before[rows + 1];
    unsigned char* const stage = ring_.stage[turn.stage()] + index * sizeof(In);
    const auto cell = [&](int i) {
      return stage + i * shape::row_bytes + ((low + (begin + i) * step) & 127u);
    };
#pragma unroll
    for (int i = 0; i < rows; ++i) x[i] = load_as<T, In>(*reinterpret_cast<const In*>(cell(i)));
    if (!cut_.bulk_stores) release(&ring_.empty[turn.stage()]);
    if (warp_lines <= 0) {
      if (cut_.bulk_stores) release(&ring_.done[turn.stage()]);
      continue;
    }
    before[0] = prefix.before.value;
    const bool has = prefix.before.any;
    if (!guarded<Op, T> || m >= rows)
      prefix.next(static_cast<int>(chunk), block_sum<0, rows>(x, p_.op, rows));
    before[rows] = prefix.before.value;
    block_prefixes<0, rows>(x, before, has, p_.op, m);
    if (!cut_.bulk_stores) {
      out.put(begin, m, before);
      continue;
    }
    out.put_shared(cell, begin, before);
    out.put_total(begin, m, before);
    ::cuda::ptx::fence_proxy_async(::cuda::ptx::space_shared);
    release(&ring_.done[turn.stage()]);
  }
}

template <class In, class Out, class T, class Op>
__global__ void __launch_bounds__(walk_shape<In, T>::threads, 1)
    bulk_walk(const __grid_constant__ problem<In, Out, T, Op> p,
              const __grid_constant__ walk_layout cut) {
#if __CUDA_ARCH__ >= 900
  block_of_walkers<In, Out, T, Op> block(p, cut);
  if (threadIdx.x == 0) block.set_up();
  follow_earlier_kernels();
  block.run();
#endif
}

}  // namespace upsweep::cuda
