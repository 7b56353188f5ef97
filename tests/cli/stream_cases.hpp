// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scan jobs with memory of their own, and all of them that a device is tried with.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "cli/scan_job.hpp"

namespace stream_cases {

using cli::dtype;
using cli::operation;

inline constexpr std::array dtypes{dtype::b1, dtype::i1, dtype::i2,  dtype::i4, dtype::i8,
                                   dtype::u1, dtype::u2, dtype::u4,  dtype::u8, dtype::f2,
                                   dtype::f4, dtype::f8, dtype::bf16};

// What is scanned and how.
struct scan_case {
  dtype in, out;
  operation op = operation::sum;
  std::vector<std::size_t> extents{};
  int axis = 0;
  bool exclusive = false, total = false, init = false, reverse = false, reduce = false;

  std::string name() const {
    std::string text = std::string(cli::name_of(in)) + " to " + std::string(cli::name_of(out)) +
                       " " + cli::name_of(op);
    for (const std::size_t extent : extents) text += " x" + std::to_string(extent);
    return text + " axis " + std::to_string(axis) + (exclusive ? " exclusive" : "") +
           (total ? " total" : "") + (init ? " init" : "") + (reverse ? " reverse" : "") +
           (reduce ? " reduce" : "");
  }
};

// A value of the dtype; floats have all their bits in use and products neither vanish nor overflow.
inline void put_random(std::mt19937_64& random, dtype type, std::byte* to) {
  cli::with_dtype(type, [&]<dtype D>() {
    using item = cli::stored_t<D>;
    const std::uint64_t bits = random();
    item value{};
    if constexpr (D == dtype::b1) {
      value = bits % 3 == 0;
    } else if constexpr (std::is_integral_v<item>) {
      value = static_cast<item>(bits);
    } else {
      const double size = 0.5 + static_cast<double>(bits >> 12) * 0x1p-52;
      value = item(static_cast<float>(bits & 1 ? -size : size));
    }
    std::memcpy(to, &value, sizeof value);
  });
}

// The job of a case in C order. Results are filled with a byte that no test expects all over.
class case_memory {
 public:
  explicit case_memory(const scan_case& c, std::uint64_t seed = 1) {
    std::size_t n = 1, results = 1;
    const std::size_t extra = c.total ? 1 : 0;
    for (std::size_t d = 0; d < c.extents.size(); ++d) {
      n *= c.extents[d];
      results *= results_along(c, d);
    }
    input.resize(n * cli::item_size(c.in));
    output.assign(results * cli::item_size(c.out), std::byte{0xa5});
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < n; ++i)
      put_random(random, c.in, input.data() + i * cli::item_size(c.in));
    job.in = {input.data(), {c.in}};
    job.out = output.data();
    job.out_type = c.out;
    job.op = c.op;
    job.exclusive = c.exclusive;
    job.reduce = c.reduce;
    if (c.init) put_random(random, c.out, job.init.emplace().data());
    job.threads = 2;
    set_shape(c, extra);
  }
  case_memory(const case_memory&) = delete;
  case_memory& operator=(const case_memory&) = delete;

  std::vector<std::byte> input, output;
  cli::scan_job job;

 private:
  static std::size_t results_along(const scan_case& c, std::size_t d) {
    if (d != static_cast<std::size_t>(c.axis)) return c.extents[d];
    return c.reduce ? 1 : c.extents[d] + (c.total ? 1 : 0);
  }

  void set_shape(const scan_case& c, std::size_t extra) {
    const auto axis = static_cast<std::size_t>(c.axis);
    job.shape.rank = static_cast<int>(c.extents.size());
    job.shape.axis = c.axis;
    job.shape.out_extra = extra;
    std::ptrdiff_t in_step = 1, out_step = 1;
    for (std::size_t d = c.extents.size(); d-- > 0;) {
      job.shape.extents[d] = c.extents[d];
      job.shape.in_strides[d] = in_step;
      job.shape.out_strides[d] = out_step;
      in_step *= static_cast<std::ptrdiff_t>(c.extents[d]);
      out_step *= static_cast<std::ptrdiff_t>(results_along(c, d));
    }
    if (!c.reverse || c.extents[axis] == 0) return;
    const auto last = static_cast<std::ptrdiff_t>(c.extents[axis]) - 1;
    job.in.data += last * job.shape.in_strides[axis] * static_cast<std::ptrdiff_t>(item_size(c.in));
    job.out += (last + static_cast<std::ptrdiff_t>(extra)) * job.shape.out_strides[axis] *
               static_cast<std::ptrdiff_t>(item_size(c.out));
    job.shape.in_strides[axis] = -job.shape.in_strides[axis];
    job.shape.out_strides[axis] = -job.shape.out_strides[axis];
  }
};

inline bool is_defined(operation op, dtype in, dtype out) {
  const bool bits = op == operation::bit_and || op == operation::bit_or || op == operation::bit_xor;
  const auto is_float = [](dtype d) { return cli::kind_of(d) == cli::dtype_kind::floating; };
  return !(bits && (is_float(in) || is_float(out))) && !(is_float(in) && !is_float(out));
}

// Every way to write the results of these elements.
template <class F>
void for_each_way(scan_case c, const F& f) {
  for (int way = 0; way < 16; ++way) {
    c.exclusive = (way & 1) != 0;
    c.total = (way & 2) != 0;
    c.init = (way & 4) != 0;
    c.reverse = (way & 8) != 0;
    if (!c.total || c.exclusive) f(c);
  }
}

// Runs the case by run(job) and by the CPU, and compares every byte.
template <class F>
void expect_same_bits(const scan_case& c, const F& run) {
  case_memory expected(c), found(c);
  cli::run_scan(expected.job);
  run(found.job);
  ASSERT_TRUE(found.output == expected.output) << c.name();
}

// All dtypes, operators and ways on lines of these lengths, and arrays of lines of them.
template <class F>
void sweep(const std::vector<std::size_t>& lengths, const F& run) {
  for (const dtype type : dtypes)
    for (std::size_t o = 0; o < cli::operation_names.size(); ++o) {
      const auto op = static_cast<operation>(o);
      const dtype out = o % 2 == 0 ? cli::default_out_type(op, type) : type;
      if (!is_defined(op, type, out)) continue;
      for_each_way({.in = type, .out = out, .op = op}, [&](scan_case c) {
        for (const std::size_t length : lengths) {
          c.extents = {length};
          c.axis = 0;
          expect_same_bits(c, run);
        }
      });
      if (testing::Test::HasFatalFailure()) return;
    }
}

template <class F>
void sweep_axes(const std::vector<std::vector<std::size_t>>& shapes, const F& run) {
  for (const auto& [in, out] : {std::pair(dtype::f4, dtype::f4), std::pair(dtype::u1, dtype::u8),
                                std::pair(dtype::f2, dtype::f2)})
    for (const auto& extents : shapes)
      for (int axis = 0; axis < static_cast<int>(extents.size()); ++axis)
        for_each_way({.in = in, .out = out, .extents = extents, .axis = axis},
                     [&](const scan_case& c) { expect_same_bits(c, run); });
}

}  // namespace stream_cases
