// A trace that is too large to replay whole: some of its launches stand for all.
//
// Launches that are alike form a group (groups.hpp); of each group some are drawn, one from each of
// as many equal parts of it, and replayed. A launch with many waves of CTAs is replayed in windows
// (windows.hpp). The total of every counter comes with a confidence interval (estimate.hpp); see
// also Naderan-Tahan, SeyyedAghaei and Eeckhout, "Sieve" (ISPASS 2023), and Avalos Baddouh, Khairy,
// Green, Payer and Rogers, "Principal Kernel Analysis" (MICRO 2021).
#pragma once

#include <cstdint>
#include <functional>

#include "base/error.hpp"
#include "model/card/card.hpp"
#include "results/sampled.hpp"
#include "sim/replay.hpp"

namespace warpmem::sim {

struct SampleOptions {
  bool time = true;
  double share = 0.1;         // of a group's launches
  std::uint64_t least = 6;    // … but so many of them, or all
  std::uint64_t windows = 6;  // of a launch; 0: launches are replayed whole
  double confidence = 0.95;
  std::uint64_t seed = 1;
  unsigned threads = 1;
  std::function<bool(std::uint64_t launch)> only;                         // none: all
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;  // launches
};

Result<SampleResult> replay_sample(const trace::TraceReader& reader, const model::Card& card,
                                   const SampleOptions& options);

}  // namespace warpmem::sim
