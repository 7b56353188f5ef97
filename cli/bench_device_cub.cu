// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUB's scans, each as its documentation has it, with the type that CUB chooses for the sum; but
// 16-bit floats are added in float, as Upsweep does.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>
#include <cuda/functional>
#include <limits>
#include <memory>
#include <string>

#include "cli/bench_device.hpp"
#include "cli/bench_device_calls.hpp"
#include "cli/cuda_call.hpp"
#include "upsweep/composites.hpp"

namespace cli::bench {

namespace {

using scan = cub::DeviceScan;
using map = upsweep::affine<float>;

// The calls by element type and operator: f(temporary storage, its size, in, out, n, stream).
template <class T>
auto sum_of(bool exclusive) {
  return [=](void* temporary, std::size_t& bytes, const T* in, T* out, int n, cudaStream_t s) {
    return exclusive ? scan::ExclusiveSum(temporary, bytes, in, out, n, s)
                     : scan::InclusiveSum(temporary, bytes, in, out, n, s);
  };
}

template <class T>
auto sum_in_float(bool exclusive) {
  return [=](void* temporary, std::size_t& bytes, const T* in, T* out, int n, cudaStream_t s) {
    const ::cuda::std::plus<float> add;
    return exclusive ? scan::ExclusiveScan(temporary, bytes, in, out, add, 0.f, n, s)
                     : scan::InclusiveScanInit(temporary, bytes, in, out, add, -0.f, n, s);
  };
}

template <class T, class Op>
auto scan_of(bool exclusive, Op op, T first) {
  return [=](void* temporary, std::size_t& bytes, const T* in, T* out, int n, cudaStream_t s) {
    return exclusive ? scan::ExclusiveScan(temporary, bytes, in, out, op, first, n, s)
                     : scan::InclusiveScan(temporary, bytes, in, out, op, n, s);
  };
}

template <class T, class F>
device_call call_of(F f, std::size_t n, cudaStream_t stream) {
  const auto sized = [=](void* temporary, std::size_t& bytes, const T* in, T* out) {
    return f(temporary, bytes, in, out, static_cast<int>(n), stream);
  };
  std::size_t bytes = 0;
  check_cuda(sized(nullptr, bytes, nullptr, nullptr), "the size of CUB's temporary storage");
  const auto temporary = std::make_shared<device_memory>(bytes);
  return [=](const void* in, void* out) {
    std::size_t size = bytes;
    check_cuda(sized(temporary->data(), size, static_cast<const T*>(in), static_cast<T*>(out)),
               "a scan by CUB");
  };
}

}  // namespace

std::string cub_version() {
  return std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
         std::to_string(CUB_SUBMINOR_VERSION);
}

device_call cub_call(const workload& w, cudaStream_t stream) {
  // Sizes of 32 bits, which CUB is faster with; compiled for no others.
  if (w.shape || w.n > static_cast<std::size_t>(std::numeric_limits<int>::max())) return {};
  const bool exclusive = w.exclusive();
  const auto call = [&]<class T>(auto f) { return call_of<T>(f, w.n, stream); };
  if (w.op == "compose")
    return call.operator()<map>(scan_of<map>(exclusive, upsweep::compose{}, map{1, 0}));
  if (w.op == "max")
    return call.operator()<float>(
        scan_of<float>(exclusive, ::cuda::maximum<>{}, -std::numeric_limits<float>::infinity()));
  if (w.type == "f32") return call.operator()<float>(sum_of<float>(exclusive));
  if (w.type == "f64") return call.operator()<double>(sum_of<double>(exclusive));
  if (w.type == "i32") return call.operator()<std::int32_t>(sum_of<std::int32_t>(exclusive));
  if (w.type == "i64") return call.operator()<std::int64_t>(sum_of<std::int64_t>(exclusive));
  if (w.type == "f16") return call.operator()<__half>(sum_in_float<__half>(exclusive));
  if (w.type == "bf16")
    return call.operator()<__nv_bfloat16>(sum_in_float<__nv_bfloat16>(exclusive));
  if (w.type == "i8") return call.operator()<std::int8_t>(sum_of<std::int8_t>(exclusive));
  if (w.type == "u8") return call.operator()<std::uint8_t>(sum_of<std::uint8_t>(exclusive));
  return {};
}

}  // namespace cli::bench
