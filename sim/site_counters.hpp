// What each static instruction counted: the first listener to a memory system's events.
#pragma once

#include <algorithm>
#include <vector>

#include "model/system/events.hpp"

namespace warpmem::sim {

class SiteCounters final : public model::EventListener {
 public:
  explicit SiteCounters(std::size_t sites) : by_site_(sites), cycles_(sites) {}
  void end(const model::AccessContext& whose, const model::LaunchCounters& counted,
           const model::AccessTiming& t) override {
    by_site_[whose.site] = by_site_[whose.site] + counted;
    cycles_[whose.site] += std::max(t.done, t.stored) - std::min(t.now, std::max(t.done, t.stored));
  }
  const std::vector<model::LaunchCounters>& by_site() const { return by_site_; }
  // From the start of each access until its result, or what it writes, is there.
  const std::vector<std::uint64_t>& cycles() const { return cycles_; }

 private:
  std::vector<model::LaunchCounters> by_site_;
  std::vector<std::uint64_t> cycles_;
};

}  // namespace warpmem::sim
