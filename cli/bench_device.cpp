// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/bench_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/bench_device_calls.hpp"
#include "cli/cuda_call.hpp"
#include "cli/memory_region.hpp"

namespace cli::bench {

namespace {

constexpr std::size_t alignment = 256;  // of buffers, as cudaMalloc gives them

std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

// Pairs of buffers that calls take in turn.
struct rotation {
  std::byte *in, *out;
  std::size_t stride, pairs;
};

// One engine: its calls one after the other, timed by events of the device or, where each is waited
// for, by the host.
class runner {
 public:
  runner(device_call call, const rotation& at, latency how, const device_stream& stream)
      : call_(std::move(call)), at_(at), how_(how), stream_(stream) {
    if (how != latency::graph) return;
    call_pair(0);  // loads the kernel, which a capture may not
    stream_.wait();
    capture();
  }
  runner(const runner&) = delete;
  runner& operator=(const runner&) = delete;
  ~runner() {
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  }

  void run(std::size_t times) {
    enqueue(times);
    stream_.wait();
  }

  double timed_run(std::size_t times) {
    if (how_ == latency::single) {
      const double begin = steady_seconds();
      for (std::size_t i = 0; i < times; ++i) {
        call_pair(i % at_.pairs);
        stream_.wait();
      }
      return steady_seconds() - begin;
    }
    begin_.record(stream_);
    const std::size_t made = enqueue(times);
    end_.record(stream_);
    check_cuda(cudaEventSynchronize(end_.get()), "work on the GPU");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()),
               "cudaEventElapsedTime");
    return 1e-3 * milliseconds * static_cast<double>(times) / static_cast<double>(made);
  }

 private:
  void call_pair(std::size_t k) { call_(at_.in + k * at_.stride, at_.out + k * at_.stride); }

  // How many calls were made: whole graphs of them.
  std::size_t enqueue(std::size_t times) {
    if (graph_ == nullptr) {
      for (std::size_t i = 0; i < times; ++i) call_pair(i % at_.pairs);
      return times;
    }
    const std::size_t launches = (times + graph_calls_ - 1) / graph_calls_;
    for (std::size_t i = 0; i < launches; ++i)
      check_cuda(cudaGraphLaunch(graph_, stream_.get()), "cudaGraphLaunch");
    return launches * graph_calls_;
  }

  // Many calls where they are short; few where a graph would take longer than a sample.
  void capture() {
    graph_calls_ = std::clamp<std::size_t>((std::size_t{1} << 30) / at_.stride, 1, 64);
    check_cuda(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal), "capture");
    for (std::size_t i = 0; i < graph_calls_; ++i) call_pair(0);
    cudaGraph_t graph = nullptr;
    check_cuda(cudaStreamEndCapture(stream_.get(), &graph), "cudaStreamEndCapture");
    const cudaError_t made = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    check_cuda(made, "cudaGraphInstantiate");
  }

  device_call call_;
  rotation at_;
  latency how_;
  const device_stream& stream_;
  device_event begin_, end_;
  cudaGraphExec_t graph_ = nullptr;
  std::size_t graph_calls_ = 1;
};

std::string case_name(const workload& w) {
  return fmt::format("{} {} of {} {}", w.kind, w.op, w.n, w.type);
}

void check_same(const workload& w, const void* wanted, std::size_t size, const std::string& what) {
  if (const auto i = first_other_bits(w, wanted, size))
    throw run_time_failure(
        fmt::format("bench: {}: {}: first at element {}", what, case_name(w), *i));
}

}  // namespace

struct device_bench::state {
  latency how;
  bool cold;
  std::size_t l2, bytes_each;
  device_memory memory;
  memory_region reference;
  device_stream stream;

  rotation buffers_of(std::size_t bytes) const {
    const std::size_t stride = aligned(bytes);
    const std::size_t pairs = cold ? (3 * l2 / 2 + stride - 1) / stride : 1;
    return {memory.data(), memory.data() + bytes_each, stride, pairs};
  }

