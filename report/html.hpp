// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The small parts of the page: text made safe, numbers made short, tables, figures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace upsweep::report {

// Text as it may stand between tags and in quoted attributes. Control characters,
// and others that only direct text, become U+FFFD.
std::string escaped(std::string_view text);

// Four significant digits: 0.01234, 12.34, 12340, 1.234e+07.
std::string short_number(double x);

// A time with its unit: "12.3 µs".
std::string short_time(double seconds);

// "12 %", and "1.25 ×".
std::string percent(double ratio);
std::string times(double ratio);

// A table whose cells are text, escaped here; the first text_columns of them are words and so are
// the last last_text, the others numbers, which stand on the right. In print its font is so small
// that it fits, and no word of up to 40 characters is broken.
class table {
 public:
  table(std::string caption, std::vector<std::string> head, std::size_t text_columns = 1,
        std::size_t last_text = 0);
  void row(std::vector<std::string> cells);
  bool empty() const { return rows_ == 0; }
  std::string html() const;  // in a box that scrolls by itself, below a summary

 private:
  std::string line(const std::vector<std::string>& cells, const char* tag);
  double print_size() const;

  std::string caption_, head_, body_;
  std::size_t text_columns_, last_text_, rows_ = 0;
  std::vector<std::size_t> widest_;  // of each column the longest word
};

// The names of figures: f1, f2, ... in the order of the page.
class names {
 public:
  std::string next() { return std::string("f").append(std::to_string(++last_)); }

 private:
  unsigned last_ = 0;
};

// A picture with its caption above it and all else below. group: what a filter may choose by.
struct figure {
  std::string caption, group, picture, below;
  std::string html() const;
};

// The opening tag of a picture with a name and a description, which readers of screens tell.
std::string svg_begin(const std::string& id, double width, double height, const std::string& title,
                      const std::string& description, const std::string& kind = "plot");

// A section with its heading and a line on how to read it; nothing where the body is empty.
std::string section(const std::string& id, const std::string& heading, const std::string& how,
                    const std::string& body);

}  // namespace upsweep::report
