// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "cli/failure.hpp"

namespace cli::lab {

namespace {

constexpr int row_height = 64, box_height = 26, left_margin = 170, top = 20;

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

std::size_t box_width(const std::vector<drawn_row>& rows) {
  std::size_t longest = 2;
  for (const drawn_row& row : rows)
    for (const std::string& cell : row.array) longest = std::max(longest, cell.size());
  return 8 * longest + 18;
}

// Lines from the row above to the elements that have changed: from themselves, and from what was
// added.
std::string lines(const drawn_row& row, int y, std::size_t width) {
  const auto middle = [&](std::uint64_t i) {
    return left_margin + static_cast<long>(i * (width + 8) + width / 2);
  };
  std::string text;
  for (const simulator::shown& c : row.changes) {
    const long to = middle(c.element);
    text += fmt::format("<line x1='{}' y1='{}' x2='{}' y2='{}'/>\n", to,
                        y - row_height + box_height, to, y);
    if (c.left != simulator::no_partner)
      text += fmt::format("<line class='add' x1='{}' y1='{}' x2='{}' y2='{}'/>\n", middle(c.left),
                          y - row_height + box_height, to, y);
  }
  return text;
}

std::string drawing(const std::vector<drawn_row>& rows) {
  const std::size_t width = box_width(rows);
  std::string text = fmt::format("<svg width='{}' height='{}'>\n",
                                 left_margin + rows[0].array.size() * (width + 8) + 20,
                                 top + static_cast<int>(rows.size()) * row_height);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const drawn_row& row = rows[r];
    const int y = top + static_cast<int>(r) * row_height;
    text += lines(row, y, width);
    const std::string name =
        row.phase.empty()
            ? "before"
            : fmt::format("{}{}, {} active", row.phase,
                          row.stride == 0 ? "" : fmt::format(" {}", row.stride), row.active);
    text += fmt::format("<text x='4' y='{}'>{}</text>\n", y + 18, escaped(name));
    for (std::size_t i = 0; i < row.array.size(); ++i) {
      const bool changed = std::any_of(row.changes.begin(), row.changes.end(),
                                       [&](auto& c) { return c.element == i; });
      const std::size_t x = left_margin + i * (width + 8);
      text += fmt::format(
          "<rect class='{}' x='{}' y='{}' width='{}' height='{}'/>"
          "<text class='value' x='{}' y='{}'>{}</text>\n",
          changed ? "new" : "old", x, y, width, box_height, x + width / 2, y + 18,
          escaped(row.array[i]));
    }
  }
  return text + "</svg>\n";
}

constexpr const char* style =
    "body{font-family:sans-serif;margin:2em}text{font:14px monospace}"
    ".value{text-anchor:middle}rect{stroke:#555;fill:#fff}rect.new{fill:#cfe8ff}"
    ".fault{color:#b00}line{stroke:#999}line.add{stroke:#06c;stroke-width:2}";

}  // namespace

void write_page(const std::string& file, const request& what, const outcome& o) {
  std::ofstream page(file, std::ios::binary);
  page << "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>"
       << escaped(what.kernel) << "</title><style>" << style << "</style></head><body>\n<h1>"
       << escaped(what.kernel) << ", " << escaped(what.op) << "</h1>\n";
  for (std::size_t i = 0; i < o.launches.size(); ++i) {
    const simulator::counts& c = o.launches[i];
    page << fmt::format(
        "<h2>{}</h2>\n<p>{} blocks of {} threads, {} operations, {} barriers. Blue: what a step "
        "has changed; a blue line comes from what was added on the left.</p>\n",
        escaped(c.kernel), c.blocks, c.threads, c.operations(), c.barriers());
    if (!o.traces[i].empty()) page << drawing(o.traces[i]);
  }
  for (const simulator::finding& f : o.findings)
    page << "<p class='fault'>" << escaped(std::string(name_of(f.kind)) + ": " + f.text)
         << "</p>\n";
  page << "</body></html>\n";
  page.close();
  if (!page) throw run_time_failure(file + ": cannot write");
}

}  // namespace cli::lab
