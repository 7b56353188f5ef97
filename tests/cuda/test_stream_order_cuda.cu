// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels may begin before those ahead of them in the stream have ended; what they read and write
// must still come in the stream's order. Every kernel of the engine follows one that lets it begin
// at once and writes its input long after, and is followed by one that may begin at once. And they
// end where other kernels hold most of the device.
#include <chrono>

#include "cuda_cases.cuh"

namespace {

using namespace cuda_cases;
using upsweep::array_view;

struct StreamOrderCuda : OnGpu {};

constexpr std::uint32_t factor = 2654435761u;

// Writes x[i] = i * factor + round after a quarter of a millisecond, and the length if there is
// one.
__global__ void write_late(std::uint32_t* x, std::size_t n, std::uint32_t round,
                           std::uint64_t* length, std::uint64_t value) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  std::uint64_t begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  while (now - begin < 250'000);
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    x[i] = static_cast<std::uint32_t>(i) * factor + round;
  if (length != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *length = value;
}

std::vector<std::uint32_t> input(std::size_t n, std::uint32_t round) {
  std::vector<std::uint32_t> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<std::uint32_t>(i) * factor + round;
  return x;
}

// Enqueues in turns: the late writer, the scan of x into y, and a copy of y, some rounds of it;
// then compares all copies with what `reference` makes of each round's input.
template <class Scan, class Reference>
void in_order(std::size_t n, std::size_t results, Scan scan, Reference reference) {
  constexpr std::uint32_t rounds = 4;
  cudaStream_t stream = nullptr;
  uc::check(cudaStreamCreate(&stream), "cudaStreamCreate");
  const device_array<std::uint32_t> x(n), y(results), all(rounds * results);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    write_late<<<32, 256, 0, stream>>>(x.data(), n, round, nullptr, 0);
    scan(stream, x.data(), y.data());
    uc::check(cudaMemcpyAsync(all.data() + round * results, y.data(), results * sizeof(*y.data()),
                              cudaMemcpyDeviceToDevice, stream),
              "cudaMemcpyAsync");
  }
  uc::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  std::vector<std::uint32_t> expected;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const std::vector<std::uint32_t> part = reference(input(n, round));
    expected.insert(expected.end(), part.begin(), part.end());
  }
  EXPECT_EQ(first_difference(all.get(), expected), expected.size()) << "n " << n;
  cudaStreamDestroy(stream);
}

const std::size_t some_sizes[] = {100, 9000, 60'000, 400'000, (std::size_t{1} << 23) + 5};

TEST_F(StreamOrderCuda, ScansWaitForWhatWritesTheirInput) {
  uc::workspace space;
  for (const std::size_t n : some_sizes)
    for (const uc::path path : paths)
      in_order(
          n, n,
          [&](cudaStream_t stream, const std::uint32_t* x, std::uint32_t* y) {
            upsweep::inclusive_scan(uc::on(stream, space).by(path), x, x + n, y);
          },
          [](std::vector<std::uint32_t> x) {
            upsweep::inclusive_scan(upsweep::seq, x, x);
            return x;
          });
}

TEST_F(StreamOrderCuda, ScansWaitForEachOther) {
  uc::workspace space;
  constexpr int links = 12;  // of a chain, each a scan of the one before, in two arrays in turns
  for (const std::size_t n : some_sizes) {
    const device_array<std::uint32_t> other(n);
    in_order(
        n, n,
        [&](cudaStream_t stream, const std::uint32_t* x, std::uint32_t* y) {
          const auto who = uc::on(stream, space);
          upsweep::inclusive_scan(who, x, x + n, y);
          for (int i = 1; i < links; i += 2) {
            upsweep::inclusive_scan(who, y, y + n, other.data());
            upsweep::inclusive_scan(who, other.data(), other.data() + n, y);
          }
        },
        [](std::vector<std::uint32_t> x) {
          for (int i = 0; i <= links; ++i) upsweep::inclusive_scan(upsweep::seq, x, x);
          return x;
        });
  }
}

