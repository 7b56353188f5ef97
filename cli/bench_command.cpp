// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/bench_command.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/bench_baseline.hpp"
#include "cli/bench_device.hpp"
#include "cli/bench_engines.hpp"
#include "cli/bench_plan.hpp"
#include "cli/bench_results.hpp"
#include "cli/device_choice.hpp"
#include "cli/failure.hpp"
#include "cli/option_checks.hpp"
#include "cli/output_file.hpp"

namespace cli {

namespace {

using namespace bench;

constexpr const char* examples =
    "Examples:\n"
    "  upsweep bench\n"
    "  upsweep bench --type all --op sum,max --sizes 2^16,2^28 --json results.json\n"
    "  upsweep bench --shape 4096x65536 --axis 0\n"
    "  upsweep bench --sizes 2^20 --engines std,upsweep-seq --repeat 101\n"
    "  upsweep bench --device cuda --type f32,u8,affine --op sum,max,compose --sizes 2^10..2^30\n"
    "  upsweep bench --baseline old.json new.json\n"
    "Every engine's result is checked once before it is timed. On a GPU there are memcpy,\n"
    "copy-kernel, cub and upsweep-cuda, timed by events of the device; types and operators that\n"
    "are not measured together are passed over.\n"
    "--baseline measures nothing. It calls slower only what was slower in its best sample than\n"
    "before in its worst, and ends with status 3 where that is an engine of upsweep, else with 0:\n"
    "slower copies and rivals tell of the machine. One sample in a file is not judged.";

bool is_copy(std::string_view name) {
  return std::any_of(engines.begin(), engines.end(),
                     [&](const engine& e) { return e.name == name && e.what == role::copy; });
}

// All engines that were asked for and can do this workload, measured in turn.
std::vector<result> measure_workload(const workload& w, const element_type& type, const plan& p,
                                     device_bench* gpu) {
  std::vector<contender> contenders = gpu ? gpu->contenders(w, type) : type.contenders(w);
  std::erase_if(contenders, [&](const contender& c) {
    return std::find(p.engines.begin(), p.engines.end(), c.engine) == p.engines.end();
  });
  std::vector<std::optional<double>> errors;
  for (const contender& c : contenders) {
    std::memset(w.out, 0xa5, w.n * type.size);  // what the engine before it left would pass too
    c.run(1);
    c.verify();
    const bool rounds = w.op == "sum" && type.worst_error != nullptr && !is_copy(c.engine);
    errors.push_back(p.accuracy && rounds ? std::optional(type.worst_error(w)) : std::nullopt);
  }
  std::vector<std::vector<double>> samples = measure(contenders, p.samples);
  const std::string calls = gpu ? name_of(p.latency) : "";
  std::vector<result> results;
  for (std::size_t k = 0; k < contenders.size(); ++k)
    results.push_back({contenders[k].engine, p.device, w.op, w.type, w.kind, w.n,
                       2 * w.n * type.size, w.shape, std::move(samples[k]), calls, p.cold,
                       errors[k]});
  return results;
}

// The table of one (type, operator, kind); its results are added to all.
void measure_table(workload w, const element_type& type, const plan& p, device_bench* gpu,
                   std::FILE* to, std::vector<result>& all) {
  w.n = *std::max_element(p.sizes.begin(), p.sizes.end());
  type.fill(w);
  std::optional<table> printed;
  for (const std::size_t n : p.sizes) {
    w.n = n;
    const std::vector<result> results = measure_workload(w, type, p, gpu);
    if (results.empty())
      throw usage_failure("bench: none of the --engines can do " + w.kind + " " + w.op + " of " +
                          w.type);
    if (!printed) printed.emplace(to, results.front(), p.engines);
    printed->row(results);
    all.insert(all.end(), results.begin(), results.end());
  }
}

std::vector<result> measure_tables(const plan& p, std::FILE* to) {
  std::size_t widest = 1;
  for (const std::string& t : p.types) widest = std::max(widest, element_type_of(t).size);
  const buffers memory(widest * *std::max_element(p.sizes.begin(), p.sizes.end()));
  std::optional<device_bench> gpu;
  if (p.where == place::cuda) gpu.emplace(p);
  std::vector<result> all;
  for (const std::string& t : p.types)
    for (const std::string& op : p.ops)
      for (const std::string& kind : p.kinds) {
        if (!is_measured(p, t, op)) continue;
        if (!all.empty()) std::fputs("\n", to);
        const workload w{op, t, kind, 0, p.shape, p.threads, memory.in(), memory.out()};
        measure_table(w, element_type_of(t), p, gpu ? &*gpu : nullptr, to, all);
      }
  return all;
}

// All in one arena of that many threads: whatever uses oneTBB (rivals, copies and the library)
// finds the same threads awake, and no more of them.
std::vector<result> measure_plan(const plan& p, std::FILE* to) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, p.threads);
  tbb::task_arena arena(static_cast<int>(p.threads));
  return arena.execute([&] { return measure_tables(p, to); });
}

