#include "model/dram/partition_traffic.hpp"

#include <algorithm>

namespace warpmem::model {

void PartitionTraffic::clear() {
  std::fill(read_.begin(), read_.end(), 0);
  std::fill(written_.begin(), written_.end(), 0);
  windows_.clear();
  window_cycles_ = kFirstWindow;
}

void PartitionTraffic::add(std::uint32_t channel, std::uint64_t sectors, std::uint64_t cycle) {
  while (cycle / window_cycles_ >= kMostWindows) {
    // Two and two become one.
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      if (i % 2 == 0) {
        if (i > 0) windows_[i / 2] = std::move(windows_[i]);
        continue;
      }
      for (std::size_t c = 0; c < read_.size(); ++c)
        windows_[i / 2].sectors[c] += windows_[i].sectors[c];
    }
    windows_.resize((windows_.size() + 1) / 2);
    window_cycles_ *= 2;
  }
  const auto at = static_cast<std::size_t>(cycle / window_cycles_);
  while (windows_.size() <= at) windows_.push_back({std::vector<std::uint64_t>(read_.size())});
  windows_[at].sectors[channel] += sectors;
}

double PartitionTraffic::busy_channels() const {
  std::uint64_t all = 0, busiest = 0;
  for (const Window& w : windows_) {
    std::uint64_t most = 0;
    for (const std::uint64_t s : w.sectors) {
      all += s;
      most = std::max(most, s);
    }
    busiest += most;
  }
  return busiest == 0 ? 0 : static_cast<double>(all) / static_cast<double>(busiest);
}

}  // namespace warpmem::model
