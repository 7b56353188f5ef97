// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The canonical order: Blelloch's tree. docs/order.md is the normative text.
//   S(0, b) = x[b];  S(j, b) = S(j-1, 2b) (+) S(j-1, 2b+1)     the sum of block [b 2^j, (b+1) 2^j)
//   P(k) = the blocks of the set bits of k, largest first, folded from the left
//
//   k = 11 = 8 + 2 + 1:   |--------S(3,0)--------|-S(1,4)-|S(0,10)|   P = (S(3,0)+S(1,4))+S(0,10)
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "upsweep/error.hpp"
#include "upsweep/operators.hpp"

namespace upsweep {

// The aligned block of elements [index 2^level, (index + 1) 2^level).
struct block {
  int level = 0;
  std::uint64_t index = 0;

  constexpr std::uint64_t begin() const { return index << level; }
  constexpr std::uint64_t end() const { return (index + 1) << level; }
  constexpr std::uint64_t size() const { return std::uint64_t{1} << level; }
  friend constexpr bool operator==(const block&, const block&) = default;
};

// The largest aligned block that starts at begin and ends at or before end. Needs begin < end.
constexpr block largest_block(std::uint64_t begin, std::uint64_t end) {
  const int fits = 63 - std::countl_zero(end - begin);
  const int aligned = begin == 0 ? 63 : std::countr_zero(begin);
  const int level = fits < aligned ? fits : aligned;
  return {level, begin >> level};
}

// The aligned blocks that [begin, end) is cut into, from left to right: at most 2 log2(n) of them.
// For begin = 0 they are the blocks of the set bits of end, largest first.
inline std::vector<block> blocks_of_range(std::uint64_t begin, std::uint64_t end) {
  std::vector<block> blocks;
  for (std::uint64_t at = begin; at < end; at = blocks.back().end())
    blocks.push_back(largest_block(at, end));
  return blocks;
}

// The sums of the aligned blocks of a range [begin, end). This is the associative summary that a
// thread, a file chunk or a rank hands to the next: lists of neighbouring ranges concatenate by
// merging sibling blocks into their parent, so that any cut of an array gives the same list.
template <class T>
class range_summary {
 public:
  struct entry {
    block where;
    T sum;
  };

  // The empty range at position begin.
  explicit range_summary(std::uint64_t begin = 0) : begin_(begin), end_(begin) {}

  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }
  const std::vector<entry>& blocks() const { return blocks_; }

  // Adds the block that starts at end(); throws argument_error if it starts elsewhere.
  // Cost: one operation for each parent completed, O(1) amortised.
  template <class Op>
  void append(block where, T sum, Op&& op) {
    if (where.begin() != end_) detail::refuse("upsweep: a summary grows at its end only");
    end_ = where.end();
    while (!blocks_.empty() && (where.index & 1) != 0 &&
           blocks_.back().where == block{where.level, where.index - 1}) {
      sum = op(std::as_const(blocks_.back().sum), std::as_const(sum));
      where = {where.level + 1, where.index >> 1};
      blocks_.pop_back();
    }
    blocks_.push_back({where, std::move(sum)});
  }

  // Adds the range to the right, which must begin at end(); throws argument_error if it does not.
  template <class Op>
  void append(const range_summary& right, Op&& op) {
    if (right.begin_ != end_) detail::refuse("upsweep: summaries of ranges that do not meet");
    for (const entry& e : std::vector<entry>(right.blocks_)) append(e.where, e.sum, op);
  }

  // P(end): init, where given, then the block sums, folded from the left. Needs begin() == 0 to be
  // a prefix; empty when there is neither a block nor an init.
  template <class Op>
  std::optional<T> fold(Op&& op, std::optional<T> init = std::nullopt) const {
    for (const entry& e : blocks_) {
      if (init)
        init = op(std::as_const(*init), e.sum);
      else
        init = e.sum;
    }
    return init;
  }

