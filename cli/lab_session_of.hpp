// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run of a kernel with its types: session<Op>(element, request). Element says how elements are
// read from words, drawn from a sequence, and written.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "cli/failure.hpp"
#include "cli/lab_session.hpp"
#include "cli/number_text.hpp"
#include "cli/printable.hpp"
#include "lab/catalogue.hpp"
#include "lab/simulator/sim_device.hpp"
#include "lab/simulator/trace_rows.hpp"
#include "upsweep/reference.hpp"

namespace cli::lab {

inline constexpr std::size_t most_listed = 4096;

// Calls body(padding) for so many terms.
template <class Body>
void with_padding(unsigned banks, unsigned terms, const Body& body) {
  if (terms == 0) return body(upsweep::lab::no_padding{});
  if (banks == 16)
    return terms == 1 ? body(upsweep::lab::padding<16, 1>{}) : body(upsweep::lab::padding<16, 2>{});
  return terms == 1 ? body(upsweep::lab::padding<32, 1>{}) : body(upsweep::lab::padding<32, 2>{});
}

// Calls body(Algorithm{}) for the kernel that was asked for. padded: also with padding, which the
// two trees have.
template <bool padded = true, class Body>
void with_algorithm(const request& what, const Body& body) {
  if constexpr (padded) {
    if (what.pad != 0)
      return with_padding(what.model.banks, what.pad, [&](auto pad) {
        if (what.kernel == "blelloch") body(upsweep::lab::blelloch<decltype(pad)>{});
        if (what.kernel == "brent-kung") body(upsweep::lab::brent_kung<decltype(pad)>{});
      });
  }
  if (what.block.empty())
    upsweep::lab::with_kernel(what.kernel, body);
  else if (!upsweep::lab::with_block_kernel(what.block, [&](auto block) {
             body(upsweep::lab::hierarchical<decltype(block)>{});
           }))
    throw usage_failure("lab: " + in_quotes(what.block) + " scans no tile");
}

template <class T, class Op>
void run_kernel(const request& what, simulator::device& d, upsweep::lab::global<const T> x,
                upsweep::lab::global<T> y, const Op& op) {
  const upsweep::lab::options how{what.exclusive, what.threads};
  with_algorithm<std::is_same_v<Op, upsweep::plus>>(
      what, [&](auto algorithm) { decltype(algorithm)::scan(d, x, y, op, how); });
}

// Infinities, NaN, and what is beyond a float too.
inline bool same_number(float got, double want) {
  return static_cast<double>(got) == want || got == static_cast<float>(want) ||
         (std::isnan(got) && std::isnan(want));
}

// The largest error, |y - sum| / (1 + |sum|), that counts as right: the lecture's, and beyond the
// largest size it has, 2^22, more in proportion to n. Sums of numbers in [-1, 1) grow as sqrt(n),
// and a chain of as many roundings as there are tiles adds a second sqrt(n).
inline double tolerance_of(std::size_t n, bool many_blocks) {
  return many_blocks ? 1e-3 * std::max(1.0, std::ldexp(static_cast<double>(n), -22)) : 1e-4;
}

// Sums of numbers that cancel keep the roundings of what was added: those are no fault of a kernel
// while they are small against the sum of magnitudes. A few dozen roundings of one part in 2^24.
constexpr double rounded_away = 0x1p-19;

// A result against a left fold: of floats in double, within a tolerance; else the same bits.
template <class T, class Op>
void judge(const std::vector<T>& x, const std::vector<T>& y, const Op& op, bool exclusive,
           outcome& o) {
  using wide = std::conditional_t<std::is_same_v<T, float>, double, T>;
  const bool many_blocks = o.launches.size() > 1 || o.launches[0].blocks > 1;
  o.tolerance = o.exact ? 0 : tolerance_of(y.size(), many_blocks);
  wide sum{};
  [[maybe_unused]] double magnitudes = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (exclusive && i == 0) {
      sum = static_cast<wide>(upsweep::empty_value<Op, T>());
    } else {
      const wide next = static_cast<wide>(x[i - (exclusive ? 1 : 0)]);
      sum = i == (exclusive ? 1u : 0u) ? next : op(sum, next);
    }
    if constexpr (std::is_same_v<T, float>) {
      if (!(exclusive && i == 0)) magnitudes += std::abs(static_cast<double>(x[i - exclusive]));
      if (same_number(y[i], sum)) continue;
      const double off = std::abs(static_cast<double>(y[i]) - sum);
      const double error = off / (1 + std::abs(sum));
      o.worst_error = std::max(o.worst_error, std::isnan(error) ? HUGE_VAL : error);
      if (error <= o.tolerance) continue;
      const bool cancelled = std::is_same_v<Op, upsweep::plus> && off <= rounded_away * magnitudes;
      ++(cancelled ? o.cancelled : o.mismatches);
    } else {
      o.mismatches += !(y[i] == sum);
    }
  }
}

