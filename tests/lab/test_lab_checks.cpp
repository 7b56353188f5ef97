// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A planted fault for every check of the simulator: it is found, and named with its threads,
// places, step and address. And what looks like one but is none is not reported.
#include <algorithm>
#include <set>

#include "lab_cases.hpp"

namespace lab_cases {
namespace {

using lab::operator""_at;

// A launch of a kernel on an output of n ints and an input of n ints; body(m, x, y, w).
template <class Body>
struct planted {
  lab::global<const int> x;
  lab::global<int> y;
  lab::words w;
  Body body;
  template <class M>
  void operator()(M& m) const {
    body(m, x, y, w);
  }
};

struct judged {
  std::vector<sim::finding> findings;
  std::vector<int> y;
  bool only(sim::fault kind, const std::vector<std::string>& words) const {
    if (findings.size() != 1 || findings[0].kind != kind) return false;
    return std::all_of(words.begin(), words.end(), [&](const std::string& w) {
      return findings[0].text.find(w) != std::string::npos;
    });
  }
  std::string text() const {
    std::string all;
    for (const sim::finding& f : findings)
      all += std::string(name_of(f.kind)) + ": " + f.text + '\n';
    return all;
  }
};

template <class Body>
judged judge(const lab::shape& form, std::size_t n, const Body& body, const sim::model& how = {},
             bool output = false) {
  sim::device d(how);
  std::vector<int> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<int>(i + 1);
  const auto in = d.input(x);
  const auto out = output ? d.output(y) : d.array<int>("z", n);
  const auto w = d.words("flags", 8);
  d.launch("planted", form, planted<Body>{in, out, w, body});
  d.finish();
  return {d.findings(), y};
}

#define FOUND(verdict, kind, ...) EXPECT_TRUE(verdict.only(kind, {__VA_ARGS__})) << verdict.text()

TEST(LabChecks, MissingBarrierIsARace) {
  const judged v = judge({1, 64, 256}, 64, [](auto& m, auto x, auto y, auto) {
    auto s = m.shared(lab::of<int>, 64);
    m.step("turn"_at, 1, true);
    m.store(s, m.thread(), m.load(x, m.thread(), "x"_at), "mine"_at);
    m.store(y, m.thread(), m.load(s, 63 - m.thread(), "other"_at), "y"_at);
  });
  ASSERT_FALSE(v.findings.empty());
  bool named = false;
  for (const sim::finding& f : v.findings)
    named =
        named || (f.kind == sim::fault::race && f.text.find("'other' in turn 1") != f.text.npos &&
                  f.text.find("'mine'") != f.text.npos && f.text.find("byte") != f.text.npos);
  EXPECT_TRUE(named) << v.text();
}

// In this order of threads the result is right, and the race is there all the same.
TEST(LabChecks, RaceIsFoundThoughTheResultIsRight) {
  const judged v = judge(
      {1, 32, 128}, 32,
      [](auto& m, auto x, auto y, auto) {
        auto s = m.shared(lab::of<int>, 32);
        m.store(s, m.thread(), m.load(x, m.thread(), "x"_at), "mine"_at);
        const unsigned left = m.thread() == 0 ? 0 : m.thread() - 1;
        m.store(y, m.thread(), m.load(s, left, "left"_at), "y"_at);
      },
      {}, true);
  FOUND(v, sim::fault::race, "thread 1 of block 0 reads element 0 of shared array 0 (byte 0)",
        "'left'", "thread 0 of block 0 wrote it at 'mine'", "no barrier");
  EXPECT_EQ(v.findings[0].times, 31u);
  EXPECT_EQ(v.y[5], 5);
}

TEST(LabChecks, BarrierOrdersSharedMemory) {
  const judged v = judge({2, 64, 256}, 64, [](auto& m, auto x, auto, auto) {
    auto s = m.shared(lab::of<int>, 64);
    m.store(s, m.thread(), m.load(x, m.thread(), "x"_at), "mine"_at);
    m.barrier("complete"_at);
    m.load(s, 63 - m.thread(), "other"_at);
  });
  EXPECT_TRUE(v.findings.empty()) << v.text();
}

TEST(LabChecks, WarpsAreNoBarriers) {
  const judged v = judge({1, 32, 128}, 32, [](auto& m, auto, auto, auto) {
    auto s = m.shared(lab::of<int>, 1);
    if (m.thread() == 0) m.store(s, 0, 1, "store"_at);
    m.vote(true, "vote"_at);
    if (m.thread() == 1) m.load(s, 0, "load"_at);
  });
  FOUND(v, sim::fault::race, "thread 1", "thread 0", "'load'", "'store'");
}

TEST(LabChecks, GlobalRaceBetweenBlocks) {
  const judged v =
      judge({2, 1, 0}, 4, [](auto& m, auto, auto y, auto) { m.store(y, 2, 7, "same place"_at); });
  FOUND(v, sim::fault::race, "thread 0 of block 1 writes element 2 of z (byte 8)",
        "thread 0 of block 0 wrote it", "no published word");
}

// Blocks 0 to 2 read, block 3 has been told by block 0 only.
TEST(LabChecks, WriteAfterReadsOfSeveralBlocks) {
  const judged v = judge({4, 1, 0}, 4, [](auto& m, auto x, auto y, auto w) {
    if (m.block() == 0) m.store(y, 0, m.load(x, 0, "x"_at), "first"_at);
    if (m.block() == 0) m.publish(w, 0, 1, "flag"_at);
    if (m.block() > 0)
      while (m.observe(w, 0, "flag?"_at) == 0) {
      }
    if (m.block() < 3) m.load(y, 0, "read"_at);
    if (m.block() == 3) m.store(y, 0, 2, "again"_at);
  });
  FOUND(v, sim::fault::race, "thread 0 of block 3 writes", "'again'", "read it at 'read'");
}

// Two threads read an element at different places, one after the other, and thread 0 writes it.
TEST(LabChecks, TheNamedReaderHasItsOwnPlace) {
  for (const unsigned last : {0u, 1u}) {
    const auto body = [last](auto& m, auto, auto y, auto) {
      const unsigned t = m.thread();
      if (t == last) m.vote(true, "the other has read"_at);
      m.step("reads"_at, t + 1, true);
      if (t == 0) m.load(y, 0, "own"_at);
      if (t == 1) m.load(y, 0, "neighbour"_at);
      if (t != last) m.vote(true, "the other has read"_at);
      m.vote(true, "both have read"_at);
      if (t == 0) m.store(y, 0, 1, "write"_at);
    };
    const judged v = judge({1, 2, 0}, 2, body);
    EXPECT_NE(v.text().find("thread 1 of block 0 read it at 'neighbour' in reads 2"),
              std::string::npos)
        << v.text();
    EXPECT_EQ(v.text().find("read it at 'own'"), std::string::npos) << v.text();
  }
}

// What a racer's place says and what it did are the same, in many orders.
TEST(LabChecks, PlacesOfRacersFitTheirElements) {
  const auto x = values<float>(3);
  std::size_t races = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    sim::model how;
    how.seed = seed;
    const auto o = scan<lab::hillis_steele_racy>(x, upsweep::plus{}, {}, how);
    for (const sim::finding& f : o.device->findings()) {
      if (!f.race) continue;
      ++races;
      for (const sim::racer& r : {f.race->earlier, f.race->later})
        EXPECT_EQ(f.race->element, r.place == "s[t]" ? r.thread : r.thread - r.stride) << f.text;
    }
  }
  EXPECT_GE(races, 300u);
}

struct hand_over {
  bool flag_first;
  template <class M>
  void operator()(M& m, lab::global<const int>, lab::global<int> y, lab::words w) const {
    if (m.block() == 0) {
      if (flag_first) m.publish(w, 0, 1, "flag"_at);
      m.store(y, 0, 5, "value"_at);
      if (!flag_first) m.publish(w, 0, 1, "flag"_at);
    } else {
      while (m.observe(w, 0, "flag?"_at) == 0) {
      }
      m.load(y, 0, "value?"_at);
    }
  }
};

TEST(LabChecks, PublishedWordsOrderBlocks) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    sim::model how;
    how.seed = seed;
    const judged good = judge({2, 1, 0}, 4, hand_over{false}, how);
    EXPECT_TRUE(good.findings.empty()) << good.text();
    const judged bad = judge({2, 1, 0}, 4, hand_over{true}, how);
    ASSERT_FALSE(bad.findings.empty());
    EXPECT_TRUE(std::any_of(bad.findings.begin(), bad.findings.end(),
                            [](auto& f) { return f.kind == sim::fault::race; }));
  }
}

