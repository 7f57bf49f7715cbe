// Where a warp is in its records.
#pragma once

#include <cstdint>

#include "traces/format/record.hpp"

namespace warpmem::sim {

// A warp's records that are at hand.
struct Position {
  const trace::Record* next = nullptr;  // none left: end
  const trace::Record* end = nullptr;
  const std::uint64_t* lanes = nullptr;  // what Record::lanes counts from
};

}  // namespace warpmem::sim
