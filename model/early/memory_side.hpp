// What is behind the SMs of a GPU before compute capability 7.0: partitions of memory, each with
// its share of the L2, or with none, and a channel of DRAM.
//
// Addresses are dealt to channels in blocks (dram.interleave), by a plain map or a hash. The L2
// writes back, and keeps which bytes of a sector were written. Without an L2 each transaction is
// DRAM's. Without a MemoryPath, times are unloaded latencies and one queue before DRAM.
#pragma once

#include <vector>

#include "model/dram/partition_map.hpp"
#include "model/dram/partition_traffic.hpp"
#include "model/early/early_spec.hpp"
#include "model/general/l2_partition.hpp"
#include "model/interconnect/memory_path.hpp"
#include "model/l2/l2_cache.hpp"
#include "model/sink/l2_telling.hpp"

namespace warpmem::model {

class MemorySide {
 public:
  // Both must outlive it; `path`: where time is kept, else nullptr.
  MemorySide(const EarlySpec& spec, MemoryPath* path);

  void begin(bool flush);
  // The cycle in which the SM has these sectors of a line.
  std::uint64_t read(int sm, std::uint64_t line, std::uint8_t sectors, std::uint64_t now);
  // The same for a cache of textures, through the second one of those where the card has it.
  std::uint64_t read_texture(int sm, std::uint64_t line, std::uint8_t sectors, std::uint64_t now);
  // `moved`: sectors that travel; those of `written` are among them. The cycle in which the
  // partition has it.
  std::uint64_t write(int sm, const LineTouch& written, std::uint8_t moved, std::uint64_t now);
  // So many passes over a sector of a line: the cycle in which the answer is back, or it is done.
  std::uint64_t atomic(int sm, std::uint64_t line, std::uint32_t sector, std::uint32_t passes,
                       bool returns, std::uint64_t now);
  std::uint64_t host(int sm, std::uint8_t sectors, bool writes, std::uint64_t now);
  // Cycle in which the latest write left its SM.
  std::uint64_t sent(std::uint64_t otherwise) const { return path_ ? path_->sent() : otherwise; }

  const PartitionTraffic& traffic() const { return traffic_; }

  L2Telling sink;

 private:
  // The path's and DRAM's lines have 128 bytes.
  std::uint64_t on_path(std::uint64_t line) const { return line * spec_.line_bytes / kLineBytes; }
  std::uint8_t on_path(std::uint64_t line, std::uint8_t sectors) const {
    return static_cast<std::uint8_t>(sectors
                                     << line * spec_.line_bytes % kLineBytes / kSectorBytes);
  }
  // What is not here comes from DRAM.
  std::uint64_t answer(int sm, std::uint64_t line, std::uint8_t sectors, std::uint8_t fetched,
                       std::uint64_t now);
  L2Partition& partition(std::uint64_t line);
  L2Partition::Traffic account(L2Partition& partition, int sm, std::uint64_t now);
  void dram_read(std::uint64_t line, std::uint64_t sectors, int sm, std::uint64_t now);
  void dram_write(std::uint64_t line, std::uint64_t sectors, int sm, std::uint64_t now);
  // Unloaded: from `now` on, with so many sectors from DRAM.
  std::uint64_t latency(std::uint64_t line, unsigned fetched, std::uint64_t now);

  const EarlySpec& spec_;
  MemoryPath* path_;
  Dram dram_;  // for its map
  PartitionMap map_;
  std::vector<L2Partition> partitions_;
  LineCache textures_;  // second cache of textures
  PartitionTraffic traffic_;
  std::uint64_t dram_free_ = 0;  // thousandths of a cycle
};

}  // namespace warpmem::model
