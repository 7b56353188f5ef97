// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/device_gain.hpp"

#include <algorithm>

#include "cli/scan_lanes.hpp"
#include "upsweep/cpu/info.hpp"
#include "upsweep/cpu/kernel.hpp"

namespace cli {
namespace {

struct lane_facts {
  double size = 0;  // of an accumulator
  bool vectors = false;
};

lane_facts facts_of(operation op, dtype out) {
  lane_facts facts;
  with_lane(choose_lane(op, out), [&]<class T, operation O>() {
    facts = {sizeof(T), upsweep::cpu::has_simd_kernel<operator_t<O>, T>};
  });
  return facts;
}

}  // namespace

scan_estimate estimate_scan(operation op, dtype in, dtype out, std::uint64_t n, unsigned threads,
                            const transfer_costs& costs) {
  const lane_facts lane = facts_of(op, out);
  const double elements = static_cast<double>(n), giga = 1e9;
  const double copy_s =
      1 / (std::min(costs.copy_gb_s * threads, costs.most_copy_gb_s) * giga);  // of a byte
  const double bytes_in = static_cast<double>(item_size(in)) * elements;
  const double bytes_out = static_cast<double>(item_size(out)) * elements;
  const double staged = bytes_in + bytes_out + 2 * lane.size * elements;
  const double over_link = lane.size * elements / (costs.link_gb_s * giga);  // both ways at once
  return {(bytes_in + bytes_out) * copy_s * (lane.vectors ? 1 : 2),
          costs.start_s + std::max(staged * copy_s, over_link)};
}

bool gains_from_device(const scan_job& job, const transfer_costs& costs) {
  std::uint64_t n = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(job.shape.rank); ++d)
    n *= job.shape.extents[d];
  const unsigned threads = job.threads != 0 ? job.threads : upsweep::cpu::cores();
  const scan_estimate time =
      estimate_scan(job.op, job.in.item.type, job.out_type, n, threads, costs);
  return time.device_s < time.cpu_s;
}

}  // namespace cli
