// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/cuda_device.hpp"

#include <array>
#include <cstring>

#include "cli/cuda_call.hpp"
#include "upsweep/scan.cuh"

namespace cli {
namespace {

// The operator of a scan, chosen when it runs: so one kernel is compiled for each accumulator, and
// not one for each of the 26 pairs. It costs a branch an operation, of a device that waits for the
// link most of the time. Signed accumulators are used for extrema only.
template <class T>
struct chosen_operator {
  operation which;

  UPSWEEP_HD T operator()(const T& left, const T& right) const {
    if (which == operation::min) return upsweep::minimum{}(left, right);
    if constexpr (std::is_floating_point_v<T> || std::is_unsigned_v<T>) {
      if (which == operation::sum) return upsweep::plus{}(left, right);
      if (which == operation::prod) return upsweep::multiplies{}(left, right);
    }
    if constexpr (std::is_unsigned_v<T>) {
      if (which == operation::bit_and) return upsweep::bit_and{}(left, right);
      if (which == operation::bit_or) return upsweep::bit_or{}(left, right);
      if (which == operation::bit_xor) return upsweep::bit_xor{}(left, right);
    }
    return upsweep::maximum{}(left, right);
  }
};

// Page-locked memory of the host, which copies of the device can run beside.
template <class T>
class locked_memory {
 public:
  explicit locked_memory(std::size_t n) {
    void* memory = nullptr;
    check_cuda(cudaMallocHost(&memory, n * sizeof(T)),
               std::to_string((n * sizeof(T) >> 20) + 1) + " MiB of page-locked memory");
    memory_ = static_cast<T*>(memory);
  }
  locked_memory(const locked_memory&) = delete;
  locked_memory& operator=(const locked_memory&) = delete;
  ~locked_memory() { cudaFreeHost(memory_); }
  T* data() const { return memory_; }

 private:
  T* memory_ = nullptr;
};

// Elements become accumulators on the host, and chunks are scanned by small tiles: not the fastest
// kernel there is, but many times as fast as the link that the chunks come over.
template <class T>
class cuda_chunk_device final : public chunk_device<T> {
 public:
  cuda_chunk_device(operation op, const device_room& room)
      : op_{op}, slots_{slot(room), slot(room), slot(room), slot(room)} {
    static_assert(stream_slots == 4);
  }
  // Buffers end after what is on its way to them.
  ~cuda_chunk_device() override {
    for (const slot& s : slots_) cudaStreamSynchronize(s.stream.get());
  }

  T* buffer(int k) override { return at(k).host.data(); }

  void start_copy(int k, std::uint64_t elements) override {
    slot& s = at(k);
    copy(s, s.in.data(), s.host.data(), elements, cudaMemcpyHostToDevice);
  }

  void start_sum(int k, std::uint64_t elements) override {
    slot& s = at(k);
    auto p = upsweep::detail::problem_of<T, T, T>(upsweep::cuda::result::none, op_,
                                                  upsweep::detail::no_init{});
    p.in = reinterpret_cast<const T*>(s.in.data());
    p.n = elements;
    p.total = reinterpret_cast<T*>(s.sum.data());
    launch(s, p);
    copy(s, s.host_sum.data(), s.sum.data(), 1, cudaMemcpyDeviceToHost);
  }

  T wait_for_sum(int k) override {
    at(k).stream.wait();
    return *at(k).host_sum.data();
  }

  void start_scan(int k, const chunk_scan<T>& what) override {
    slot& s = at(k);
    const auto how =
        what.exclusive ? upsweep::cuda::result::exclusive : upsweep::cuda::result::inclusive;
    auto p = what.before
                 ? upsweep::detail::problem_of<T, T, T>(how, op_, *what.before)
                 : upsweep::detail::problem_of<T, T, T>(how, op_, upsweep::detail::no_init{});
    p.empty = what.empty;  // that of the result's dtype, which may be narrower than T
    p.in = reinterpret_cast<const T*>(s.in.data());
    p.out = reinterpret_cast<T*>(s.out.data());
    p.n = what.length;
    p.set_lines(static_cast<unsigned>(what.lines), static_cast<std::int64_t>(what.length),
                static_cast<std::int64_t>(what.results() / what.lines));
    p.total_after = what.total;
    launch(s, p);
    copy(s, s.host.data(), s.out.data(), what.results(), cudaMemcpyDeviceToHost);
  }

  void wait_for_results(int k) override { at(k).stream.wait(); }

 private:
  struct slot {
    explicit slot(const device_room& room)
        : host(room.results),
          host_sum(1),
          in(room.elements * sizeof(T)),
          out(room.results * sizeof(T)),
          sum(sizeof(T)),
          space(workspace_bytes) {}
    slot(const slot&) = delete;
    slot& operator=(const slot&) = delete;

    device_stream stream;
    locked_memory<T> host, host_sum;
    device_memory in, out, sum;
    upsweep::cuda::workspace space;
  };
  // The words of the tiles of a chunk, also when it is many lines of just over a tile.
  static constexpr std::size_t workspace_bytes = std::size_t{1} << 20;

  slot& at(int k) { return slots_[static_cast<std::size_t>(k)]; }

  static void copy(slot& s, void* to, const void* from, std::uint64_t n, cudaMemcpyKind kind) {
    check_cuda(cudaMemcpyAsync(to, from, n * sizeof(T), kind, s.stream.get()),
               "a copy between host and GPU");
  }

  template <class Problem>
  static void launch(slot& s, const Problem& p) {
    try {
      upsweep::cuda::engine(p, s.space, s.stream.get()).run_small_tiles();
    } catch (const upsweep::cuda_error& error) {
      check_cuda(error.code, "a scan on the GPU");
    }
  }

  chosen_operator<T> op_;
  std::array<slot, stream_slots> slots_;
};

}  // namespace

template <class T>
std::unique_ptr<chunk_device<T>> open_cuda_device(operation op, const device_room& room) {
  check_cuda(cudaSetDevice(static_cast<int>(room.gpu)), "cudaSetDevice");
  return std::make_unique<cuda_chunk_device<T>>(op, room);
}

#define UPSWEEP_CLI_LANE(T) \
  template std::unique_ptr<chunk_device<T>> open_cuda_device(operation, const device_room&);
UPSWEEP_CLI_FOR_REAL_LANES(UPSWEEP_CLI_LANE)
#undef UPSWEEP_CLI_LANE

}  // namespace cli