// Block 0 to block 1 to block 2: the last one may read what the first wrote.
TEST(LabChecks, OrderIsHandedOn) {
  const auto chain = [](auto& m, auto, auto y, auto w) {
    if (m.block() == 0) m.store(y, m.thread(), 5, "value"_at);
    m.barrier("all have written"_at);
    if (m.thread() == 0) {
      if (m.block() > 0)
        while (m.observe(w, m.block() - 1, "flag?"_at) == 0) {
        }
      m.publish(w, m.block(), 1, "flag"_at);
    }
    m.barrier("all know"_at);
    if (m.block() == 2) m.load(y, 31 - m.thread(), "value?"_at);
  };
  EXPECT_EQ(judge({3, 32, 0}, 32, chain).text(), "");
  sim::model how;
  for (how.seed = 1; how.seed < 6; ++how.seed)
    EXPECT_EQ(judge({3, 32, 0}, 32, chain, how).text(), "");
}

// Only the publisher's own accesses are handed on, unless a barrier was between.
TEST(LabChecks, PublishingForOthersNeedsABarrier) {
  const judged v = judge({2, 32, 0}, 32, [](auto& m, auto, auto y, auto w) {
    if (m.block() == 0) {
      m.store(y, m.thread(), 5, "value"_at);
      if (m.thread() == 0) m.publish(w, 0, 1, "flag"_at);
    } else {
      while (m.observe(w, 0, "flag?"_at) == 0) {
      }
      m.load(y, 7, "value?"_at);
    }
  });
  FOUND(v, sim::fault::race, "thread 7 of block 0 wrote", "'value?'");
}

