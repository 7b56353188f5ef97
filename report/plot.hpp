// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Curves over two axes, and bars, as inline SVG. Every mark carries its numbers (data-x, data-y)
// and a sentence (its title), which the page's script reads out.
#pragma once

#include <string>
#include <vector>

namespace upsweep::report {

// How a curve looks: colours 0 to 7 of the page's style, a marker and a dash, so that no colour has
// to be told from another.
struct look {
  unsigned colour = 0, marker = 0, dash = 0;
};

// The look of an engine of the bench or of a kernel of the lab, the same in every plot.
look look_of(const std::string& name);

struct mark {
  double x = 0, y = 0;
  std::string label;
  bool hollow = false;  // what was not measured; no line joins it
};

struct curve {
  std::string name;
  look shape;
  std::vector<mark> marks;
  bool joined = true;
};

// A line across the plot at a height.
struct level {
  double y = 0;
  std::string name;
};

// A line without marks, such as a roof; the legend names it.
struct guide {
  std::string name;
  std::vector<std::pair<double, double>> points;
  unsigned dash = 0;
};

enum class scaling { linear, decades, octaves };
struct axis {
  std::string title;
  scaling how = scaling::linear;
};

struct plot {
  std::string id, title, description;
  axis x, y;
  std::vector<curve> curves;
  std::vector<level> levels{};
  std::vector<guide> guides{};
};

// The picture and, behind it, the legend. Marks that a logarithmic axis does not have are left out.
std::string drawn(const plot& p);

// Bars from zero to the right, one below the other.
struct bar {
  std::string name;
  double value = 0;
  std::string label;
  unsigned colour = 0;
};
std::string drawn_bars(const std::string& id, const std::string& title,
                       const std::string& description, const std::string& unit,
                       const std::vector<bar>& bars);

// A marker of a shape: a path with the class of its colour and more attributes, not closed.
std::string drawn_marker(look shape, double x, double y, const std::string& attributes,
                         bool hollow = false);

// The dash of a curve's line, as an attribute with a blank before it; empty for a whole line.
std::string dash_of(look shape);

// The legend of some curves, a line with the marker, and of lines without.
std::string legend_of(const std::vector<curve>& curves, const std::vector<guide>& guides = {});

// A straight map of numbers, or of their logarithms, to places of a picture.
class scale {
 public:
  // Covers the values, to whole ticks. An octave or a decade at least.
  scale(scaling how, double low, double high, double from, double to);

  double operator()(double value) const;
  struct tick {
    double at;         // place
    std::string text;  // markup
  };
  const std::vector<tick>& ticks() const { return ticks_; }

 private:
  double measure(double value) const;

  scaling how_;
  double low_, high_, from_, to_;
  std::vector<tick> ticks_;
};

}  // namespace upsweep::report
