// The path of a warp to its next record, lane by lane: after a branch or a call through a
// register they go different paths and leave records in turn. Each lane comes from the last record
// that it took part in itself: where the others' paths and its own begin alike it has been there
// with them already, and where they end alike they have met again (lane_joins.hpp). Lanes are
// followed by the masks of the records, in functions by the calls that they have not returned from.
//
// Machine code says where lanes wait for each other (BSSY, BSYNC; measured:
// kernels/micro/parting.cu). Those that have left a record come there before others that diverged
// from them leave theirs, with all that they wait for on the path: hardware does not change sides
// meanwhile. Who waits there goes on with the first one that passes. In code without such places
// (PTX) a warp goes on from its last record, whoever left it, unless the kernel calls the driver's
// functions, where it makes a difference of thousands of cycles whether each of the lanes that have
// diverged calls.
//
// A warp whose lanes are together goes by Paths::between, which knows of several paths and takes
// them in turn.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/code/lane_joins.hpp"
#include "sim/time/paths.hpp"

namespace warpmem::sim {

// A path from one record to the next, of lanes that have not returned from certain calls.
struct LanePath {
  CodePaths::Lines lines;
  std::uint32_t calls = 0;  // LanePaths' number of the calls that are open at its end
  bool passes = false;      // an instruction that leaves a record whenever it is run
};

// A warp's lanes, those together that go together. The group that moved last stands last.
struct DivergedLanes {
  struct Group {
    std::uint32_t mask = 0;
    std::uint32_t from = Paths::kStart;  // site of their last record
    std::uint32_t calls = 0;             // LanePath::calls
    const LanePath* tail = nullptr;  // what they have run since: to where they wait for the others
    const LanePath* shared = nullptr;  // a path whose beginning they have run with others …
    std::size_t offset =
        0;  // … not 0: of others, which from this line on they went with behind `tail`
  };
  std::vector<Group> groups;
};

class LanePaths {
 public:
  explicit LanePaths(Paths& paths);

  // At the warp's beginning; `mask`: the lanes that there are.
  static void begin(DivergedLanes& warp, std::uint32_t mask) { warp.groups.assign(1, {mask}); }
  // To the warp's next record, which lanes `mask` leave (0: nobody knows who); `anew`: as
  // Paths::between.
  const Segment& next(DivergedLanes& warp, std::uint32_t site, std::uint32_t mask, bool anew);
  // … to its record of rounds: the lanes that moved last go round.
  const Segment& next_rounds(DivergedLanes& warp, std::uint32_t site);

 private:
  struct Part {  // of a warp's path
    const LanePath* path;
    std::size_t skip;  // lines that have been run already
    auto operator<=>(const Part&) const = default;
  };
  struct Several {  // paths that warps take in turn
    std::vector<LanePath> paths;
    std::vector<std::uint32_t> turns;
    std::size_t turn = 0;
  };
  struct Going {  // lanes that leave a record
    std::uint32_t mask = 0;
    std::vector<Part> parts;  // what they run on their paths there
    std::uint32_t calls = 0;  // LanePath::calls of the first
    std::uint32_t from = Paths::kStart;
    bool plain = false;  // one group that came by no call and has run nothing of its path yet
  };
  const Segment& next_together(std::vector<DivergedLanes::Group>& groups, std::uint32_t site,
                               std::uint32_t mask, bool whole, bool anew);
  Going take_lanes(std::vector<DivergedLanes::Group>& groups, std::uint32_t site,
                   std::uint32_t mask, bool whole, bool same);
  void go_along(std::vector<DivergedLanes::Group>& groups, const std::vector<Part>& parts,
                std::uint32_t site, std::uint32_t mask);
  const LanePath& path(std::uint32_t from, std::uint32_t to, std::uint32_t calls);
  const LanePath* tail(std::uint32_t from, std::uint32_t at);
  static std::size_t run_already(const DivergedLanes::Group& group, const LanePath& path);
  const Segment& segment(const LanePath* tail, std::vector<Part> parts, bool same);
  const Segment& alone(const DivergedLanes::Group& group, std::uint32_t site, bool anew,
                       const LanePath*& path_out);
  bool guarded(std::uint32_t site) const;

  Paths& paths_;
  const CodePaths& code_paths_;
  bool told_apart_;
  std::map<std::array<std::uint32_t, 3>, std::unique_ptr<Several>> between_;
  // By site and the BSYNC's line; without lines: none.
  std::map<std::pair<std::uint32_t, std::uint32_t>, LanePath> tails_;
  std::vector<CodePaths::Lines> calls_{{}};  // open calls, by number
  std::map<std::pair<const LanePath*, std::vector<Part>>, std::unique_ptr<Segment>> segments_;
};

}  // namespace warpmem::sim
