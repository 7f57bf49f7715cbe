// One SM's L1: sets of lines in the order in which they were used, each sector readable or written
// in part.
//
// Room: a bank of tags has room for its share of the lines. A line that finds its set full takes
// the place of the set's oldest; one that finds a free way but no room has a hand go over the
// bank's sets, and the first that holds anything gives up its oldest.
#pragma once

#include <list>
#include <vector>

#include "tests/twin/access.hpp"

namespace warpmem::twin {

class L1 {
 public:
  // `lines`: that it has room for.
  L1(const TwinSpec& spec, std::uint64_t lines);

  struct Found {
    Sectors missing = 0;
    std::uint64_t arrival = 0;  // cycle from which what is there is there
  };
  // A load of these bytes; what misses is there afterwards. Without `allocate` a hit counts, and a
  // miss leaves nothing.
  Found load(const Touch& asked, bool allocate);
  // A load that says it is the last one: its line becomes the oldest, and none comes.
  Sectors load_last(const Touch& asked);
  // What a load missed of a line arrives at this cycle.
  void arrives(std::uint64_t line, std::uint64_t cycle);
  // True when the line was there.
  bool store(const Touch& stored);
  void drop(std::uint64_t line, Sectors sectors);  // atomics
  // Forgets all lines below this one.
  void forget_below(std::uint64_t line);

 private:
  struct Line {
    std::uint64_t number = 0;
    Sectors readable = 0;
    Sectors written = 0;  // … in part, so that only whole words of them can be read:
    std::array<std::uint32_t, Touch::kMostSectors> words{};  // bit w: word w of the sector
    std::uint64_t arrival = 0;
  };
  struct Set {
    std::list<Line> lines;  // youngest first
    std::size_t young = 0;  // lines of the latest hit, and of the one before: a new one is older
  };

  Set& set_of(std::uint64_t line) { return sets_[spec_.l1.set_of(line)]; }
  static std::list<Line>::iterator find(Set& set, std::uint64_t line);
  static void use(Set& set, std::list<Line>::iterator line);
  void give_up_oldest(Set& set);
  Line& bring(std::uint64_t line);
  Sectors read(Line& line, const Touch& asked, bool allocate);

  const TwinSpec& spec_;
  std::vector<Set> sets_;
  std::vector<std::size_t> held_, hand_;  // by bank: lines, the set to give one up next
  std::size_t room_ = 0;                  // for lines of a bank
};

}  // namespace warpmem::twin
