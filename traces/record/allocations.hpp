// The program's live allocations, from the driver's resource callbacks.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "traces/format/launch.hpp"

namespace warpmem::record {

class Allocations {
 public:
  void add(std::uint64_t base, std::uint64_t bytes, trace::AllocationKind kind) {
    const std::lock_guard lock(mutex_);
    live_[base] = {base, bytes, kind};
  }
  void remove(std::uint64_t base) {
    const std::lock_guard lock(mutex_);
    live_.erase(base);
  }
  std::vector<trace::Allocation> snapshot() const {  // sorted by base
    const std::lock_guard lock(mutex_);
    std::vector<trace::Allocation> result;
    result.reserve(live_.size());
    for (const auto& [base, allocation] : live_) result.push_back(allocation);
    return result;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, trace::Allocation> live_;
};

}  // namespace warpmem::record
