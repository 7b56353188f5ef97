// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace upsweep::report {

namespace {

// The bytes of a character that the text begins with and that shows nothing but rules what is
// around it: controls of eight bits, marks of direction, ends of lines. 0 of any other.
std::size_t length_of_ruler(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto within = [&](std::size_t i, int low, int high) {
    return byte(i) >= low && byte(i) <= high;
  };
  if (byte(0) == 0xc2 && within(1, 0x80, 0x9f)) return 2;
  if (byte(0) == 0xef && byte(1) == 0xbb && byte(2) == 0xbf) return 3;
  if (byte(0) != 0xe2) return 0;
  if (byte(1) == 0x80 && (within(2, 0x8b, 0x8f) || within(2, 0xa8, 0xae))) return 3;
  return byte(1) == 0x81 && within(2, 0xa0, 0xaf) ? 3 : 0;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (const std::size_t bytes = length_of_ruler(text.substr(i)); bytes != 0) {
      safe += "\xef\xbf\xbd";
      i += bytes - 1;
    } else if (c == '<')
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

namespace {

constexpr std::size_t longest_whole = 40;  // characters; of a longer word print makes lines

// The characters of the longest word.
std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0, now = 0;
  for (const char c : text) {
    if (c == ' ')
      now = 0;
    else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80)
      longest = std::max(longest, ++now);
  }
  return longest;
}

}  // namespace

table::table(std::string caption, std::vector<std::string> head, std::size_t text_columns,
             std::size_t last_text)
    : caption_(std::move(caption)),
      text_columns_(text_columns),
      last_text_(last_text),
      widest_(head.size()) {
  head_ = line(head, "th scope='col'");
}

std::string table::line(const std::vector<std::string>& cells, const char* tag) {
  const std::string_view name(tag, 2);
  std::string text = "<tr>";
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const std::size_t longest = longest_word(cells[k]);
    if (k < widest_.size()) widest_[k] = std::max(widest_[k], std::min(longest, longest_whole));
    std::string kind = k < text_columns_ || k + last_text_ >= cells.size() ? "word" : "";
    if (longest > longest_whole) kind += kind.empty() ? "long" : " long";
    text += fmt::format("<{}{}>{}</{}>", tag, kind.empty() ? "" : " class='" + kind + "'",
                        escaped(cells[k]), name);
  }
  return text + "</tr>\n";
}

// In points, of a page of A4: a column takes its longest word and a gap.
double table::print_size() const {
  constexpr double page = 470, gap = 3, character = 0.66, largest = 6.5, smallest = 2;
  double characters = 0;
  for (const std::size_t w : widest_) characters += character * static_cast<double>(w);
  const double room = page - gap * static_cast<double>(widest_.size());
  return std::clamp(room / std::max(characters, 1.0), smallest, largest);
}

void table::row(std::vector<std::string> cells) {
  body_ += line(cells, "td");
  ++rows_;
}

std::string table::html() const {
  return fmt::format(
      "<details open><summary>Numbers</summary>\n<div class='scroll' tabindex='0' role='region' "
      "aria-label='{0}'><table "
      "style='--print:{3:.2f}pt'><caption>{0}</caption>\n<thead>{1}</thead>\n<tbody>{2}</tbody>"
      "</table></div></details>\n",
      escaped(caption_), head_, body_, print_size());
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
