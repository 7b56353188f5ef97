// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/lab_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "report/fields.hpp"
#include "report/model_data.hpp"

namespace upsweep::report {

namespace {

// A trace is drawn whole; the tool writes at most 64 elements.
constexpr std::size_t most_elements = 1024, most_steps = 4096;

trace_change change_of(const field& c, std::size_t elements) {
  trace_change all{c.at("block").count(), c.at("thread").count(), c.at("element").count(), {}, {}};
  if (all.element >= elements) c.at("element").refuse("the array has no such element");
  const auto operand = [&](const char* name) -> std::optional<std::uint64_t> {
    const auto found = c.find(name);
    if (!found) return {};
    if (found->count() >= elements) found->refuse("the array has no such element");
    return found->count();
  };
  all.left = operand("left"), all.right = operand("right");
  return all;
}

trace_step step_of(const field& s) {
  trace_step all;
  all.phase = s.at("phase").text();
  all.stride = s.at("stride").count();
  all.active_threads = s.at("active_threads").count();
  all.array = s.at("array").texts();
  if (all.array.empty() || all.array.size() > most_elements)
    s.at("array").refuse(fmt::format("has not 1 to {} elements", most_elements));
  for (const field& c : s.at("changes").list(most_elements * 32))
    all.changes.push_back(change_of(c, all.array.size()));
  return all;
}

trace_launch launch_of(const field& l) {
  trace_launch all;
  all.kernel = l.at("kernel").name();
  all.blocks = l.at("blocks").count();
  all.threads = l.at("threads").count();
  all.operations = l.at("operations").count();
  all.barriers = l.at("barriers").count();
  for (const field& s : l.at("steps").list(most_steps)) {
    all.steps.push_back(step_of(s));
    if (all.steps.back().array.size() != all.steps.front().array.size())
      s.at("array").refuse("is not as long as that of the first step");
  }
  return all;
}

bank_access access_of(const field& a, std::uint64_t banks) {
  bank_access all;
  all.phase = a.at("phase").text();
  all.stride = a.at("stride").count();
  all.place = a.find("site") ? a.at("site").text() : a.at("place").text();  // older ones: site
  all.kind = a.at("kind").text();
  all.launch = a.at("launch").text();
  all.threads = a.at("threads").count();
  all.degree = a.at("degree").count();
  all.transactions = a.at("transactions").count();
  all.active_transactions = a.at("active_transactions").count();
  all.words = a.at("bank_words").counts();
  all.degrees = a.at("bank_degrees").counts();
  if (all.words.size() != banks) a.at("bank_words").refuse("has not one figure for each bank");
  if (all.degrees.size() != banks) a.at("bank_degrees").refuse("has not one figure for each bank");
  return all;
}

// The banks of an index, as the one access that it is.
bank_access index_access(const field& b) {
  bank_access all;
  all.phase = "index";
  all.place = b.at("index").text();
  all.kind = "access";
  all.threads = b.at("threads").count();
  all.degree = b.at("degree").count();
  all.transactions = all.active_transactions = b.at("transactions").count();
  all.words = b.at("bank_words").counts();
  all.degrees = b.at("bank_degrees").counts();
  return all;
}

racing_access racer_of(const field& r) {
  return {r.at("thread").count(), r.at("block").count(), r.at("stride").count(),
          r.at("access").text(),  r.at("place").text(),  r.at("phase").text()};
}

found_fault fault_of(const field& f) {
  found_fault all;
  all.fault = f.at("fault").text();
  all.kernel = f.at("kernel").text();
  all.text = f.at("text").text();
  all.times = f.at("times").count();
  if (const auto race = f.find("race")) {
    all.later = racer_of(race->at("later"));
    all.earlier = racer_of(race->at("earlier"));
    all.array = race->at("array").text();
    all.element = race->at("element").count();
  }
  return all;
}

run_launch counted_launch(const field& l) {
  run_launch all;
  all.kernel = l.at("kernel").name();
  all.blocks = l.at("blocks").count();
  all.threads = l.at("threads").count();
  all.operations = l.at("operations").count();
  all.barriers = l.at("barriers").count();
  all.transactions = l.at("transactions").count();
  all.degree = l.at("degree").count();
  all.sectors = l.at("sectors").count();
  return all;
}

run_launch timed_launch(const field& l) {
  run_launch all;
  all.kernel = l.at("kernel").name();
  all.median_s = l.at("median_ms").positive() * 1e-3;
  all.least_s = l.at("least_ms").positive() * 1e-3;
  return all;
}

// Letters and digits only, all small.
std::string plain(const std::string& name) {
  std::string text;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// What stands between the blanks, hyphens and commas of a name, each plain.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from < name.size();) {
    const std::size_t end = std::min(name.find_first_of(" -,", from), name.size());
    if (end > from) words.push_back(plain(name.substr(from, end - from)));
    from = end + 1;
  }
  return words;
}

// A word of a name, or two that follow each other: "RTX 4090", "80 GB".
bool has_word(const std::vector<std::string>& words, const std::string& asked) {
  for (std::size_t k = 0; k < words.size(); ++k)
    if (words[k] == asked || (k > 0 && words[k - 1] + words[k] == asked)) return true;
  return false;
}

// What tells two devices of one name apart.
bool tells_a_form(const std::string& word) {
  constexpr const char* forms[] = {"pcie", "nvl", "laptop", "mobile", "d", "ti", "super"};
  return std::find(std::begin(forms), std::end(forms), word) != std::end(forms) ||
         (word.size() > 2 && word.ends_with("gb"));
}

}  // namespace

