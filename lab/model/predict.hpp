// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From what a kernel does and what a device takes to a time, and to what bounds it.
//
// A launch ends when the slowest of these has ended, each as if it were alone:
//   bandwidth  its bytes at the rate of a copy, from L2 as far as they fit
//   issue      its instructions, by the schedulers of the multiprocessors that have blocks
//   shared     its transactions of shared memory, one a cycle and multiprocessor
//   path       waves x what the longest block waits for: latencies, barriers, carries
// and what nothing goes beside comes on top: barriers of the grid. Launches follow each other, the
// next one a gap behind, or when the host has launched it:
//   time = sum over launches of (the largest of the four + barriers of the grid)
//          + what the launches add
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/model/plan_device.hpp"
#include "lab/model/work.hpp"

namespace upsweep::lab::model {

// What is predicted: a kernel by its name, its elements, and what it would launch.
struct scan_plan {
  std::string kernel;
  std::uint64_t n = 0;
  unsigned cleared = 0;  // arrays of words that are set to 0 first
  std::vector<planned_launch> launches;
  std::vector<work> works;      // of the launches
  double registers = 32;        // of a thread
  unsigned pad = 0;             // terms of padding
  double needs_capability = 0;  // compute capability from which a device has what it is made of
};

// Times in seconds. barrier, latency and carry are parts of the path, over all waves; carry is
// waiting for what other blocks publish.
struct launch_times {
  std::string kernel;
  double blocks = 0, threads = 0, waves = 0, tail = 0;  // tail: the last wave's idle
                                                        // share, where there are others
  occupancy held;
  double dram_bytes = 0, operations = 0;
  double thread_bytes = 0;  // of one load
  double bandwidth = 0, alu = 0, issue = 0, shared = 0, barrier = 0, latency = 0, carry = 0;
  double alone = 0;  // barriers of the grid, and what one block does between them
  double path() const { return barrier + latency + carry; }
  double together() const;  // the slowest of what goes on at the same time
  double body() const { return together() + alone; }
};

struct prediction {
  std::string kernel;
  std::uint64_t n = 0;
  unsigned pad = 0;
  double needs_capability = 0;
  std::vector<launch_times> launches;
  double launch = 0;  // what launches and clearings add to the bodies
  double total = 0;
  std::string bound;              // bandwidth, issue, shared, barrier, latency, carry or launch
  double rate = 0, l2_share = 0;  // of the bytes: that of a copy, and how much of it L2 serves
  double in_flight_needed = 0, in_flight_possible = 0;  // bytes, by Little's law

  double sum(double launch_times::*term) const;
  double intensity() const;             // operations a byte
  const launch_times& largest() const;  // the launch that takes longest
};

// Bytes a second of a copy whose two arrays take so many bytes.
double copy_rate(const device_spec& d, double array_bytes);

// How many times a wave of so many blocks waits for a word that another block publishes, one after
// the other. 0 for kernels whose blocks do not wait.
double carry_hops(const std::string& kernel, double blocks_at_once);

// What that takes: for each hop the word, and what the kernel does with what it found.
double carry_seconds(const device_spec& d, const std::string& kernel, double blocks_at_once);

prediction predict(const device_spec& d, const scan_plan& plan);

}  // namespace upsweep::lab::model
