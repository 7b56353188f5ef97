// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `upsweep lab ... --json` has written, checked: traces, banks, checks, runs and models.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::report {

class field;

struct trace_change {
  std::uint64_t block = 0, thread = 0, element = 0;
  // The elements that were put together; left alone: with its own value; right alone: a copy.
  std::optional<std::uint64_t> left, right;
  // The one that is not the element itself.
  std::optional<std::uint64_t> partner() const {
    return left && *left != element ? left : right && *right != element ? right : std::nullopt;
  }
  bool is_sum() const { return left.has_value(); }
};

struct trace_step {
  std::string phase;
  std::uint64_t stride = 0, active_threads = 0;
  std::vector<std::string> array;  // of every step of a launch as long
  std::vector<trace_change> changes;

  std::string name() const;  // "up-sweep 2"; "before" of the first one
};

struct trace_launch {
  std::string kernel;
  std::uint64_t blocks = 0, threads = 0, operations = 0, barriers = 0;
  std::vector<trace_step> steps;  // none where the launch works on totals
};

struct lab_trace {
  std::string file, kernel, op;
  bool exclusive = false;
  std::vector<std::string> input, result;
  std::vector<trace_launch> launches;
  std::size_t faults = 0;  // that the simulator found on the way
};

// One place of a kernel in one step. Words and degree have a figure for each bank.
struct bank_access {
  std::string phase, place, kind, launch;
  std::uint64_t stride = 0, threads = 0, degree = 0, transactions = 0, active_transactions = 0;
  std::vector<std::uint64_t> words, degrees;
};

struct lab_banks {
  std::string file, title;  // the kernel, or the index
  std::uint64_t banks = 0;
  std::vector<bank_access> accesses;
};

struct racing_access {
  std::uint64_t thread = 0, block = 0, stride = 0;
  std::string access, place, phase;
};

struct found_fault {
  std::string fault, kernel, text;
  std::uint64_t times = 0;
  std::string array;
  std::uint64_t element = 0;
  std::optional<racing_access> later, earlier;  // both, of a data race
};

struct lab_check {
  std::string file, kernel, op;
  std::uint64_t n = 0, runs = 0, results = 0, wrong_runs = 0;
  std::vector<found_fault> faults;
};

// What a model says about one kernel. Times in seconds.
struct model_kernel {
  std::string kernel, bound, limit;
  std::string bound_term;  // the one of the terms that is the bound
  std::uint64_t n = 0, block = 0, launches = 0;
  double dram_bytes = 0, operations = 0, intensity = 0;
  std::vector<std::pair<std::string, double>> terms;  // of the time, by what they stand for
  double time_s = 0, waves = 0, occupancy = 0;
  double needs_capability = 0;                  // of the device; 0 where the file does not say
  std::optional<double> tail;                   // the share of the last wave that stays empty
  std::optional<std::uint64_t> pad;             // where it is not that of the model
  std::optional<double> bytes_per_s, l2_share;  // of the copy that it reckons with
};

// Which device a model is of. The name may be short, such as "h200" or "this".
struct modelled_device {
  std::string name, about;
  double compute_capability = 0;         // 0 where the file does not say
  std::size_t figures = 0, assumed = 0;  // that describe it, and how many of them are a guess

  // Whether a GPU that calls itself so is this one: by the whole name, or where this name is a word
  // of that one ("NVIDIA H200" is h200, "NVIDIA A10" is not a100) and a form or a size of memory in
  // it ("PCIE", "80GB") is in the description too.
  bool is(const std::string& gpu) const;
};

// What a device does at most.
struct roofline {
  double bytes_per_s = 0, adds_per_s = 0;
  std::optional<double> copy_bytes_per_s;  // what a copy reaches of the bytes,
  std::optional<double> l2_bytes_per_s;    // and within L2
};

struct run_launch {
  std::string kernel;
  double median_s = 0, least_s = 0;  // of a GPU
  std::uint64_t blocks = 0, threads = 0, operations = 0, barriers = 0, transactions = 0, degree = 0,
                sectors = 0;  // of the simulator
};

// A kernel, and the padding where there is any: "blelloch, pad 1".
std::string padded_name(const std::string& kernel, std::uint64_t pad);

// Terms of padding in words: none, 1, 2.
std::string padding_word(std::uint64_t pad);

struct lab_run {
  std::string file, kernel, op, gpu;  // gpu is empty where it was simulated
  std::uint64_t n = 0, mismatches = 0;
  std::optional<std::uint64_t> pad;  // terms of padding; files of earlier versions do not say
  bool exclusive = false, verified = false, canonical = false;
  std::optional<double> worst_error, tolerance;  // of floats
  std::vector<run_launch> launches;
  double median_s = 0, least_s = 0, gb_per_s = 0, copy_gb_per_s = 0;
  std::optional<model_kernel> model;
  modelled_device model_device;
  std::optional<roofline> roof;  // of that device

  std::string name() const;  // the kernel, and the padding where there is any
};

struct lab_model {
  std::string file, op;   // the operator is empty where the file does not say
  std::uint64_t pad = 0;  // terms of padding
  modelled_device device;
  roofline roof;
  std::vector<model_kernel> kernels;
};

// Each throws bad_input for what lacks a field or does not fit together.
lab_trace trace_of(const field& document);
lab_banks banks_of(const field& document);
lab_check check_of(const field& document);
lab_run run_of(const field& document);
lab_model model_of(const field& document);

}  // namespace upsweep::report
