// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "report/html.hpp"

namespace upsweep::report {

namespace {

constexpr double width = 520, height = 320;
constexpr double left = 66, right = 504, top = 14, bottom = 262;

struct range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void take(double x) { low = std::min(low, x), high = std::max(high, x); }
};

bool has(const axis& a, double value) { return a.how == scaling::linear || value > 0; }

scale x_scale(const plot& p) {
  range r;
  for (const curve& c : p.curves)
    for (const mark& m : c.marks)
      if (has(p.x, m.x)) r.take(m.x);
  for (const guide& g : p.guides)
    for (const auto& [at, _] : g.points) r.take(at);
  return {p.x.how, r.low, r.high, left, right};
}

// Linear axes begin at zero, so that lengths are proportions.
scale y_scale(const plot& p) {
  range r;
  if (p.y.how == scaling::linear) r.take(0);
  for (const curve& c : p.curves)
    for (const mark& m : c.marks)
      if (has(p.y, m.y)) r.take(m.y);
  for (const level& l : p.levels)
    if (has(p.y, l.y)) r.take(l.y);
  for (const guide& g : p.guides)
    for (const auto& [_, at] : g.points) r.take(at);
  return {p.y.how, r.low, r.high, bottom, top};
}

std::string axes(const plot& p, const scale& x, const scale& y) {
  std::string text = "<g class='axes'>";
  for (const scale::tick& t : x.ticks())
    text += fmt::format(
        "<path class='grid' d='M{0:.1f} {1:g}V{2:g}'/><text x='{0:.1f}' y='{3:g}' "
        "text-anchor='middle'>{4}</text>\n",
        t.at, top, bottom, bottom + 20, t.text);
  for (const scale::tick& t : y.ticks())
    text += fmt::format(
        "<path class='grid' d='M{0:g} {1:.1f}H{2:g}'/><text x='{3:g}' y='{4:.1f}' "
        "text-anchor='end'>{5}</text>\n",
        left, t.at, right, left - 6, t.at + 4.5, t.text);
  return text + fmt::format(
                    "<path class='frame' d='M{0:g} {1:g}V{2:g}H{3:g}'/>"
                    "<text class='name' x='{4:g}' y='{5:g}' text-anchor='middle'>{6}</text>"
                    "<text class='name' transform='translate(15 {7:g}) rotate(-90)' "
                    "text-anchor='middle'>{8}</text></g>\n",
                    left, top, bottom, right, (left + right) / 2, height - 8, escaped(p.x.title),
                    (top + bottom) / 2, escaped(p.y.title));
}

std::string levels(const plot& p, const scale& y) {
  std::string text;
  for (const level& l : p.levels) {
    if (!has(p.y, l.y)) continue;
    text += fmt::format(
        "<path class='level' d='M{:g} {:.1f}H{:g}'/><text class='note' x='{:g}' "
        "y='{:.1f}' text-anchor='end'>{}</text>\n",
        left, y(l.y), right, right - 4, y(l.y) - 5, escaped(l.name));
  }
  return text;
}

std::string guides(const plot& p, const scale& x, const scale& y) {
  std::string text;
  for (const guide& g : p.guides) {
    std::string line;
    for (const auto& [at, high] : g.points)
      line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", x(at), y(high));
    text += fmt::format("<path class='roof' d='{}'{}/>\n", line, dash_of({0, 0, g.dash}));
  }
  return text;
}

std::string curve_of(const plot& p, const curve& c, std::size_t index, const scale& x,
                     const scale& y) {
  std::string line, marks;
  for (const mark& m : c.marks) {
    if (!has(p.x, m.x) || !has(p.y, m.y)) continue;
    if (!m.hollow) line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", x(m.x), y(m.y));
    const std::string label = escaped(m.label);
    marks += drawn_marker(
        c.shape, x(m.x), y(m.y),
        fmt::format(" data-x='{}' data-y='{}'><title>{}</title></path>\n", m.x, m.y, label),
        m.hollow);
  }
  if (c.joined && !line.empty())
    line = fmt::format("<path class='line c{}' d='{}'{}/>", c.shape.colour % 8, line,
                       dash_of(c.shape));
  else
    line.clear();
  return fmt::format("<g class='curve' data-curve='{}' data-name=\"{}\">{}\n{}</g>\n", index,
                     escaped(c.name), line, marks);
}

}  // namespace

std::string drawn(const plot& p) {
  const scale x = x_scale(p), y = y_scale(p);
  std::string text = svg_begin(p.id, width, height, p.title, p.description);
  text += axes(p, x, y) + levels(p, y) + guides(p, x, y);
  for (std::size_t k = 0; k < p.curves.size(); ++k) text += curve_of(p, p.curves[k], k, x, y);
  return text + "</svg>" + legend_of(p.curves, p.guides);
}

// The name stands above its bar, so that it has the whole width: on a phone text is larger.
std::string drawn_bars(const std::string& id, const std::string& title,
                       const std::string& description, const std::string& unit,
                       const std::vector<bar>& bars) {
  constexpr double row = 46, from = 4, end = width - 90, character = 9.8, room = width - 8;
  const double tall = row * static_cast<double>(bars.size()) + 34;
  range r;
  r.take(0);
  for (const bar& b : bars) r.take(b.value);
  const scale x(scaling::linear, r.low, r.high, from, end);
  std::string text = svg_begin(id, width, tall, title, description);
  text += "<g class='curve' data-curve='0'>";
  for (std::size_t k = 0; k < bars.size(); ++k) {
    const double y = row * static_cast<double>(k) + 22;
    const bar& b = bars[k];
    const bool squeezed = character * static_cast<double>(b.name.size()) > room;
    text += fmt::format(
        "<text class='bar-name' x='{:g}' y='{:.1f}'{}>{}</text><rect class='mark c{}' x='{:g}' "
        "y='{:.1f}' width='{:.1f}' height='{:g}' data-x='{}' data-y='{}'><title>{}</title></rect>"
        "<text x='{:.1f}' y='{:.1f}'>{}</text>\n",
        from, y - 5,
        squeezed ? fmt::format(" textLength='{:g}' lengthAdjust='spacingAndGlyphs'", room) : "",
        escaped(b.name), b.colour, from, y, std::max(1.0, x(b.value) - from), 18.0, k, b.value,
        escaped(b.label), x(b.value) + 5, y + 15, short_number(b.value));
  }
  return text + fmt::format(
                    "</g><text class='name' x='{:g}' y='{:.1f}' text-anchor='middle'>{}"
                    "</text></svg>",
                    (from + end) / 2, tall - 8, escaped(unit));
}

}  // namespace upsweep::report
