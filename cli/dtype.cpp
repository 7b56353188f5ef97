// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/dtype.hpp"

#include <array>

namespace cli {
namespace {

struct row {
  dtype type;
  dtype_kind kind;
  std::string_view code, name, npy;
};

// In the order of the enumeration.
constexpr std::array<row, 15> rows{{
    {dtype::b1, dtype_kind::boolean, "b1", "bool", "|b1"},
    {dtype::i1, dtype_kind::signed_integer, "i1", "int8", "|i1"},
    {dtype::i2, dtype_kind::signed_integer, "i2", "int16", "<i2"},
    {dtype::i4, dtype_kind::signed_integer, "i4", "int32", "<i4"},
    {dtype::i8, dtype_kind::signed_integer, "i8", "int64", "<i8"},
    {dtype::u1, dtype_kind::unsigned_integer, "u1", "uint8", "|u1"},
    {dtype::u2, dtype_kind::unsigned_integer, "u2", "uint16", "<u2"},
    {dtype::u4, dtype_kind::unsigned_integer, "u4", "uint32", "<u4"},
    {dtype::u8, dtype_kind::unsigned_integer, "u8", "uint64", "<u8"},
    {dtype::f2, dtype_kind::floating, "f2", "float16", "<f2"},
    {dtype::bf16, dtype_kind::floating, "bf16", "bfloat16", ""},
    {dtype::f4, dtype_kind::floating, "f4", "float32", "<f4"},
    {dtype::f8, dtype_kind::floating, "f8", "float64", "<f8"},
    {dtype::c8, dtype_kind::complex, "c8", "complex64", "<c8"},
    {dtype::c16, dtype_kind::complex, "c16", "complex128", "<c16"},
}};

const row& row_of(dtype type) { return rows[static_cast<std::size_t>(type)]; }

}  // namespace

std::optional<stored_dtype> parse_dtype(std::string_view name) {
  char order = '=';
  if (!name.empty() && std::string_view("<>|=").find(name[0]) != std::string_view::npos) {
    order = name[0];
    name.remove_prefix(1);
  }
  for (const row& r : rows)
    if (name == r.code || name == r.name) {
      // NumPy writes | for single bytes only, where the order means nothing.
      if (order == '|' && item_size(r.type) != 1) return std::nullopt;
      return stored_dtype{r.type, order == '>' && item_size(r.type) != 1};
    }
  return std::nullopt;
}

std::size_t item_size(dtype type) {
  return with_dtype(type, []<dtype D>() { return sizeof(stored_t<D>); });
}

std::size_t part_size(dtype type) {
  return kind_of(type) == dtype_kind::complex ? item_size(type) / 2 : item_size(type);
}

dtype_kind kind_of(dtype type) { return row_of(type).kind; }
std::string_view name_of(dtype type) { return row_of(type).name; }
std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const row& r : rows) names.emplace_back(r.name);
  return names;
}
std::string_view npy_name(dtype type) { return row_of(type).npy; }

}  // namespace cli
