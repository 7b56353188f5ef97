// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The header of an .npy file: magic, version, and a Python dict literal that states dtype, order
// and shape. https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/dtype.hpp"

namespace cli {

struct npy_header {
  stored_dtype item;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::size_t data_offset = 0;
};

// Reads the header at the start of a file of versions 1 to 3; what follows it is not looked at.
// The literal is parsed by its own small grammar, so no text in it is ever run. Throws failure,
// with the file's name and the byte, for anything that NumPy would not have written.
npy_header parse_npy_header(std::span<const std::byte> file, const std::string& name);

// Of a file's first npy_header_start bytes: how long its header says it is, from the first byte to
// the last. Of what is no header, and of fewer bytes, something up to npy_header_start.
inline constexpr std::size_t npy_header_start = 12;
std::size_t npy_header_size(std::string_view start);

// A version 1 header, padded so that the data starts at a multiple of 64 bytes. Independent of the
// locale. Needs a dtype with an .npy name.
std::string format_npy_header(dtype type, bool fortran_order, std::span<const std::uint64_t> shape);

// The product of the extents. Throws failure naming the file when elements of this size cannot be
// counted in 63 bits of bytes, even where another extent is 0.
std::uint64_t element_count(std::span<const std::uint64_t> shape, std::size_t item,
                            const std::string& name);

}  // namespace cli
