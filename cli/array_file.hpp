// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays in files: .npy, raw binary and text, told apart by the file's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/dtype_convert.hpp"
#include "cli/failure.hpp"
#include "cli/input_file.hpp"
#include "cli/output_file.hpp"
#include "cli/text_layout.hpp"

namespace cli {

enum class file_format { npy, raw, text };

// .npy; .bin and .raw; .txt, .csv, .tsv and "-" (text). Empty for any other name.
std::optional<file_format> format_of_name(const std::string& path);

// Throws failure for the name of an output that promises a format that is not written, unless the
// format was stated.
void check_output_name(const std::string& path, std::optional<file_format> stated);

// Throws failure when the format has no such elements.
void check_output_dtype(const std::string& path, file_format format, dtype type);

// How a file is to be read.
struct read_options {
  std::optional<file_format> format;    // none: the name tells
  std::optional<stored_dtype> type;     // what a raw file consists of or a text is to be read as
  std::optional<std::uint64_t> offset;  // of a raw file: the bytes in front that are not read
  text_layout layout;
};

// An array as a file holds it. Its memory lives as long as the object.
struct input_array {
  file_format format;
  stored_dtype item;
  std::vector<std::uint64_t> shape;  // never of rank 0: a single value is an array of one
  std::uint64_t count = 0;
  bool fortran_order = false;       // of rank 2 and more only
  const std::byte* data = nullptr;  // not aligned for the item, in general
  std::optional<input_file> file;   // what data points into, unless it is
  memory_region memory;
  std::uint64_t bytes_read = 0;  // of the input, with what it has beside the elements

  stored_array elements() const { return {data, item}; }
};

// The format that a file at path is to be read as. Throws failure when nothing tells, and when the
// options say what the format has no use for.
file_format format_to_read(const std::string& path, const read_options& options);

// The same for the content of a file as .npy.
input_array read_npy(input_file file, std::optional<stored_dtype> stated, const std::string& name);

// What is said about inputs that end where they should not, whoever reads them.
failure offset_failure(const std::string& name, std::uint64_t offset, std::uint64_t size);
failure raw_size_failure(const std::string& name, dtype type, std::uint64_t size,
                         std::uint64_t offset);
failure truncated_failure(const std::string& name, std::uint64_t count, std::uint64_t present);
// Throws failure when --dtype contradicts an .npy file.
void check_npy_dtype(stored_dtype item, std::optional<stored_dtype> stated,
                     const std::string& name);

// Reads the file at path. A dtype may not contradict that of an .npy file. Throws failure when the
// content is not wholly an array of that format.
input_array read_array(const std::string& path, const read_options& options);

// The elements of an array in Fortran order of two dimensions or more, in memory with the last
// index fastest. threads: 0 is all cores.
input_array in_c_order(const input_array& in, unsigned threads);

struct array_shape {
  dtype type;
  std::vector<std::uint64_t> extents;
  bool fortran_order = false;
};

// An array to be written to a file: filled in memory, then committed. Where the format and the file
// allow, that memory is the file itself.
class output_array {
 public:
  // Throws failure when the format has no such array or the file cannot be written.
  output_array(const std::string& path, file_format format, const array_shape& array);

  // Zeroed, and aligned for the type.
  std::byte* data() const { return data_; }
  std::uint64_t count() const { return count_; }

  // In the file.
  std::uint64_t bytes() const { return bytes_; }

  // Writes what has to be written and puts the file in its place. on_write is called with the bytes
  // of elements that have become text so far.
  void commit(const std::function<void(std::uint64_t)>& on_write);

 private:
  file_format format_;
  dtype type_;
  std::uint64_t count_;
  output_file file_;
  memory_region memory_;  // of a text
  std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace cli
