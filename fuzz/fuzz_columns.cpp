// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lines of the input: a dtype, or another word for none; the delimiter and what begins a
// comment; the column; the records.
#include "cli/dtype.hpp"
#include "fuzz/fuzz_check.hpp"
#include "fuzz/text_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzz::text_of(data, size);
  std::optional<cli::dtype> type;
  if (const auto stored = cli::parse_dtype(fuzz::take_line(text))) type = stored->type;
  const std::string_view signs = fuzz::take_line(text);
  cli::text_layout layout;
  if (!signs.empty() && signs[0] != '"' && signs[0] != '\r') layout.delimiter = signs[0];
  if (signs.size() > 1) layout.comment = signs.substr(1);
  const std::string_view column = fuzz::take_line(text);
  if (column.empty()) return 0;  // the parser of the command line refuses it
  layout.column = column;
  fuzz::check_text(text, type, layout, 1 + column.size() % 7);
  return 0;
}
