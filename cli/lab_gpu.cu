// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "cli/lab_gpu.hpp"
#include "cli/lab_model_gpu.hpp"
#include "cli/lab_session_of.hpp"
#include "lab/gpu/gpu_device.cuh"

namespace cli::lab {

namespace {

namespace gpu = upsweep::lab::gpu;
using upsweep::lab::global;

// Milliseconds of each of so many calls.
template <class Body>
std::vector<double> timed(unsigned repeat, const Body& body) {
  cudaEvent_t begin, end;
  gpu::check(cudaEventCreate(&begin), "cudaEventCreate");
  gpu::check(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<double> samples;
  for (unsigned r = 0; r < repeat; ++r) {
    float milliseconds = 0;
    gpu::check(cudaEventRecord(begin), "cudaEventRecord");
    body();
    gpu::check(cudaEventRecord(end), "cudaEventRecord");
    gpu::check(cudaEventSynchronize(end), "cudaEventSynchronize");
    gpu::check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
    samples.push_back(static_cast<double>(milliseconds));
  }
  cudaEventDestroy(begin), cudaEventDestroy(end);
  return samples;
}

std::vector<gpu_launch> time_of_each(gpu::device& d, unsigned repeat, const auto& scan) {
  std::vector<gpu_launch> launches;
  std::vector<std::vector<double>> samples;
  d.time_launches(true);
  for (unsigned r = 0; r < repeat; ++r) {
    scan();
    const std::vector<gpu::timed_launch> times = d.times();
    samples.resize(times.size());
    launches.resize(times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
      launches[i].kernel = times[i].kernel;
      samples[i].push_back(static_cast<double>(times[i].milliseconds));
    }
  }
  d.time_launches(false);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    launches[i].median = gpu::median(samples[i]);
    launches[i].least = *std::min_element(samples[i].begin(), samples[i].end());
  }
  return launches;
}

void check_result(const request& what, const std::vector<float>& x, const std::vector<float>& y,
                  outcome& o) {
  const upsweep::plus op;
  o.n = x.size();
  o.launches.resize(x.size() > 4096 ? 2 : 1);  // by which judge() knows the tolerance
  o.launches[0].blocks = 1;
  judge(x, y, op, what.exclusive, o);
  o.launches.clear();
  o.hash = hash_of(y);
  const std::span<const float> all(x);
  o.canonical = o.hash == hash_of(what.exclusive ? upsweep::reference::exclusive_scan(all, op)
                                                 : upsweep::reference::inclusive_scan(all, op));
}

template <class Algorithm>
void measure(const request& what, const std::vector<float>& x, unsigned repeat, gpu_outcome& g) {
  gpu::device arrays, d;
  const std::size_t bytes = x.size() * sizeof(float);
  const global<float> in = arrays.array<float>("x", x.size()),
                      out = arrays.array<float>("y", x.size());
  gpu::check(cudaMemcpy(in.data, x.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  const auto scan = [&] {
    d.again();
    Algorithm::scan(d, global<const float>(in), out, upsweep::plus{},
                    upsweep::lab::options{what.exclusive, what.threads});
  };
  timed(3, scan);  // to warm up, and to have all arrays
  const std::vector<double> whole = timed(repeat, scan);
  g.median = gpu::median(whole), g.least = *std::min_element(whole.begin(), whole.end());
  g.launches = time_of_each(d, repeat, scan);
  const auto copy = [&] {
    gpu::check(cudaMemcpyAsync(out.data, in.data, bytes, cudaMemcpyDeviceToDevice),
               "cudaMemcpyAsync");
  };
  timed(3, copy);
  g.copy = gpu::median(timed(repeat, copy));
  gpu::check(cudaMemset(out.data, 0xa5, bytes), "cudaMemset");  // what was measured does not count
  scan();
  std::vector<float> y(x.size());
  gpu::check(cudaMemcpy(y.data(), out.data, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  check_result(what, x, y, g.result);
}

// Launches nothing, and looks at the kernels instead.
struct register_reader {
  int most = 0;

  template <class T>
  global<T> array(const char*, std::uint64_t size) {
    return {nullptr, size, 0};
  }
  upsweep::lab::words words(const char*, std::uint64_t size) { return {nullptr, size, 0}; }
  template <class Kernel>
  void launch(const char*, const upsweep::lab::shape&, const Kernel&) {
    cudaFuncAttributes attributes{};
    gpu::check(cudaFuncGetAttributes(&attributes, gpu::run_kernel<Kernel>),
               "cudaFuncGetAttributes");
    most = std::max(most, attributes.numRegs);
  }
  template <class Kernel>
  std::uint64_t cooperative_blocks(const Kernel&, unsigned, std::uint32_t) const {
    return 1;
  }
};

}  // namespace

void need_gpu() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0)
    throw run_time_failure("lab: no GPU was found");
}

gpu_outcome run_on_gpu(const request& what, unsigned repeat) {
  need_gpu();
  if (what.op != "sum") throw usage_failure("lab: --device cuda runs --op sum");
  gpu_outcome g;
  cudaDeviceProp properties;
  gpu::check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  g.device = properties.name;
  const std::vector<float> x = input_of<float>(what, number<upsweep::plus>{});
  if (x.empty()) throw usage_failure("lab: there is nothing to measure");
  try {
    with_algorithm(what, [&](auto a) { measure<decltype(a)>(what, x, repeat, g); });
  } catch (const gpu::cuda_failure& error) {
    throw run_time_failure(error.what());
  } catch (const upsweep::argument_error& error) {
    throw refusal_of(error, what);
  }
  return g;
}

double registers_of(const request& what) {
  need_gpu();
  register_reader reader;
  try {
    with_algorithm(what, [&](auto a) {
      decltype(a)::scan(reader, global<const float>{nullptr, what.n, 0},
                        global<float>{nullptr, what.n, 0}, upsweep::plus{},
                        upsweep::lab::options{what.exclusive, what.threads});
    });
  } catch (const gpu::cuda_failure& error) {
    throw run_time_failure(error.what());
  } catch (const upsweep::argument_error& error) {
    throw refusal_of(error, what);
  }
  return reader.most;
}

}  // namespace cli::lab
