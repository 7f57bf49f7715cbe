// How many of a launch's first CTAs fill the L2. What counts is the distinct lines that they bring
// in, not the bytes that they move: stores that write the same sectors again and again move much
// and fill little.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "model/card/card.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

struct Footprint {
  enum class End : std::uint8_t {
    kFull,     // as many lines as the L2 holds have come: from now on each pushes one out
    kSteady,   // all that is used has come, or nearly, and it fits
    kFits,     // lines go on coming, but will not fill it before the launch ends
    kGrowing,  // lines go on coming, and it is not full yet
  };
  End end = End::kGrowing;
  std::uint64_t ctas = 0;     // of the launch's first; kFits, kGrowing: all that were looked at
  std::uint64_t records = 0;  // that it took to know
};

// Looks at the launch's first `most` CTAs, with the counts engine; at fewer where these fill it. A
// card whose L2 cannot be listened to (before compute capability 7.0): by the bytes moved between
// the L1s and the L2.
Result<Footprint> l2_footprint(const trace::TraceReader& reader, std::uint32_t index,
                               const model::Card& card, std::uint64_t most);

}  // namespace warpmem::sim
