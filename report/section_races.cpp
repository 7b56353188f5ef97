// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "report/sections.hpp"

namespace upsweep::report {

namespace {

constexpr double wide = 620, row_height = 76;
constexpr std::size_t a_page = 10;  // races of a picture that fits a printed page

std::string step_of(const racing_access& a) {
  return a.stride == 0 ? a.phase : fmt::format("{} {}", a.phase, a.stride);
}

std::string thread_of(const racing_access& a) {
  return fmt::format("thread {}, block {}", a.thread, a.block);
}

// One of the two: a box at a side of the picture, and an arrow to the element or from it.
std::string drawn_side(const racing_access& a, double y, bool on_the_left) {
  const double box = 210, x = on_the_left ? 4 : wide - box - 4;
  const double edge = on_the_left ? x + box : x, element = on_the_left ? 255 : wide - 255;
  const bool writes = a.access == "write";
  const double from = writes ? edge : element, to = writes ? element : edge;
  const double barb = to > from ? -7 : 7;
  return fmt::format(
      "<rect class='racer' x='{:g}' y='{:g}' width='{:g}' height='62' rx='5'/>"
      "<text x='{:g}' y='{:g}' text-anchor='middle'>{}</text>"
      "<text class='note' x='{:g}' y='{:g}' text-anchor='middle'>{} of {}</text>"
      "<text class='note' x='{:g}' y='{:g}' text-anchor='middle'>in {}</text>"
      "<path class='{}' d='M{:g} {:g}H{:g}m{:g} -5L{:g} {:g}l{:g} 5'/>",
      x, y, box, x + box / 2, y + 20,
      fmt::format("{}: {}", on_the_left ? "first" : "then", escaped(thread_of(a))), x + box / 2,
      y + 38, escaped(a.access), escaped(a.place), x + box / 2, y + 54, escaped(step_of(a)),
      writes ? "writes" : "reads", from, y + 31, to, barb, to, y + 31, barb);
}

std::string drawn_race(const found_fault& f, std::size_t index) {
  const double y = row_height * static_cast<double>(index) + 8, middle = wide / 2;
  const std::string label =
      fmt::format("{}: element {} of {}: {} {}s it in {}, {} {}s it in {}, {} times", f.fault,
                  f.element, f.array, thread_of(*f.earlier), f.earlier->access, step_of(*f.earlier),
                  thread_of(*f.later), f.later->access, step_of(*f.later), f.times);
  return fmt::format(
      "<g class='curve' data-curve='{0}'>{1}{2}<rect class='mark element' x='{3:g}' y='{4:g}' "
      "width='110' height='46' rx='5' data-x='{0}' data-y='{5}'><title>{6}</title></rect>"
      "<text x='{7:g}' y='{8:g}' text-anchor='middle'>element {9}</text>"
      "<text class='note' x='{7:g}' y='{10:g}' text-anchor='middle'>{11}</text></g>\n",
      index, drawn_side(*f.earlier, y, true), drawn_side(*f.later, y, false), middle - 55, y + 8,
      f.times, escaped(label), middle, y + 28, f.element, y + 45, escaped(f.array));
}

std::string drawn_races(const lab_check& c, std::span<const found_fault* const> races, names& ids) {
  std::string text = svg_begin(
      ids.next(), wide, row_height * static_cast<double>(races.size()),
      fmt::format("Data races of {}", c.kernel),
      "Each row is a pair of accesses that nothing orders: the one that came first on the left, "
      "the "
      "element in the middle, the one that came then on the right. The table below names them all.",
      "races");
  for (std::size_t k = 0; k < races.size(); ++k) text += drawn_race(*races[k], k);
  return text + "</svg>";
}

std::string faults_table(const lab_check& c) {
  table numbers(
      "Faults of " + c.kernel,
      {"fault", "array", "first", "access", "step", "then", "access", "step", "element", "times"},
      8);
  table others("Other faults of " + c.kernel, {"fault", "what was seen", "times"}, 2);
  for (const found_fault& f : c.faults) {
    if (f.later)
      numbers.row({f.fault, f.array, thread_of(*f.earlier),
                   fmt::format("{} of {}", f.earlier->access, f.earlier->place),
                   step_of(*f.earlier), thread_of(*f.later),
                   fmt::format("{} of {}", f.later->access, f.later->place), step_of(*f.later),
                   std::to_string(f.element), std::to_string(f.times)});
    else
      others.row({f.fault, f.text, std::to_string(f.times)});
  }
  return (numbers.empty() ? "" : numbers.html()) + (others.empty() ? "" : others.html());
}

std::string shown(const lab_check& c, names& ids) {
  const std::string caption =
      fmt::format("{}, n = {}, {}: {} orders of threads, {} faults, {} different results ({})",
                  c.kernel, c.n, c.op, c.runs, c.faults.size(), c.results, c.file);
  if (c.faults.empty())
    return fmt::format("<p class='fine'>{}: no fault was found.</p>\n", escaped(caption));
  std::vector<const found_fault*> races;
  for (const found_fault& f : c.faults)
    if (f.later) races.push_back(&f);
  if (races.size() <= a_page) {
    const std::string picture = races.empty() ? "" : drawn_races(c, races, ids);
    return figure{caption, caption, picture, faults_table(c)}.html();
  }
  std::string body;
  for (std::size_t from = 0; from < races.size(); from += a_page) {
    const std::size_t end = std::min(from + a_page, races.size());
    const std::string part = fmt::format("{}: races {} to {}", caption, from + 1, end);
    body += figure{part, part, drawn_races(c, std::span(races).subspan(from, end - from), ids),
                   end == races.size() ? faults_table(c) : ""}
                .html();
  }
  return body;
}

}  // namespace

std::string races_section(const documents& all, names& ids) {
  std::string body;
  for (const lab_check& c : all.checks) body += shown(c, ids);
  return section("races", "Races and other faults",
                 "Two accesses of one element, at least one of them a write, that no barrier, "
                 "launch or published word orders: found whatever the order they ran in.",
                 body);
}

}  // namespace upsweep::report