void run(const options& o) {
  const plan p = plan_of(o, available_memory());
  device_survey found;
  if (p.where == place::cuda) {
    found = find_devices();
    device_of(found, {device_choice::kind::cuda, p.gpu});
  }
  // Opened first: a path that cannot be written is refused before the measurement.
  std::optional<output_file> json;
  if (o.json) json.emplace(*o.json);
  const std::vector<result> results = measure_plan(p, o.json == "-" ? stderr : stdout);
  if (!json) return;
  json->write(json_of(results, p, p.where == place::cuda ? &found : nullptr));
  json->commit();
}

void add_measuring_options(CLI::App& bench, options& o) {
  auto* repeat =
      bench.add_option("--repeat", o.samples.repeat, "Samples of each engine, 1 or more")
          ->transform(whole_number_in(1, 1'000'000));
  bench
      .add_option("--min-time", o.samples.min_time_s,
                  "Seconds of samples of each engine, on average; at least 7 samples")
      ->capture_default_str()
      ->excludes(repeat);
  bench.add_option("--threads", o.threads, "Threads of the parallel engines (default: all cores)")
      ->transform(whole_number_in(0, 4096));
  bench.add_option("--engines", o.engines, "Only these, such as std,upsweep-seq (default: all)")
      ->delimiter(',');
  bench.add_option("--device", o.device, "cpu, cuda or cuda:N")
      ->check(suggested({"cpu", "cuda"}))
      ->capture_default_str();
  bench
      .add_option("--latency", o.latency,
                  "On a GPU: back-to-back in a stream, single and waited for, or in a graph")
      ->check(one_of_listed(std::vector<std::string>(latency_names.begin(), latency_names.end())))
      ->capture_default_str();
  bench.add_flag("--cold", o.cold, "On a GPU: rotate over more buffers than its L2 cache holds")
      ->disable_flag_override();
  auto* json = bench.add_option("--json", o.json,
                                "Also write the results to this file; - is standard output");
  bench
      .add_flag("--accuracy", o.accuracy,
                "Also the largest error of float sums, against a wider type, to the JSON")
      ->disable_flag_override()
      ->needs(json);
}

// Nothing that chooses what is measured goes with it.
void add_baseline(CLI::App& bench, options& o) {
  auto* baseline =
      bench
          .add_option("--baseline", o.baseline,
                      "Compare two files of --json, the old and the new one, and measure nothing")
          ->expected(2);
  for (CLI::Option* other : bench.get_options())
    if (other != baseline && !other->check_lname("json") && !other->check_lname("help"))
      baseline->excludes(other);
}

}  // namespace

void add_bench_command(CLI::App& app) {
  auto* bench = app.add_subcommand("bench", "Measure scans beside copies and beside other scans");
  const auto o = std::make_shared<options>();
  const auto list = [&](const char* name, std::vector<std::string>& values,
                        std::vector<std::string> known, const char* help) {
    known.push_back("all");
    bench->add_option(name, values, help)
        ->delimiter(',')
        ->check(suggested(known))
        ->capture_default_str();
  };
  list("--op", o->ops, known_operators(),
       "sum, prod, min, max, compose (of affine), a list of them, or all");
  list("--type", o->types, known_types(),
       "i8 i32 i64 u8 u32 u64 f16 bf16 f32 f64 affine, a list of them, or all");
  list("--kind", o->kinds, known_kinds(), "inclusive, exclusive, or all");
  auto* sizes = bench
                    ->add_option("--sizes", o->sizes,
                                 "Numbers of elements: 1000, 2^20, 2^10..2^28 (doubling), lists")
                    ->capture_default_str();
  auto* shape = bench->add_option("--shape", o->shape, "A 2-D array instead: rows x columns")
                    ->excludes(sizes);
  bench->add_option("--axis", o->axis, "The axis of the shape: 0 down the columns, 1 along rows")
      ->transform(integer)
      ->capture_default_str()
      ->needs(shape);
  add_measuring_options(*bench, *o);
  add_baseline(*bench, *o);
  bench->footer(examples);
  bench->callback(
      [o] { o->baseline.empty() ? run(*o) : compare_with_baseline(o->baseline, o->json); });
}

}  // namespace cli
