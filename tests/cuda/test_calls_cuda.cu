// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calls: init, totals, reductions, reversed and misaligned arrays, lengths on the device, in
// place, and what is refused.
#include <iterator>
#include <span>

#include "cuda_cases.cuh"

namespace cuda_cases {

using CallsCuda = OnGpu;
using upsweep::plus;

// The sizes where paths change, but fewer.
std::vector<std::size_t> few_sizes() {
  return {
      0, 1, 5, 2048, 2049, 65536, 65537, 100003, std::size_t{1} << 19, (std::size_t{1} << 21) + 77};
}
const std::vector<float>& values() {
  static const std::vector<float> all = some_values<float>(few_sizes().back());
  return all;
}

TEST_F(CallsCuda, TotalsFollowTheOutputs) {
  uc::workspace space;
  const device_array<float> in(values());
  for (const std::size_t n : few_sizes())
    for (const uc::path path : paths) {
      const auto who = uc::on(nullptr, space).by(path);
      std::vector<float> expected(n + 1);
      upsweep::exclusive_scan_with_total(upsweep::seq, values().data(), values().data() + n,
                                         expected.data());
      const device_array<float> out(n + 1), sum(1);
      EXPECT_EQ(upsweep::exclusive_scan_with_total(who, in.data(), in.data() + n, out.data()),
                out.end());
      upsweep::reduce(who, in.data(), in.data() + n, sum.data());
      ASSERT_EQ(first_difference(out.get(), expected), n + 1) << "n " << n;
      ASSERT_EQ(first_difference(sum.get(), {expected.back()}), 1u) << "n " << n;
      ASSERT_TRUE(out.guards_hold() && sum.guards_hold());
    }
}

TEST_F(CallsCuda, InitComesFirst) {
  uc::workspace space;
  for (const std::size_t n : few_sizes()) {
    const device_array<float> in(std::vector<float>(values().begin(), values().begin() + n));
    std::vector<double> expected(n + 1);
    upsweep::exclusive_scan_with_total(upsweep::seq, values().data(), values().data() + n,
                                       expected.data(), plus{}, 0.1);
    const device_array<double> out(n + 1), sum(1);
    upsweep::exclusive_scan(uc::on(nullptr, space), std::span(in.data(), n),
                            std::span(out.data(), n + 1), plus{}, 0.1);
    upsweep::reduce(uc::on(nullptr, space), std::span(in.data(), n), sum.data(), plus{}, 0.1);
    ASSERT_EQ(first_difference(out.get(), expected), n + 1) << "n " << n;
    ASSERT_EQ(first_difference(sum.get(), {expected.back()}), 1u) << "n " << n;
  }
}

template <class T>
void any_alignment() {
  uc::workspace space;
  const auto all = some_values<T>(200003, 8);
  for (const std::size_t n : {std::size_t{1}, std::size_t{7}, std::size_t{40}, std::size_t{8192},
                              std::size_t{65541}, all.size()}) {
    const std::vector<T> some(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
    std::vector<T> expected(n);
    upsweep::inclusive_scan(upsweep::seq, some.begin(), some.end(), expected.begin());
    for (std::size_t shift = 0; shift < 16 / sizeof(T); ++shift)
      for (const uc::path path : paths) {
        const device_array<T> in(some, shift), out(n, (3 * shift + 1) % 16);
        upsweep::inclusive_scan(uc::on(nullptr, space).by(path), in.data(), in.end(), out.data());
        ASSERT_EQ(first_difference(out.get(), expected), n)
            << "n " << n << ", shift " << shift << ", path " << static_cast<int>(path);
        ASSERT_TRUE(out.guards_hold());
      }
  }
}
TEST_F(CallsCuda, AnyAlignment) {
  any_alignment<float>();
  any_alignment<std::uint8_t>();
  any_alignment<std::uint16_t>();
}

TEST_F(CallsCuda, Reversed) {
  uc::workspace space;
  for (const std::size_t n : few_sizes())
    for (const uc::path path : paths)
      for (const std::size_t shift : {0, 1}) {
        const auto who = uc::on(nullptr, space).by(path);
        const std::vector<float> some(values().begin(),
                                      values().begin() + static_cast<std::ptrdiff_t>(n));
        std::vector<float> expected(n), there(n);
        upsweep::inclusive_scan(upsweep::seq, some.rbegin(), some.rend(), expected.rbegin());
        upsweep::exclusive_scan(upsweep::seq, some.rbegin(), some.rend(), there.begin());
        const device_array<float> in(some, shift), out(n, 2 * shift), out2(n, shift);
        const auto first = std::make_reverse_iterator(in.end());
        const auto last = std::make_reverse_iterator(in.data());
        upsweep::inclusive_scan(who, first, last, std::make_reverse_iterator(out.end()));
        upsweep::exclusive_scan(who, first, last, out2.data());
        ASSERT_EQ(first_difference(out.get(), expected), n) << "n " << n << ", shift " << shift;
        ASSERT_EQ(first_difference(out2.get(), there), n) << "n " << n << ", shift " << shift;
        ASSERT_TRUE(out.guards_hold() && out2.guards_hold());
      }
}

TEST_F(CallsCuda, InPlace) {
  uc::workspace space;
  for (const std::size_t n : few_sizes())
    for (const uc::path path : paths) {
      const std::vector<float> some(values().begin(),
                                    values().begin() + static_cast<std::ptrdiff_t>(n));
      std::vector<float> expected(n);
      upsweep::exclusive_scan(upsweep::seq, some.begin(), some.end(), expected.begin());
      const device_array<float> both(some);
      upsweep::exclusive_scan(uc::on(nullptr, space).by(path), both.data(), both.end(),
                              both.data());
      ASSERT_EQ(first_difference(both.get(), expected), n) << "n " << n;
    }
}

TEST_F(CallsCuda, LengthOnTheDevice) {
  uc::workspace space;
  const device_array<float> in(values());
  const std::size_t most = values().size();
  for (const std::size_t n : few_sizes())
    for (const uc::path path : paths) {
      const auto who = uc::on(nullptr, space).by(path);
      const device_array<std::uint64_t> count(std::vector<std::uint64_t>{n});
      const uc::device_length length{count.data(), most};
      std::vector<float> expected(n + 1);
      upsweep::exclusive_scan_with_total(upsweep::seq, values().data(), values().data() + n,
                                         expected.data());
      const device_array<float> out(most + 1), sum(1);
      const std::vector<float> before = out.get();
      upsweep::exclusive_scan_with_total(who, in.data(), length, out.data());
      upsweep::reduce(who, in.data(), length, sum.data());
      std::vector<float> found = out.get();
      ASSERT_EQ(first_difference(
                    {found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n) + 1}, expected),
                n + 1);
      std::fill(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n) + 1, before[0]);
      ASSERT_EQ(first_difference(found, before), most + 1) << "written beyond the length";
      ASSERT_EQ(first_difference(sum.get(), {expected.back()}), 1u) << "n " << n;
    }
}

