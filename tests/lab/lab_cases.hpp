// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the lab share: inputs, the default operator, one scan on the simulator.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "lab/catalogue.hpp"
#include "lab/matrix_modulo.hpp"
#include "lab/simulator/sim_device.hpp"
#include "upsweep/composites.hpp"
#include "upsweep/reference.hpp"

namespace lab_cases {

namespace lab = upsweep::lab;
namespace sim = upsweep::lab::simulator;

using lab::matrix;
using lab::matrix_modulo;

template <class T>
std::vector<T> values(std::size_t n) {
  std::mt19937_64 source(20240917 + n);
  std::vector<T> x(n);
  for (T& v : x) {
    if constexpr (std::is_same_v<T, matrix>) {
      const auto next = [&] { return static_cast<std::uint32_t>(source() % matrix_modulo::prime); };
      v = {next(), next(), next(), next()};
    } else if constexpr (std::is_floating_point_v<T>) {
      v = static_cast<T>(static_cast<double>(source() >> 11) * 0x1p-52 - 1);  // in [-1, 1)
    } else if constexpr (std::is_same_v<T, upsweep::affine<float>>) {
      v = {1 + static_cast<float>(source() % 1000) / 65536, static_cast<float>(source() % 1000)};
    } else if constexpr (std::is_same_v<T, upsweep::max_count<float>>) {
      v = {static_cast<float>(source() % 50), 1};
    } else {
      v = static_cast<T>(source() % 1000);
    }
  }
  return x;
}

template <class T>
struct outcome {
  std::vector<T> y;
  std::unique_ptr<sim::device> device;

  std::string faults() const {
    std::string text;
    for (const sim::finding& f : device->findings())
      text += std::string(name_of(f.kind)) + ": " + f.text + "\n";
    return text;
  }
  bool found(sim::fault kind) const {
    for (const sim::finding& f : device->findings())
      if (f.kind == kind) return true;
    return false;
  }
  const sim::counts& counts() const { return device->launches().back(); }
};

template <class Algorithm, class T, class Op>
outcome<T> scan(const std::vector<T>& x, const Op& op, const lab::options& how = {},
                const sim::model& model = {}) {
  outcome<T> o{std::vector<T>(x.size()), std::make_unique<sim::device>(model)};
  const auto in = o.device->input(x);
  const auto out = o.device->output(o.y);
  Algorithm::scan(*o.device, in, out, op, how);
  o.device->finish();
  return o;
}

template <class T, class Op>
std::vector<T> expected(const std::vector<T>& x, const Op& op, bool exclusive) {
  return exclusive ? upsweep::reference::exclusive_scan(std::span<const T>(x), op)
                   : upsweep::reference::inclusive_scan(std::span<const T>(x), op);
}

// The sum of all steps of one phase.
inline std::vector<std::uint64_t> active_threads(const sim::counts& c, const std::string& phase) {
  std::vector<std::uint64_t> found;
  for (const sim::step_counts& s : c.steps)
    if (phase == s.phase) found.push_back(s.active_threads);
  return found;
}

}  // namespace lab_cases