TEST(LabChecks, GridBarrierOrdersBlocks) {
  const auto kernel = [](auto& m, auto, auto y, auto) {
    m.store(y, m.block(), 1, "mine"_at);
    m.grid_barrier("all"_at);
    m.load(y, 1 - m.block(), "other"_at);
  };
  EXPECT_EQ(judge({2, 1, 0, true}, 2, kernel).text(), "");
  const judged v = judge({2, 1, 0, false}, 2, kernel);
  FOUND(v, sim::fault::launch, "not cooperative");
}

TEST(LabChecks, OutOfBounds) {
  const judged shared = judge({1, 8, 64}, 8, [](auto& m, auto, auto, auto) {
    auto s = m.shared(lab::of<int>, 8);
    m.step("step"_at, 4, true);
    m.store(s, m.thread() + 1, 1, "s[t+1]"_at);
  });
  FOUND(shared, sim::fault::out_of_bounds, "thread 7 of block 0", "'s[t+1]' in step 4",
        "element 8 of shared array 0 (byte 32)", "there are 8");
  const judged global =
      judge({1, 8, 0}, 7, [](auto& m, auto x, auto, auto) { m.load(x, m.thread(), "x[t]"_at); });
  FOUND(global, sim::fault::out_of_bounds, "thread 7", "element 7 of x");
  const judged word =
      judge({1, 1, 0}, 1, [](auto& m, auto, auto, auto w) { m.add(w, 8, 1, "add"_at); });
  FOUND(word, sim::fault::out_of_bounds, "word 8 of flags");
}

