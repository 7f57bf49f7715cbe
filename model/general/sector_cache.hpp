// An L1 of any number of sets and ways: sets of lines, the youngest first, of which each sector can
// be read, or was written in part so that only whole words of it can.
//
// Writes go through, and a store leaves its words. Room: each bank of tags has its share of the
// lines. A line that finds its set full takes the place of another, the set's oldest or which else
// the spec's policy says; one that finds a free way but no room has a hand go over the bank's sets,
// and the first that holds anything gives up one of its own (measured for compute capability 9.0:
// cache/l1_cache.hpp, which does the same, faster).
#pragma once

#include <array>
#include <vector>

#include "model/access/access.hpp"
#include "model/access/asked_words.hpp"
#include "model/cache/ordered_set.hpp"
#include "model/general/memory_spec.hpp"
#include "model/sink/cache_listener.hpp"

namespace warpmem::model {

class SectorCache {
 public:
  // `lines`: that it has room for.
  SectorCache(const L1Spec& spec, std::uint64_t lines);
  // Who hears of its uses from now on; it is the L1 of this SM.
  void tell(CacheListener* listener, int sm) {
    listener_ = listener;
    sm_ = sm;
  }

  // As those of L1Cache, which knows where its sets are beforehand.
  struct Seat {};
  struct Seats {
    Seat operator[](std::size_t) const { return {}; }
    void put(std::size_t, const Seat&) {}
  };
  struct Misses : LineParts {
    std::array<std::uint64_t, LineList::kMost> line, before;
    std::uint64_t hit = 0;
  };
  Seat seat(std::uint64_t) const { return {}; }

  // Loads the lines of a list, one after the other: brings what misses, and what comes with it.
  // Without `allocate` a hit counts, and a miss leaves nothing.
  void load(const LineList& lines, const Seats&, const AskedWords& words, bool allocate,
            Misses& out);
  // The sectors that are missing, of those asked for and of what comes with them.
  std::uint8_t load(const LineTouch& asked, const AskedWords& words = {}, bool allocate = true) {
    return look_up(asked, words(asked.line), allocate).missing;
  }
  // A load that says it is the last one: its line becomes the oldest, and none comes.
  std::uint8_t load_last(const LineTouch& asked, const AskedWords& words);
  // What a load missed arrives, each line with what was asked for before it. `done`: by line of the
  // list, when it is back. The cycle in which the last one is there, no sooner than `soonest`.
  std::uint64_t arrive(const Misses& missed, const std::uint64_t* done, std::uint64_t soonest);
  // True when the line was there.
  bool store(const LineTouch& stored, const Seat& = {});
  void drop(std::uint64_t line, std::uint8_t sectors);
  // Forgets all lines below this one.
  void invalidate(std::uint64_t below);

 private:
  struct Found {
    std::uint8_t missing = 0;   // sectors: of those asked for, and what comes with them
    std::uint64_t arrival = 0;  // cycle from which what is here is here
  };
  struct Line {
    std::uint64_t number = 0, arrival = 0;
    std::uint32_t way = 0;
    std::uint8_t readable = 0;
    std::uint8_t partial = 0;  // sectors of which only words can be read:
    std::uint32_t words = 0;   // bit w: word w of the line
  };
  using Set = OrderedSet<Line>;

  Found look_up(const LineTouch& asked, std::uint32_t words, bool allocate);
  Line* find(std::uint64_t line);
  Line& bring(std::uint64_t line);
  void give_up(Set& set);
  void told(CacheUse use, const LineTouch& touch) const {
    if (listener_) listener_->l1(sm_, use, touch);
  }
  std::uint8_t in_pieces(std::uint8_t sectors) const;
  std::uint8_t read(Line& line, std::uint8_t sectors, std::uint32_t words, bool allocate) const;

  const L1Spec* spec_;
  const ReplacementPolicy* policy_;
  std::vector<Set> sets_;
  std::vector<std::uint64_t> held_, hand_;  // by bank: lines; the set to give one up next
  std::uint64_t room_ = 0;                  // for lines of a bank
  std::uint64_t draws_ = 0;
  CacheListener* listener_ = nullptr;
  int sm_ = 0;
};

}  // namespace warpmem::model