// Every NaN is the same here: its sign and payload are no part of the order's contract.
template <class T>
std::uint64_t hash_of(const std::vector<T>& y) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (T value : y) {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(value)) value = std::numeric_limits<T>::quiet_NaN();
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, static_cast<const void*>(&value), sizeof(T));
    for (const unsigned char byte : bytes) h = (h ^ byte) * 0x100000001b3u;
  }
  return h;
}

template <class T, class Element>
std::vector<T> input_of(const request& what, const Element& element) {
  std::vector<T> x;
  for (const std::string& word : what.input) x.push_back(element.read(word));
  if constexpr (requires { element.check(what.input); }) element.check(what.input);
  if (!x.empty()) return x;
  if (what.n > x.max_size()) throw std::bad_alloc();
  x.reserve(what.n);
  std::mt19937_64 source(20240917);
  for (std::uint64_t i = 0; i < what.n; ++i) x.push_back(element.draw(source));
  return x;
}

template <class T, class Element>
std::vector<std::string> written(const std::vector<T>& values, const Element& element) {
  std::vector<std::string> text;
  for (const T& v : values) text.push_back(element.write(v));
  return text;
}

template <class Element>
std::vector<drawn_row> drawn(const simulator::trace& t, const simulator::counts& c,
                             const std::vector<typename Element::type>& x, const Element& element) {
  using T = typename Element::type;
  std::vector<drawn_row> rows;
  const T fill = upsweep::lab::fill_value<typename Element::op, T>();
  for (const auto& r : simulator::rows_of<T>(t, c, x, fill))
    rows.push_back({r.phase, r.stride, r.active, written(r.array, element), r.changes});
  return rows;
}

template <class Element>
outcome session(const Element& element, const request& what) {
  using T = typename Element::type;
  const typename Element::op op;
  const std::vector<T> x = input_of<T>(what, element);
  std::vector<T> y(x.size());
  simulator::device d(what.model);
  const auto in = d.input(x);
  const auto out = d.output(y);
  run_kernel(what, d, in, out, op);
  d.finish();

  outcome o;
  o.n = x.size();
  o.ended = d.ended();
  if constexpr (requires { element.note(x.size()); }) o.note = element.note(x.size());
  o.exact = upsweep::exactly_associative<typename Element::op, T>;
  o.launches = d.launches(), o.findings = d.findings();
  o.hash = hash_of(y);
  if (!o.launches.empty() && o.ended) judge(x, y, op, what.exclusive, o);
  const auto canonical = what.exclusive
                             ? upsweep::reference::exclusive_scan(std::span<const T>(x), op)
                             : upsweep::reference::inclusive_scan(std::span<const T>(x), op);
  o.canonical = hash_of(canonical) == o.hash;
  note_cancellation(o, rounded_away);
  if (x.size() > most_listed) return o;
  o.input = written(x, element), o.result = written(y, element);
  if (!what.model.trace) return o;
  // The last launch goes on with what the first one has written. Those between work on totals.
  std::vector<T> now = x;
  for (std::size_t i = 0; i < o.launches.size(); ++i) {
    const bool on_the_array = i == 0 || i + 1 == o.launches.size();
    if (i > 0)
      std::memcpy(static_cast<void*>(now.data()), d.outputs()[i - 1].data(),
                  now.size() * sizeof(T));
    o.traces.push_back(on_the_array ? drawn(d.traces()[i], o.launches[i], now, element)
                                    : std::vector<drawn_row>{});
  }
  return o;
}

// Numbers: the ways of the lecture, pseudo-random in [-1, 1).
template <class Op>
struct number {
  using type = float;
  using op = Op;

  float read(const std::string& word) const {
    float value = 0;
    const parsed result = parse_number<dtype::f4>(word, value);
    if (result != parsed::number)
      throw usage_failure(
          "lab: " + in_quotes(word) + " of --input is " +
          (result == parsed::out_of_range ? "more than a float holds" : "no number"));
    return value;
  }
  float draw(std::mt19937_64& source) const {
    return static_cast<float>(static_cast<double>(source() >> 11) * 0x1p-52 - 1);
  }
  std::string write(float value) const {
    if (std::isnan(value)) return "nan";  // its sign is nobody's
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value == 0 ? 0.0f : value));
    return text;
  }
};

}  // namespace cli::lab
