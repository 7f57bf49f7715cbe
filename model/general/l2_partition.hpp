// One partition of an L2 of any number of sets and ways: sets of lines, the most recently used
// first, of which the spec's policy says which goes. It writes back: a sector is readable, dirty,
// or written in part; lines that are written in part are completed from DRAM before they go there.
// So many lines of a set may be dirty, so many written in part; one more has the oldest of them
// written back (l2/l2_side.hpp has the measurements and does the same, faster).
#pragma once

#include <vector>

#include "model/access/access.hpp"
#include "model/access/stay.hpp"
#include "model/cache/ordered_set.hpp"
#include "model/general/memory_spec.hpp"
#include "model/sink/cache_listener.hpp"

namespace warpmem::model {

class L2Partition {
 public:
  L2Partition(const MemorySpec::L2& spec, std::uint32_t line_bytes)
      : spec_(&spec),
        policy_(&policy_of(spec.replacement)),
        line_bytes_(line_bytes),
        sets_(*policy_, spec.index.sets(), spec.ways) {}
  // Who is notified of its uses from now on; it is this partition.
  void listen(CacheListener* listener, std::uint32_t number) {
    listener_ = listener;
    number_ = number;
  }

  struct Found {
    std::uint8_t here = 0;     // can be read
    std::uint8_t missing = 0;  // fetched, as they could not: whole aligned pieces of sectors
  };
  Found read(std::uint64_t line, std::uint8_t sectors, std::uint32_t piece, Stay stay);
  std::uint8_t look_up(std::uint64_t line);
  void fill(std::uint64_t line, std::uint8_t sectors, Stay stay = Stay::kUnsaid);
  void write(const LineTouch& written, Stay stay = Stay::kUnsaid);
  void drop(std::uint64_t line, std::uint8_t sectors);
  void keep(std::uint64_t line, Stay stay);  // what it is from now on, if it is here
  void discard(std::uint64_t line);
  // Has what a look-up of a line reads brought into the host's cache; changes nothing.
  void prefetch(std::uint64_t line) const { sets_.prefetch(spec_->index(line)); }
  void prefetch_last(std::uint64_t line) const { sets_.prefetch_last(spec_->index(line)); }
  void set_aside(std::uint64_t bytes);  // for lines that persist
  void end_persisting();
  void clear();

  // What DRAM had to do since the last call, in sectors, and for which line at last.
  struct Traffic {
    std::uint32_t fills = 0, writes = 0;
    std::uint64_t line = 0;
  };
  Traffic take_traffic();

 private:
  struct Line {
    std::uint64_t number = 0;
    std::uint8_t way = 0;
    std::uint8_t readable = 0, dirty = 0, partial = 0;
    bool persists = false, first = false;                // first to go
    std::array<std::uint32_t, kSectorsPerLine> bytes{};  // of sectors written in part
    bool is_dirty() const { return dirty | partial; }
  };

  void notify(CacheUse use, const LineTouch& touch) const {
    if (listener_) listener_->l2(number_, use, touch);
  }
  void notify(CacheUse use, std::uint64_t line, std::uint8_t sectors, std::uint8_t full = 0) const {
    if (!listener_) return;
    LineTouch touch;
    touch.line = line, touch.sectors = sectors, touch.full = full;
    listener_->l2(number_, use, touch);
  }
  Line* find(std::uint64_t line);
  Line* use(std::uint64_t line);
  Line& bring(std::uint64_t line);
  void make_room(std::size_t set);
  void clean(Line& line);
  void mark(Line& line, Stay stay);

  const MemorySpec::L2* spec_;
  const ReplacementPolicy* policy_;
  std::uint32_t line_bytes_;
  OrderedSets<Line> sets_;
  bool marked_ = false;  // some line has been one that persists, or that is first to go
  std::uint64_t persist_ways_ = 1;
  Traffic traffic_;
  CacheListener* listener_ = nullptr;
  std::uint32_t number_ = 0;
};

}  // namespace warpmem::model
