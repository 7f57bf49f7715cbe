// What the memory system has to know of a launch before its first access.
#pragma once

#include <cstdint>
#include <vector>

#include "model/access/stay.hpp"

namespace warpmem::model {

// Where an access-policy window lies, and what it says (bytes == 0: there is none).
struct PolicyWindow {
  enum class Property : std::uint8_t { kNormal, kStreaming, kPersisting };
  std::uint64_t base = 0, bytes = 0;
  float hit_ratio = 0;  // share of its lines that have the property `hit`; others have `miss`
  Property hit = Property::kNormal, miss = Property::kNormal;
};

// What the window says of a line.
inline Stay stay_in(const PolicyWindow& window, std::uint64_t line, std::uint64_t line_bytes) {
  constexpr Stay kStays[] = {Stay::kNormal, Stay::kFirst, Stay::kPersist};
  if (line * line_bytes - window.base >= window.bytes) return Stay::kUnsaid;
  const auto which = in_hit_ratio(line, window.hit_ratio) ? window.hit : window.miss;
  return kStays[static_cast<std::size_t>(which) % 3];
}

struct AddressRange {
  std::uint64_t base = 0, bytes = 0;
};

struct LaunchMemory {
  std::uint64_t code = 0;           // bytes of the kernel's code, which the launch has fetched
  std::uint64_t shared_config = 0;  // bytes of an SM that are shared memory
  std::uint64_t local_bytes = 0;    // of a thread: the kernel's frame
  std::uint64_t largest_frame = 0;  // … the largest that this launch or one before it takes
  bool flush_l2 = true;             // the L2 holds nothing of what ran before
  std::uint64_t set_aside = 0;      // bytes of the L2 for persisting accesses
  bool ends_persisting = false;     // lines that persisted before it no longer do
  std::uint64_t fetch_bytes = 0;    // that DRAM brings at least; 0: as the card says
  PolicyWindow window;
  std::vector<AddressRange> host;  // memory of the host, ascending
};

}  // namespace warpmem::model
