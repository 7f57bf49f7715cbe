// An L2 of any number of partitions, any line length up to 128 bytes, and what is behind it.
//
// A line has a home partition. Where there are several sides, an SM reads and writes through its
// own, which keeps copies; atomics are done at home. Partitions by channel (before compute
// capability 7.0) keep no copies; there may be no L2 in them, so that each access is DRAM's, and a
// second cache of textures. Without a MemoryPath, times are unloaded latencies and one queue before
// DRAM.
#pragma once

#include <algorithm>
#include <vector>

#include "model/dram/partition_map.hpp"
#include "model/dram/partition_traffic.hpp"
#include "model/general/l2_partition.hpp"
#include "model/general/sector_cache.hpp"
#include "model/interconnect/memory_path.hpp"
#include "model/l2/l2_cache.hpp"
#include "model/l2/read_coalescer.hpp"
#include "model/sink/l2_notifying.hpp"

namespace warpmem::model {

class PartitionedL2 {
 public:
  explicit PartitionedL2(const MemorySpec& spec);  // which must outlive it

  // As those of L2Cache, which knows where its sets are beforehand.
  static constexpr bool kAnswersLater = false;
  struct Route {};
  Route route(std::uint64_t) const { return {}; }

  // From now on accesses take the time that they take on this path, which must outlive it.
  void take(MemoryPath* path) { path_ = path; }
  void begin_launch();
  void settle();  // nothing of reads outstanding is left
  // … nor of what ran before, but so many sectors that somebody else wrote.
  void flush(std::uint64_t dirty_sectors);
  void set_aside(std::uint64_t bytes);
  void end_persisting();
  void fetch_granularity(std::uint32_t sectors) {
    fetch_sectors_ = sectors ? in_line(sectors) : spec_.l2.fetch_sectors;
  }
  // What a launch fetches by itself: its code, by each group of SMs.
  void fetch_code(std::uint64_t bytes, bool cold);

  // Has what a read or write of a line will look at brought into the host's cache.
  void prefetch(int sm, std::uint64_t line) const {
    if (!spec_.l2.present) return;
    const Sides at = sides_of(sm, line);
    partitions_[at.near].prefetch(line);
    if (at.home != at.near) partitions_[at.home].prefetch(line);
  }
  void prefetch_last(int sm, std::uint64_t line) const {
    if (!spec_.l2.present) return;
    const Sides at = sides_of(sm, line);
    partitions_[at.near].prefetch_last(line);
    if (at.home != at.near) partitions_[at.home].prefetch_last(line);
  }
  // The cycle in which an SM has its sectors. `fetch_sectors`: that DRAM brings at least; 0: as the
  // launch says.
  std::uint64_t read(int sm, std::uint64_t line, const Route&, std::uint8_t sectors,
                     std::uint64_t now, std::uint32_t fetch_sectors, Stay stay,
                     const MemoryPath::Address* = nullptr, bool apart = false);
  // `again`: sectors that travel with an earlier request; `opens`: this is one of its own. The
  // cycle in which the L2 has it.
  std::uint64_t write(int sm, std::uint64_t line, const Route&, std::uint8_t sectors,
                      std::uint8_t full, const std::uint32_t* bytes, std::uint8_t again, bool opens,
                      std::uint64_t now, Stay stay);
  // So many passes over a sector, by its address / 32: the cycle in which the answer is back.
  std::uint64_t atomic(int sm, std::uint64_t sector, int passes, bool returns, std::uint64_t now,
                       L2Cache::AtomicWork work, Stay stay);
  // To its home, for nobody; what a line there is from now on, or that it is given up.
  void bring(int sm, std::uint64_t line, std::uint8_t sectors, std::uint64_t now, Stay stay);
  void change(int sm, std::uint64_t line, Stay stay, bool discard);
  // For a cache of textures, through the second one of those where there is one.
  std::uint64_t read_texture(int sm, std::uint64_t line, std::uint8_t sectors, std::uint64_t now);
  std::uint64_t read_host(std::uint8_t sectors, std::uint64_t now, int sm = 0);
  std::uint64_t write_host(std::uint8_t sectors, int sm, std::uint64_t now);
  // Cycle in which the latest write left its SM.
  std::uint64_t sent(std::uint64_t otherwise) const { return path_ ? path_->sent() : otherwise; }

  void listen(EventListener* listener) { sink_.listen(listener); }
  void listen_to_caches(CacheListener* listener) {
    for (std::uint32_t p = 0; p < partitions_.size(); ++p) partitions_[p].listen(listener, p);
  }
  // What DRAM's channels moved in the launch.
  const PartitionTraffic& traffic() const { return traffic_; }
  L2Counting& sink() { return sink_; }
  const L2Counters& counters() const { return sink_.counters; }

 private:
  // Where a line is: partitions, and sides as the path has them.
  struct Sides {
    std::uint32_t near = 0, home = 0;
    int near_side = 0, home_side = 0;
  };
  Sides sides_of(int sm, std::uint64_t line) const;
  std::uint32_t home(std::uint64_t line) const;
  struct Answer {
    int sm;
    std::uint64_t line;
    std::uint8_t sectors, crossing, fetched;
    Sides at;
  };
  // When it is back.
  std::uint64_t answer(const Answer& a, const L2Partition::Traffic& pushed, std::uint64_t now);
  std::uint64_t unloaded(std::uint64_t line, std::uint32_t fetched, std::uint64_t now);
  L2Partition::Traffic without_l2(int sm, std::uint64_t line, std::uint32_t sectors,
                                  std::uint64_t now);
  std::uint32_t in_line(std::uint32_t sectors) const {
    return std::min<std::uint32_t>(sectors, spec_.line_bytes / kSectorBytes);
  }
  // DRAM's lines have 128 bytes.
  std::uint64_t in_dram(std::uint64_t line) const { return line * spec_.line_bytes / kLineBytes; }
  std::uint64_t send(MemoryPath::Write& w, const Sides& at, const L2Partition::Traffic& pushed,
                     std::uint64_t now);
  L2Partition::Traffic account(L2Partition& partition, int sm, std::uint64_t now);
  void fetched(int sm, std::uint64_t line, std::uint64_t sectors, std::uint64_t now) {
    sink_.dram_reads({sm, line}, sectors);
    if (sectors > 0) traffic_.read(map_.find(in_dram(line)).channel, sectors, now);
  }

  const MemorySpec& spec_;
  L2Notifying sink_;
  MemoryPath* path_ = nullptr;
  std::vector<L2Partition> partitions_;
  ReadCoalescer reads_;
  std::uint64_t dram_queue(std::uint32_t sectors, std::uint64_t now);  // cycles

  std::uint32_t fetch_sectors_ = 1;
  Dram map_;
  PartitionMap channels_;
  SectorCache textures_;  // the second cache of textures
  PartitionTraffic traffic_;
  std::uint64_t dram_free_ = 0;  // thousandths of a cycle
};

}  // namespace warpmem::model
