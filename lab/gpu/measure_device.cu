// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lab/gpu/measure_device.hpp"

#include "lab/gpu/gpu_device.cuh"
#include "lab/gpu/probes.cuh"

namespace upsweep::lab::gpu {

namespace {

using namespace probes;

std::string at_size(unsigned long value) { return std::string("@").append(std::to_string(value)); }

class bench {
 public:
  bench() {
    check(cudaGetDevice(&device_), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device_),
          "cudaDeviceGetAttribute");
    check(cudaEventCreate(&begin_), "cudaEventCreate");
    check(cudaEventCreate(&end_), "cudaEventCreate");
    check(cudaMallocManaged(&span_, sizeof(span)), "cudaMallocManaged");
    check(cudaMalloc(&words_, 4096), "cudaMalloc");
    check(cudaMemset(words_, 0, 4096), "cudaMemset");
  }
  bench(const bench&) = delete;
  ~bench() {
    cudaEventDestroy(begin_), cudaEventDestroy(end_);
    cudaFree(span_), cudaFree(words_);
  }

  std::vector<measurement> run() {
    clock();
    chains();
    blocks();
    launches();
    gaps();
    rates();
    memory();
    return std::move(found_);
  }

 private:
  void note(const std::string& name, double value) { found_.push_back({name, value}); }

  // Median seconds between two events around body().
  template <class Body>
  double seconds(int repeat, const Body& body) {
    std::vector<double> samples;
    for (int r = 0; r < repeat + 2; ++r) {
      float milliseconds = 0;
      check(cudaEventRecord(begin_), "cudaEventRecord");
      body();
      check(cudaEventRecord(end_), "cudaEventRecord");
      check(cudaEventSynchronize(end_), "cudaEventSynchronize");
      check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
      if (r >= 2) samples.push_back(static_cast<double>(milliseconds) * 1e-3);
    }
    check(cudaGetLastError(), "a probe");
    return median(samples);
  }

  // Median cycles of one operation of a chain.
  template <class Launch>
  double cycles(const Launch& launch) {
    std::vector<double> samples;
    for (int r = 0; r < 9; ++r) {
      launch();
      check(cudaDeviceSynchronize(), "a probe");
      samples.push_back(static_cast<double>(span_->cycles) / chain);
    }
    return median(samples);
  }

  void clock() {
    const long long wanted = 20'000'000;
    const double least = seconds(5, [&] { spin<<<1, 32>>>(span_, wanted); });
    hertz_ = static_cast<double>(span_->cycles) / least;
    note("clock_hz", hertz_);
  }

  void chains() {
    note("add_cycles", cycles([&] { adds<<<1, 32>>>(span_, 1.0f); }));
    note("shuffle_cycles", cycles([&] { shuffles<<<1, 32>>>(span_); }));
    note("vote_cycles", cycles([&] { votes<<<1, 32>>>(span_); }));
    note("shared_cycles", cycles([&] { shared_chain<<<1, 32>>>(span_); }));
    note("atomic_cycles", cycles([&] { atomics<<<1, 1>>>(span_, words_); }));
    note("publish_cycles", cycles([&] { publishes<<<1, 1>>>(span_, words_, words_ + 64); }));
    for (const unsigned warps : {1u, 2u, 4u, 8u, 16u, 32u}) {
      const std::string at = at_size(warps);
      note("barrier_cycles" + at, cycles([&] { barriers<<<1, 32 * warps>>>(span_); }));
      note("shared_step_cycles" + at, cycles([&] { shared_steps<<<1, 32 * warps>>>(span_); }));
    }
    const unsigned all = static_cast<unsigned>(2 * processors_);
    note("barrier_cycles@2x32", cycles([&] { barriers<<<all, 1024>>>(span_); }));
    note("shared_step_cycles@2x32", cycles([&] { shared_steps<<<all, 1024>>>(span_); }));
    note("ping_pong_s", cycles([&] {
                          check(cudaMemset(words_, 0, 4096), "cudaMemset");
                          ping_pong<<<2, 32>>>(span_, words_);
                        }) / 2 /
                            hertz_);
    note("hop_s", relayed());
    for (const auto& [name, bytes] :
         {std::pair{"l1_cycles", 16u << 10}, {"l2_cycles", 4u << 20}, {"dram_cycles", 1u << 30}})
      note(name, global_latency(bytes, bytes == 16u << 10));
  }

  // A word from block to block where all blocks that the device holds wait.
  double relayed() {
    const auto blocks = static_cast<unsigned>(8 * processors_);
    unsigned* words = nullptr;
    check(cudaMalloc(&words, blocks * 8), "cudaMalloc");
    check(cudaMemset(words, 0, blocks * 8), "cudaMemset");
    unsigned turn = 0;
    const double all = seconds(9, [&] { relay<<<blocks, 256>>>(words, words + blocks, ++turn); });
    check(cudaFree(words), "cudaFree");
    return all / blocks;
  }

  double global_latency(std::size_t bytes, bool cached) {
    unsigned* next = nullptr;
    check(cudaMalloc(&next, bytes), "cudaMalloc");
    const auto nodes = static_cast<unsigned>(bytes / 128);
    link_nodes<<<(nodes + 255) / 256, 256>>>(next, nodes);
    // Goes on where the last one ended, so that a long chain finds nothing in a cache; a short one
    // has been round before.
    span_->sink = 0;
    const auto walk = [&] {
      const unsigned first = span_->sink;
      cached ? global_chain<true><<<1, 1>>>(span_, next, first)
             : global_chain<false><<<1, 1>>>(span_, next, first);
    };
    for (int round = 0; round < 40; ++round) walk(), cudaDeviceSynchronize();
    const double each = cycles(walk);
    check(cudaFree(next), "cudaFree");
    return each;
  }

