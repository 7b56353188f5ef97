// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/array_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "cli/failure.hpp"
#include "cli/npy_header.hpp"
#include "cli/text_format.hpp"
#include "cli/text_numbers.hpp"

namespace cli {
namespace {

input_array read_raw(input_file file, const read_options& options, const std::string& name) {
  const stored_dtype item = *options.type;
  const std::uint64_t offset = options.offset.value_or(0), all = file.bytes().size();
  if (offset > all) throw offset_failure(name, offset, all);
  const std::size_t size = all - offset, one = item_size(item.type);
  if (size % one != 0) throw raw_size_failure(name, item.type, size, offset);
  const std::byte* data = file.bytes().data() + offset;
  return {file_format::raw, item, {size / one}, size / one, false, data, std::move(file), {}, all};
}

input_array read_text(const input_file& file, const read_options& options,
                      const std::string& name) {
  const std::span<const std::byte> bytes = file.bytes();
  text_values values = parse_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                                  options.type ? std::optional(options.type->type) : std::nullopt,
                                  options.layout, name);
  const std::byte* data = values.memory.data();
  return {file_format::text,
          {values.type},
          {values.count},
          values.count,
          false,
          data,
          std::nullopt,
          std::move(values.memory),
          bytes.size()};
}

// Archives and compressed files.
bool is_packed(const std::string& path) {
  constexpr std::array endings{".npz", ".zip", ".gz", ".bz2", ".xz", ".zst"};
  return std::any_of(endings.begin(), endings.end(),
                     [&](const char* ending) { return path.ends_with(ending); });
}

}  // namespace

failure offset_failure(const std::string& name, std::uint64_t offset, std::uint64_t size) {
  return run_time_failure(
      fmt::format("{}: --offset {} is beyond its end: it has {} bytes", name, offset, size));
}

failure raw_size_failure(const std::string& name, dtype type, std::uint64_t size,
                         std::uint64_t offset) {
  return run_time_failure(
      fmt::format("{}: {} bytes{} are not a whole number of {} elements of {} bytes", name, size,
                  offset != 0 ? fmt::format(" behind --offset {}", offset) : "", name_of(type),
                  item_size(type)));
}

failure truncated_failure(const std::string& name, std::uint64_t count, std::uint64_t present) {
  return run_time_failure(
      fmt::format("{}: truncated: {} elements expected, {} present", name, count, present));
}

void check_npy_dtype(stored_dtype item, std::optional<stored_dtype> stated,
                     const std::string& name) {
  if (!stated || (stated->type == item.type && stated->big_endian == item.big_endian)) return;
  throw usage_failure(fmt::format("{}: --dtype contradicts the file, which holds {}{}", name,
                                  item.big_endian ? "big-endian " : "", name_of(item.type)));
}

input_array read_npy(input_file file, std::optional<stored_dtype> stated, const std::string& name) {
  const std::span<const std::byte> bytes = file.bytes();
  npy_header header = parse_npy_header(bytes, name);
  const std::size_t item = item_size(header.item.type);
  check_npy_dtype(header.item, stated, name);
  const std::uint64_t count = element_count(header.shape, item, name);
  const std::uint64_t present = bytes.size() - header.data_offset;
  if (present < count * item) throw truncated_failure(name, count, present / item);
  if (present > count * item)
    throw run_time_failure(fmt::format("{}: {} bytes too many: {} elements end at byte {}", name,
                                       present - count * item, count,
                                       header.data_offset + count * item));
  if (header.shape.empty()) header.shape = {1};
  const bool fortran = header.fortran_order && header.shape.size() > 1;
  const std::byte* data = bytes.data() + header.data_offset;
  return {file_format::npy, header.item, std::move(header.shape), count,
          fortran,          data,        std::move(file),         {},
          bytes.size()};
}

