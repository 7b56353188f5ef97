// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The check behind --verify: it passes what run_scan gives, and sees every fault planted in it.
#include "cli/scan_verify.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace {

using cli::dtype;
using cli::operation;

// A scan of rows x columns elements of a dtype along an axis, with its own memory.
struct scan {
  scan(dtype in, dtype out, operation op, std::size_t rows, std::size_t columns, int axis,
       bool exclusive = false, bool total = false)
      : input(rows * columns * cli::item_size(in)) {
    std::mt19937 random(7);
    for (std::byte& byte : input)
      byte = static_cast<std::byte>(random() % 64);  // small floats, too
    const std::size_t extra = total ? 1 : 0;
    const std::size_t out_columns = columns + (axis == 1 ? extra : 0);
    const std::size_t out_rows = rows + (axis == 0 ? extra : 0);
    output.resize(out_rows * out_columns * cli::item_size(out));
    job.in = {input.data(), {in}};
    job.out = output.data();
    job.out_type = out;
    job.op = op;
    job.exclusive = exclusive;
    job.threads = 1;
    job.shape.rank = 2;
    job.shape.axis = axis;
    job.shape.out_extra = extra;
    job.shape.extents = {rows, columns};
    job.shape.in_strides = {static_cast<std::ptrdiff_t>(columns), 1};
    job.shape.out_strides = {static_cast<std::ptrdiff_t>(out_columns), 1};
  }

  scan(scan&&) = default;  // a copy would point into the other's memory

  std::size_t elements() const { return output.size() / cli::item_size(job.out_type); }

  // Turns over a bit that no tolerance covers.
  void damage(std::size_t element) {
    const std::size_t item = cli::item_size(job.out_type);
    const bool is_float = cli::kind_of(job.out_type) == cli::dtype_kind::floating;
    output[element * item + (is_float ? item - 1 : 0)] ^= is_float ? std::byte{0x40} : std::byte{1};
  }

  std::vector<std::byte> input, output;
  cli::scan_job job;
};

void passes_and_sees_faults(scan&& s) {
  cli::run_scan(s.job);
  const cli::verify_report good = cli::verify_scan(s.job);
  EXPECT_TRUE(good.passed()) << good.text();
  EXPECT_EQ(good.elements, s.elements());
  for (const std::size_t at : {std::size_t{0}, s.elements() / 2, s.elements() - 1}) {
    s.damage(at);
    const cli::verify_report bad = cli::verify_scan(s.job);
    EXPECT_EQ(bad.mismatches, 1u) << bad.text();
    EXPECT_NE(bad.text().find("FAIL"), std::string::npos);
    EXPECT_NE(bad.first_mismatch.find("element " + std::to_string(at) + " "), std::string::npos)
        << bad.first_mismatch;
    s.damage(at);
  }
}

TEST(ScanVerify, SeesFaultsInEveryDtype) {
  for (const dtype type :
       {dtype::b1, dtype::i1, dtype::i2, dtype::i4, dtype::i8, dtype::u1, dtype::u2, dtype::u4,
        dtype::u8, dtype::f2, dtype::bf16, dtype::f4, dtype::f8})
    for (const operation op : {operation::sum, operation::max, operation::min}) {
      SCOPED_TRACE(cli::name_of(op) + " " + std::string(cli::name_of(type)));
      passes_and_sees_faults({type, type, op, 1, 1500, 1});
    }
}

TEST(ScanVerify, SeesFaultsInEveryOperatorOnIntegers) {
  for (const operation op : {operation::sum, operation::prod, operation::min, operation::max,
                             operation::bit_and, operation::bit_or, operation::bit_xor})
    for (const bool exclusive : {false, true})
      passes_and_sees_faults({dtype::i2, dtype::i4, op, 1, 700, 1, exclusive, exclusive});
}

TEST(ScanVerify, SeesFaultsInEveryShape) {
  for (const int axis : {0, 1})
    for (const bool total : {false, true})
      for (const auto& [rows, columns] : {std::pair(3, 1100), {1100, 3}, {1, 1}, {40, 520}})
        for (const dtype type : {dtype::i8, dtype::f4}) {
          const auto r = static_cast<std::size_t>(rows), c = static_cast<std::size_t>(columns);
          passes_and_sees_faults({type, type, operation::sum, r, c, axis, total, total});
        }
}

TEST(ScanVerify, NamesPlacesInAReversedResultFromItsStart) {
  scan s(dtype::f4, dtype::f4, operation::sum, 1, 900, 1);
  s.job.in.data += 899 * 4;
  s.job.out += 899 * 4;
  s.job.shape.in_strides[1] = s.job.shape.out_strides[1] = -1;
  passes_and_sees_faults(std::move(s));
}

// Sets the float32 elements and scans them.
scan float_scan(const std::vector<float>& x, operation op) {
  scan s(dtype::f4, dtype::f4, op, 1, x.size(), 1);
  std::memcpy(s.input.data(), x.data(), s.input.size());
  s.job.in.data = s.input.data();
  cli::run_scan(s.job);
  return s;
}

TEST(ScanVerify, TakesNanForNanAndInfinityForInfinity) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const scan s = float_scan({1, inf, 2, -inf, 3, std::nanf("")}, operation::sum);
  const cli::verify_report report = cli::verify_scan(s.job);
  EXPECT_TRUE(report.passed()) << report.text();
  EXPECT_EQ(report.overflows, 0u);
}

TEST(ScanVerify, KnowsWhereTheOrderItselfOverflows) {
  // 0 * 1e30 * 1e30 is 0 from left to right; the tree multiplies the last two first: 0 * inf.
  scan s = float_scan({0.f, 1.f, 1e30f, 1e30f, 2.f, 3.f}, operation::prod);
  float y[6];
  std::memcpy(y, s.output.data(), sizeof y);
  ASSERT_TRUE(std::isnan(y[3]));
  cli::verify_report report = cli::verify_scan(s.job);
  EXPECT_TRUE(report.passed()) << report.text();
  EXPECT_EQ(report.overflows, 3u);
  // A NaN that the order does not give is a fault all the same.
  y[1] = std::nanf("");
  std::memcpy(s.output.data(), y, sizeof y);
  report = cli::verify_scan(s.job);
  EXPECT_EQ(report.mismatches, 1u) << report.text();
}

TEST(ScanVerify, SeesAnErrorBeyondTheToleranceOnly) {
  scan s = float_scan(std::vector<float>(2000, 0.5f), operation::sum);
  float y = 0;
  const auto set = [&](float factor) {
    y = 500.5f * factor;  // element 1000
    std::memcpy(s.output.data() + 4000, &y, 4);
    return cli::verify_scan(s.job);
  };
  EXPECT_TRUE(set(1.0009f).passed());
  EXPECT_NEAR(set(1.0009f).largest_error, 9e-4, 1e-5);
  EXPECT_EQ(set(1.0012f).mismatches, 1u);
}

}  // namespace
