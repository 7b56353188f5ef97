// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/lab_words.hpp"
#include "cli/output_file.hpp"

namespace cli::lab {

namespace {

constexpr int row_height = 64, box_height = 26, margin_of_names = 12, top = 20;
constexpr double letter = 8.5;  // as wide as one of 14px monospace, at most

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '&')
      safe += "&amp;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += c;
  }
  return safe;
}

std::string name_of(const drawn_row& row) {
  if (row.phase.empty()) return "before";
  return fmt::format("{}{}, {} active", row.phase,
                     row.stride == 0 ? "" : fmt::format(" {}", row.stride), row.active);
}

// Where boxes stand: behind the longest name, as wide as the longest value.
struct layout {
  long left = 0, width = 0;

  long x(std::uint64_t element) const { return left + static_cast<long>(element) * (width + 8); }
  long middle(std::uint64_t element) const { return x(element) + width / 2; }
};

layout layout_of(const std::vector<drawn_row>& rows) {
  std::size_t name = 0, value = 2;
  for (const drawn_row& row : rows) {
    name = std::max(name, name_of(row).size());
    for (const std::string& cell : row.array) value = std::max(value, cell.size());
  }
  return {margin_of_names + static_cast<long>(letter * static_cast<double>(name + 1)),
          18 + static_cast<long>(letter * static_cast<double>(value))};
}

std::string line(const char* kind, long from, long to, int y) {
  return fmt::format("<line{} x1='{}' y1='{}' x2='{}' y2='{}'/>\n", kind, from,
                     y - row_height + box_height, to, y);
}

// Lines from the row above to an element that has changed: from all that it was made of.
std::string lines(const drawn_row& row, int y, const layout& at) {
  std::string text;
  for (const simulator::shown& c : row.changes)
    for (const std::uint64_t from : {c.left, c.right})
      if (from != simulator::no_partner)
        text +=
            line(from == c.element ? "" : " class='add'", at.middle(from), at.middle(c.element), y);
  return text;
}

std::string box(const drawn_row& row, std::size_t i, int y, const layout& at) {
  const bool changed =
      std::any_of(row.changes.begin(), row.changes.end(), [&](auto& c) { return c.element == i; });
  return fmt::format(
      "<rect class='{}' x='{}' y='{}' width='{}' height='{}'/>"
      "<text class='value' x='{}' y='{}'>{}</text>\n",
      changed ? "new" : "old", at.x(i), y, at.width, box_height, at.middle(i), y + 18,
      escaped(row.array[i]));
}

std::string drawing(const std::string& title, const std::vector<drawn_row>& rows) {
  const layout at = layout_of(rows);
  std::string text = fmt::format("<svg role='img' width='{}' height='{}'><title>{}</title>\n",
                                 at.x(rows[0].array.size()) + 12,
                                 top + static_cast<int>(rows.size()) * row_height, escaped(title));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const int y = top + static_cast<int>(r) * row_height;
    text += lines(rows[r], y, at);
    text += fmt::format("<text x='4' y='{}'>{}</text>\n", y + 18, escaped(name_of(rows[r])));
    for (std::size_t i = 0; i < rows[r].array.size(); ++i) text += box(rows[r], i, y, at);
  }
  return text + "</svg>\n";
}

constexpr const char* style =
    "body{font-family:sans-serif;margin:2em}text{font:14px monospace}"
    ".value{text-anchor:middle}rect{stroke:#555;fill:#fff}rect.new{fill:#cfe8ff}"
    ".fault{color:#b00}line{stroke:#999}line.add{stroke:#06c;stroke-width:2}";

std::string result_of(const request& what, const outcome& o) {
  if (!o.ended) return "";
  std::string text = what.exclusive ? "exclusive result:" : "inclusive result:";
  for (const std::string& v : o.result) text += " " + v;
  if (o.mismatches != 0)
    text += fmt::format("; {} of them {} wrong", o.mismatches, o.mismatches == 1 ? "is" : "are");
  return "<p>" + escaped(text) + "</p>\n";
}

std::string page_of(const request& what, const outcome& o) {
  const std::string name = fmt::format("{} of {} by {}{}", what.kernel, counted(o.n, "element"),
                                       what.op, what.exclusive ? ", exclusive" : "");
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>{0}</title>"
      "<style>{1}</style></head><body>\n<h1>{0}</h1>\n<p>Blue boxes: what a step has changed. "
      "Grey lines: its own value from before; blue lines: values of other elements.</p>\n",
      escaped(name), style);
  for (std::size_t i = 0; i < o.launches.size(); ++i) {
    const simulator::counts& c = o.launches[i];
    page += fmt::format("<h2>{}</h2>\n<p>{}</p>\n", escaped(c.kernel), headline(c));
    if (!o.traces[i].empty())
      page += drawing("The array after each step of " + c.kernel, o.traces[i]);
    else
      page += "<p>works on the totals of the tiles</p>\n";
  }
  for (const simulator::finding& f : o.findings)
    page += "<p class='fault'>" + escaped(std::string(name_of(f.kind)) + ": " + f.text) + "</p>\n";
  return page + result_of(what, o) + "</body></html>\n";
}

}  // namespace

void write_page(const std::string& file, const request& what, const outcome& o) {
  output_file page(file);
  page.write(page_of(what, o));
  page.commit();
}

}  // namespace cli::lab