TEST_F(StreamOrderCuda, ArraysWait) {
  uc::workspace space;
  const std::size_t shapes[][2] = {{5000, 64}, {3000, 1500}, {300, 30'000}, {40, 200'000},
                                   {90, 50},   {4096, 64},   {20'000, 20}};
  for (const auto& [rows, columns] : shapes)
    for (const int axis : {0, 1}) {
      const std::vector<std::size_t> extents{rows, columns};
      const auto view = [&](auto* data) { return array_view(data, std::span(extents)); };
      in_order(
          rows * columns, rows * columns,
          [&](cudaStream_t stream, const std::uint32_t* x, std::uint32_t* y) {
            upsweep::inclusive_scan(uc::on(stream, space), view(x), view(y), axis);
          },
          [&](std::vector<std::uint32_t> x) {
            upsweep::inclusive_scan(upsweep::seq, view(x.data()), view(x.data()), axis);
            return x;
          });
    }
}

TEST_F(StreamOrderCuda, LengthsWait) {
  uc::workspace space;
  const device_array<std::uint64_t> length(1);
  for (const std::size_t most : some_sizes) {
    const std::size_t n = most - most / 3;
    const device_array<std::uint32_t> x(most), sum(1);
    uc::check(cudaMemset(length.data(), 0, sizeof(std::uint64_t)), "cudaMemset");
    write_late<<<32, 256>>>(x.data(), most, 1, length.data(), n);
    upsweep::reduce(uc::on(nullptr, space), x.data(), uc::device_length{length.data(), most},
                    sum.data());
    const std::vector<std::uint32_t> all = input(n, 1);
    EXPECT_EQ(sum.get().front(), upsweep::reduce(upsweep::seq, all)) << "n " << n;
  }
}

TEST_F(StreamOrderCuda, GraphsKeepTheOrder) {
  for (const std::size_t n : some_sizes) {
    uc::workspace space;
    cudaStream_t stream = nullptr;
    uc::check(cudaStreamCreate(&stream), "cudaStreamCreate");
    const device_array<std::uint32_t> x(n), y(n);
    uc::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    write_late<<<32, 256, 0, stream>>>(x.data(), n, 7, nullptr, 0);
    upsweep::inclusive_scan(uc::on(stream, space), x.data(), x.end(), y.data());
    upsweep::inclusive_scan(uc::on(stream, space), y.data(), y.end(), x.data());
    cudaGraph_t graph = nullptr;
    uc::check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    cudaGraphExec_t executable = nullptr;
    uc::check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    for (int replay = 0; replay < 3; ++replay)
      uc::check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
    uc::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    std::vector<std::uint32_t> expected = input(n, 7);
    for (int i = 0; i < 2; ++i) upsweep::inclusive_scan(upsweep::seq, expected, expected);
    EXPECT_EQ(first_difference(x.get(), expected), n) << "n " << n;
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
  }
}

// Holds a multiprocessor, whose shared memory its block has, until it is released.
__global__ void hold(const volatile int* released) {
  while (*released == 0) {
  }
}

// Kernels that hold all multiprocessors but `free`, from construction on until release().
class held_device {
 public:
  explicit held_device(int free) {
    int processors = 0, shared = 0;
    uc::check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0), "attribute");
    uc::check(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0),
              "attribute");
    uc::check(cudaHostAlloc(&released_, sizeof *released_, cudaHostAllocMapped), "cudaHostAlloc");
    *const_cast<int*>(released_) = 0;
    uc::check(cudaFuncSetAttribute(hold, cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
              "cudaFuncSetAttribute");
    uc::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    hold<<<processors - free, 32, shared, stream_>>>(released_);
  }
  held_device(const held_device&) = delete;
  held_device& operator=(const held_device&) = delete;
  ~held_device() {
    release();
    cudaStreamDestroy(stream_);
    cudaFreeHost(const_cast<int*>(released_));
  }
  bool holds() const { return cudaStreamQuery(stream_) == cudaErrorNotReady; }
  void release() {
    *released_ = 1;
    cudaStreamSynchronize(stream_);
  }

 private:
  volatile int* released_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

// Whether the work of a stream ends within ten seconds.
bool ends(cudaStream_t stream) {
  const auto begin = std::chrono::steady_clock::now();
  while (cudaStreamQuery(stream) == cudaErrorNotReady)
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(10)) return false;
  return true;
}

TEST_F(StreamOrderCuda, ScansEndBesideKernelsThatHoldMultiprocessors) {
  uc::workspace space;
  cudaStream_t stream = nullptr;
  uc::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  const std::size_t n = (std::size_t{1} << 21) + 5;
  const device_array<std::uint32_t> x(input(n, 3));
  device_array<std::uint32_t> y(n), z(n);
  const std::vector<std::size_t> extents{n / 64, 64};
  const auto view = [&](auto* data) { return array_view(data, std::span(extents)); };
  const auto enqueue = [&] {
    for (const uc::path path : paths) {
      const auto who = uc::on(stream, space).by(path);
      upsweep::inclusive_scan(who, x.data(), x.end(), y.data());
      upsweep::inclusive_scan(who, y.data(), y.end(), y.data());
    }
    for (const int axis : {0, 1}) {
      const std::uint32_t* const from = axis == 0 ? x.data() : z.data();
      upsweep::inclusive_scan(uc::on(stream, space), view(from), view(z.data()), axis);
    }
  };
  enqueue();  // loads the kernels, which may wait for whatever runs
  uc::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  for (const int free : {1, 5}) {
    y.poison(), z.poison();
    held_device held(free);
    enqueue();
    EXPECT_TRUE(held.holds());
    EXPECT_TRUE(ends(stream)) << free << " multiprocessors are free";
    EXPECT_TRUE(held.holds());
    held.release();
    uc::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    std::vector<std::uint32_t> expected = input(n, 3), table = expected;
    for (int i = 0; i < 2; ++i) upsweep::inclusive_scan(upsweep::seq, expected, expected);
    for (const int axis : {0, 1})
      upsweep::inclusive_scan(upsweep::seq, view(table.data()), view(table.data()), axis);
    EXPECT_EQ(first_difference(y.get(), expected), n);
    table.resize(n / 64 * 64);
    std::vector<std::uint32_t> found = z.get();
    found.resize(table.size());
    EXPECT_EQ(first_difference(found, table), table.size());
  }
  cudaStreamDestroy(stream);
}

}  // namespace
