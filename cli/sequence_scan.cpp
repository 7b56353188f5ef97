// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/sequence_scan.hpp"

#include <cstring>

#include "cli/scan_lanes.hpp"
#include "upsweep/order.hpp"

namespace cli {
namespace {

// The dtype that holds accumulators of results of this one as they are.
dtype exact_type(dtype out_type) {
  return out_type == dtype::f2 || out_type == dtype::bf16 ? dtype::f4 : out_type;
}

template <class T, operation O>
class typed_sequence : public sequence_scan {
 public:
  typed_sequence(const scan_job& job, const lane_choice& lane)
      : lane_(lane), empty_(empty_of<T>(lane)), sums_({}, init_of<T>(job, lane)) {
    if (sums_.prefix()) last_ = *sums_.prefix();
  }

  void run(scan_job piece) override {
    const std::uint64_t n = piece.line_length();
    if (n == 0) return;
    const bool whole = n == piece_elements;
    // A whole piece is a block, whose sum joins the list. The prefix after a last one is only
    // continued.
    const T sum = reduced(piece, whole ? nullptr : sums_.prefix());
    if (!piece.reduce) scan(piece);
    if (whole) sums_.push(piece_log2, sum);
    last_ = whole ? *sums_.prefix() : sum;
    // The last result within a block continues the prefix before it; the list knows better.
    if (whole && !piece.reduce && !piece.exclusive)
      storer<T>(lane_.store)(piece.out, static_cast<std::ptrdiff_t>(n - 1) * piece.shape.out_step(),
                             1, 1, &*last_);
  }

  void total(std::byte* to) const override {
    storer<T>(lane_.store)(to, 0, 1, 1, last_ ? &*last_ : &empty_);
  }

 private:
  void scan(scan_job piece) const {
    piece.init.reset();
    if (const T* const before = sums_.prefix()) piece.before = bytes_of(*before);
    run_scan(piece);
  }

  static T reduced(scan_job piece, const T* before) {
    element sum{};
    piece.out_type = exact_type(piece.out_type);
    piece.out = sum.data();
    piece.reduce = true;
    piece.init.reset();
    if (before != nullptr) piece.before = bytes_of(*before);
    run_scan(piece);
    const lane_choice lane = choose_lane(piece.op, piece.out_type);
    T value;
    loader<T>(lane.store, lane.as)(sum.data(), 0, 1, 1, &value);
    return value;
  }

  static element bytes_of(const T& value) {
    element bytes{};
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }

  lane_choice lane_;
  T empty_;
  upsweep::prefix_stack<T, operator_on<O, T>> sums_;
  std::optional<T> last_;
};

}  // namespace

std::unique_ptr<sequence_scan> open_sequence(const scan_job& job) {
  const lane_choice lane = choose_lane(job.op, job.out_type);
  std::unique_ptr<sequence_scan> sequence;
  with_lane(lane, [&]<class T, operation O>() {
    sequence = std::make_unique<typed_sequence<T, O>>(job, lane);
  });
  return sequence;
}

}  // namespace cli
