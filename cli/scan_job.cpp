// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/scan_job.hpp"

#include <cstring>
#include <limits>

#include "cli/scan_lanes.hpp"
#include "upsweep/cpu/engine.hpp"

namespace cli {
namespace {

bool is_extremum(operation op) { return op == operation::min || op == operation::max; }

// The unsigned integer with as many bits: sums, products and bits are the same in both.
dtype unsigned_twin(dtype type) {
  switch (type) {
    case dtype::i1:
      return dtype::u1;
    case dtype::i2:
      return dtype::u2;
    case dtype::i4:
      return dtype::u4;
    case dtype::i8:
      return dtype::u8;
    default:
      return type;
  }
}

// Bools are 0 and 1 in a 32-bit word, where each operator is one on bits.
operation bool_operation(operation op) {
  if (op == operation::sum || op == operation::max) return operation::bit_or;
  if (op == operation::prod || op == operation::min) return operation::bit_and;
  return op;
}

template <dtype D>
stored_t<D> empty_value(operation op) {
  using item = stored_t<D>;
  if constexpr (std::is_integral_v<item>) {
    if (op == operation::prod) return 1;
    if (op == operation::min) return std::numeric_limits<item>::max();
    if (op == operation::max) return std::numeric_limits<item>::min();
    if (op == operation::bit_and) return static_cast<item>(~item{0});
    return 0;
  } else if constexpr (is_complex<item>) {
    return op == operation::prod ? 1 : 0;
  } else {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    if (op == operation::prod) return item(1.f);
    if (op == operation::min) return item(infinity);
    if (op == operation::max) return item(-infinity);
    return item(0.f);
  }
}

}  // namespace

dtype default_out_type(operation op, dtype in) {
  if (op != operation::sum && op != operation::prod) return in;
  if (kind_of(in) == dtype_kind::floating || kind_of(in) == dtype_kind::complex) return in;
  return kind_of(in) == dtype_kind::unsigned_integer ? dtype::u8 : dtype::i8;
}

lane_choice choose_lane(operation op, dtype out_type) {
  if (out_type == dtype::b1) return {dtype::b1, dtype::b1, bool_operation(op)};
  if (out_type == dtype::f2 || out_type == dtype::bf16) return {dtype::f4, out_type, op};
  const dtype_kind kind = kind_of(out_type);
  if (kind == dtype_kind::floating || kind == dtype_kind::complex || is_extremum(op))
    return {out_type, out_type, op};
  return {unsigned_twin(out_type), unsigned_twin(out_type), op};
}

template <class T>
std::optional<T> init_of(const scan_job& job, const lane_choice& lane) {
  T init;
  if (job.before) {
    std::memcpy(&init, job.before->data(), sizeof init);
    return init;
  }
  if (!job.init) return std::nullopt;
  loader<T>(lane.store, lane.as)(job.init->data(), 0, 1, 1, &init);
  return init;
}

template <class T>
T empty_of(const lane_choice& lane) {
  element value{};
  with_dtype(lane.store, [&]<dtype D>() {
    const stored_t<D> empty = empty_value<D>(lane.op);
    std::memcpy(value.data(), &empty, sizeof empty);
  });
  T empty;
  loader<T>(lane.store, lane.as)(value.data(), 0, 1, 1, &empty);
  return empty;
}

#define UPSWEEP_CLI_LANE(T)                                                  \
  template std::optional<T> init_of<T>(const scan_job&, const lane_choice&); \
  template T empty_of<T>(const lane_choice&);
UPSWEEP_CLI_FOR_LANES(UPSWEEP_CLI_LANE)
#undef UPSWEEP_CLI_LANE

void run_scan(const scan_job& job) {
  const lane_choice lane = choose_lane(job.op, job.out_type);
  const auto mode = job.reduce      ? upsweep::cpu::output::none
                    : job.exclusive ? upsweep::cpu::output::exclusive
                                    : upsweep::cpu::output::inclusive;
  with_lane(lane, [&]<class T, operation O>() {
    const array_source<T> source(job.in, lane.as);
    upsweep::cpu::scan_array<T>(
        upsweep::par.on(job.threads), source.get(), array_sink<T>(job.out, lane.store), job.shape,
        mode, operator_on<O, T>{}, init_of<T>(job, lane), std::optional(empty_of<T>(lane)));
  });
}

}  // namespace cli
