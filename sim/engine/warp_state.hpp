// What the engine keeps of a resident warp: two lines of the host's cache, because every access
// of every warp goes through it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/prefetch.hpp"
#include "sim/engine/cta_barriers.hpp"
#include "sim/engine/sites.hpp"
#include "sim/records/position.hpp"
#include "traces/format/record.hpp"

namespace warpmem::sim {

// Has a warp's next record and the site of the one behind it brought into the host's cache: what is
// between their first and last bytes lies in no more than two of its lines.
inline void fetch_record(const Position& at) {
  const auto first = reinterpret_cast<std::uintptr_t>(at.next);
  const std::uintptr_t next_site = first + sizeof(trace::Record) + offsetof(trace::Record, site);
  warpmem::prefetch(at.next);
  // A number until here, as it may lie behind the end.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  warpmem::prefetch(reinterpret_cast<const void*>(next_site));
}

// Has the lanes of a warp's next record brought into the host's cache; reads that record.
inline void fetch_lanes(const Position& at) {
  if (at.next == at.end || at.next->regular()) return;
  const std::uint64_t* const first = at.lanes + at.next->lanes;
  const std::uint64_t* const end = first + at.next->active();
  constexpr int kInLine = 8;  // of the host's cache
  for (const std::uint64_t* lane = first; lane < end; lane += kInLine) warpmem::prefetch(lane);
}

// The shared side of the asynchronous copy `r`, where it is at hand: the record behind it.
inline const trace::Record* shared_side(const trace::Record& r, const AccessPlan& plan,
                                        const std::vector<AccessPlan>& plans, const Position& at) {
  const trace::Record* const behind = &r + 1;
  if (plan.action != Action::kAsyncRead || behind >= at.end) return nullptr;
  return plans[behind->site].action == Action::kAsyncWrite ? behind : nullptr;
}

struct alignas(64) WarpState {
  static constexpr std::uint32_t kLoads = 6;  // that it keeps track of

  Position at;
  std::uint64_t ready = 0;                     // cycle of its next access
  std::uint64_t copies = 0, older_copies = 0;  // asynchronous copies are back by then; those
                                               // before the last barrier
  std::uint32_t last_site = 0;
  std::uint32_t async_wavefronts = 0;        // of the asynchronous copy whose shared side is next
  std::uint8_t cta = 0;                      // CTA slot on the SM
  std::uint8_t warp = 0;                     // number in the CTA
  std::uint8_t waits = kNoBarrier;           // barrier it waits at
  bool led_up = false;                       // `ready` counts the instructions before the access
  std::uint8_t loads = 0;                    // whose values are not there yet:
  std::array<std::uint64_t, kLoads> done{};  // cycles of their arrival
  std::array<std::uint16_t, kLoads> load_site{};  // a program of more sites waits for all alike
};
static_assert(sizeof(WarpState) == 128);

}  // namespace warpmem::sim
