// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "report/sections.hpp"

namespace upsweep::report {

namespace {

// All accesses of one step together: of each bank the most words that one access wanted, and where.
struct heat_row {
  std::string launch, phase;
  std::uint64_t stride = 0;
  std::vector<std::uint64_t> degrees, words;
  std::vector<std::string> places;

  std::string name() const { return stride == 0 ? phase : fmt::format("{} {}", phase, stride); }
};

std::vector<heat_row> rows_of(const lab_banks& b) {
  std::vector<heat_row> rows;
  for (const bank_access& a : b.accesses) {
    auto at = std::find_if(rows.begin(), rows.end(), [&](const heat_row& r) {
      return r.launch == a.launch && r.phase == a.phase && r.stride == a.stride;
    });
    if (at == rows.end())
      at = rows.insert(rows.end(),
                       {a.launch, a.phase, a.stride, std::vector<std::uint64_t>(b.banks),
                        std::vector<std::uint64_t>(b.banks), std::vector<std::string>(b.banks)});
    for (std::size_t k = 0; k < b.banks; ++k) {
      at->words[k] += a.words[k];
      if (a.degrees[k] <= at->degrees[k]) continue;
      at->degrees[k] = a.degrees[k];
      at->places[k] = fmt::format("{} of {}", a.kind, a.place);
    }
  }
  return rows;
}

// 0 for a bank that nobody wants, 1 for one word at a time, then one more for each doubling.
unsigned warmth(std::uint64_t degree) {
  return std::min(6u, degree == 0 ? 0u : static_cast<unsigned>(std::bit_width(degree - 1)) + 1);
}

constexpr double cell = 17, head = 40, row_height = 19;

double width_of_names(const std::vector<heat_row>& rows) {
  std::size_t longest = 10;
  for (const heat_row& r : rows) longest = std::max(longest, r.name().size());
  return 8.8 * static_cast<double>(std::min<std::size_t>(longest, 60)) + 12;
}

std::string drawn_cell(const heat_row& r, std::size_t bank, double x, double y) {
  const std::uint64_t degree = r.degrees[bank];
  const std::string label =
      degree == 0 ? fmt::format("{}, bank {}: not used", r.name(), bank)
                  : fmt::format("{}, bank {}: degree {} by the {}, {} words in all", r.name(), bank,
                                degree, r.places[bank], r.words[bank]);
  std::string text = fmt::format(
      "<rect class='mark h{}' x='{:g}' y='{:g}' width='{:g}' height='{:g}' data-x='{}' "
      "data-y='{}'><title>{}</title></rect>",
      warmth(degree), x, y, cell - 1, row_height - 1, bank, degree, escaped(label));
  if (degree > 1)
    text += fmt::format("<text class='t{}' x='{:g}' y='{:g}'>{}</text>", warmth(degree),
                        x + (cell - 1) / 2, y + 13.5, degree);
  return text;
}

std::string drawn_heat(const lab_banks& b, const std::vector<heat_row>& rows, names& ids) {
  const double names_width = width_of_names(rows);
  const double wide = names_width + cell * static_cast<double>(b.banks) + 8;
  const double tall = head + row_height * static_cast<double>(rows.size()) + 4;
  std::string text = svg_begin(ids.next(), wide, tall, "Banks, " + b.title,
                               "A row for each step, a column for each bank. The number is the "
                               "degree: how many distinct words of the bank one access wants at "
                               "once. The tables below have all numbers.",
                               "heat");
  text += fmt::format("<text class='name' x='{:g}' y='14' text-anchor='middle'>bank</text>",
                      names_width + cell * static_cast<double>(b.banks) / 2);
  for (std::size_t k = 0; k < b.banks; k += 4)
    text += fmt::format("<text x='{:g}' y='32' text-anchor='middle'>{}</text>",
                        names_width + cell * (static_cast<double>(k) + 0.5), k);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double y = head + row_height * static_cast<double>(r);
    text += fmt::format(
        "\n<g class='curve' data-curve='{}'><text x='{:g}' y='{:g}' "
        "text-anchor='end'>{}</text>",
        r, names_width - 6, y + 14, escaped(rows[r].name()));
    for (std::size_t k = 0; k < b.banks; ++k)
      text += drawn_cell(rows[r], k, names_width + cell * static_cast<double>(k), y);
    text += "</g>";
  }
  return text + "</svg>";
}

std::string heat_legend() {
  std::string text = "<ul class='legend heat-legend'>";
  constexpr const char* names[] = {"not used", "1", "2", "3 to 4", "5 to 8", "9 to 16", "17 to 32"};
  for (int k = 0; k < 7; ++k)
    text += fmt::format(
        "<li><svg class='key' viewBox='0 0 36 14' aria-hidden='true'><rect "
        "class='h{}' x='1' y='1' width='34' height='12'/></svg><span>{}</span></li>",
        k, names[k]);
  return text + "</ul>\n";
}

std::string degree_table(const lab_banks& b, const std::vector<heat_row>& rows) {
  std::vector<std::string> columns{"step"};
  for (std::size_t k = 0; k < b.banks; ++k) columns.push_back(std::to_string(k));
  table numbers("Degree by step and bank, " + b.title, columns);
  for (const heat_row& r : rows) {
    std::vector<std::string> cells{r.name()};
    for (const std::uint64_t d : r.degrees) cells.push_back(std::to_string(d));
    numbers.row(cells);
  }
  return numbers.html();
}

std::string access_table(const lab_banks& b) {
  table numbers("Accesses, " + b.title,
                {"launch", "phase", "place", "kind", "stride", "threads", "degree", "transactions",
                 "of active threads"},
                4);
  for (const bank_access& a : b.accesses)
    numbers.row({a.launch, a.phase, a.place, a.kind, std::to_string(a.stride),
                 std::to_string(a.threads), std::to_string(a.degree),
                 std::to_string(a.transactions), std::to_string(a.active_transactions)});
  return numbers.html();
}

}  // namespace

std::string banks_section(const documents& all, names& ids) {
  std::string body;
  for (const lab_banks& b : all.banks) {
    const std::vector<heat_row> rows = rows_of(b);
    if (rows.empty()) continue;
    const std::string caption = fmt::format("{}, {} banks ({})", b.title, b.banks, b.file);
    body += figure{caption, caption, drawn_heat(b, rows, ids) + heat_legend(),
                   degree_table(b, rows) + access_table(b)}
                .html();
  }
  return section(
      "banks", "Bank conflicts",
      "How many words of a bank one access of a warp wants at once: 1 is free, more take "
      "that many transactions.",
      body);
}

}  // namespace upsweep::report
