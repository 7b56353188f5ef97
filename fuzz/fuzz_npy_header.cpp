// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The input is the beginning of an .npy file. A header that is accepted must be as long as its
// first bytes say, and say the same when it is written again.
#include <algorithm>
#include <span>
#include <string>

#include "cli/failure.hpp"
#include "cli/npy_header.hpp"
#include "fuzz/fuzz_check.hpp"

namespace {

cli::npy_header parse(std::string_view text) {
  return cli::parse_npy_header(std::as_bytes(std::span(text)), "x.npy");
}

void check(const cli::npy_header& header, std::string_view file) {
  fuzz::demand(header.data_offset <= file.size(), "the data begins behind the end");
  fuzz::demand(cli::npy_header_size(file.substr(0, cli::npy_header_start)) == header.data_offset,
               "the size of the header is not where the data begins");
  const bool order = header.fortran_order != fuzz::is_fault_planted();
  const std::string text = cli::format_npy_header(header.item.type, order, header.shape);
  const cli::npy_header again = parse(text);
  fuzz::demand(again.data_offset == text.size() && text.size() % 64 == 0, "a header's padding");
  fuzz::demand(again.item.type == header.item.type && !again.item.big_endian &&
                   again.fortran_order == header.fortran_order && again.shape == header.shape,
               "a header written and read is another one");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view file = fuzz::text_of(data, size);
  try {
    const cli::npy_header header = parse(file);
    check(header, file);
    const std::size_t item = cli::item_size(header.item.type);
    const std::uint64_t count = cli::element_count(header.shape, item, "x.npy");
    fuzz::demand(count <= (std::uint64_t{1} << 63) / item, "more elements than bytes");
  } catch (const cli::failure& failure) {
    fuzz::demand(std::string_view(failure.what()).starts_with("x.npy"), "no name in the message");
  }
  return 0;
}
