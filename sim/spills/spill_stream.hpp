// One warp's records with its accesses to spilled registers between them (spills.hpp), a few at a
// time.
//
// Lanes: each has a last record that it took part in, and comes from there to its next one. Lanes
// that come the same path go together; where paths of several groups of lanes end alike they have
// met again, and what lies on that end is run once by all of them. Lanes that stay behind at a
// branch have run what lies before it along with the others. A record under a predicate is passed
// by all lanes that were together before it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/code/lane_joins.hpp"
#include "sim/records/position.hpp"
#include "sim/spills/spills.hpp"

namespace warpmem::sim {

class SpillStream {
 public:
  // At a warp's beginning.
  void begin() {
    groups_.clear();
    tasks_.clear();
    task_ = 0;
    loops_ = 0;
  }
  // Replaces `out` by the next few records; false: there are none as long as `source` has none.
  // Lanes count from where those of `source` do.
  bool fill(Spills& spills, Position& source, std::vector<trace::Record>& out);

 private:
  struct Group {
    std::uint32_t mask = 0;             // its lanes
    std::uint32_t from = 0;             // site of their last record, or CodePaths::kStart
    std::uint32_t calls = 0;            // that they have not returned from: SpillPath::calls
    const SpillPath* shared = nullptr;  // a path whose beginning they have run with others
  };
  // A record of the trace, or a piece of a path.
  struct Task {
    const SpillPath* path = nullptr;
    std::size_t item = 0, end = 0;
    std::uint64_t times = 1;                // … gone from item 0 to the end
    std::uint32_t together = 0, apart = 0;  // lanes: before, and after a branch on the path
    std::size_t inner = 0;                  // of the item that is a round
    std::uint64_t rounds = 0;               // … done
    trace::Record record{};
  };

  void take(Spills& spills, const trace::Record& r);
  void take_rounds(Spills& spills, const trace::Record& r);
  void end_paths(Spills& spills, const trace::Record& r);
  void join_paths();
  void add(const SpillPath& path, std::size_t from_line, std::size_t to_line,
           std::uint32_t together, std::uint32_t apart);
  void add(const trace::Record& r) { tasks_.emplace_back().record = r; }
  // Goes on with a task; false: it is not done, as `out` is full.
  static bool run(Spills& spills, Task& task, std::vector<trace::Record>& out);

  std::vector<Group> groups_;  // the one that moved last stands last
  std::vector<Task> tasks_;
  std::size_t task_ = 0;
  std::array<std::uint32_t, 4> went_round_{};  // sites of rounds since the last other record
  std::uint32_t loops_ = 0;
  // Lanes that come to a record together.
  struct Hit {
    Group group;
    const SpillPath* path;
    std::size_t skip;      // lines that they have run already
    std::size_t left;      // … that are left
    std::uint32_t moving;  // those of the group that come
  };
  std::vector<Hit> hits_;  // scratch
  std::vector<JoinedPath> joined_;
};

}  // namespace warpmem::sim
