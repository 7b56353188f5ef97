// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "report/sections.hpp"

namespace upsweep::report {

namespace {

constexpr double row_height = 50, box = 24, top = 8;
constexpr std::size_t longest_shown = 12;

// Where the exponent of a number begins, or the end of a text that has none.
std::size_t exponent_of(const std::string& value) {
  const std::size_t e = value.find_last_of("eE");
  if (e == value.npos || e == 0 || value.find_first_not_of("+-.0123456789") != e)
    return value.size();
  const std::size_t digits = value.find_first_of("0123456789", e);
  const bool whole = digits != value.npos && digits <= e + 2 &&
                     value.find_first_not_of("0123456789", digits) == value.npos;
  return whole ? e : value.size();
}

// Values as the drawing shows them; the tables have them whole. Of a number the digits are cut, the
// exponent never.
std::string shortened(const std::string& value) {
  const std::string exponent = value.substr(exponent_of(value));
  if (!exponent.empty() && value.size() > longest_shown && exponent.size() < longest_shown)
    return value.substr(0, longest_shown - exponent.size()) + "…" + exponent;
  std::size_t end = 0, characters = 0;
  while (end < value.size() && characters < longest_shown) {
    do ++end;
    while (end < value.size() && (static_cast<unsigned char>(value[end]) & 0xc0) == 0x80);
    ++characters;
  }
  return end < value.size() ? value.substr(0, end) + "…" : value;
}

struct layout {
  double names = 0, column = 0;  // widths: of the steps' names, of an element
  double middle(std::uint64_t element) const {
    return names + column * (static_cast<double>(element) + 0.5);
  }
  double row(std::size_t step) const { return top + row_height * static_cast<double>(step); }
};

layout layout_of(const trace_launch& l) {
  std::size_t longest = 2, name = 10;
  for (const trace_step& s : l.steps) {
    name = std::max(name, std::min<std::size_t>(s.name().size(), 60));
    for (const std::string& value : s.array)
      longest = std::max(longest, std::min(value.size(), longest_shown + 1));
  }
  return {8.6 * static_cast<double>(name) + 12, 8.2 * static_cast<double>(longest) + 18};
}

std::string drawn_node(const layout& at, const std::string& value, std::uint64_t element, double y,
                       const char* kind, const std::string& label) {
  return fmt::format(
      "<g class='node {}'><rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:g}' rx='4'/>"
      "<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text><title>{}</title></g>",
      kind, at.middle(element) - at.column / 2 + 3, y, at.column - 6, box, at.middle(element),
      y + 17, escaped(shortened(value)), escaped(label));
}

// What a change did, for the table and the mouse: "[3] from [1]" by the operator, "[1] = [3]"
// copied,
// "[7] set" to a value that no element had.
std::string told(const trace_change& c) {
  if (!c.is_sum())
    return c.right ? fmt::format("[{}] = [{}]", c.element, *c.right)
                   : fmt::format("[{}] set", c.element);
  std::string others;
  for (const std::optional<std::uint64_t>& e : {c.left, c.right})
    if (e && *e != c.element) others += fmt::format("{}[{}]", others.empty() ? "" : " and ", *e);
  return fmt::format("[{}] from {}", c.element, others.empty() ? "itself" : others);
}

// A line to a changed element from another one, as that was after the step before.
std::string curved(const layout& at, const char* kind, std::uint64_t from_element,
                   std::uint64_t element, double y) {
  const double from = y - row_height + box, side = from_element < element ? -4 : 4;
  const double to = at.middle(element) + side;
  return fmt::format(
      "<path class='{}' d='M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}'/>", kind,
      at.middle(from_element), from, at.middle(from_element), y - 8, to, from + 4, to, y);
}

// From the operands, of which one may be the element itself, or from what was copied.
std::string edges(const layout& at, const trace_change& c, double y) {
  std::string text;
  if (c.left == c.element || c.right == c.element || (c.is_sum() && !c.right))
    text = fmt::format("<path class='own' d='M{0:.1f} {1:.1f}V{2:.1f}'/>", at.middle(c.element),
                       y - row_height + box, y);
  for (const std::optional<std::uint64_t>& e : {c.left, c.right})
    if (e && *e != c.element) text += curved(at, c.is_sum() ? "add" : "copied", *e, c.element, y);
  return text;
}

std::string drawn_step(const layout& at, const trace_step& s, std::size_t index) {
  const double y = at.row(index);
  std::string text = fmt::format(
      "\n<g class='step' data-step='{}'><text x='4' y='{:.1f}'>{}</text>"
      "<text class='note' x='4' y='{:.1f}'>{}</text>",
      index, y + 12, escaped(s.name()), y + 27,
      index == 0 ? "" : fmt::format("{} active", s.active_threads));
  if (index == 0)
    for (std::size_t i = 0; i < s.array.size(); ++i)
      text += drawn_node(at, s.array[i], i, y, "first", fmt::format("[{}]: {}", i, s.array[i]));
  for (const trace_change& c : s.changes) text += edges(at, c, y);
  for (const trace_change& c : s.changes)
    text += drawn_node(at, s.array[c.element], c.element, y, c.is_sum() ? "sum" : "copy",
                       fmt::format("{}, [{}]: {} by thread {} of block {}: {}", s.name(), c.element,
                                   s.array[c.element], c.thread, c.block, told(c)));
  return text + "</g>";
}

// Every element is a wire from top to bottom; a node stands where a step changes it. So the
// up-sweep is a tree that grows downwards, the down-sweep the same tree turned over.
std::string drawn_flow(const lab_trace& t, const trace_launch& l, const std::string& id) {
  const layout at = layout_of(l);
  const std::size_t elements = l.steps[0].array.size();
  const double wide = at.names + at.column * static_cast<double>(elements) + 6;
  const double end = at.row(l.steps.size() - 1) + box;
  std::string text = svg_begin(
      id, wide, end + 10, fmt::format("Data flow of {}", l.kernel),
      fmt::format(
          "{} by {}: {} steps on {} elements. Each row is a step, each box an element that "
          "it changed, each curve comes from another element that the operator took or that was "
          "copied. The table below has the "
          "array after each step.",
          t.kernel, t.op, l.steps.size() - 1, elements),
      "flow");
  for (std::size_t i = 0; i < elements; ++i)
    text += fmt::format("<path class='wire' d='M{0:.1f} {1:.1f}V{2:.1f}'/>", at.middle(i),
                        top + box, end);
  for (std::size_t k = 0; k < l.steps.size(); ++k) text += drawn_step(at, l.steps[k], k);
  return text + "</svg>";
}

std::string stepper(const trace_launch& l) {
  return fmt::format(
      "<div class='stepper' hidden><button type='button' data-move='-1' aria-label='One step "
      "back'>◀</button><input type='range' min='0' max='{0}' value='{0}' step='1' "
      "aria-label='Step of {1}'><button type='button' data-move='1' aria-label='One step "
      "on'>▶</button></div>\n",
      l.steps.size() - 1, escaped(l.kernel));
}

std::string steps_table(const lab_trace& t, const trace_launch& l) {
  std::vector<std::string> head{"step", "changed by " + t.op + ", copied (=) or set",
                                "active threads"};
  for (std::size_t i = 0; i < l.steps[0].array.size(); ++i) head.push_back(fmt::format("[{}]", i));
  table numbers("The array after each step, " + l.kernel, head, 2);
  for (const trace_step& s : l.steps) {
    std::string changed;
    for (const trace_change& c : s.changes) changed += (changed.empty() ? "" : ", ") + told(c);
    std::vector<std::string> cells{s.name(), changed,
                                   s.phase.empty() ? "" : std::to_string(s.active_threads)};
    cells.insert(cells.end(), s.array.begin(), s.array.end());
    numbers.row(cells);
  }
  return numbers.html();
}

std::string legend() {
  return "<ul class='legend'><li><svg class='key flow' viewBox='0 0 36 14' aria-hidden='true'><g "
         "class='node sum'><rect x='8' y='1' width='20' height='12' rx='3'/></g></svg><span>result "
         "of the operator</span></li><li><svg class='key flow' viewBox='0 0 36 14' "
         "aria-hidden='true'><g class='node copy'><rect x='8' y='1' width='20' height='12' "
         "rx='3'/></g></svg><span>copied or set</span></li></ul>\n";
}

}  // namespace

std::string trace_section(const documents& all, names& ids) {
  std::string body;
  for (const lab_trace& t : all.traces)
    for (const trace_launch& l : t.launches) {
      if (l.steps.empty()) continue;
      const std::string caption =
          fmt::format("{}, {}{}: {} block{} of {} threads, {} operations, {} barriers ({})",
                      l.kernel, t.op, t.exclusive ? ", exclusive" : "", l.blocks,
                      l.blocks == 1 ? "" : "s", l.threads, l.operations, l.barriers, t.file);
      body += figure{caption, caption, drawn_flow(t, l, ids.next()),
                     stepper(l) + legend() + steps_table(t, l)}
                  .html();
    }
  return section("traces", "Data flow, step by step",
                 "Wires are elements. Where a step changes one there is a box. A whole curve comes "
                 "from the other element that the operator took, a dashed one from the element "
                 "that was copied.",
                 body);
}

}  // namespace upsweep::report