TEST_F(CallsCuda, Refusals) {
  uc::workspace space(4096);
  const auto who = uc::on(nullptr, space);
  const device_array<float> in(values()), out(values().size());
  EXPECT_THROW(upsweep::inclusive_scan(who, in.data(), in.end(), in.data() + 1),
               upsweep::argument_error);
  EXPECT_THROW(upsweep::inclusive_scan(who, in.end(), in.data(), out.data()),
               upsweep::argument_error);
  EXPECT_THROW(upsweep::inclusive_scan(who, std::span(in.data(), 10), std::span(out.data(), 9)),
               upsweep::argument_error);
  EXPECT_THROW(upsweep::exclusive_scan(who, std::span(in.data(), 10), std::span(out.data(), 12)),
               upsweep::argument_error);
  const device_array<std::uint64_t> numbers(std::vector<std::uint64_t>(9, 5));
  const uc::device_length changing{numbers.data() + 4, 8};
  EXPECT_THROW(upsweep::inclusive_scan(who, numbers.data(), changing, numbers.data()),
               upsweep::argument_error);
  EXPECT_THROW(upsweep::reduce(who, numbers.data(), changing, numbers.data() + 4),
               upsweep::argument_error);
  try {
    upsweep::inclusive_scan(who, in.data(), in.end(), out.data());
    FAIL() << "a workspace that is too small was accepted";
  } catch (const upsweep::argument_error& e) {
    const std::string text = e.what(), key = "call reserve(";
    ASSERT_NE(text.find(key), std::string::npos) << text;
    space.reserve(std::stoull(text.substr(text.find(key) + key.size())));
  }
  upsweep::inclusive_scan(who, in.data(), in.end(), out.data());  // as the message says
  std::vector<float> expected(values().size());
  upsweep::inclusive_scan(upsweep::par, values().begin(), values().end(), expected.begin());
  EXPECT_EQ(first_difference(out.get(), expected), expected.size());
}

}  // namespace cuda_cases