bool modelled_device::is(const std::string& gpu) const {
  const std::string asked = plain(gpu), mine = plain(name), described = plain(about);
  if (asked.empty() || mine.empty()) return gpu == name || gpu == about;
  if (asked == mine || asked == described) return true;
  const std::vector<std::string> words = words_of(gpu), told = words_of(about);
  return has_word(words, mine) && std::all_of(words.begin(), words.end(), [&](const auto& word) {
           return !tells_a_form(word) || described == mine || has_word(told, word);
         });
}

std::string padded_name(const std::string& kernel, std::uint64_t pad) {
  return pad == 0 ? kernel : fmt::format("{}, pad {}", kernel, pad);
}

std::string padding_word(std::uint64_t pad) { return pad == 0 ? "none" : std::to_string(pad); }

std::string lab_run::name() const { return padded_name(kernel, pad.value_or(0)); }

std::string trace_step::name() const {
  if (phase.empty()) return "before";
  return stride == 0 ? phase : fmt::format("{} {}", phase, stride);
}

lab_trace trace_of(const field& d) {
  lab_trace all;
  all.file = d.file();
  all.kernel = d.at("kernel").name();
  all.op = d.at("op").text();
  all.exclusive = d.at("exclusive").flag();
  all.input = d.at("input").texts();
  all.result = d.at("result").texts();
  for (const field& l : d.at("launches").list(1000)) all.launches.push_back(launch_of(l));
  if (const auto faults = d.find("faults")) all.faults = faults->list().size();
  return all;
}

lab_banks banks_of(const field& d) {
  lab_banks all;
  all.file = d.file();
  all.banks = d.at("banks").count();
  if (all.banks == 0 || all.banks > 32) d.at("banks").refuse("is not 1 to 32");
  if (d.find("index")) {
    all.title = fmt::format("index {}, padding {}", d.at("index").text(),
                            d.at("pad").text().empty() ? "none" : d.at("pad").text());
    all.accesses.push_back(index_access(d));
    if (all.accesses[0].words.size() != all.banks || all.accesses[0].degrees.size() != all.banks)
      d.at("bank_words").refuse("has not one figure for each bank");
    return all;
  }
  all.title = fmt::format("{}, n = {}, padding {}", d.at("kernel").text(), d.at("n").count(),
                          padding_word(d.at("pad").count()));
  for (const field& a : d.at("accesses").list(100'000))
    all.accesses.push_back(access_of(a, all.banks));
  return all;
}

lab_check check_of(const field& d) {
  lab_check all;
  all.file = d.file();
  all.kernel = d.at("kernel").name();
  all.op = d.at("op").text();
  all.n = d.at("n").count();
  all.runs = d.at("runs").count();
  all.results = d.at("results").count();
  all.wrong_runs = d.at("wrong_runs").count();
  for (const field& f : d.at("faults").list(10'000)) all.faults.push_back(fault_of(f));
  return all;
}

lab_run run_of(const field& d) {
  lab_run all;
  all.file = d.file();
  all.kernel = d.at("kernel").name();
  all.op = d.at("op").text();
  all.n = d.at("n").count();
  all.exclusive = d.at("exclusive").flag();
  all.verified = d.at("verified").flag();
  if (const auto pad = d.find("pad")) all.pad = pad->count();
  if (const auto wrong = d.find("mismatches")) all.mismatches = wrong->count();
  if (const auto error = d.find("worst_error")) all.worst_error = error->any_number();
  if (const auto tolerance = d.find("tolerance")) all.tolerance = tolerance->share();
  all.canonical = d.at("canonical_bits").flag();
  const bool timed = d.at("device").text() == "cuda";
  for (const field& l : d.at("launches").list(1000))
    all.launches.push_back(timed ? timed_launch(l) : counted_launch(l));
  if (timed) {
    all.gpu = d.at("gpu").name();
    all.median_s = d.at("median_ms").positive() * 1e-3;
    all.least_s = d.at("least_ms").positive() * 1e-3;
    all.gb_per_s = d.at("gb_per_s").positive();
    all.copy_gb_per_s = d.at("copy_gb_per_s").positive();
  }
  if (const auto model = d.find("model")) {
    all.model = prediction_of(*model);
    all.model_device = device_of(d.at("model_device"));
    all.roof = roof_of(d.at("model_device"));
  }
  return all;
}

}  // namespace upsweep::report
