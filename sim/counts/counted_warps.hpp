// What the counts engine keeps of SMs and their warps beside WarpState.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/large_pages.hpp"
#include "base/prefetch.hpp"
#include "sim/counts/calendar.hpp"
#include "sim/counts/counted_code.hpp"
#include "sim/engine/warp_state.hpp"

namespace warpmem::sim {

constexpr std::uint64_t kStepCycles = 16;  // of a step of the rough clock

struct CountedSm {
  int id = 0;
  std::uint64_t lsu_free = 0;    // cycle: the load/store unit is done with its queue
  std::uint64_t issue_free = 0;  // cycles of a scheduler of them: the schedulers are

  // The cycle in which the next access of a warp that is ready then has been issued, behind so many
  // instructions. `schedulers`: two to the power of this are the SM's.
  std::uint64_t issue(std::uint64_t ready, std::uint32_t instructions, int schedulers) {
    issue_free = std::max(issue_free, ready << schedulers) + instructions;
    return std::max(ready, issue_free >> schedulers);
  }
};

// What is known of a warp's next record when the one before it is done.
struct NextRecord {
  std::uint64_t line = 0;  // of loads and stores
  std::uint32_t site = 0;
  std::uint16_t instructions = 0;  // from the record before it
  std::uint8_t sectors = 0;        // of loads and stores
  RecordKind kind = RecordKind::kUnknown;

  bool is_access() const { return kind == RecordKind::kLoad || kind == RecordKind::kStore; }
};

// The warps of some SMs, by number: SM * Calendar::kSlots + warp slot.
class CountedWarps {
 public:
  explicit CountedWarps(std::size_t sms)
      : warps_(sms * Calendar::kSlots, large_pages()), next_(warps_.size()) {}

  std::size_t size() const { return warps_.size(); }
  WarpState& operator[](std::uint32_t number) { return warps_[number]; }
  const WarpState& operator[](std::uint32_t number) const { return warps_[number]; }
  NextRecord& next(std::uint32_t number) { return next_[number]; }
  const NextRecord* next() const { return next_.data(); }
  std::span<WarpState> from(std::uint32_t first, std::size_t count) {
    return {&warps_[first], count};
  }
  std::uint32_t number(const WarpState& warp) const {
    return static_cast<std::uint32_t>(&warp - warps_.data());
  }
  // Has it brought into the host's cache.
  void fetch(std::uint32_t number) const {
    const char* const warp = reinterpret_cast<const char*>(&warps_[number]);
    warpmem::prefetch(warp);
    warpmem::prefetch(warp + 64);
  }

 private:
  std::pmr::vector<WarpState> warps_;
  std::vector<NextRecord> next_;
};

}  // namespace warpmem::sim
