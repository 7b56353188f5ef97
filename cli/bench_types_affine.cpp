// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Affine maps, 8 bytes each: nobody else has a scan of them but by an operator of the user's.
#include "cli/bench_contenders.hpp"
#include "upsweep/composites.hpp"

namespace cli::bench {

using map = upsweep::affine<float>;

namespace {

// Offsets are sums whose terms scales below 1 have made small: their error is that of a few terms.
constexpr double allowed = 1e-3;

bool close(const map& value, double scale, double offset) {
  return std::abs(value.scale - scale) <= allowed &&
         std::abs(value.offset - offset) <= allowed * (1 + std::abs(offset));
}

}  // namespace

// Against a loop in double.
template <>
void check_against_reference<map, upsweep::compose>(const workload& w, std::string_view engine) {
  const map *in = static_cast<const map*>(w.in), *out = static_cast<const map*>(w.out);
  const walk path(w);
  std::vector<upsweep::affine<double>> sums(path.inner);
  std::size_t i = 0;
  for (std::size_t k = 0; k < path.outer * path.length; ++k)
    for (auto& sum : sums) {
      if (k % path.length == 0) sum = {1, 0};
      const auto before = sum;
      sum = {in[i].scale * sum.scale, in[i].scale * sum.offset + in[i].offset};
      const auto& wanted = w.exclusive() ? before : sum;
      if (!close(out[i], wanted.scale, wanted.offset))
        report_wrong<float>(w, engine, i, out[i].offset, wanted.offset);
      ++i;
    }
}

template <>
std::vector<contender> contenders_of<map>(const workload& w) {
  std::vector<contender> all;
  add_copies(w, w.n * sizeof(map), all);
  add_upsweep<map, upsweep::compose>(w, all);
  return all;
}

template <>
void fill<map>(const workload& w) {
  fill_input(static_cast<float*>(w.in), 2 * w.n, false);
}

template <>
std::optional<std::size_t> first_difference<map>(const workload& w, const void* wanted) {
  const map *out = static_cast<const map*>(w.out), *right = static_cast<const map*>(wanted);
  return first_where(
      w.n, [=](std::size_t i) { return !close(out[i], right[i].scale, right[i].offset); });
}

}  // namespace cli::bench
