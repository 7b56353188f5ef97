// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first line of the input: a dtype, or another word for none; a blank; what begins a comment.
// Its length also says in what pieces the rest, the text, is read.
#include "cli/dtype.hpp"
#include "fuzz/fuzz_check.hpp"
#include "fuzz/text_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzz::text_of(data, size);
  const std::string_view first = fuzz::take_line(text);
  const std::string_view name = first.substr(0, first.find(' '));
  cli::text_layout layout;
  if (name.size() < first.size()) layout.comment = first.substr(name.size() + 1);
  std::optional<cli::dtype> type;
  if (const auto stored = cli::parse_dtype(name)) type = stored->type;
  fuzz::check_text(text, type, layout, 1 + first.size() % 7);
  return 0;
}