  // Cycles of a processor for a block that does nothing; and the barrier of a grid.
  void blocks() {
    constexpr unsigned many = 1u << 18;
    for (const unsigned threads : {32u, 256u, 512u, 1024u}) {
      const double all = seconds(9, [&] { empty_shared<<<many, threads, 8192>>>(); });
      note("block_cycles" + at_size(threads), all / many * processors_ * hertz_);
    }
    for (const int each : {1, 2, 8}) {
      const auto barriers_of = [&](int times) {
        void* arguments[] = {&times};
        return seconds(9, [&] {
          cudaLaunchCooperativeKernel(grid_barriers,
                                      dim3(static_cast<unsigned>(processors_ * each)), dim3(256),
                                      arguments, 0, nullptr);
        });
      };
      note("grid_barrier_s" + at_size(each), (barriers_of(220) - barriers_of(20)) / 200);
      note("cooperative_launch_s" + at_size(each), barriers_of(0));
    }
  }

  void launches() {
    for (const int count : {0, 1, 2, 3, 5, 8, 100, 1000}) {
      const std::string at = at_size(count);
      note("launches_s" + at, seconds(101, [&] {
             for (int i = 0; i < count; ++i) empty<<<1, 32>>>();
           }));
      note("memsets_s" + at, seconds(101, [&] {
             for (int i = 0; i < count; ++i) cudaMemsetAsync(words_, 0, 64);
           }));
    }
  }

  // Between the end of a kernel and the beginning of the next, where the next is waiting: kernels
  // long enough that the host is ahead.
  void gaps() {
    const auto long_ones = [&](int count) {
      return seconds(15, [&] {
        for (int i = 0; i < count; ++i) spin<<<1, 32>>>(span_, 60'000);
      });
    };
    const double each = (long_ones(40) - long_ones(20)) / 20;
    note("gap_s", each - static_cast<double>(span_->cycles) / hertz_);
  }

  void rates() {
    constexpr unsigned many = 1u << 18;
    const double with = seconds(9, [&] { tickets<<<many, 32>>>(words_, words_ + 64); });
    const double without = seconds(9, [&] { empty<<<many, 32>>>(); });
    note("ticket_s", with / many);
    note("empty_block_s", without / many);
    for (const unsigned stride : {1u, 2u, 8u, 32u})
      note("shared_transaction_cycles" + at_size(stride),
           cycles([&] {
             shared_rate<<<static_cast<unsigned>(processors_), 1024, 8192>>>(span_, stride);
           }) / 32);
    const double issue =
        cycles([&] { add_rate<<<static_cast<unsigned>(processors_), 1024>>>(span_, 1.0f); });
    note("warp_adds_a_cycle", 4 * 32 / issue);
  }

  void memory() {
    constexpr std::size_t most = std::size_t{1} << 28;
    float *x = nullptr, *y = nullptr;
    check(cudaMalloc(&x, most * 4), "cudaMalloc");
    check(cudaMalloc(&y, most * 4), "cudaMalloc");
    check(cudaMemset(x, 0, most * 4), "cudaMemset");
    check(cudaMemset(y, 0, most * 4), "cudaMemset");
    for (unsigned log = 16; log <= 28; log += 2) {
      const std::size_t n = std::size_t{1} << log;
      const auto wide = reinterpret_cast<uint4*>(x);
      const auto rate = [&](const std::string& name, double bytes, const auto& body) {
        note(name + at_size(log), bytes * 8 / seconds(9, [&] {
                                    for (int i = 0; i < 8; ++i) body();
                                  }));
      };
      const auto blocks = static_cast<unsigned>(n / 1024);
      const double bytes = 4.0 * static_cast<double>(n);
      rate("memcpy_bytes_per_s", 2 * bytes,
           [&] { cudaMemcpyAsync(y, x, n * 4, cudaMemcpyDeviceToDevice); });
      rate("copy4_bytes_per_s", 2 * bytes, [&] { copy<float><<<blocks, 1024>>>(y, x); });
      rate("copy4x256_bytes_per_s", 2 * bytes, [&] { copy<float><<<blocks * 4, 256>>>(y, x); });
      rate("copy4x512_bytes_per_s", 2 * bytes, [&] { copy<float><<<blocks * 2, 512>>>(y, x); });
      rate("copy16_bytes_per_s", 2 * bytes,
           [&] { copy<uint4><<<blocks, 256>>>(reinterpret_cast<uint4*>(y), wide); });
      rate("update_bytes_per_s", 2 * bytes, [&] { update<<<blocks, 1024>>>(y, 1.0f); });
      rate("read_bytes_per_s", bytes, [&] { read<<<blocks, 256>>>(wide, words_); });
    }
    check(cudaFree(x), "cudaFree");
    check(cudaFree(y), "cudaFree");
  }

  int device_ = 0, processors_ = 0;
  double hertz_ = 0;
  cudaEvent_t begin_{}, end_{};
  span* span_ = nullptr;
  unsigned* words_ = nullptr;
  std::vector<measurement> found_;
};

}  // namespace

std::vector<measurement> measure_device() { return bench().run(); }

}  // namespace upsweep::lab::gpu