std::optional<file_format> format_of_name(const std::string& path) {
  if (path == "-") return file_format::text;
  const std::size_t dot = path.rfind('.');
  const std::string ending = dot == std::string::npos ? "" : path.substr(dot);
  if (ending == ".npy") return file_format::npy;
  if (ending == ".bin" || ending == ".raw") return file_format::raw;
  if (ending == ".txt" || ending == ".csv" || ending == ".tsv") return file_format::text;
  return std::nullopt;
}

void check_output_name(const std::string& path, std::optional<file_format> stated) {
  if (stated) return;
  for (const std::string ending : {".npz", ".zip", ".gz"})
    if (path.ends_with(ending))
      throw usage_failure(
          fmt::format("{}: {} is not written: name it .npy, .bin or .txt, and pack it afterwards",
                      path, ending));
}

void check_output_dtype(const std::string& path, file_format format, dtype type) {
  if (format == file_format::npy && npy_name(type).empty())
    throw usage_failure(fmt::format("{}: .npy has no {}: write .bin, or give --out-dtype f4",
                                    path == "-" ? "standard output" : path, name_of(type)));
}

file_format format_to_read(const std::string& path, const read_options& options) {
  const std::string name = input_name(path);
  std::optional<file_format> format = options.format ? options.format : format_of_name(path);
  const bool laid_out = options.layout.column || !options.layout.comment.empty();
  if (!format && laid_out) format = file_format::text;
  if (!format && options.type) format = file_format::raw;
  if (!format)
    throw usage_failure(name + (is_packed(path) ? ": unpack it first"
                                                : ": what is in it? Give --format text for numbers "
                                                  "as text, npy for an array of NumPy's, or "
                                                  "--dtype for raw binary"));
  if (*format == file_format::raw && !options.type)
    throw usage_failure(name + ": raw binary needs --dtype, such as --dtype f4");
  if (*format != file_format::raw && options.offset)
    throw usage_failure(name + ": --offset is for raw binary: --format raw reads it as that");
  if (*format != file_format::text && laid_out)
    throw usage_failure(name + ": --column and --comment are for text: --format text reads it so");
  if (*format == file_format::text && options.type && options.type->big_endian)
    throw usage_failure(name + ": a text has no byte order: drop the > of --dtype");
  return *format;
}

input_array read_array(const std::string& path, const read_options& options) {
  const std::string name = input_name(path);
  input_file file(path);  // first, so that a file that is not there is not called nameless
  const file_format format = format_to_read(path, options);
  if (format == file_format::npy) return read_npy(std::move(file), options.type, name);
  if (format == file_format::raw) return read_raw(std::move(file), options, name);
  return read_text(file, options, name);
}

output_array::output_array(const std::string& path, file_format format, const array_shape& array)
    : format_(format),
      type_(array.type),
      count_(element_count(array.extents, item_size(array.type), "the result")),
      file_(path) {
  check_output_dtype(path, format, array.type);
  const std::size_t size = count_ * item_size(type_);
  if (format == file_format::text) {
    memory_ = memory_region::allocate(size);
    data_ = memory_.data();
    return;
  }
  const std::string header = format == file_format::npy
                                 ? format_npy_header(array.type, array.fortran_order, array.extents)
                                 : "";
  const std::span<std::byte> bytes = file_.map(header.size() + size);
  if (!header.empty()) std::memcpy(bytes.data(), header.data(), header.size());
  data_ = bytes.data() + header.size();
  bytes_ = bytes.size();
}

void output_array::commit(const std::function<void(std::uint64_t)>& on_write) {
  if (format_ == file_format::text) {
    constexpr std::uint64_t piece = std::uint64_t{1} << 16;
    const std::size_t item = item_size(type_);
    for (std::uint64_t done = 0; done < count_;) {
      const std::uint64_t n = std::min(piece, count_ - done);
      format_text(data_ + done * item, n, type_, [&](std::string_view text) {
        file_.write(text);
        bytes_ += text.size();
      });
      done += n;
      on_write(done * item);
    }
  }
  file_.commit();
}

}  // namespace cli
