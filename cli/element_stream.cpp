// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/element_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/failure.hpp"
#include "cli/npy_header.hpp"
#include "cli/text_numbers.hpp"

namespace cli {
namespace {

char* characters(std::byte* bytes) { return reinterpret_cast<char*>(bytes); }

class raw_stream : public element_stream {
 public:
  raw_stream(input_stream& input, const read_options& options)
      : input_(input), offset_(options.offset.value_or(0)) {
    item = *options.type;
    std::vector<char> skipped(std::size_t{1} << 16);
    while (input_.position() < offset_) {
      const std::uint64_t rest = offset_ - input_.position();
      if (input_.read(skipped.data(), std::min<std::uint64_t>(rest, skipped.size())) == 0)
        throw offset_failure(input_.name(), offset_, input_.position());
    }
  }

  std::size_t read(std::byte* to, std::size_t n) override {
    const std::size_t one = item_size(item.type), got = input_.read(characters(to), n * one);
    if (got % one != 0)
      throw raw_size_failure(input_.name(), item.type, input_.position() - offset_, offset_);
    return got / one;
  }

 private:
  input_stream& input_;
  std::uint64_t offset_;
};

class npy_stream : public element_stream {
 public:
  npy_stream(input_stream& input, const npy_header& header) : input_(input) {
    item = header.item;
    count = left_ = element_count(header.shape, item_size(item.type), input.name());
  }

  std::size_t read(std::byte* to, std::size_t n) override {
    n = std::min<std::uint64_t>(n, left_);
    const std::size_t one = item_size(item.type), got = input_.read(characters(to), n * one);
    left_ -= got / one;
    if (got != n * one) throw truncated_failure(input_.name(), *count, *count - left_);
    char more = 0;
    if (left_ == 0 && input_.read(&more, 1) != 0)
      throw run_time_failure(fmt::format("{}: bytes behind the data: {} elements end at byte {}",
                                         input_.name(), *count, input_.position() - 1));
    return n;
  }

 private:
  input_stream& input_;
  std::uint64_t left_;
};

class text_stream : public element_stream {
 public:
  text_stream(input_stream& input, const read_options& options)
      : window_([&input](char* to, std::size_t n) { return input.read(to, n); }, input.name()) {
    item = {options.type ? options.type->type : dtype_of(input, options.layout)};
    words_ = read_text(window_, options.layout);
  }

  std::size_t read(std::byte* to, std::size_t n) override {
    return read_numbers(*words_, item.type, n, to);
  }

 private:
  // What the words call for takes a reading of its own.
  static dtype dtype_of(input_stream& input, const text_layout& layout) {
    input.keep();
    text_window window([&input](char* to, std::size_t n) { return input.read(to, n); },
                       input.name());
    const dtype found = find_dtype(*read_text(window, layout));
    input.rewind();
    return found;
  }

  text_window window_;
  std::unique_ptr<text_reader> words_;
};

// The bytes of a header, and no more of the stream than that.
std::string read_npy_header(input_stream& input) {
  constexpr std::size_t most = std::size_t{1} << 21;
  std::string bytes(npy_header_start, '\0');
  bytes.resize(input.read(bytes.data(), bytes.size()));
  const std::size_t size = npy_header_size(bytes);
  if (size <= bytes.size() || size > most)
    return bytes;  // what is too long is refused by its start
  const std::size_t start = bytes.size();
  bytes.resize(size);
  bytes.resize(start + input.read(bytes.data() + start, size - start));
  return bytes;
}

}  // namespace

std::variant<std::unique_ptr<element_stream>, input_array> open_elements(
    input_stream& input, file_format format, const read_options& options) {
  if (format == file_format::raw) return std::make_unique<raw_stream>(input, options);
  if (format == file_format::text) return std::make_unique<text_stream>(input, options);
  const std::string bytes = read_npy_header(input);
  const npy_header header =
      parse_npy_header(std::as_bytes(std::span(bytes.data(), bytes.size())), input.name());
  if (header.fortran_order && header.shape.size() > 1)
    return read_npy(input_file(bytes, input.file(), input.name()), options.type, input.name());
  check_npy_dtype(header.item, options.type, input.name());
  return std::make_unique<npy_stream>(input, header);
}

}  // namespace cli
