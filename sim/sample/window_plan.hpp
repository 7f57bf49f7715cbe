// Which CTAs of a large launch are replayed, and which of these count: its beginning, some windows
// in between, and its end.
//
// The beginning is replayed as it is, until the L2 is full and what it writes back is what comes
// (or, where that would take too long, until it is full).
// All CTAs of a window begin together, as those of a whole launch do only once. So a window first
// runs as long as the launch's CTAs took to lose step (stays.hpp), and then as long again as what
// counts; what these last waves and those that count differ by is what may be left of the
// beginning.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/sample/footprint.hpp"

namespace warpmem::sim {

// A run of CTAs, by their place in the launch.
struct Range {
  std::uint64_t first = 0, end = 0;
  std::uint64_t size() const { return end - first; }
};

// One piece of a launch: what is replayed, and which of it counts.
struct Window {
  Range warm;  // by the counts engine, in front
  Range replayed;
  Range before;   // in front of those that count, and as many; of the beginning: its last waves
  Range counted;  // of the beginning: with those
  bool first = false, last = false;
};

struct WindowPlan {
  std::vector<Window> windows;  // the beginning, those in between, the end
  double units = 0;             // of as many CTAs as count in a window: all in between
  double settling = 0;          // … of them, the first, while the L2's writes are not steady yet
};

// CTAs without skew in so many waves never have any.
constexpr std::uint64_t kMostInStep = 12;

struct WindowShape {
  std::uint64_t ctas = 0, wave = 1;  // of the launch; that fit on the GPU
  std::uint64_t windows = 6;         // in between; fewer where so many would take too long
  std::uint64_t seed = 1;
  bool time = true;
};

// CTAs until an L2 is steady.
std::uint64_t settled(const Footprint& footprint);
// The launch's beginning alone, up to its place there. `steady`: as long as settled().
Window beginning_of(const WindowShape& shape, const Footprint& footprint, bool steady);
// Nothing where windows would take more than half as long as all CTAs. `in_step`: waves.
std::optional<WindowPlan> plan_windows(const WindowShape& shape, const Footprint& footprint,
                                       bool steady, std::uint64_t in_step);

}  // namespace warpmem::sim
