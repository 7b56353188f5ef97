// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call of each kind, for compilers and flags that the library itself is not built with. Nothing
// here throws or catches, so that it compiles without exceptions.
#include <upsweep/composites.hpp>
#include <upsweep/reference.hpp>
#include <upsweep/scan.hpp>
#include <upsweep/version.hpp>

#include <cstddef>
#include <numeric>
#include <vector>

namespace {

struct join {
  std::vector<int> operator()(const std::vector<int>& left, const std::vector<int>& right) const {
    std::vector<int> both = left;
    both.insert(both.end(), right.begin(), right.end());
    return both;
  }
};

// 2^17 elements: more than a call scans without the library's threads.
bool floats_are_right() {
  std::vector<float> x(std::size_t{1} << 17, 0.5f), y(x.size());
  upsweep::inclusive_scan(upsweep::par.on(2), x, y);
  if (y.back() != 65536.f) return false;
  upsweep::exclusive_scan(upsweep::seq, x, y, upsweep::maximum{}, 2.f);
  return y.back() == 2.f && upsweep::reduce(upsweep::par, x, upsweep::plus{}, 0.0) == 65536.0;
}

bool halves_are_right() {
  const std::vector<upsweep::f16> x(100, upsweep::f16(0.25f));
  std::vector<upsweep::f16> y(x.size());
  upsweep::inclusive_scan(upsweep::seq, x.begin(), x.end(), y.begin());
  return static_cast<float>(y.back()) == 25.f;
}

bool structures_are_right() {
  const std::vector<std::vector<int>> x{{1}, {2, 3}, {}, {4}};
  std::vector<std::vector<int>> y(x.size());
  upsweep::inclusive_scan(upsweep::par.on(2), x, y, join{});
  return y.back() == std::vector<int>{1, 2, 3, 4};
}

bool arrays_are_right() {
  std::vector<int> x(6), y(6);
  std::iota(x.begin(), x.end(), 1);
  const upsweep::array_view<const int> in(x.data(), {2, 3});
  const upsweep::array_view<int> out(y.data(), {2, 3});
  upsweep::inclusive_scan(upsweep::par, in, out, 0);
  return y == std::vector<int>{1, 2, 3, 5, 7, 9};
}

}  // namespace

int main() {
  if (!floats_are_right()) return 1;
  if (!halves_are_right()) return 2;
  if (!structures_are_right()) return 3;
  return arrays_are_right() ? 0 : 4;
}
