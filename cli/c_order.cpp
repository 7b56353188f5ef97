// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "cli/array_file.hpp"
#include "upsweep/cpu/threads.hpp"
#include "upsweep/policy.hpp"

namespace cli {
namespace {

// What is done at a time: tiles of both arrays stay in the first-level cache.
constexpr std::uint64_t tile = 32;

// The first dimension, the last one, and all between them as one.
struct box {
  std::uint64_t first, last, between;
};

// Elements [i0, i1) of the first dimension, for all of the last, at one place of those between: the
// first dimension is contiguous in the source, the last one in the result.
template <std::size_t size>
void turn_strip(const std::byte* from, std::byte* to, std::uint64_t from_step,
                std::uint64_t to_step, std::uint64_t rows, std::uint64_t columns) {
  for (std::uint64_t c = 0; c < columns; c += tile)
    for (std::uint64_t r = 0; r < rows; ++r)
      for (std::uint64_t k = c; k < std::min(columns, c + tile); ++k)
        std::memcpy(to + (r * to_step + k) * size, from + (k * from_step + r) * size, size);
}

auto strip_function(std::size_t size) {
  switch (size) {
    case 1:
      return turn_strip<1>;
    case 2:
      return turn_strip<2>;
    case 4:
      return turn_strip<4>;
    case 8:
      return turn_strip<8>;
    default:
      return turn_strip<16>;
  }
}

// Where a place of the dimensions between is, in elements: in the source they begin behind the
// first dimension and count from the left, in the result from the right.
std::array<std::uint64_t, 2> offsets_of(const std::vector<std::uint64_t>& shape,
                                        std::uint64_t place, std::uint64_t last) {
  std::array<std::uint64_t, 2> offsets{0, 0};
  std::uint64_t from_step = shape[0], to_step = last;
  std::vector<std::uint64_t> index(shape.size());
  for (std::size_t d = 1; d + 1 < shape.size(); ++d) {
    index[d] = place % shape[d];
    place /= shape[d];
    offsets[0] += index[d] * from_step;
    from_step *= shape[d];
  }
  for (std::size_t d = shape.size() - 1; d-- > 1;) {
    offsets[1] += index[d] * to_step;
    to_step *= shape[d];
  }
  return offsets;
}

}  // namespace

input_array in_c_order(const input_array& in, unsigned threads) {
  const std::size_t item = item_size(in.item.type);
  input_array out{in.format, in.item, in.shape,     in.count,
                  false,     nullptr, std::nullopt, memory_region::allocate(in.count * item)};
  out.data = out.memory.data();
  if (in.count == 0) return out;
  box all{in.shape.front(), in.shape.back(), 1};
  all.between = in.count / all.first / all.last;
  const std::uint64_t strips = (all.first + tile - 1) / tile;
  std::atomic<std::uint64_t> next{0};
  auto work = [&] {
    const auto turn = strip_function(item);
    for (std::uint64_t task; (task = next.fetch_add(1)) < strips * all.between;) {
      const std::uint64_t row = task % strips * tile;
      const auto [from, to] = offsets_of(in.shape, task / strips, all.last);
      const std::uint64_t from_step = in.count / all.last, to_step = in.count / all.first;
      turn(in.data + (from + row) * item, out.memory.data() + (to + row * to_step) * item,
           from_step, to_step, std::min(tile, all.first - row), all.last);
    }
  };
  const std::uint64_t workers = upsweep::cpu::workers_of(upsweep::par.on(threads));
  upsweep::cpu::run_workers(
      static_cast<unsigned>(std::min(workers, strips * all.between)),
      [](void* context) { (*static_cast<decltype(work)*>(context))(); }, &work);
  return out;
}

}  // namespace cli
