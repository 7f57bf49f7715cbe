// What each channel of DRAM moved, in all and over time: shows who camps on a few of them.
//
// Time goes in windows of equal length, which double when there would be too many of them. Sectors
// of 32 bytes; cycles of the SM clock.
#pragma once

#include <cstdint>
#include <vector>

namespace warpmem::model {

class PartitionTraffic {
 public:
  static constexpr std::size_t kMostWindows = 64;
  static constexpr std::uint64_t kFirstWindow = 64;  // cycles

  struct Window {
    std::vector<std::uint64_t> sectors;  // by channel, read and written
  };

  explicit PartitionTraffic(std::uint32_t channels) : read_(channels), written_(channels) {}
  void clear();
  void read(std::uint32_t channel, std::uint64_t sectors, std::uint64_t cycle) {
    read_[channel] += sectors;
    add(channel, sectors, cycle);
  }
  void write(std::uint32_t channel, std::uint64_t sectors, std::uint64_t cycle) {
    written_[channel] += sectors;
    add(channel, sectors, cycle);
  }

  const std::vector<std::uint64_t>& reads() const { return read_; }  // by channel
  const std::vector<std::uint64_t>& writes() const { return written_; }
  const std::vector<Window>& windows() const { return windows_; }
  std::uint64_t window_cycles() const { return window_cycles_; }

  // How many channels are at work at a time: of each window, all its sectors over those of its
  // busiest channel; the mean over windows, each as long as its busiest channel makes it. As many
  // as there are channels where the traffic is even, 1 where all camp on one at a time.
  double busy_channels() const;

 private:
  void add(std::uint32_t channel, std::uint64_t sectors, std::uint64_t cycle);

  std::vector<std::uint64_t> read_, written_;
  std::vector<Window> windows_;
  std::uint64_t window_cycles_ = kFirstWindow;
};

}  // namespace warpmem::model