 private:
  std::uint64_t begin_, end_;
  std::vector<entry> blocks_;
};

// The running state of a scan: a binary counter. After k elements it holds, for each set bit j of
// k, the sum of that bit's block and the prefix that ends with it, so that the next prefix costs
// one operation for each carry of the counter and one more: two an element, amortised.
// Where the operator is exactly associative on T one running sum is all it needs.
//
// One that is made for sums only forms no prefixes: those of a part of an array, from where the
// part begins, are nothing that the order knows. It is used as any other, but for what prefix()
// points to.
struct sums_only {};

template <class T, class Op>
class prefix_stack {
 public:
  static constexpr bool exact = exactly_associative<Op, T>;

  explicit prefix_stack(Op op, std::optional<T> init = std::nullopt)
      : op_(std::move(op)), init_(std::move(init)) {}
  prefix_stack(Op op, sums_only) : op_(std::move(op)), prefixes_(false) {}

  std::uint64_t count() const { return count_; }
  const Op& op() const { return op_; }

  // P(count()): null when nothing was pushed and there is no init.
  const T* prefix() const {
    if (size_ != 0) return &entries_[size_ - 1].prefix;
    return init_ ? &*init_ : nullptr;
  }

  // Appends the sum of the next 2^level elements. Needs count() to be a multiple of 2^level.
  void push(int level, T sum) {
    if constexpr (!exact)
      for (std::uint64_t c = count_ >> level; (c & 1) != 0; c >>= 1)
        sum = op_(std::as_const(entries_[--size_].sum), std::as_const(sum));
    append(std::uint64_t{1} << level, std::move(sum));
  }

  // Appends the sum of any number of elements: exactly associative operators need no blocks.
  void push_many(std::uint64_t elements, T sum) requires exact { append(elements, std::move(sum)); }

  // Ends the scan with a run of elements whose prefix is known and whose block sums nobody needs.
  void close(std::uint64_t elements, T prefix) {
    count_ += elements;
    entries_.set(size_, prefix, prefix);
    ++size_;
  }

  // S of everything pushed, for a stack that holds one whole block (or an exact operator's).
  const T& sum() const { return entries_[size_ - 1].sum; }

 private:
  struct entry {
    T sum, prefix;
  };

  void append(std::uint64_t elements, T sum) {
    if constexpr (exact)
      if (size_ != 0) sum = op_(std::as_const(entries_[--size_].sum), std::as_const(sum));
    count_ += elements;
    if (const T* below = prefixes_ ? prefix() : nullptr)
      entries_.set(size_, sum, op_(*below, std::as_const(sum)));
    else
      entries_.set(size_, sum, sum);
    ++size_;
  }

  // Room for one entry a bit; elements need no default constructor, and none is built ahead.
  class slots {
   public:
    slots() = default;
    slots(const slots&) = delete;
    slots& operator=(const slots&) = delete;
    ~slots() { std::destroy_n(at(0), used_); }
    entry& operator[](int i) { return *at(i); }
    const entry& operator[](int i) const { return *at(i); }
    void set(int i, T sum, T prefix) {
      if (i < used_) {
        at(i)->sum = std::move(sum);
        at(i)->prefix = std::move(prefix);
      } else {
        ::new (static_cast<void*>(at(i))) entry{std::move(sum), std::move(prefix)};
        ++used_;
      }
    }

   private:
    entry* at(int i) { return reinterpret_cast<entry*>(raw_) + i; }
    const entry* at(int i) const { return reinterpret_cast<const entry*>(raw_) + i; }
    alignas(entry) unsigned char raw_[sizeof(entry) * (exact ? 2 : 65)];
    int used_ = 0;
  };

  [[no_unique_address]] Op op_;
  std::optional<T> init_;
  std::uint64_t count_ = 0;
  int size_ = 0;
  bool prefixes_ = true;
  slots entries_;
};

}  // namespace upsweep
