// Which card a trace is replayed on where nobody names one.
#pragma once

#include <string>

#include "traces/format/reader.hpp"

namespace warpmem::sim {

// Whether an emulator wrote the trace, which sees what a recorder does not.
bool is_emulated(const trace::Origin& origin);
// What the origin calls its GPU, without that it was emulated.
std::string gpu_of(const trace::Origin& origin);

// The card of the GPU that the trace was made on or for; where that has none, the one that comes
// nearest, and where nothing is near, an H200's.
struct TraceCard {
  std::string name;
  bool own = false;  // of the very GPU
  std::string note;  // what is to be said of the choice, one line; empty where it is the GPU's own
};
TraceCard card_of_trace(const trace::TraceReader& reader);

}  // namespace warpmem::sim
