// The numbers of DRAM. Ticks: model/timing/throughput.hpp.
#pragma once

#include <cstdint>

namespace warpmem::model {

// How a block's address gives its channel and bank: a hash of it, or its lower digits as they are.
enum class DramMap : std::uint8_t { kHashed, kPlain };
// What a refresh blocks; kNone: nothing (what it costs is part of the bandwidth).
enum class DramRefresh : std::uint8_t { kNone, kBank, kAll };

struct DramSpec {
  std::uint32_t channels = 0;
  std::uint32_t banks = 0;    // a channel
  std::uint32_t devices = 0;  // chips or stacks, each with its own clock of refreshes
  std::uint32_t row_bytes = 0;
  std::uint32_t burst_ticks = 0;       // 32 bytes on a channel's bus
  std::uint32_t burst_millionths = 0;  // … and so much of a tick more
  std::uint32_t activate_ticks = 0;    // between activations of a channel
  std::uint32_t row_cycle_ticks = 0;   // between activations of a bank
  std::uint32_t switch_ticks = 0;      // of a channel that stops reading to write
  std::uint32_t turnaround_ticks = 0;  // … that reads again
  std::uint32_t write_ticks = 0;       // of the bus, for the writes of a line at least
  std::uint32_t write_most_ticks = 0;  // … for those that wait at most
  std::uint32_t completed_most = 0;    // completed lines of a channel that stay in the L2
  std::uint32_t burst_sectors = 1;     // that the bus moves at least
  std::uint32_t interleave_lines = 1;  // in a row in a channel: a block
  DramMap map = DramMap::kHashed;
  DramRefresh refresh = DramRefresh::kNone;
  std::uint64_t refresh_interval_ticks = 0;  // between two of the same bank or channel
  std::uint32_t refresh_ticks = 0;           // that one takes
};

}  // namespace warpmem::model
