// Where the warps stand when nobody can go on, in words: what waits for what. A trace that was cut
// short, or filtered, can leave warps at a barrier that nobody else reaches; anything else is a
// fault of an engine.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace warpmem::sim {

// The warps of one CTA.
struct BarrierWaits {
  std::array<std::uint32_t, 64> at{};  // at each of the CTA's barriers
  std::uint32_t at_cluster = 0;        // at its cluster's
  std::uint32_t left = 0;              // that have not ended

  // "of 4 warps 1 at barrier 0, 2 at barrier 7, 1 at none"
  std::string text() const {
    std::string out = "of " + std::to_string(left) + (left == 1 ? " warp " : " warps ");
    std::uint32_t rest = left;
    const auto some = [&](std::uint32_t warps, const std::string& where) {
      if (warps == 0) return;
      if (rest < left) out += ", ";
      rest -= warps < rest ? warps : rest;
      out += std::to_string(warps) + " at " + where;
    };
    for (std::size_t b = 0; b < at.size(); ++b) some(at[b], "barrier " + std::to_string(b));
    some(at_cluster, "its cluster's barrier");
    some(rest, "none");
    return out;
  }
};

// Those of all CTAs: the first few in words, how many more there are.
class AllBarrierWaits {
 public:
  void add(std::uint64_t cta, std::int64_t sm, const BarrierWaits& warps) {
    if (++ctas_ > kNamed) return;
    if (!text_.empty()) text_ += "; ";
    text_ += "CTA " + std::to_string(cta) + " on SM " + std::to_string(sm) + ": " + warps.text();
  }
  std::string text() const {
    const std::uint64_t more = ctas_ > kNamed ? ctas_ - kNamed : 0;
    return more ? text_ + "; and " + std::to_string(more) + " more CTAs" : text_;
  }

 private:
  static constexpr std::uint64_t kNamed = 3;
  std::uint64_t ctas_ = 0;
  std::string text_;
};

// Barriers that were opened because no warp could go on: a trace that was cut short, or filtered,
// can leave warps at one that nobody else reaches.
struct ForcedBarriers {
  std::uint64_t count = 0;
  std::string stuck;  // what waited for what when the first of them was opened
};

// A replay of `file` that is stuck although all barriers have been opened: our fault.
inline Error nobody_can_go_on(const std::string& barrier_waits, const std::string& file) {
  return {ErrorKind::kInternal, "no warp can go on: " + barrier_waits, file,
          "please report this with the trace"};
}

}  // namespace warpmem::sim
