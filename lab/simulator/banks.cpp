// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lab/simulator/banks.hpp"

#include <algorithm>

namespace upsweep::lab::simulator {

namespace {

// The words that a group of lanes has asked for, by bank. At most 32 lanes of one word, or fewer
// of up to four.
class bank_lists {
 public:
  void add(std::uint64_t word, unsigned banks) {
    const auto bank = static_cast<unsigned>(word % banks);
    for (unsigned i = 0; i < used_[bank]; ++i)
      if (words_[bank][i] == word) {
        shared_ += seen_[bank][i]++ == 1;
        return;
      }
    touched_ += used_[bank] == 0;
    words_[bank][used_[bank]] = word;
    seen_[bank][used_[bank]++] = 1;
  }
  void add_to(bank_use& use, unsigned banks) const {
    const unsigned degree = *std::max_element(used_, used_ + banks);
    use.transactions += degree;
    use.degree = std::max(use.degree, degree);
    use.banks = std::max(use.banks, touched_);
    use.broadcasts += shared_;
  }
  void add_to(bank_load& load, unsigned banks) const {
    for (unsigned b = 0; b < banks; ++b) {
      load.words[b] += used_[b];
      load.degree[b] = std::max(load.degree[b], used_[b]);
    }
  }

 private:
  std::uint64_t words_[32][32];
  std::uint8_t seen_[32][32];
  unsigned used_[32] = {};
  unsigned touched_ = 0, shared_ = 0;
};

}  // namespace

bank_use shared_cost(const warp_access& a, unsigned banks, bank_load* load) {
  const std::uint32_t width = access_width(a.bytes, a.alignment);
  const unsigned group = std::min(warp_lanes, banks * 4 / std::max(width, 4u));
  bank_use use;
  for (std::uint32_t part = 0; part < a.bytes; part += width)
    for (unsigned first = 0; first < warp_lanes; first += group) {
      bank_lists lists;
      for (unsigned lane = first; lane < first + group; ++lane)
        if ((a.mask >> lane & 1) != 0)
          for (std::uint32_t at = 0; at < width; at += 4)
            lists.add((a.address[lane] + part + at) / 4, banks);
      lists.add_to(use, banks);
      if (load != nullptr) lists.add_to(*load, banks);
    }
  return use;
}

sector_use global_cost(const warp_access& a) {
  constexpr unsigned sector = 32;
  std::array<std::uint64_t, warp_lanes> starts;
  unsigned lanes = 0;
  for (std::uint32_t mask = a.mask; mask != 0; mask &= mask - 1)
    starts[lanes++] = a.address[std::countr_zero(mask)];
  const auto end = starts.begin() + lanes;
  if (!std::is_sorted(starts.begin(), end)) std::sort(starts.begin(), end);
  const std::uint32_t width = access_width(a.bytes, a.alignment);
  sector_use use;
  for (std::uint32_t part = 0; part < a.bytes; part += width) {
    std::uint64_t last = ~std::uint64_t{0};
    for (unsigned i = 0; i < lanes; ++i) {
      const std::uint64_t at = (starts[i] + part) / sector;
      use.sectors += at != last;
      last = at;
    }
  }
  const auto distinct = static_cast<unsigned>(std::unique(starts.begin(), end) - starts.begin());
  use.fewest = (distinct * a.bytes + sector - 1) / sector;
  return use;
}

}  // namespace upsweep::lab::simulator
