// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// naive: a thread for each output adds all elements up to its own. Many threads, no cooperation:
// the work grows with the square of n, and one thread still takes n steps.
//
//   y3 = e + x0 + x1 + x2 + x3        (thread 3)
//
// cost(n): work n(n+1)/2, steps n, barriers 0    counted with the first element, added to e
// Order: the left fold.
#pragma once

#include "lab/kernels/tile.hpp"

namespace upsweep::lab {

struct naive {
  static constexpr const char* name = "naive";

  template <class T, class Op>
  struct kernel {
    global<const T> x;
    global<T> y;
    bool exclusive;
    Op op;

    template <class M>
    UPSWEEP_HD void operator()(M& m) const {
      const std::uint64_t i = std::uint64_t{m.block()} * m.threads() + m.thread();
      if (i >= x.size) return;
      T sum = fill_value<Op, T>();
      for (std::uint64_t j = 0; j <= i; ++j) {
        m.step("step"_at, j + 1, true);
        sum = m.apply(op, sum, m.load(x, j, "x[j]"_at));
        m.show(i, sum, j == 0 ? nobody : i, j);
      }
      store_prefix(m, y, i, exclusive, sum, op);
    }
  };

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op& op, const options& how) {
    if (x.size == 0) return;
    const unsigned threads = how.threads != 0 ? how.threads : 256;
    d.launch(name, {(x.size + threads - 1) / threads, threads, 0, false},
             kernel<T, Op>{x, y, how.exclusive, op});
  }
};

}  // namespace upsweep::lab
