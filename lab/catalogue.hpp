// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels by name.
#pragma once

#include <array>
#include <string_view>

#include "lab/kernels/blelloch.hpp"
#include "lab/kernels/brent_kung.hpp"
#include "lab/kernels/grid_sync.hpp"
#include "lab/kernels/hierarchical.hpp"
#include "lab/kernels/hillis_steele.hpp"
#include "lab/kernels/hillis_steele_inplace.hpp"
#include "lab/kernels/hillis_steele_racy.hpp"
#include "lab/kernels/lookback.hpp"
#include "lab/kernels/naive.hpp"
#include "lab/kernels/serial.hpp"
#include "lab/kernels/tree_lookback.hpp"
#include "lab/kernels/vectorized.hpp"
#include "lab/kernels/warp_shuffle.hpp"

namespace upsweep::lab {

// What a user reads about a kernel. The formulas are those of the headers, which tests count, by
// the letters that upsweep lab list explains. What stands behind "or" is for more than one tile a
// block.
struct description {
  std::string_view name, work, steps, barriers, writes, reach;
  bool canonical;  // gives the bits of the canonical order, whatever the operator
  bool correct = true;
};

inline constexpr std::array<description, 13> catalogue{{
    {"serial", "n-1", "n-1", "0", "inclusive", "any n, one thread", false},
    {"naive", "n(n+1)/2", "n", "0", "inclusive", "any n, but slow", false},
    {"hillis-steele", "n k - (n-1)", "k", "k", "inclusive", "1024", false},
    {"hillis-steele-inplace", "n k - (n-1)", "k", "2k", "inclusive", "1024", false},
    {"hillis-steele-racy", "n k - (n-1)", "k", "k", "inclusive", "1024", false, false},
    {"blelloch", "2(n-1)", "2k", "2k+2", "exclusive", "2048", true},
    {"brent-kung", "2(n-1) - k", "2k-1", "2k", "inclusive", "2048", true},
    {"warp-shuffle", "about 5n", "11", "2", "inclusive", "1024", false},
    {"vectorized", "about 3n", "12", "2", "inclusive", "4096", false},
    {"hierarchical", "about n j", "l(j+1) - 1", "j", "inclusive", "any n, 2l-1 kernels", false},
    {"grid-sync", "about 4n or 8n", "13 a tile", "3 or 6r", "inclusive", "any n, cooperative",
     false},
    {"lookback", "about 4n", "14 a tile", "4", "inclusive", "any n, 1 kernel", false},
    {"tree-lookback", "about 2n", "2j+2", "2j+3", "exclusive", "any n, 1 kernel", true},
}};

// Calls body(Algorithm{}) for the kernel of this name; Pad is that of the tree kernels. False if
// there is no such name.
template <class Pad = no_padding, class Body>
bool with_block_kernel(std::string_view name, const Body& body) {
  if (name == "hillis-steele") return body(hillis_steele{}), true;
  if (name == "hillis-steele-inplace") return body(hillis_steele_inplace{}), true;
  if (name == "hillis-steele-racy") return body(hillis_steele_racy{}), true;
  if (name == "blelloch") return body(blelloch<Pad>{}), true;
  if (name == "brent-kung") return body(brent_kung<Pad>{}), true;
  if (name == "warp-shuffle") return body(warp_shuffle{}), true;
  if (name == "vectorized") return body(vectorized{}), true;
  return false;
}
template <class Pad = no_padding, class Body>
bool with_kernel(std::string_view name, const Body& body) {
  if (with_block_kernel<Pad>(name, body)) return true;
  if (name == "serial") return body(serial{}), true;
  if (name == "naive") return body(naive{}), true;
  if (name == "hierarchical") return body(hierarchical<>{}), true;
  if (name == "grid-sync") return body(grid_sync{}), true;
  if (name == "lookback") return body(lookback{}), true;
  if (name == "tree-lookback") return body(tree_lookback{}), true;
  return false;
}

}  // namespace upsweep::lab
