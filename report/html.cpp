// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/html.hpp"

#include <fmt/format.h>

#include <cmath>

namespace upsweep::report {

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '&')
      safe += "&amp;";
    else if (c == '"')
      safe += "&quot;";
    else if (c == '\'')
      safe += "&#39;";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      safe += "\xef\xbf\xbd";
    else
      safe += c;
  }
  return safe;
}

std::string short_number(double x) {
  const double size = std::abs(x);
  if (size != 0 && (size < 1e-4 || size >= 1e7)) return fmt::format("{:.3e}", x);
  if (size >= 1000) return fmt::format("{:.0f}", x);
  return fmt::format("{:.4g}", x);
}

std::string short_time(double s) {
  if (s >= 1) return fmt::format("{:.3g} s", s);
  if (s >= 1e-3) return fmt::format("{:.3g} ms", 1e3 * s);
  if (s >= 1e-6) return fmt::format("{:.3g} µs", 1e6 * s);
  return fmt::format("{:.3g} ns", 1e9 * s);
}

std::string percent(double ratio) { return fmt::format("{:.0f} %", 100 * ratio); }
std::string times(double ratio) { return fmt::format("{:.2f} ×", ratio); }

table::table(std::string caption, std::vector<std::string> head, std::size_t text_columns)
    : caption_(std::move(caption)), text_columns_(text_columns) {
  head_ = line(head, "th scope='col'");
}

std::string table::line(const std::vector<std::string>& cells, const char* tag) const {
  const std::string_view name(tag, 2);
  std::string text = "<tr>";
  for (std::size_t k = 0; k < cells.size(); ++k)
    text += fmt::format("<{}{}>{}</{}>", tag, k < text_columns_ ? " class='word'" : "",
                        escaped(cells[k]), name);
  return text + "</tr>\n";
}

void table::row(std::vector<std::string> cells) {
  body_ += line(cells, "td");
  ++rows_;
}

std::string table::html() const {
  return fmt::format(
      "<details open><summary>Numbers</summary>\n<div class='scroll' tabindex='0' role='region' "
      "aria-label='{0}'><table><caption>{0}</caption>\n<thead>{1}</thead>\n<tbody>{2}</tbody>"
      "</table></div></details>\n",
      escaped(caption_), head_, body_);
}

std::string figure::html() const {
  return fmt::format(
      "<figure data-group=\"{}\"><figcaption>{}</figcaption>\n<div class='picture'>{}</div>\n"
      "{}</figure>\n",
      escaped(group), escaped(caption), picture, below);
}

std::string svg_begin(const std::string& id, double width, double height, const std::string& title,
                      const std::string& description, const std::string& kind) {
  return fmt::format(
      "<svg class='{6}' viewBox='0 0 {1:g} {2:g}' role='img' aria-labelledby='{0}-t {0}-d'"
      " style='--wide:{5:g}px'><title id='{0}-t'>{3}</title><desc id='{0}-d'>{4}</desc>\n",
      id, width, height, escaped(title), escaped(description), width, kind);
}

std::string section(const std::string& id, const std::string& heading, const std::string& how,
                    const std::string& body) {
  if (body.empty()) return "";
  return fmt::format("<section id='{}'><h2>{}</h2>\n<p>{}</p>\n{}</section>\n", id, heading, how,
                     body);
}

}  // namespace upsweep::report