TEST(LabChecks, UninitialisedReads) {
  const judged shared = judge({1, 4, 64}, 4, [](auto& m, auto, auto, auto) {
    auto s = m.shared(lab::of<int>, 4);
    if (m.thread() != 2) m.store(s, m.thread(), 1, "s[t]"_at);
    m.load(s, m.thread(), "mine"_at);
  });
  FOUND(shared, sim::fault::uninitialised_read, "thread 2", "'mine'", "element 2");
  const judged global =
      judge({1, 1, 0}, 4, [](auto& m, auto, auto y, auto) { m.load(y, 3, "y"_at); });
  FOUND(global, sim::fault::uninitialised_read, "element 3 of z");
}

TEST(LabChecks, SharedMemoryOfTheLastBlockIsGone) {
  const judged v = judge({2, 1, 64}, 4, [](auto& m, auto, auto, auto) {
    auto s = m.shared(lab::of<int>, 1);
    if (m.block() == 0) m.store(s, 0, 1, "s"_at);
    if (m.block() == 1) m.load(s, 0, "s"_at);
  });
  FOUND(v, sim::fault::uninitialised_read, "block 1");
}

TEST(LabChecks, BarrierDivergence) {
  const judged left = judge({1, 8, 0}, 8, [](auto& m, auto, auto, auto) {
    if (m.thread() >= 5) return;
    m.barrier("some"_at);
  });
  FOUND(left, sim::fault::barrier_divergence, "thread 0 of block 0 waits at 'some'",
        "thread 5 of block 0 has ended");
  const judged branches = judge({1, 8, 0}, 8, [](auto& m, auto, auto, auto) {
    if (m.thread() < 3)
      m.barrier("here"_at);
    else
      m.barrier("there"_at);
  });
  FOUND(branches, sim::fault::barrier_divergence, "thread 0 of block 0 waits at 'here'",
        "thread 3 of block 0 waits at 'there'");
  const judged shuffles = judge({1, 32, 0}, 8, [](auto& m, auto, auto, auto) {
    if (m.thread() < 16)
      m.vote(true, "low"_at);
    else
      m.vote(true, "high"_at);
  });
  FOUND(shuffles, sim::fault::barrier_divergence, "'low'", "'high'");
}

TEST(LabChecks, Deadlock) {
  const judged v = judge({1, 32, 0}, 8, [](auto& m, auto, auto, auto) {
    if (m.thread() < 8)
      m.vote(true, "vote"_at);
    else
      m.barrier("barrier"_at);
  });
  FOUND(v, sim::fault::deadlock, "8 threads from thread 0 on wait for their warp at 'vote'",
        "24 threads from thread 8 on wait at barrier 'barrier'");
}

TEST(LabChecks, NoForwardProgress) {
  // Tiles by block index, from the last to the first: block 7's word is waited for, and block 7
  // never begins.
  const judged v = judge({8, 1, 0}, 8, [](auto& m, auto, auto, auto w) {
    if (m.block() < 7)
      while (m.observe(w, m.block() + 1, "next"_at) == 0) {
      }
    m.publish(w, m.block(), 1, "mine"_at);
  });
  FOUND(v, sim::fault::no_progress, "block 0: 1 thread from", "'next'", "flags[1] is 0",
        "4 blocks have not begun");
}

TEST(LabChecks, EndlessLoop) {
  const judged v = judge({1, 1, 0}, 8, [](auto& m, auto x, auto, auto) {
    while (m.load(x, 0, "spin"_at) == 1) m.step("turn"_at, 0, true);
  });
  ASSERT_EQ(v.findings.size(), 1u);
  EXPECT_EQ(v.findings[0].kind, sim::fault::endless);
}