  // The same input in every pair, and no result in any.
  void load(const workload& w, const rotation& at, std::size_t bytes) const {
    const auto copy = [&](std::byte* to, const void* from, std::size_t n) {
      check_cuda(cudaMemcpyAsync(to, from, n, cudaMemcpyDefault, stream.get()),
                 "a copy to the GPU");
    };
    copy(at.in, w.in, bytes);
    for (std::size_t have = 1; have < at.pairs; have *= 2)
      copy(at.in + have * at.stride, at.in, std::min(have, at.pairs - have) * at.stride);
    clear(at);
  }

  void clear(const rotation& at) const {
    check_cuda(cudaMemsetAsync(at.out, 0xa5, at.pairs * at.stride, stream.get()), "cudaMemset");
    stream.wait();
  }

  void bring_back(const workload& w, const rotation& at, std::size_t bytes) const {
    check_cuda(cudaMemcpyAsync(w.out, at.out, bytes, cudaMemcpyDeviceToHost, stream.get()),
               "a copy from the GPU");
    clear(at);
  }
};

namespace {

std::size_t largest_bytes(const plan& p) {
  std::size_t widest = 1;
  for (const std::string& type : p.types) widest = std::max(widest, element_type_of(type).size);
  return aligned(widest * *std::max_element(p.sizes.begin(), p.sizes.end()));
}

// Of both buffers, or of all pairs: for input and output each.
std::size_t room_for(const plan& p, std::size_t l2) {
  check_cuda(cudaSetDevice(static_cast<int>(p.gpu)), "cudaSetDevice");
  const std::size_t each = largest_bytes(p) + (p.cold ? aligned(2 * l2) : 0);
  std::size_t unused = 0, total = 0;
  check_cuda(cudaMemGetInfo(&unused, &total), "cudaMemGetInfo");
  if (2 * each > unused)
    throw usage_failure(
        fmt::format("bench: input and output need {} MiB on the GPU, but {} MiB are free: choose "
                    "smaller --sizes",
                    2 * each >> 20, unused >> 20));
  return each;
}

std::size_t l2_of(std::size_t gpu) {
  int bytes = 0;
  check_cuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, static_cast<int>(gpu)),
             "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(bytes);
}

// What the CPU engine makes of the input.
void write_reference(workload w, const element_type& type, void* to) {
  w.out = to;
  for (const contender& c : type.contenders(w))
    if (c.engine == "upsweep-par") c.run(1);
}

}  // namespace

device_bench::device_bench(const plan& p) {
  const std::size_t l2 = l2_of(p.gpu), each = room_for(p, l2);
  state_.reset(new state{p.latency,
                         p.cold,
                         l2,
                         each,
                         device_memory(2 * each),
                         memory_region::allocate(largest_bytes(p)),
                         {}});
}
device_bench::~device_bench() = default;

std::vector<contender> device_bench::contenders(const workload& w, const element_type& type) {
  state& s = *state_;
  const std::size_t bytes = w.n * type.size;
  const rotation at = s.buffers_of(bytes);
  s.load(w, at, bytes);
  write_reference(w, type, s.reference.data());
  std::vector<contender> all;
  const auto add = [&](const char* name, device_call call, auto check) {
    if (!call) return;
    const auto one = std::make_shared<runner>(std::move(call), at, s.how, s.stream);
    const auto verify = [=, &s] {
      s.bring_back(w, at, bytes);
      check();
    };
    all.push_back({name, [one](std::size_t times) { one->run(times); }, verify,
                   [one](std::size_t times) { return one->timed_run(times); }});
  };
  const std::byte* const wanted = s.reference.data();
  const cudaStream_t stream = s.stream.get();
  const auto is_copy = [=] { check_same(w, w.in, type.size, "a copy on the GPU is wrong"); };
  const auto copy = [=](const void* in, void* out) {
    check_cuda(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, stream),
               "cudaMemcpyAsync");
  };
  add("memcpy", copy, is_copy);
  add("copy-kernel", copy_kernel_call(bytes, stream), is_copy);
  add("cub", cub_call(w, stream), [=] {
    if (const auto i = type.first_difference(w, wanted))
      throw run_time_failure(
          fmt::format("bench: cub gives a wrong {}: first at element {}", case_name(w), *i));
  });
  add("upsweep-cuda", upsweep_call(w, stream), [=] {
    check_same(w, wanted, type.size, "upsweep-cuda gives other bits than the CPU engine");
  });
  return all;
}

}  // namespace cli::bench
