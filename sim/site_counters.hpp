// What each static instruction counted: the first listener to a memory system's events.
#pragma once

#include <vector>

#include "model/system/events.hpp"

namespace warpmem::sim {

class SiteCounters final : public model::EventListener {
 public:
  explicit SiteCounters(std::size_t sites) : by_site_(sites) {}
  void end(const model::AccessContext& whose, const model::LaunchCounters& counted,
           const model::AccessTiming&) override {
    by_site_[whose.site] = by_site_[whose.site] + counted;
  }
  const std::vector<model::LaunchCounters>& by_site() const { return by_site_; }

 private:
  std::vector<model::LaunchCounters> by_site_;
};

}  // namespace warpmem::sim
