// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// upsweep lab lecture: the three programs of a first lecture on scans, with the figures they list.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <random>

#include "cli/failure.hpp"
#include "cli/lab_command.hpp"
#include "cli/lab_gpu.hpp"
#include "cli/lab_session.hpp"
#include "cli/option_checks.hpp"

namespace cli::lab {

namespace {

constexpr std::uint64_t four_million = std::uint64_t{1} << 22;

struct lecture {
  int number = 1;
  std::string device = "sim";
  unsigned repeat = 100;
  bool on_gpu() const { return device == "cuda"; }
};

request asked(const std::string& kernel, std::uint64_t n) {
  request what;
  what.kernel = kernel, what.n = n;
  return what;
}

// Milliseconds of a serial scan on one core of the CPU: the least of five.
double serial_time(std::uint64_t n) {
  std::mt19937_64 source(1);
  std::vector<float> x(n), y(n);
  for (float& v : x) v = static_cast<float>(source() >> 40) / 16777216.0f;
  double least = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    float sum = 0;
    for (std::uint64_t i = 0; i < n; ++i) sum += x[i], y[i] = sum;
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    least = std::min(least, y[n - 1] < 0 ? 0 : time.count());
  }
  return least;
}

void print_check(const std::string& name, const outcome& o) {
  fmt::print("{:<42} {}: largest error {:.2g}, {} mismatches{}\n", name,
             o.mismatches == 0 && o.findings.empty() ? "right" : "WRONG", o.worst_error,
             o.mismatches, o.findings.empty() ? "" : fmt::format(", {}", o.findings[0].text));
}

outcome checked(const lecture& l, const request& what) {
  return l.on_gpu() ? run_on_gpu(what, 1).result : run(what);
}

// Program 1: why a thread for each output is no scan.
void naive(const lecture& l) {
  const std::uint64_t n = l.on_gpu() ? 65536 : 2048;
  const double cpu = serial_time(n),
               adds = 0.5 * static_cast<double>(n) * static_cast<double>(n + 1);
  fmt::print("naive, {} elements, 256 threads a block\n", n);
  fmt::print("serial on the CPU              {:.4f} ms\n", cpu);
  if (!l.on_gpu()) {
    const outcome o = run(asked("naive", n));
    fmt::print("adds, counted                  {}\n", o.launches[0].operations());
    fmt::print("bytes read, counted            {}\n", o.launches[0].global_bytes() - 4 * n);
    fmt::print("adds of a serial scan          {}\n", n - 1);
    print_check("check", o);
    return;
  }
  const gpu_outcome g = run_on_gpu(asked("naive", n), l.repeat);
  fmt::print("naive on {:<21} {:.4f} ms\n", g.device, g.median);
  fmt::print("adds                           {:.4g}, {:.1f} Gadd/s\n", adds, adds / g.median / 1e6);
  fmt::print("bytes read, mostly from caches {:.4g}, {:.0f} GB/s\n", 4 * adds,
             4 * adds / g.median / 1e6);
  fmt::print("speed-up over the CPU          {:.2f}\n", cpu / g.median);
  print_check("check", g.result);
}

void print_steps(const outcome& o) {
  const simulator::counts& c = o.launches[0];
  fmt::print("{:<12} {:>7} {:>15} {:>10}\n", "phase", "stride", "active threads", "adds");
  for (const auto& s : c.steps)
    if (s.operations != 0)
      fmt::print("{:<12} {:>7} {:>15} {:>10}\n", s.phase, s.stride, s.active_threads, s.operations);
  fmt::print("steps {}, adds {}, barriers {}\n", c.working_steps(), c.operations(), c.barriers());
}

void print_time(const char* name, double milliseconds, double bytes, double copy_rate) {
  fmt::print("{:<22} {:>9.4f} ms {:>12.0f} bytes {:>7.0f} GB/s {:>5.0f} % of a copy\n", name,
             milliseconds, bytes, bytes / milliseconds / 1e6,
             100 * bytes / milliseconds / 1e6 / copy_rate);
}

// Program 2: Hillis and Steele in one block, and the first phase of many.
void hillis_steele(const lecture& l) {
  print_check("hillis-steele, two buffers, n = 1024", checked(l, asked("hillis-steele", 1024)));
  print_check("hillis-steele-racy, n = 1024", checked(l, asked("hillis-steele-racy", 1024)));
  print_steps(run(asked("hillis-steele", 1024)));
  if (!l.on_gpu()) {
    const outcome o = run(asked("hierarchical", std::uint64_t{1} << 16));
    const simulator::counts& c = o.launches[0];
    fmt::print(
        "tile scans of 2^16 elements: {} blocks, {} adds, {} barriers each, {} bytes moved\n",
        c.blocks, c.operations(), c.barriers(), c.global_bytes());
    return;
  }
  const gpu_outcome one = run_on_gpu(asked("hillis-steele", 1024), 20000);
  fmt::print("one block, 20000 launches: median {:.2f} us, least {:.2f} us\n", 1000 * one.median,
             1000 * one.least);
  const gpu_outcome many = run_on_gpu(asked("hierarchical", four_million), l.repeat);
  const double bytes = 8.0 * static_cast<double>(four_million), rate = bytes / many.copy / 1e6;
  print_time("tile scans at 2^22", many.launches[0].median, bytes, rate);
  fmt::print("floor: the copy of these bytes takes {:.4f} ms\n", many.copy);
}

// What each kernel adds and moves, and how that compares with reading and writing each element
// once.
void print_traffic(const outcome& o) {
  fmt::print("{:<12} {:>7} {:>12} {:>19}\n", "kernel", "blocks", "adds", "sectors of 32 bytes");
  std::uint64_t all = 0;
  for (const simulator::counts& c : o.launches) {
    std::uint64_t sectors = 0;
    for (const auto& s : c.sites) sectors += s.sectors;
    fmt::print("{:<12} {:>7} {:>12} {:>19}\n", c.kernel, c.blocks, c.operations(), sectors);
    all += sectors;
  }
  const double once = 8.0 * static_cast<double>(o.n), moved = 32.0 * static_cast<double>(all);
  fmt::print(
      "traffic {:.0f} bytes, counted; elements read and written once are {:.0f}: ratio {:.2f}\n",
      moved, once, moved / once);
  fmt::print(
      "of that, what is beyond 2.00 are offsets, which every warp reads again, and a few totals\n");
}

// Program 3: Blelloch in one block, and three kernels for any size.
void hierarchical(const lecture& l) {
  print_check("blelloch, n = 2048", checked(l, asked("blelloch", 2048)));
  print_steps(run(asked("blelloch", 2048)));
  outcome largest;
  for (const std::uint64_t n :
       std::initializer_list<std::uint64_t>{1, 1023, 1024, 1025, 4096, 100000, four_million}) {
    largest = checked(l, asked("hierarchical", n));
    print_check(fmt::format("hierarchical, n = {}", n), largest);
  }
  const double cpu = serial_time(four_million), n = static_cast<double>(four_million);
  fmt::print("serial on the CPU at 2^22: {:.3f} ms\n", cpu);
  if (!l.on_gpu()) return print_traffic(largest);
  const gpu_outcome block = run_on_gpu(asked("blelloch", 2048), 20000);
  fmt::print("blelloch, one block: median {:.2f} us\n", 1000 * block.median);
  const gpu_outcome g = run_on_gpu(asked("hierarchical", four_million), l.repeat);
  const double rate = 8 * n / g.copy / 1e6;
  double sum = 0;
  for (std::size_t i = 0; i < g.launches.size(); ++i) {
    const bool large = i == 0 || i + 1 == g.launches.size();
    print_time(g.launches[i].kernel.c_str(), g.launches[i].median, large ? 8 * n : 8 * n / 1024,
               rate);
    sum += g.launches[i].median;
  }
  fmt::print("kernels together {:.4f} ms, with the gaps between them {:.4f} ms\n", sum, g.median);
  fmt::print("floor {:.4f} ms, traffic ratio {:.2f}, speed-up over the CPU {:.1f}\n", g.copy,
             16 * n / (8 * n), cpu / g.median);
  print_check("check", g.result);
}

}  // namespace

void add_lecture(CLI::App& lab) {
  CLI::App* sub =
      lab.add_subcommand("lecture", "Three programs: naive, Hillis-Steele, hierarchical");
  const auto l = std::make_shared<lecture>();
  sub->add_option("PROGRAM", l->number, "1, 2 or 3")->required()->transform(number_of({1, 2, 3}));
  sub->add_option("--device", l->device, "sim (default): counts; cuda: measures on a GPU")
      ->check(one_of_listed({"sim", "cuda"}));
  sub->add_option("--repeat", l->repeat, "Repetitions on a GPU (default: 100)")
      ->transform(whole_number_in(1, 1000000));
  sub->callback([l, sub] {
    if (l->on_gpu()) need_gpu();  // before anything is printed
    if (!l->on_gpu() && sub->count("--repeat") != 0)
      throw usage_failure("lab: --repeat is for --device cuda: counts are always the same");
    l->number == 1 ? naive(*l) : l->number == 2 ? hillis_steele(*l) : hierarchical(*l);
  });
}

}  // namespace cli::lab
