// A set-associative cache of any shape: lines of up to 128 bytes in sectors of 32, filled by the
// sector or by larger aligned pieces, up to whole lines; any replacement policy.
//
// Knows which sectors of a line are here, from which cycle on, and which of them wait to be written
// back (stores of local memory where the card says so). Holds no data.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/access/access.hpp"
#include "model/cache/ordered_set.hpp"
#include "model/cache/set_index.hpp"

namespace warpmem::model {

class LineCache {
 public:
  struct Shape {
    std::uint32_t line_bytes = 128;
    // The lines that callers speak of: as long, or longer (of a cache of 32-byte lines).
    std::uint32_t asked_bytes = 128;
    std::uint32_t sector_bytes = 32;   // that a miss brings at least
    std::uint32_t sets = 0, ways = 0;  // 0: there is no such cache
    std::uint32_t wider = 0;           // the first so many sets have a way more
    SetRule rule = SetRule::kLowBits;
    Replacement replacement = Replacement::kLru;
  };
  LineCache() = default;
  explicit LineCache(const Shape& shape)
      : shape_(shape),
        policy_(&policy_of(shape.replacement)),
        index_(shape.rule, shape.sets),
        sets_(shape.sets) {}

  bool exists() const { return !sets_.empty(); }

  struct Found {
    std::uint8_t missing = 0;   // sectors that have to be brought: whole pieces
    bool hit = false;           // all that was asked for is here
    std::uint64_t arrival = 0;  // cycle from which what is here is here
  };
  // Brings what misses; the line that had to go for it, if it has to be written back, is pushed().
  Found load(std::uint64_t line, std::uint8_t sectors);
  void arrives(std::uint64_t line, std::uint64_t cycle);
  // A store that leaves these sectors here, and dirty if `back`. Without `allocate` only where the
  // line is here. True if it was.
  bool store(std::uint64_t line, std::uint8_t sectors, bool back, bool allocate);
  // Whether the line was here.
  bool drop(std::uint64_t line, std::uint8_t sectors);
  void clear();
  // Forgets clean lines below this one.
  void invalidate(std::uint64_t below);

  struct Pushed {
    std::uint64_t line = 0;
    std::uint8_t sectors = 0;  // dirty
  };
  std::optional<Pushed> take_pushed() { return std::exchange(pushed_, std::nullopt); }
  // Takes all that is dirty out.
  std::vector<Pushed> take_dirty();

 private:
  struct Line {
    std::uint64_t number = 0, arrival = 0;
    std::uint32_t way = 0;
    std::uint8_t here = 0, dirty = 0;
  };
  using Set = OrderedSet<Line>;
  std::uint32_t pieces() const {
    return shape_.asked_bytes > shape_.line_bytes ? shape_.asked_bytes / shape_.line_bytes : 1;
  }
  Found load_line(std::uint64_t line, std::uint8_t sectors);
  std::uint32_t ways_of(std::uint32_t set) const { return shape_.ways + (set < shape_.wider); }
  Line* use(std::uint64_t line);
  Line& bring(std::uint64_t line);
  std::uint8_t in_pieces(std::uint8_t sectors) const;

  Shape shape_;
  const ReplacementPolicy* policy_ = nullptr;
  SetIndex index_;
  std::vector<Set> sets_;
  std::uint64_t draws_ = 0;
  std::optional<Pushed> pushed_;
};

}  // namespace warpmem::model
