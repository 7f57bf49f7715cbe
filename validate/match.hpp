// Pairs predicted launches with measured ones. A profiler may have been told to skip launches, a
// recorder to take some only, and concurrent streams may come in another order, so the two lists
// are aligned like two versions of a text: same kernel, same grid, same block, same order first.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "results/launch_metrics.hpp"
#include "validate/ncu_csv.hpp"

namespace warpmem::validate {

struct Matching {
  // (index into predicted, index into measured), by predicted index. In the summary form several
  // predicted launches share one measured row.
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  std::vector<std::size_t> unmatched_predicted;
  std::vector<std::size_t> unmatched_measured;
};

Matching match_launches(const std::vector<LaunchMetrics>& predicted, const NcuImport& measured);

// kUsage when nothing could be paired: the file is about other kernels. Names both sides.
Result<void> check_matched(const Matching& matching, const std::vector<LaunchMetrics>& predicted,
                           const NcuImport& measured, const std::string& place);

}  // namespace warpmem::validate
