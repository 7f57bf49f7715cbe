// Explains a launch: what each static instruction moved, how much of it was too much, why, and what
// would change that.
//
// One pass over the records for what the addresses say (address_pass.hpp), one replay that counts
// by instruction, and one replay more for each change that is measured.
#pragma once

#include <functional>

#include "base/error.hpp"
#include "model/card/card.hpp"
#include "results/explanation.hpp"
#include "sim/replay.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

struct ExplainOptions {
  bool gains = true;                   // replay the changes
  std::size_t findings = 3;            // … of so many findings, the worst ones
  bool time = true;                    // by the time engine
  bool over_time = false;              // the replay also says what banks and channels did, and when
  ReplayedLaunch* replayed = nullptr;  // out: the replay that the explanation is from
  // Records done of the replay at hand; false stops.
  std::function<bool(std::uint64_t done, std::uint64_t total)> progress;
};

// `launch`: an index into the reader's launches.
Result<LaunchExplanation> explain(const trace::TraceReader& reader, std::uint32_t launch,
                                  const model::Card& card, const ExplainOptions& options);

}  // namespace warpmem::sim
