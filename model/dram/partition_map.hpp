// Which partition of the L2 a line belongs to, where partitions go with DRAM channels: a channel
// has one, or several that take its blocks by turns. Blocks of addresses (dram.interleave) are
// dealt to channels by dram.map.
#pragma once

#include <algorithm>
#include <cstdint>

namespace warpmem::model {

struct PartitionMap {
  std::uint32_t partitions = 1, channels = 1;
  std::uint32_t block_lines = 2;  // of 128 bytes

  std::uint32_t of(std::uint64_t line, std::uint32_t channel) const {
    if (partitions <= 1) return 0;
    const std::uint64_t block = line / std::max(1u, block_lines);
    // Fewer partitions than channels, or uneven ones: neighbouring channels share one.
    if (partitions % channels != 0)
      return static_cast<std::uint32_t>(std::uint64_t{channel} * partitions / channels);
    const std::uint32_t each = partitions / channels;
    return channel * each + static_cast<std::uint32_t>(block / channels % each);
  }
};

}  // namespace warpmem::model
