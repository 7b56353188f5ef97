// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <memory>

#include "cli/bench_device_calls.hpp"
#include "upsweep/scan.cuh"

namespace cli::bench {

namespace {

// A workspace of its own for each engine and workload: a graph keeps the one it was captured with.
template <class T, class Op>
device_call line_call(bool exclusive, std::size_t n, cudaStream_t stream) {
  const auto space = std::make_shared<upsweep::cuda::workspace>();
  return [=](const void* from, void* to) {
    const auto gpu = upsweep::cuda::on(stream, *space);
    const T* const in = static_cast<const T*>(from);
    T* const out = static_cast<T*>(to);
    if (exclusive)
      upsweep::exclusive_scan(gpu, in, in + n, out, Op{});
    else
      upsweep::inclusive_scan(gpu, in, in + n, out, Op{});
  };
}

device_call array_call(bool exclusive, const shape_2d& shape, cudaStream_t stream) {
  const auto space = std::make_shared<upsweep::cuda::workspace>();
  return [=](const void* from, void* to) {
    const upsweep::array_view<const float> in(static_cast<const float*>(from),
                                              {shape.rows, shape.columns});
    const upsweep::array_view<float> out(static_cast<float*>(to), {shape.rows, shape.columns});
    const auto gpu = upsweep::cuda::on(stream, *space);
    if (exclusive)
      upsweep::exclusive_scan(gpu, in, out, shape.axis);
    else
      upsweep::inclusive_scan(gpu, in, out, shape.axis);
  };
}

}  // namespace

device_call upsweep_call(const workload& w, cudaStream_t stream) {
  const bool exclusive = w.exclusive();
  if (w.shape) return array_call(exclusive, *w.shape, stream);
  const auto call = [&]<class T, class Op>() { return line_call<T, Op>(exclusive, w.n, stream); };
  if (w.op == "compose") return call.operator()<upsweep::affine<float>, upsweep::compose>();
  if (w.op == "max") return call.operator()<float, upsweep::maximum>();
  if (w.type == "f32") return call.operator()<float, upsweep::plus>();
  if (w.type == "f64") return call.operator()<double, upsweep::plus>();
  if (w.type == "i32") return call.operator()<std::int32_t, upsweep::plus>();
  if (w.type == "i64") return call.operator()<std::int64_t, upsweep::plus>();
  if (w.type == "f16") return call.operator()<upsweep::f16, upsweep::plus>();
  if (w.type == "bf16") return call.operator()<upsweep::bf16, upsweep::plus>();
  if (w.type == "i8") return call.operator()<std::int8_t, upsweep::plus>();
  if (w.type == "u8") return call.operator()<std::uint8_t, upsweep::plus>();
  return {};
}

}  // namespace cli::bench
