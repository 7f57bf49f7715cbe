// An L1, or a cache of textures, of any number of sets and ways: sets of lines, the youngest first,
// of which each sector can be read, or was written in part so that only whole words of it can.
//
// Stores leave their words, or their line goes, by the spec's policy; what is written back later is
// pushed out when its line goes (local memory before compute capability 7.0). Room: each bank of
// tags has its share of the lines. A line that finds its set full takes the place of another, the
// set's oldest or which else the spec's policy says; one that finds a free way but no room has a
// hand go over the bank's sets, and the first that holds anything gives up one of its own (measured
// for compute capability 9.0: cache/l1_cache.hpp, which does the same, faster).
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "model/access/access.hpp"
#include "model/access/asked_words.hpp"
#include "model/access/sector_pieces.hpp"
#include "model/cache/ordered_set.hpp"
#include "model/general/memory_spec.hpp"
#include "model/sink/cache_listener.hpp"

namespace warpmem::model {

class SectorCache {
 public:
  SectorCache() = default;
  // `lines`: that it has room for.
  SectorCache(const L1Spec& spec, std::uint64_t lines);
  bool exists() const { return !sets_.empty(); }
  const L1Spec& spec() const { return spec_; }
  // Who is notified of its uses from now on; it is the L1 of this SM.
  void listen(CacheListener* listener, int sm) {
    listener_ = listener;
    sm_ = sm;
  }

  // As those of L1Cache, which knows where its sets are beforehand.
  struct SetTag {};
  struct SetTags {
    SetTag operator[](std::size_t) const { return {}; }
    void put(std::size_t, const SetTag&) {}
  };
  SetTag set_tag(std::uint64_t) const { return {}; }
  // Has what a look-up of a line reads brought into the host's cache; changes nothing.
  void prefetch(std::uint64_t line) const {
    if (exists()) sets_.prefetch(spec_.index(line * pieces()));
  }
  void prefetch_last(std::uint64_t line) const {
    if (exists()) sets_.prefetch_last(spec_.index(line * pieces()));
  }

  struct Found {
    std::uint8_t missing = 0;   // sectors: of those asked for, and what comes with them
    std::uint64_t arrival = 0;  // cycle from which what is here is here
  };
  // Loads a line: brings what misses, and what comes with it. Without `allocate` a hit counts, and
  // a miss leaves nothing.
  Found look_up(const LineTouch& asked, const AskedWords& words = {}, bool allocate = true);
  std::uint8_t load(const LineTouch& asked, const AskedWords& words = {}, bool allocate = true) {
    return look_up(asked, words, allocate).missing;
  }
  // A load that says it is the last one: its line becomes the oldest, and none comes.
  std::uint8_t load_last(const LineTouch& asked, const AskedWords& words);
  // What a load missed is here from this cycle on.
  void arrives(std::uint64_t line, std::uint64_t cycle);
  // By the policy for stores; one that finds no line brings one only if it `allocates`. True when
  // the line was there.
  bool store(const LineTouch& stored, const SetTag& = {}, bool allocates = true);
  // Whatever that policy is, what was stored stays; `back`: it is written back when its line goes.
  bool leave(const LineTouch& stored, bool back, bool allocates);
  // True when the line was there.
  bool drop(std::uint64_t line, std::uint8_t sectors);
  // Forgets all lines below this one.
  void invalidate(std::uint64_t below);

  struct Pushed {
    std::uint64_t line = 0;
    std::uint8_t sectors = 0;
  };
  // What has to be written back since the last call: a line that had to go.
  std::optional<Pushed> take_pushed() { return std::exchange(pushed_, std::nullopt); }

 private:
  struct Line {
    std::uint64_t number = 0, arrival = 0;
    std::uint32_t words = 0;   // bit w: word w of the line can be read
    std::uint8_t partial = 0;  // … of sectors of which no more can
    std::uint8_t readable = 0, dirty = 0;
    std::uint8_t way = 0;
  };

  // Its own lines in one that callers speak of.
  std::uint32_t pieces() const {
    return spec_.asked_bytes > spec_.line_bytes ? spec_.asked_bytes / spec_.line_bytes : 1;
  }
  std::uint32_t ways_of(std::size_t set) const { return spec_.ways + (set < spec_.wider); }
  Found look_up_line(std::uint64_t line, std::uint8_t sectors, std::uint32_t words, bool allocate);
  Line* find(std::uint64_t line);
  Line& bring(std::uint64_t line);
  void give_up(std::size_t set);
  void notify(CacheUse use, const LineTouch& touch) const {
    if (listener_) listener_->l1(sm_, use, touch);
  }
  // What a miss on some sectors brings. A second cache of textures has lines of up to eight.
  std::uint8_t in_pieces(std::uint8_t sectors) const {
    return spec_.fill_sectors > 1 ? model::in_pieces(sectors, spec_.fill_sectors) : sectors;
  }
  std::uint8_t read(Line& line, std::uint8_t sectors, std::uint32_t words, bool allocate) const;

  L1Spec spec_;
  OrderedSets<Line> sets_;
  std::vector<std::uint64_t> held_, hand_;  // by bank: lines; the set to give one up next
  std::uint64_t room_ = 0;                  // for lines of a bank
  std::optional<Pushed> pushed_;
  CacheListener* listener_ = nullptr;
  int sm_ = 0;
};

}  // namespace warpmem::model
