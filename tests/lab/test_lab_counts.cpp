// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost line of every kernel, and the lecture's figures for shared-memory banks, counted.
#include <map>
#include <numeric>

#include "lab/simulator/banks.hpp"
#include "lab_cases.hpp"

namespace lab_cases {
namespace {

using list = std::vector<std::uint64_t>;

// A figure of each step of a phase at one place, in the order of the steps.
template <class Field>
list column(const sim::counts& c, const std::string& phase, const std::string& site,
            sim::access kind, Field sim::site_counts::*field) {
  list found;
  for (const sim::site_counts& s : c.sites)
    if (phase == c.steps[s.step].phase && s.kind == kind && site == sim::site_name(s.site))
      found.push_back(s.*field);
  return found;
}
std::uint64_t sum(const list& l) { return std::accumulate(l.begin(), l.end(), std::uint64_t{0}); }

template <class Algorithm>
sim::counts counted(std::size_t n, const sim::model& model = {}, const lab::options& how = {}) {
  const auto o = scan<Algorithm>(values<float>(n), upsweep::plus{}, how, model);
  EXPECT_EQ(o.device->launches().size(), 1u);
  return o.counts();
}

// An oracle of its own: transactions of one access of a warp to words, by counting.
std::uint64_t transactions(const std::vector<std::uint64_t>& words, unsigned banks) {
  std::uint64_t all = 0;
  for (std::size_t first = 0; first < words.size(); first += banks) {
    std::map<std::uint64_t, std::map<std::uint64_t, int>> by_bank;
    for (std::size_t i = first; i < std::min(words.size(), first + banks); ++i)
      ++by_bank[words[i] % banks][words[i]];
    std::uint64_t most = 0;
    for (const auto& [bank, distinct] : by_bank)
      most = std::max<std::uint64_t>(most, distinct.size());
    all += most;
  }
  return all;
}

std::uint64_t padded(std::uint64_t i, unsigned banks, unsigned terms) {
  return i + (terms > 0 ? i / banks : 0) + (terms > 1 ? i / banks / banks : 0);
}

// One phase of Blelloch's tree over n leaves: so many accesses to left and to right children.
std::uint64_t tree_oracle(std::uint64_t n, unsigned banks, unsigned terms, unsigned lefts,
                          unsigned rights) {
  std::uint64_t all = 0;
  for (std::uint64_t stride = 1; stride < n; stride *= 2)
    for (std::uint64_t first = 0; first < n / 2 / stride; first += 32) {
      std::vector<std::uint64_t> left, right;
      for (std::uint64_t t = first; t < std::min(first + 32, n / 2 / stride); ++t) {
        right.push_back(padded((t + 1) * 2 * stride - 1, banks, terms));
        left.push_back(padded((t + 1) * 2 * stride - 1 - stride, banks, terms));
      }
      all += lefts * transactions(left, banks) + rights * transactions(right, banks);
    }
  return all;
}

TEST(LabCounts, HillisSteeleAt1024IsTheLecturesTable) {
  const sim::counts c = counted<lab::hillis_steele>(1024);
  EXPECT_EQ(active_threads(c, "step"),
            (list{1023, 1022, 1020, 1016, 1008, 992, 960, 896, 768, 512}));
  EXPECT_EQ(c.operations(), 9217u);
  EXPECT_EQ(c.working_steps(), 10u);
  EXPECT_EQ(c.barriers(), 10u);
  EXPECT_EQ(c.degree(), 1u);
  using s = sim::site_counts;
  const list once{32, 32, 32, 32, 32, 31, 30, 28, 24, 16}, all(10, 32);
  const auto load = sim::access::shared_load, store = sim::access::shared_store;
  EXPECT_EQ(column(c, "step", "src[t-stride]", load, &s::transactions), once);
  EXPECT_EQ(column(c, "step", "src[t]", load, &s::transactions), all);  // idle threads copy
  EXPECT_EQ(column(c, "step", "dst[t]", store, &s::transactions), all);
  EXPECT_EQ(column(c, "step", "src[t]", load, &s::active_transactions), once);
  EXPECT_EQ(column(c, "step", "dst[t]", store, &s::active_transactions), once);
  EXPECT_EQ(sum(once), 289u);
  EXPECT_EQ(c.transactions("step"), 929u);
  EXPECT_EQ(c.active_transactions("step"), 867u);
}

TEST(LabCounts, TheOtherHillisSteeles) {
  const sim::counts in_place = counted<lab::hillis_steele_inplace>(1024);
  EXPECT_EQ(in_place.operations(), 9217u);
  EXPECT_EQ(in_place.barriers(), 20u);
  EXPECT_EQ(in_place.transactions("step"), 867u);  // idle threads do nothing
  EXPECT_EQ(in_place.shared_bytes, 4096u);
  const sim::counts racy = counted<lab::hillis_steele_racy>(1024);
  EXPECT_EQ(racy.operations(), 9217u);
  EXPECT_EQ(racy.barriers(), 10u);
  EXPECT_EQ(counted<lab::hillis_steele>(1024).shared_bytes, 8192u);
}

TEST(LabCounts, BlellochAt2048IsTheLecturesTable) {
  const sim::counts c = counted<lab::blelloch<>>(2048);
  EXPECT_EQ(active_threads(c, "up-sweep"), (list{1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1}));
  EXPECT_EQ(c.operations(), 4094u);
  EXPECT_EQ(c.working_steps(), 22u);
  EXPECT_EQ(c.barriers(), 24u);
  using s = sim::site_counts;
  const auto load = sim::access::shared_load;
  const list degree{2, 4, 8, 16, 32, 32, 16, 8, 4, 2, 1};
  EXPECT_EQ(column(c, "up-sweep", "s[left]", load, &s::degree), degree);
  EXPECT_EQ(column(c, "up-sweep", "s[right]", load, &s::degree), degree);
  EXPECT_EQ(column(c, "up-sweep", "s[left]", load, &s::warps),
            (list{32, 16, 8, 4, 2, 1, 1, 1, 1, 1, 1}));
  const list cost = column(c, "up-sweep", "s[left]", load, &s::transactions);
  EXPECT_EQ(cost, (list{64, 64, 64, 64, 64, 32, 16, 8, 4, 2, 1}));
  EXPECT_EQ(sum(cost), 383u);
  EXPECT_EQ(c.transactions("up-sweep"), 1149u);
  EXPECT_EQ(c.transactions("down-sweep"), 1532u);
}

template <unsigned Banks, unsigned Terms>
void check_padding() {
  SCOPED_TRACE(std::to_string(Banks) + " banks, terms " + std::to_string(Terms));
  sim::model model;
  model.banks = Banks;
  const std::size_t n = Banks == 32 ? 2048 : 512;
  const sim::counts c = counted<lab::blelloch<lab::padding<Banks, Terms>>>(n, model);
  EXPECT_EQ(c.transactions("up-sweep"), tree_oracle(n, Banks, Terms, 1, 2));
  EXPECT_EQ(c.transactions("down-sweep"), tree_oracle(n, Banks, Terms, 2, 2));
  const sim::counts b = counted<lab::brent_kung<lab::padding<Banks, Terms>>>(n, model);
  EXPECT_EQ(b.transactions("up-sweep"), tree_oracle(n, Banks, Terms, 1, 2));
  if (Terms == 2) {
    EXPECT_EQ(c.degree(), 1u);
    EXPECT_EQ(b.degree(), 2u);  // the way down is shifted by half a node: see docs/lab.md
  } else {
    EXPECT_GT(c.degree(), 1u);
  }
}

TEST(LabCounts, PaddingAgreesWithAnOracle) {
  check_padding<32, 0>();
  check_padding<32, 1>();
  check_padding<32, 2>();
  check_padding<16, 0>();
  check_padding<16, 1>();
  check_padding<16, 2>();
}

TEST(LabCounts, TwoTermsTakeTheFewestTransactions) {
  const sim::counts c = counted<lab::blelloch<lab::padding<32, 2>>>(2048);
  EXPECT_EQ(c.transactions("up-sweep"), 3 * (32 + 16 + 8 + 4 + 2 + 6));  // no more than warps
  EXPECT_EQ(c.transactions("down-sweep"), 4 * (32 + 16 + 8 + 4 + 2 + 6));
  // One term: stride 16 is free, 32 and above keep degree 2.
  const sim::counts one = counted<lab::blelloch<lab::padding<32, 1>>>(2048);
  EXPECT_EQ(column(one, "up-sweep", "s[left]", sim::access::shared_load, &sim::site_counts::degree),
            (list{1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 1}));
}

TEST(LabCounts, BrentKung) {
  for (const std::size_t n : {8, 64, 2048}) {
    const sim::counts c = counted<lab::brent_kung<>>(n);
    const auto k = static_cast<unsigned>(std::countr_zero(n));
    EXPECT_EQ(c.operations(), 2 * (n - 1) - k);
    EXPECT_EQ(c.working_steps(), 2 * k - 1);
    EXPECT_EQ(c.barriers(), 2 * k);
  }
}

TEST(LabCounts, CostLinesOfPowersOfTwo) {
  for (unsigned k = 1; k <= 10; ++k) {
    const std::uint64_t n = std::uint64_t{1} << k;
    const sim::counts h = counted<lab::hillis_steele>(n), b = counted<lab::blelloch<>>(n);
    EXPECT_EQ(h.operations(), n * k - (n - 1));
    EXPECT_EQ(h.barriers(), k);
    EXPECT_EQ(counted<lab::hillis_steele_inplace>(n).barriers(), 2 * k);
    EXPECT_EQ(b.operations(), 2 * (n - 1));
    EXPECT_EQ(b.working_steps(), 2 * k);
    EXPECT_EQ(b.barriers(), 2 * k + 2);
  }
}

TEST(LabCounts, SerialAndNaive) {
  const sim::counts s = counted<lab::serial>(100);
  EXPECT_EQ(s.operations(), 99u);
  EXPECT_EQ(s.working_steps(), 99u);
  EXPECT_EQ(s.barriers(), 0u);
  const sim::counts n = counted<lab::naive>(700);
  EXPECT_EQ(n.operations(), 700u * 701 / 2);
  EXPECT_EQ(n.working_steps(), 700u);
  EXPECT_EQ(n.blocks, 3u);
}

TEST(LabCounts, WarpShuffleAndVectorized) {
  const sim::counts w = counted<lab::warp_shuffle>(1024);
  EXPECT_EQ(w.working_steps(), 11u);
  EXPECT_EQ(w.barriers(), 2u);
  EXPECT_EQ(w.shuffles(), 5u * 33);
  EXPECT_EQ(w.degree(), 1u);
  EXPECT_EQ(w.shared_bytes, 128u);
  // 5 levels in 32 warps, 5 in one, and 31 warps of additions.
  EXPECT_EQ(w.operations(), 33u * (32 * 5 - 31) + 992);
  const sim::counts v = counted<lab::vectorized>(4096);
  EXPECT_EQ(v.barriers(), 2u);
  EXPECT_EQ(active_threads(v, "registers"), (list{1024}));
  EXPECT_EQ(v.shuffles(), 6u * 32 + 5);
  // One access of 16 bytes a thread, whole sectors.
  for (const sim::site_counts& c : v.sites)
    if (c.kind == sim::access::global_load || c.kind == sim::access::global_store) {
      EXPECT_EQ(c.threads, 1024u);
      EXPECT_EQ(c.sectors, 512u);
      EXPECT_EQ(c.fewest_sectors, 512u);
    }
}

// Elements of x and y that were read and written.
template <class Algorithm>
std::uint64_t traffic(std::size_t n, const sim::model& model = {}) {
  const auto o = scan<Algorithm>(values<float>(n), upsweep::plus{}, {}, model);
  EXPECT_EQ(o.faults(), "");
  std::uint64_t bytes = 0;
  for (const sim::counts& c : o.device->launches())
    for (const sim::site_counts& s : c.sites) {
      const std::string at = sim::site_name(s.site);
      if (at[0] == 'x' || at[0] == 'y') bytes += s.bytes;
    }
  return bytes / 4;
}

TEST(LabCounts, TrafficOfTheGridLevelKernels) {
  const std::size_t n = 65536;
  // Two levels, of which the second is one tile of 64 totals; the first tile gets no offset.
  EXPECT_EQ(traffic<lab::hierarchical<>>(n), 4 * n - 2 * 1024 + 2 * 64);
  EXPECT_EQ(traffic<lab::lookback>(n), 2 * n);
  EXPECT_EQ(traffic<lab::tree_lookback>(n), 2 * n);
  EXPECT_EQ(traffic<lab::grid_sync>(n), 2 * n + 2 * 64);  // 64 blocks of one tile, their sums
  sim::model few;
  few.cooperative = 8;
  EXPECT_EQ(traffic<lab::grid_sync>(n, few), 3 * n + 2 * 8);
}

TEST(LabCounts, HierarchicalRecurs) {
  const auto o = scan<lab::hierarchical<>>(values<float>(20000), upsweep::plus{}, {false, 16});
  EXPECT_EQ(o.faults(), "");
  EXPECT_EQ(o.device->launches().size(), 7u);  // 20000, 1250, 79, 5: four levels
}

TEST(LabCounts, RunsAreRepeated) {
  const auto x = values<float>(5000);
  const auto a = scan<lab::lookback>(x, upsweep::plus{}),
             b = scan<lab::lookback>(x, upsweep::plus{});
  ASSERT_EQ(a.counts().sites.size(), b.counts().sites.size());
  for (std::size_t i = 0; i < a.counts().sites.size(); ++i) {
    EXPECT_EQ(a.counts().sites[i].threads, b.counts().sites[i].threads);
    EXPECT_EQ(a.counts().sites[i].transactions, b.counts().sites[i].transactions);
  }
  EXPECT_EQ(a.y, b.y);
}

// Single accesses.

sim::bank_use cost(unsigned lanes, std::uint32_t bytes, unsigned banks, std::uint64_t stride,
                   std::uint64_t base = 0, std::uint32_t alignment = 0) {
  sim::warp_access a{};
  a.bytes = bytes, a.alignment = alignment == 0 ? bytes : alignment;
  for (unsigned t = 0; t < lanes; ++t) {
    a.address[t] = base + t * stride * bytes;
    a.mask |= 1u << t;
  }
  return sim::shared_cost(a, banks);
}

TEST(LabBanks, DegreeOfAStrideIsItsGcdWithTheBanks) {
  for (unsigned stride = 1; stride <= 70; ++stride) {
    EXPECT_EQ(cost(32, 4, 32, stride).degree, std::gcd(stride, 32u)) << stride;
    EXPECT_EQ(cost(32, 4, 32, stride).banks, 32 / std::gcd(stride, 32u)) << stride;
    EXPECT_EQ(cost(32, 4, 32, stride, 4 * 7).degree, std::gcd(stride, 32u)) << stride;
    EXPECT_EQ(cost(16, 4, 16, stride).degree, std::gcd(stride, 16u)) << stride;
  }
}

TEST(LabBanks, TheCompanionNotesRows) {
  EXPECT_EQ(cost(16, 4, 16, 2).degree, 2u);
  EXPECT_EQ(cost(16, 4, 16, 4, 4).degree, 4u);  // 1 5 9 ... 61
  EXPECT_EQ(cost(32, 4, 32, 2).degree, 2u);
  EXPECT_EQ(cost(16, 4, 32, 2).degree, 1u);  // the first 16 threads only
  sim::warp_access a{};
  a.bytes = a.alignment = 4;
  for (unsigned t = 0; t < 16; ++t) a.address[t] = 4 * padded(2 * t, 16, 1), a.mask |= 1u << t;
  EXPECT_EQ(sim::shared_cost(a, 16).degree, 1u);
}

TEST(LabBanks, WideAccessesGoInParts) {
  EXPECT_EQ(cost(32, 8, 32, 1).transactions, 2u);   // two half-warps
  EXPECT_EQ(cost(32, 16, 32, 1).transactions, 4u);  // four quarter-warps
  EXPECT_EQ(cost(32, 16, 32, 1).degree, 1u);
  EXPECT_EQ(cost(32, 4, 16, 1).transactions, 2u);  // half-warps of the oldest devices
  EXPECT_EQ(cost(32, 8, 32, 2).transactions, 4u);
  // 16 bytes aligned to 4 are four accesses, each with a stride of four words.
  EXPECT_EQ(cost(32, 16, 32, 1, 0, 4).transactions, 16u);
  EXPECT_EQ(cost(32, 1, 32, 1).transactions, 1u);
}

// The rule of 32 banks with 16 in their place: a part has as many lanes as fill them once.
TEST(LabBanks, WideAccessesGoInSmallerPartsWithSixteenBanks) {
  EXPECT_EQ(cost(32, 8, 16, 1).transactions, 4u);   // of 8 lanes
  EXPECT_EQ(cost(32, 16, 16, 1).transactions, 8u);  // of 4
  EXPECT_EQ(cost(16, 8, 16, 1).transactions, 2u);   // two halves of a half-warp
  EXPECT_EQ(cost(4, 16, 16, 1).transactions, 1u);
  for (const std::uint32_t bytes : {8u, 16u}) {
    EXPECT_EQ(cost(32, bytes, 16, 1).degree, 1u) << bytes;
    EXPECT_EQ(cost(32, bytes, 16, 1).banks, 16u) << bytes;
    EXPECT_EQ(cost(32, bytes, 16, 2).degree, 2u) << bytes;
    EXPECT_EQ(cost(32, bytes, 16, 3).degree, 1u) << bytes;
  }
  // Split into words, as devices with 16 banks did: each half-warp with a stride of two.
  EXPECT_EQ(cost(32, 8, 16, 1, 0, 4).transactions, 8u);
  EXPECT_EQ(cost(32, 16, 16, 1, 0, 4).transactions, 32u);
}

TEST(LabBanks, LanesOnOneWordAreABroadcast) {
  const sim::bank_use same = cost(32, 4, 32, 0);
  EXPECT_EQ(same.transactions, 1u);
  EXPECT_EQ(same.broadcasts, 1u);
  EXPECT_EQ(cost(32, 4, 32, 1).broadcasts, 0u);
  EXPECT_EQ(cost(32, 1, 32, 1).broadcasts, 8u);  // four lanes a word
}

TEST(LabBanks, SectorsOfGlobalMemory) {
  sim::warp_access a{};
  a.bytes = a.alignment = 4, a.mask = ~0u;
  for (unsigned t = 0; t < 32; ++t) a.address[t] = 4 * t;
  EXPECT_EQ(sim::global_cost(a).sectors, 4u);
  for (unsigned t = 0; t < 32; ++t) a.address[t] = 4 * t + 4;
  EXPECT_EQ(sim::global_cost(a).sectors, 5u);
  for (unsigned t = 0; t < 32; ++t) a.address[t] = 128 * (31 - t);
  EXPECT_EQ(sim::global_cost(a).sectors, 32u);
  EXPECT_EQ(sim::global_cost(a).fewest, 4u);
  for (unsigned t = 0; t < 32; ++t) a.address[t] = 64;  // all lanes on one element
  EXPECT_EQ(sim::global_cost(a).sectors, 1u);
  EXPECT_EQ(sim::global_cost(a).fewest, 1u);
}

}  // namespace
}  // namespace lab_cases