TEST(LabChecks, SharedMemoryOverTheLimit) {
  const auto kernel = [](auto& m, auto, auto, auto) { m.shared(lab::of<int>, 1024); };
  FOUND(judge({1, 1, 49153}, 1, kernel), sim::fault::shared_limit, "49153", "49152");
  FOUND(judge({1, 1, 4000}, 1, kernel), sim::fault::shared_limit, "4096", "4000");
  EXPECT_EQ(judge({1, 1, 4096}, 1, kernel).text(), "");
}

TEST(LabChecks, LaunchesThatNoDeviceTakes) {
  const auto nothing = [](auto&, auto, auto, auto) {};
  FOUND(judge({1, 1025, 0}, 1, nothing), sim::fault::launch, "1025 threads");
  FOUND(judge({0, 1, 0}, 1, nothing), sim::fault::launch, "no blocks");
  FOUND(judge({65, 1, 0, true}, 1, nothing), sim::fault::launch, "65 blocks", "64");
}

TEST(LabChecks, OutputsNeverWritten) {
  const judged hole = judge(
      {1, 8, 0}, 8,
      [](auto& m, auto, auto y, auto) {
        if (m.thread() != 3) m.store(y, m.thread(), 1, "y"_at);
      },
      {}, true);
  FOUND(hole, sim::fault::never_written, "1 of 8", "first is 3");
  const judged tail = judge(
      {100 / 32, 32, 0}, 100,
      [](auto& m, auto, auto y, auto) {
        m.store(y, m.block() * 32 + m.thread(), 1, "y"_at);  // the grid is rounded down
      },
      {}, true);
  FOUND(tail, sim::fault::grid_too_small, "4 of 100", "first is 96");
}

TEST(LabChecks, RacyKernelIsCaughtAndGivesOtherResultsInOtherOrders) {
  const auto x = values<float>(256);
  std::set<std::vector<float>> results;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    sim::model how;
    how.seed = seed;
    const auto o = scan<lab::hillis_steele_racy>(x, upsweep::plus{}, {}, how);
    EXPECT_TRUE(o.found(sim::fault::race));
    EXPECT_NE(o.faults().find("s[t-stride]"), std::string::npos);
    results.insert(o.y);
  }
  EXPECT_GT(results.size(), 1u);
}

TEST(LabChecks, RightKernelsAreRightInEveryOrder) {
  for (const lab::description& d : lab::catalogue)
    lab::with_kernel(d.name, [&](auto algorithm) {
      if (!d.correct) return;
      const std::size_t n = d.reach.starts_with("any") && d.name != "naive" ? 3000 : 200;
      const auto x = values<matrix>(n);
      sim::model how;
      for (how.seed = 1; how.seed <= 3; ++how.seed) {
        SCOPED_TRACE(std::string(d.name) + ", seed " + std::to_string(how.seed));
        const auto o =
            scan<decltype(algorithm)>(x, matrix_modulo{}, {true, 64 < n / 64 ? 64u : 0u}, how);
        EXPECT_EQ(o.faults(), "");
        EXPECT_EQ(o.y, expected(x, matrix_modulo{}, true));
      }
    });
}

// The order of a float sum is the schedule's in lookback, and the tree's in tree-lookback.
TEST(LabChecks, SchedulesMoveTheBitsOfLookbackOnly) {
  const auto x = values<float>(32768);
  std::set<std::vector<float>> plain, tree;
  sim::model how;
  how.resident = 8;
  for (how.seed = 1; how.seed <= 4; ++how.seed) {
    plain.insert(scan<lab::lookback>(x, upsweep::plus{}, {false, 64}, how).y);
    tree.insert(scan<lab::tree_lookback>(x, upsweep::plus{}, {false, 64}, how).y);
  }
  EXPECT_GT(plain.size(), 1u);
  EXPECT_EQ(tree.size(), 1u);
}

}  // namespace
}  // namespace lab_cases
