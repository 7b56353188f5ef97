// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The definition of the canonical order, written as it is defined and no faster: what every engine
// is compared with, bit for bit. Cost: O(n log n) operations for a whole scan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "upsweep/order.hpp"

namespace upsweep::reference {

// S(level, index): the balanced sum of an aligned block of x.
template <class T, class Op>
T block_sum(std::span<const T> x, block b, const Op& op) {
  if (b.level == 0) return x[b.index];
  const T left = block_sum(x, {b.level - 1, 2 * b.index}, op);
  const T right = block_sum(x, {b.level - 1, 2 * b.index + 1}, op);
  return op(left, right);
}

// P(k): the prefix of k elements, after init where given. Empty when k = 0 without init.
template <class T, class Op>
std::optional<T> prefix(std::span<const T> x, std::uint64_t k, const Op& op,
                        std::optional<T> init = std::nullopt) {
  std::optional<T> sum = init;
  std::uint64_t done = 0;
  for (int level = 63; level >= 0; --level) {
    if ((k >> level & 1) == 0) continue;
    const T part = block_sum(x, {level, done >> level}, op);
    sum = sum ? op(*sum, part) : part;
    done += std::uint64_t{1} << level;
  }
  return sum;
}

// All block sums of x, level by level: what makes a whole reference scan O(n log n).
template <class T, class Op>
std::vector<std::vector<T>> all_block_sums(std::span<const T> x, const Op& op) {
  std::vector<std::vector<T>> levels{std::vector<T>(x.begin(), x.end())};
  while (levels.back().size() > 1) {
    std::vector<T> up;
    const std::vector<T>& low = levels.back();
    for (std::size_t b = 0; 2 * b + 1 < low.size(); ++b)
      up.push_back(op(low[2 * b], low[2 * b + 1]));
    levels.push_back(std::move(up));
  }
  return levels;
}

// P(1) ... P(n), or without the first and with P(0) where exclusive and init are asked for:
// element i of the result is P(first + i), i < count.
template <class T, class Op>
std::vector<T> prefixes(std::span<const T> x, std::uint64_t first, std::uint64_t count,
                        const Op& op, std::optional<T> init = std::nullopt) {
  const auto levels = all_block_sums(x, op);
  std::vector<T> y;
  for (std::uint64_t k = first; k < first + count; ++k) {
    std::optional<T> sum = init;
    for (int j = static_cast<int>(levels.size()) - 1; j >= 0; --j) {
      if ((k >> j & 1) == 0) continue;
      const T& part = levels[static_cast<std::size_t>(j)][(k >> j) - 1];
      sum = sum ? op(*sum, part) : part;
    }
    y.push_back(sum.value());
  }
  return y;
}

// inclusive[i] = P(i + 1).
template <class T, class Op>
std::vector<T> inclusive_scan(std::span<const T> x, const Op& op,
                              std::optional<T> init = std::nullopt) {
  return prefixes<T>(x, 1, x.size(), op, init);
}

// exclusive[i] = P(i), with the total P(n) behind it where asked for. P(0) is init, or else the
// operator's empty value.
template <class T, class Op>
std::vector<T> exclusive_scan(std::span<const T> x, const Op& op,
                              std::optional<T> init = std::nullopt, bool total = false) {
  const std::size_t count = x.size() + (total ? 1 : 0);
  if (count == 0) return {};
  std::vector<T> y = prefixes<T>(x, 1, count - 1, op, init);
  if (init) {
    y.insert(y.begin(), *init);
  } else {
    if constexpr (has_empty<Op, T>)
      y.insert(y.begin(), empty_value<Op, T>());
    else
      detail::refuse("upsweep: an exclusive scan needs an init with this operator");
  }
  return y;
}

}  // namespace upsweep::reference
