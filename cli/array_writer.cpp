// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/array_writer.hpp"

#include <array>
#include <limits>

#include "cli/npy_header.hpp"
#include "cli/text_format.hpp"

namespace cli {
namespace {

// All headers of one dimension and dtype have one length, whatever the count.
std::string header_of(dtype type, std::uint64_t count, bool single) {
  const std::array<std::uint64_t, 1> extents{count};
  return format_npy_header(type, false, std::span(extents.data(), single ? 0 : 1));
}

}  // namespace

array_writer::array_writer(const std::string& path, file_format format, dtype type)
    : format_(format), type_(type), is_file_(is_output_file(path)), file_(path) {}

void array_writer::begin(std::optional<std::uint64_t> count, bool single) {
  announced_ = count;
  single_ = single;
  if (format_ == file_format::npy) write_bytes(header_of(type_, count.value_or(0), single));
}

// What goes to a pipe cannot be taken back: the first of it is held until it is more, so that a
// small result is written as a whole or not at all.
void array_writer::write_bytes(std::string_view bytes) {
  constexpr std::size_t most_held = std::size_t{1} << 20;
  bytes_ += bytes.size();
  if (is_file_) return file_.write(bytes);
  held_ += bytes;
  if (held_.size() < most_held) return;
  file_.write(held_);
  held_.clear();
}

void array_writer::write(const std::byte* elements, std::uint64_t n) {
  if (format_ == file_format::text)
    format_text(elements, n, type_, [&](std::string_view text) { write_bytes(text); });
  else
    write_bytes({reinterpret_cast<const char*>(elements), n * item_size(type_)});
  count_ += n;
}

void array_writer::commit() {
  if (format_ == file_format::npy && announced_ != count_)
    file_.rewrite_start(header_of(type_, count_, single_));
  file_.write(held_);
  file_.commit();
}

}  // namespace cli
