// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/npy_header.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string_view>

#include "cli/failure.hpp"
#include "cli/printable.hpp"
#include "upsweep/array_view.hpp"

namespace cli {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

// A recursive descent over   {'key': value, ...}   with exactly the three keys of the format.
class literal_parser {
 public:
  literal_parser(std::string_view text, std::size_t offset, const std::string& name)
      : text_(text), offset_(offset), name_(name) {}

  npy_header parse() {
    expect('{');
    while (!accept('}')) {
      entry();
      if (accept('}')) break;
      expect(',');
    }
    skip_blanks();
    if (at_ != text_.size()) fail("text behind the literal");
    if (!descr_ || !order_ || !shape_) fail("descr, fortran_order or shape is missing");
    return {*descr_, *order_, std::move(*shape_), 0};
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw run_time_failure(
        fmt::format("{}: not an .npy header at byte {}: {}", name_, offset_ + at_, what));
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }

  bool accept(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}' expected", c));
  }

  std::string_view quoted() {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("a string expected");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == text_.npos) fail("a string without an end");
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    if (value.find('\\') != value.npos) fail("a string with a backslash");
    at_ = end + 1;
    return value;
  }

  void entry() {
    skip_blanks();
    const std::size_t start = at_;
    const std::string_view key = quoted();
    const auto once = [&](bool seen) {
      if (!seen) return;
      at_ = start;
      fail("a key given twice");
    };
    expect(':');
    if (key == "descr") {
      once(descr_.has_value());
      descr_ = descr();
    } else if (key == "fortran_order") {
      once(order_.has_value());
      order_ = boolean();
    } else if (key == "shape") {
      once(shape_.has_value());
      shape_ = shape();
    } else {
      at_ = start;
      fail("a key other than descr, fortran_order and shape");
    }
  }

  stored_dtype descr() {
    skip_blanks();
    if (at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '('))
      throw run_time_failure(name_ +
                             ": a record (structured) dtype: save one field of it as an array");
    const std::string_view name = quoted();
    const std::optional<stored_dtype> item = parse_dtype(name);
    if (!item || npy_name(item->type).empty())
      throw run_time_failure(fmt::format(
          "{}: dtype '{}' is not supported: save it as bool, i1 to i8, u1 to u8, f2, f4, "
          "f8, c8 or c16",
          name_, printable(name)));
    return *item;
  }

  bool boolean() {
    skip_blanks();
    for (const auto& [word, value] : {std::pair("True", true), std::pair("False", false)})
      if (text_.substr(at_).starts_with(word)) {
        at_ += std::string_view(word).size();
        return value;
      }
    fail("True or False expected");
  }

  std::vector<std::uint64_t> shape() {
    std::vector<std::uint64_t> extents;
    expect('(');
    while (!accept(')')) {
      extents.push_back(extent());
      if (accept(',')) continue;
      // (3) is a number in Python; a tuple of one is (3,).
      if (extents.size() == 1) fail("',' expected");
      expect(')');
      break;
    }
    return extents;
  }

  std::uint64_t extent() {
    skip_blanks();
    const std::size_t start = at_;
    std::uint64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const auto digit = static_cast<std::uint64_t>(text_[at_] - '0');
      if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / 10)
        fail("an extent beyond 64 bits");
      value = 10 * value + digit;
    }
    if (at_ == start) fail("an extent expected");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // a long of Python 2
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t offset_;  // of text_ in the file
  const std::string& name_;
  std::optional<stored_dtype> descr_;
  std::optional<bool> order_;
  std::optional<std::vector<std::uint64_t>> shape_;
};

}  // namespace

npy_header parse_npy_header(std::span<const std::byte> file, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (text.size() < magic.size() + 4 || !text.starts_with(magic))
    throw run_time_failure(name + ": not an .npy file: it does not begin with \\x93NUMPY");
  const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(file[i]); };
  const std::size_t major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0)
    throw run_time_failure(fmt::format("{}: .npy version {}.{} is not known: 1.0, 2.0 and 3.0 are",
                                       name, major, minor));
  const std::size_t start = major == 1 ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8;
  if (start == 12 && text.size() >= start) length |= byte(10) << 16 | byte(11) << 24;
  constexpr std::size_t most = std::size_t{1} << 20;
  if (length > most)
    throw run_time_failure(fmt::format("{}: not an .npy header: {} bytes long", name, length));
  if (text.size() < start || text.size() - start < length)
    throw run_time_failure(
        fmt::format("{}: truncated: the header says that it ends at byte {}, the file has {} bytes",
                    name, start + length, text.size()));
  npy_header header = literal_parser(text.substr(start, length), start, name).parse();
  if (header.shape.size() > upsweep::max_rank)
    throw run_time_failure(fmt::format("{}: {} dimensions; at most {} are supported", name,
                                       header.shape.size(), upsweep::max_rank));
  header.data_offset = start + length;
  return header;
}

std::size_t npy_header_size(std::string_view start) {
  if (start.size() < npy_header_start || !start.starts_with(magic)) return 0;
  const auto byte = [&](std::size_t i) {
    return std::size_t{static_cast<unsigned char>(start[i])};
  };
  if (byte(6) == 1) return 10 + (byte(8) | byte(9) << 8);
  return 12 + (byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24);
}

std::string format_npy_header(dtype type, bool fortran_order,
                              std::span<const std::uint64_t> shape) {
  std::string literal = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': (",
                                    npy_name(type), fortran_order ? "True" : "False");
  for (std::size_t d = 0; d < shape.size(); ++d)
    literal += fmt::format("{}{}", d == 0 ? "" : ", ", shape[d]);
  literal += shape.size() == 1 ? ",), }" : "), }";
  constexpr std::size_t start = 10, alignment = 64;
  const std::size_t length = literal.size() + 1;
  literal.append((alignment - (start + length) % alignment) % alignment, ' ');
  literal += '\n';
  std::string header(magic);
  header += {'\1', '\0', static_cast<char>(literal.size() & 0xff),
             static_cast<char>(literal.size() >> 8)};
  return header + literal;
}

std::uint64_t element_count(std::span<const std::uint64_t> shape, std::size_t item,
                            const std::string& name) {
  const std::uint64_t most = std::numeric_limits<std::int64_t>::max() / item;
  std::uint64_t count = 1;
  bool empty = false;
  for (const std::uint64_t extent : shape) {
    if (extent == 0) {
      empty = true;
    } else if (extent > most / count) {
      throw run_time_failure(
          fmt::format("{}: shape ({}) has more elements than memory has addresses", name,
                      fmt::join(shape, ", ")));
    } else {
      count *= extent;
    }
  }
  return empty ? 0 : count;
}

}  // namespace cli
