// What the components of a memory system do, one by one, for a listener.
//
// A listener is notified between which access's begin and end an event fell; sums over events are
// what the counters say (tests/sim/events.cpp). A memory system that nobody listens to notifies
// nobody and pays nothing: only GeneralMemory notifies, and it takes the place of the fast one
// where there is a listener.
#pragma once

#include <cstdint>

#include "model/access/access_plan.hpp"
#include "model/access/access_timing.hpp"

namespace warpmem::model {

enum class Level : std::uint8_t { kShared, kL1, kL2, kDram, kHost };

enum class EventKind : std::uint8_t {
  kRequest,    // an access, or an L1's request to the L2; n: lines
  kLookup,     // sectors of a line are looked for; n: sectors
  kHit,        // … and are there
  kMiss,       // … and are not
  kMerge,      // … come with what another has asked for
  kFill,       // sectors of a line arrive
  kWrite,      // sectors of a line are written
  kAtomic,     // passes of an atomic over a sector
  kWriteBack,  // sectors of a line are written to the level behind it
  kBankPass,   // passes of the data banks
  kCross,      // sectors go from one partition to another
  kRow,        // rows that DRAM opens; where time is kept
  kWait,       // cycles that the access takes
};

struct Event {
  EventKind kind = EventKind::kRequest;
  Level level = Level::kL1;
  std::uint64_t address = 0;  // of the line, bytes; 0 where the event is of no line
  std::uint64_t n = 0;
  int sm = 0;
};

// Whose access it is.
struct AccessContext {
  std::uint32_t site = 0;     // static instruction: index into the launch's sites
  std::uint64_t cta = 0;      // in the grid
  std::uint32_t warp = 0;     // in the CTA
  std::uint64_t address = 0;  // of its lowest active lane: which array it is in
};

class EventListener {
 public:
  virtual ~EventListener() = default;
  virtual void begin(const AccessContext&) {}
  virtual void event(const Event&) {}
  // `counted`: what the access added to the counters.
  virtual void end(const AccessContext&, const LaunchCounters& counted, const AccessTiming&) = 0;
};

}  // namespace warpmem::model
