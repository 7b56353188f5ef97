// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/bench_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <set>

#include "report/documents.hpp"
#include "report/fields.hpp"
#include "upsweep/version.hpp"

namespace upsweep::report {

namespace {

// A later version may have changed what fields mean.
void check_version(const field& version) {
  const std::string text = version.text();
  int major = 0, minor = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, major);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '.' ||
      std::from_chars(first.ptr + 1, end, minor).ec != std::errc{})
    version.refuse("is no version");
  if (std::pair(major, minor) > std::pair(UPSWEEP_VERSION_MAJOR, UPSWEEP_VERSION_MINOR))
    version.refuse(fmt::format("{} is later than this program, {}.{}: use that one", text,
                               UPSWEEP_VERSION_MAJOR, UPSWEEP_VERSION_MINOR));
}

bench_machine machine_of(const field& m) {
  check_version(m.at("version"));
  bench_machine all;
  all.version = m.at("version").text();
  all.date = m.at("date").text();
  all.cpu = m.at("cpu").text();
  all.simd = m.at("simd").text();
  all.compiler = m.at("compiler").text();
  all.cores = m.at("cores").count();
  all.threads = m.at("threads").count();
  const field caches = m.at("caches");
  all.caches = {caches.at("l1d").count(), caches.at("l2").count(), caches.at("l3").count()};
  if (const auto gpu = m.find("gpu")) {
    all.gpu = gpu->at("name").text();
    all.driver = gpu->at("driver").text();
    all.runtime = gpu->at("runtime").text();
    all.cub = gpu->at("cub").text();
    all.gpu_memory = gpu->at("memory").count();
    all.gpu_l2 = gpu->at("l2").count();
    all.multiprocessors = gpu->at("multiprocessors").count();
  }
  return all;
}

bench_result result_of(const field& r) {
  bench_result all;
  all.engine = r.at("engine").text();
  all.device = r.at("device").text();
  all.op = r.at("op").text();
  all.type = r.at("type").text();
  all.kind = r.at("kind").text();
  all.n = r.at("n").count();
  if (all.n == 0) r.at("n").refuse("is 0");
  all.bytes = r.at("bytes").count();
  const std::vector<double> samples = r.at("samples_s").positives();
  all.samples = samples.size();
  all.best_s = *std::min_element(samples.begin(), samples.end());
  all.worst_s = *std::max_element(samples.begin(), samples.end());
  all.median_s = r.at("median_s").positive();
  if (all.median_s < all.best_s * (1 - 1e-9) || all.median_s > all.worst_s * (1 + 1e-9))
    r.at("median_s").refuse("is not between the samples");
  all.gb_per_s = r.at("gb_per_s").positive();
  if (const auto shape = r.find("shape")) {
    all.shape = shape->counts();
    if (all.shape.size() != 2) shape->refuse("is not of two dimensions");
    all.axis = r.at("axis").count();
  }
  if (const auto latency = r.find("latency")) {
    all.latency = latency->text();
    all.cold = r.at("cold").flag();
  }
  if (const auto error = r.find("error")) all.error = error->share();
  return all;
}

using named_values = std::vector<std::pair<std::string, std::string>>;
std::string differences(const named_values& mine, const named_values& theirs) {
  std::string all;
  for (std::size_t k = 0; k < std::min(mine.size(), theirs.size()); ++k)
    if (mine[k].second != theirs[k].second)
      all += fmt::format("{}{}: {} and {}", all.empty() ? "" : "; ", mine[k].first, mine[k].second,
                         theirs[k].second);
  return all;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> bench_machine::traits() const {
  return {{"cpu", cpu},
          {"cores", std::to_string(cores)},
          {"threads", std::to_string(threads)},
          {"caches", fmt::format("{} {} {}", caches[0], caches[1], caches[2])},
          {"simd", simd},
          {"gpu", gpu.empty() ? "none" : gpu}};
}

std::vector<std::pair<std::string, std::string>> bench_machine::versions() const {
  std::vector<std::pair<std::string, std::string>> all = {{"upsweep", version},
                                                          {"compiler", compiler}};
  if (!gpu.empty()) all.insert(all.end(), {{"cub", cub}, {"runtime", runtime}, {"driver", driver}});
  return all;
}

std::string bench_result::title() const {
  std::string name = fmt::format("{} {} of {} on {}", kind, op, type, device);
  if (!shape.empty()) name += ", two dimensions";
  if (!latency.empty()) name += ", " + latency;
  if (cold) name += ", cold";
  return name;
}

std::string bench_result::size_name() const {
  if (!shape.empty()) return fmt::format("{}x{}, axis {}", shape[0], shape[1], axis);
  return n > 1 && std::has_single_bit(n) ? fmt::format("2^{}", std::countr_zero(n))
                                         : std::to_string(n);
}

bench_file bench_of(const field& document) {
  bench_file all{document.file(), machine_of(document.at("machine")), {}};
  std::set<std::string> seen;
  const field results = document.at("results");
  for (const field& r : results.list()) {
    all.results.push_back(result_of(r));
    const bench_result& made = all.results.back();
    if (!seen.insert(fmt::format("{}|{}|{}", made.title(), made.size_name(), made.engine)).second)
      r.refuse(fmt::format("{} has a result of {} twice", made.engine, made.size_name()));
  }
  if (all.results.empty()) results.refuse("is empty");
  return all;
}

bench_file bench_of(const std::string& file, std::string_view text) {
  const nlohmann::json document = parsed(file, text);
  const field all(document, file, "");
  const std::string program = program_of(all);
  if (program != "upsweep bench")
    throw bad_input(fmt::format("{}: is the JSON of {}, not of upsweep bench", file, program));
  return bench_of(all);
}

std::string difference_of(const bench_machine& a, const bench_machine& b) {
  return differences(a.traits(), b.traits());
}

std::string other_versions(const bench_machine& a, const bench_machine& b) {
  return differences(a.versions(), b.versions());
}

}  // namespace upsweep::report
