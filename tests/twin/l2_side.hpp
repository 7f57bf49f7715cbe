// One side of the L2: sets of lines, the most recently used first, each sector readable or written
// in part, dirty or not.
#pragma once

#include <list>
#include <map>
#include <vector>

#include "model/access/stay.hpp"
#include "tests/twin/access.hpp"

namespace warpmem::twin {

using model::Stay;

// What a side made DRAM do, in sectors.
struct WrittenBack {
  std::uint64_t fills = 0, writes = 0;
};

class L2Side {
 public:
  explicit L2Side(const TwinSpec& spec) : spec_(spec), sets_(spec.l2.sets) {}

  struct Found {
    Sectors here = 0;     // can be read
    Sectors missing = 0;  // are fetched because they could not, in pieces of so many sectors
  };
  Found read(std::uint64_t line, Sectors sectors, std::uint32_t piece, Stay stay);
  Sectors look_up(std::uint64_t line);
  void fill(std::uint64_t line, Sectors sectors, Stay stay = Stay::kUnsaid);
  void write(const Touch& written, Stay stay = Stay::kUnsaid);
  void drop(std::uint64_t line, Sectors sectors);  // a copy
  void keep(std::uint64_t line, Stay stay);        // what it is from now on, if it is here
  void discard(std::uint64_t line);
  void set_aside(std::uint64_t bytes);  // for lines that persist
  void end_persisting();
  WrittenBack take_written_back() { return std::exchange(written_back_, {}); }

  // Sectors in whole aligned pieces of a line.
  static Sectors in_pieces(Sectors sectors, std::uint32_t piece, const TwinSpec& spec);

 private:
  struct Line {
    std::uint64_t number = 0;
    Sectors readable = 0, dirty = 0;
    std::map<std::uint32_t, std::uint32_t> part;  // written in part: bytes by sector
    enum class Kind { kOrdinary, kPersists, kFirst } kind = Kind::kOrdinary;
    bool is_dirty() const { return dirty != 0 || !part.empty(); }
  };
  using Set = std::list<Line>;

  Set& set_of(std::uint64_t line) { return sets_[spec_.l2.set_of(line)]; }
  Line* use(std::uint64_t line);
  Line& bring(std::uint64_t line);
  void make_room(Set& set);
  void clean(Line& line);
  template <class Is>
  void limit(Set& set, std::uint32_t most, Is is);

  const TwinSpec& spec_;
  std::vector<Set> sets_;
  std::size_t persist_ways_ = 1;  // of a set, kept for lines that persist
  WrittenBack written_back_;
};

}  // namespace warpmem::twin
