// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How curves are told apart.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

#include "report/html.hpp"
#include "report/plot.hpp"

namespace upsweep::report {

namespace {

struct known_look {
  std::string_view name;
  look shape;
};

// Copies are grey, rivals warm, Upsweep blue; kernels have what is left, by colour and marker.
constexpr std::array known{
    known_look{"memcpy-1", {7, 1, 1}},
    known_look{"memcpy-all", {7, 2, 2}},
    known_look{"stream-copy-1", {7, 3, 3}},
    known_look{"stream-copy-all", {7, 5, 4}},
    known_look{"memcpy", {7, 1, 1}},
    known_look{"copy-kernel", {7, 3, 2}},
    known_look{"std", {1, 2, 0}},
    known_look{"std-par", {2, 3, 2}},
    known_look{"tbb", {4, 4, 3}},
    known_look{"cub", {4, 5, 1}},
    known_look{"upsweep-seq", {5, 1, 0}},
    known_look{"upsweep-par", {0, 0, 0}},
    known_look{"upsweep-cuda", {0, 7, 1}},
    known_look{"serial", {1, 1, 0}},
    known_look{"naive", {2, 2, 1}},
    known_look{"hillis-steele", {4, 3, 0}},
    known_look{"hillis-steele-inplace", {4, 4, 1}},
    known_look{"hillis-steele-racy", {4, 7, 2}},
    known_look{"blelloch", {0, 0, 0}},
    known_look{"brent-kung", {5, 1, 1}},
    known_look{"warp-shuffle", {3, 2, 0}},
    known_look{"vectorized", {3, 3, 1}},
    known_look{"hierarchical", {1, 4, 2}},
    known_look{"grid-sync", {2, 1, 0}},
    known_look{"lookback", {6, 3, 0}},
    known_look{"tree-lookback", {0, 7, 3}},
};

std::string polygon(double x, double y, double radius, int corners, double turn) {
  std::string path;
  for (int k = 0; k < corners; ++k) {
    const double angle = turn + 2 * std::numbers::pi * k / corners;
    path += fmt::format("{}{:.1f} {:.1f}", k == 0 ? "M" : "L", x + radius * std::cos(angle),
                        y + radius * std::sin(angle));
  }
  return path + "z";
}

// Circle, square, triangles, diamond, cross, plus, hexagon.
std::string outline(unsigned marker, double x, double y) {
  constexpr double quarter = std::numbers::pi / 2;
  switch (marker % 8) {
    case 1:
      return polygon(x, y, 5.2, 4, quarter / 2);
    case 2:
      return polygon(x, y, 5.6, 3, -quarter);
    case 3:
      return polygon(x, y, 5.6, 4, 0);
    case 4:
      return polygon(x, y, 5.6, 3, quarter);
    case 5:
      return fmt::format("M{0:.1f} {2:.1f}L{1:.1f} {3:.1f}M{0:.1f} {3:.1f}L{1:.1f} {2:.1f}", x - 4,
                         x + 4, y - 4, y + 4);
    case 6:
      return fmt::format("M{:.1f} {:.1f}h10M{:.1f} {:.1f}v10", x - 5, y, x, y - 5);
    case 7:
      return polygon(x, y, 5, 6, 0);
    default:
      return polygon(x, y, 4.6, 16, 0);
  }
}

constexpr std::array dashes{"", " stroke-dasharray='7 3'", " stroke-dasharray='3 3'",
                            " stroke-dasharray='9 3 2 3'", " stroke-dasharray='2 5'"};

}  // namespace

look look_of(const std::string& name) {
  for (const known_look& k : known)
    if (k.name == name) return k.shape;
  unsigned sum = 0;
  for (const char c : name) sum = sum * 31 + static_cast<unsigned char>(c);
  return {sum % 7, sum / 7 % 8, sum / 56 % 4};
}

std::string drawn_marker(look shape, double x, double y, const std::string& attributes,
                         bool hollow) {
  const bool open = hollow || shape.marker % 8 == 5 || shape.marker % 8 == 6;
  return fmt::format("<path class='mark c{}{}' d='{}'{}", shape.colour % 8, open ? " open" : "",
                     outline(shape.marker, x, y), attributes);
}

std::string dash_of(look shape) { return dashes[shape.dash % dashes.size()]; }

std::string legend_of(const std::vector<curve>& curves, const std::vector<guide>& guides) {
  std::string text = "<ul class='legend'>";
  for (std::size_t k = 0; k < curves.size(); ++k) {
    const look s = curves[k].shape;
    text += fmt::format(
        "<li data-curve='{}'><svg class='key' viewBox='0 0 36 14' aria-hidden='true'>{}{}/></svg>"
        "<span>{}</span></li>",
        k,
        curves[k].joined
            ? fmt::format("<path class='line c{}' d='M1 7H35'{}/>", s.colour % 8, dash_of(s))
            : "",
        drawn_marker(s, 18, 7, ""), escaped(curves[k].name));
  }
  for (const guide& g : guides)
    text += fmt::format(
        "<li><svg class='key' viewBox='0 0 36 14' aria-hidden='true'><path class='roof' "
        "d='M1 7H35'{}/></svg><span>{}</span></li>",
        dash_of({0, 0, g.dash}), escaped(g.name));
  return text + "</ul>\n";
}

}  // namespace upsweep::report
