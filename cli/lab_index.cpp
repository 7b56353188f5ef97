// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/failure.hpp"
#include "cli/lab_expression.hpp"
#include "cli/lab_words.hpp"
#include "cli/printable.hpp"
#include "lab/simulator/banks.hpp"

namespace cli::lab {

namespace {

namespace simulator = upsweep::lab::simulator;

struct row {
  unsigned thread;
  std::int64_t logical, physical;
  std::uint64_t bank;
};

// The terms of padding that kernels are asked for by number, or an expression in i.
std::string pad_of(const index_question& q) {
  if (q.pad.empty() || q.pad == "none") return "i";
  const std::string one = fmt::format("i + i/{}", q.banks);
  if (q.pad == "1") return one;
  if (q.pad == "2") return one + fmt::format(" + i/{}", q.banks * q.banks);
  if (q.pad.find('i') == std::string::npos)
    throw usage_failure(
        fmt::format("lab: --pad {} moves nothing: give none, 1, 2 or an expression "
                    "in i, such as 'i + i/{}'",
                    in_quotes(q.pad), q.banks));
  return q.pad;
}

void check_index(const char* option, const std::string& text, char variable, std::int64_t value,
                 std::int64_t index) {
  if (index < 0)
    throw usage_failure(fmt::format("lab: {} {} for {} = {}: the index {} is below 0", option,
                                    in_quotes(text), variable, value, index));
}

std::vector<row> rows_of(const index_question& q) {
  const expression index("--index", q.index, "t");
  const expression pad("--pad", pad_of(q), "i");
  std::vector<row> rows;
  for (unsigned t = 0; t < q.threads; ++t) {
    const std::int64_t logical = index(t);
    check_index("--index", q.index, 't', t, logical);
    const std::int64_t physical = pad(logical);
    check_index("--pad", q.pad, 'i', logical, physical);
    const std::uint64_t address = q.base + static_cast<std::uint64_t>(physical) * q.word;
    rows.push_back({t, logical, physical, address / 4 % q.banks});
  }
  return rows;
}

// The sum over warps; degree and banks are those of the worst one.
simulator::bank_use cost_of(const index_question& q, const std::vector<row>& rows,
                            simulator::bank_load& load) {
  simulator::bank_use sum;
  for (std::size_t first = 0; first < rows.size(); first += upsweep::lab::warp_lanes) {
    simulator::warp_access a{};
    a.bytes = a.alignment = q.word;
    for (std::size_t i = first; i < std::min(rows.size(), first + upsweep::lab::warp_lanes); ++i) {
      a.address[i - first] = q.base + static_cast<std::uint64_t>(rows[i].physical) * q.word;
      a.mask |= 1u << (i - first);
    }
    const simulator::bank_use use = simulator::shared_cost(a, q.banks, &load);
    sum.transactions += use.transactions;
    sum.broadcasts += use.broadcasts;
    sum.degree = std::max(sum.degree, use.degree);
    sum.banks = std::max(sum.banks, use.banks);
  }
  return sum;
}

void print_json(const index_question& q, const std::vector<row>& rows,
                const simulator::bank_use& cost, const simulator::bank_load& load) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const auto of_banks = [&](const auto& counts) {
    return std::vector(counts.begin(), counts.begin() + q.banks);
  };
  for (const row& r : rows)
    list.push_back(
        {{"thread", r.thread}, {"logical", r.logical}, {"physical", r.physical}, {"bank", r.bank}});
  const nlohmann::ordered_json all = {{"program", "upsweep lab banks"},
                                      {"index", q.index},
                                      {"pad", q.pad},
                                      {"threads", q.threads},
                                      {"banks", q.banks},
                                      {"word", q.word},
                                      {"base", q.base},
                                      {"rows", list},
                                      {"banks_touched", cost.banks},
                                      {"degree", cost.degree},
                                      {"transactions", cost.transactions},
                                      {"broadcasts", cost.broadcasts},
                                      {"bank_words", of_banks(load.words)},
                                      {"bank_degrees", of_banks(load.degree)}};
  fmt::print("{}\n", all.dump(1));
}

}  // namespace

void print_index(const index_question& q) {
  if (q.base % q.word != 0)
    throw usage_failure(
        fmt::format("lab: --base {} is no multiple of the {} bytes of a word", q.base, q.word));
  const std::vector<row> rows = rows_of(q);
  simulator::bank_load load;
  const simulator::bank_use cost = cost_of(q, rows, load);
  if (q.json) return print_json(q, rows, cost, load);
  fmt::print("{:>6} {:>8} {:>9} {:>5}\n", "thread", "logical", "physical", "bank");
  for (const row& r : rows)
    fmt::print("{:>6} {:>8} {:>9} {:>5}\n", r.thread, r.logical, r.physical, r.bank);
  fmt::print("degree {}, {}, {} of {} banks touched, {}\n", cost.degree,
             counted(cost.transactions, "transaction"), cost.banks, q.banks,
             counted(cost.broadcasts, "broadcast"));
}

}  // namespace cli::lab
