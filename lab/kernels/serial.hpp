// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// serial: one thread adds one element after the other. What all others are measured against.
//
//   3 -> 1 -> 7 -> 0 -> 4 -> 1 -> 6 -> 3
//     4    11   11   15   16   22   25
//
// cost(n): work n-1, steps n-1, barriers 0
// Order: the left fold, ((x0 + x1) + x2) + ...; not the canonical one.
#pragma once

#include "lab/kernels/tile.hpp"

namespace upsweep::lab {

struct serial {
  static constexpr const char* name = "serial";

  template <class T, class Op>
  struct kernel {
    global<const T> x;
    global<T> y;
    bool exclusive;
    Op op;

    template <class M>
    UPSWEEP_HD void operator()(M& m) const {
      T sum = m.load(x, 0, "x[i]"_at);
      store_prefix(m, y, 0, exclusive, sum, op);
      for (std::uint64_t i = 1; i < x.size; ++i) {
        m.step("step"_at, i, true);
        sum = m.apply(op, sum, m.load(x, i, "x[i]"_at));
        m.show(i, sum, i - 1);
        store_prefix(m, y, i, exclusive, sum, op);
      }
    }
  };

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op& op, const options& how) {
    if (x.size != 0) d.launch(name, {1, 1, 0, false}, kernel<T, Op>{x, y, how.exclusive, op});
  }
};

}  // namespace upsweep::lab
