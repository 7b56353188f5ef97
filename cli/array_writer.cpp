// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/array_writer.hpp"

#include <span>

#include "cli/npy_header.hpp"
#include "cli/text_format.hpp"

namespace cli {
array_writer::array_writer(const std::string& path, file_format format, dtype type)
    : format_(format), type_(type), is_file_(is_output_file(path)), file_(path) {}

void array_writer::begin(const array_shape& shape) {
  shape_ = shape;
  if (format_ == file_format::npy)
    write_bytes(format_npy_header(type_, shape.fortran_order, shape.extents));
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
  // All headers of one dimension and dtype have one length, whatever the extent.
  if (format_ == file_format::npy && shape_.extents.size() == 1 && shape_.extents[0] != count_)
    file_.rewrite_start(format_npy_header(type_, false, std::span(&count_, 1)));
  file_.write(held_);
  file_.commit();
}

}  // namespace cli
