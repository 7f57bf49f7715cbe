// Hits of caches of one number of sets and every associativity, from one pass over what they are
// asked for: stack distances (Mattson, Gecsei, Slutz and Traiger, "Evaluation techniques for
// storage hierarchies", IBM Systems Journal 9(2), 1970), one stack a set, for lines of sectors.
//
// Least recently used is a stack algorithm: a cache of A ways holds the A lines of a set that were
// used last. A sector can be read from it when the line has stayed there since the sector came:
// when the line was never deeper than A since. So each sector keeps the deepest place of its line
// since then, and that is the least associativity that hits. A line that is forgotten leaves a
// hole, which the next line that is brought over it fills.
//
// Leaves out: sectors that a store writes in part where not all of the caches can read them, if a
// load asks for them afterwards, and lines that a load gives up. `inexact` counts both.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/access/access.hpp"
#include "model/cache/set_index.hpp"

namespace warpmem::sweep {

class SetStack {
 public:
  static constexpr std::uint32_t kNever = 0xffff;  // no associativity hits

  // Places beyond `ways` are forgotten.
  SetStack(model::SetIndex index, std::uint32_t ways)
      : index_(index), ways_(ways), sets_(index.sets()) {}

  // By sector: the least associativity that hits; kNever, also for those not asked for.
  using Least = std::array<std::uint32_t, model::kSectorsPerLine>;
  // `leaves`: the load brings what it misses.
  Least load(std::uint64_t line, std::uint8_t sectors, bool leaves = true);
  // A line that is not there comes.
  void store(const model::LineTouch& touch);
  void drop(std::uint64_t line, std::uint8_t sectors);
  void gives_up() { ++inexact_; }
  void invalidate(std::uint64_t below);
  void clear();
  std::uint64_t inexact() const { return inexact_; }

 private:
  static constexpr std::uint64_t kHole = ~std::uint64_t{0};
  struct Line {
    std::uint64_t number = kHole;
    Least deepest{};           // by sector, since it came; kNever: it did not
    std::uint8_t partial = 0;  // sectors that were written in part where some caches lacked them
  };
  using Set = std::vector<Line>;  // the most recently used first

  // The line, now the first of its set; the place where it was goes into its sectors.
  Line& touch(Set& set, std::uint64_t number);

  model::SetIndex index_;
  std::uint32_t ways_;
  std::vector<Set> sets_;
  bool holes_ = false;  // there may be some
  std::uint64_t inexact_ = 0;
};

}  // namespace warpmem::sweep
