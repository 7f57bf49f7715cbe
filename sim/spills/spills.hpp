// What a launch's warps did to spilled registers between their records, put back from the code.
//
// A table says once for each pair of sites what lies on the path between them (code/paths.hpp); a
// warp's stream of records is widened by it on its path to an engine (spill_stream.hpp), so both
// engines see loads and stores of local memory like recorded ones, and launches that spill nothing
// have no table and cost nothing.
//
// What is not known is assumed (docs/design/spills.md): of several paths between two records the
// shortest, loops of which neither code nor trace knows the rounds once, instructions under a
// predicate by all lanes that come by.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "model/card/instruction_table.hpp"
#include "sim/code/code_paths.hpp"
#include "sim/code/spill_code.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

// A path from one record to the next, with the spills on it in order.
struct SpillPath {
  struct Item {
    std::size_t at = 0;                // place among the path's lines
    bool diverged = false;             // a branch before it may have diverged the warp's lanes
    std::uint32_t site = 0;            // … or, with a round:
    const SpillPath* round = nullptr;  // all of this path
    std::uint64_t rounds = 0;          // so often
  };
  std::vector<Item> items;
  CodePaths::Lines lines;
  std::uint32_t calls = 0;  // Spills' number of the calls that are open at its end
};

class Spills {
 public:
  // nullptr: the trace lacks none. `rounds`: whoever gets the records wants those of loops.
  static std::unique_ptr<Spills> of(std::span<const trace::Site> sites,
                                    const trace::DecodedProgram& program,
                                    const trace::Launch& launch,
                                    const model::InstructionTable& table, bool rounds);

  // The launch's sites, and behind them one for each access to a spilled register.
  std::span<const trace::Site> sites() const { return sites_; }
  std::span<const SpillSlot> slots() const { return slots_; }
  // Bytes that accesses reach below the kernel's frame, in frames of functions.
  std::uint32_t below() const { return below_; }
  bool wants_rounds() const { return rounds_; }

  // What a site of the launch stands for.
  trace::Op op(std::uint32_t site) const { return sites_[site].op; }
  bool guarded(std::uint32_t site) const {
    const std::int32_t line = code_paths_->line(site);
    return line >= 0 && code_paths_->code()[static_cast<std::size_t>(line)].guarded;
  }
  // A branch back that goes round whenever it is come to, so that going on means once more.
  bool always_taken(std::uint32_t site) const {
    const std::int32_t line = code_paths_->line(site);
    return line >= 0 && !code_paths_->code()[static_cast<std::size_t>(line)].falls;
  }
  trace::Record access(std::uint32_t site, std::uint32_t mask) const;

  // From a record at site `from` (or CodePaths::kStart) to the next at site `to`, for lanes that
  // have not returned from `calls` yet (SpillPath::calls; 0: none).
  const SpillPath& between(std::uint32_t from, std::uint32_t to, std::uint32_t calls = 0);
  // Once round the loop of a record of rounds.
  const SpillPath& round(std::uint32_t site, std::span<const std::uint32_t> through);

  // Branches back of loops that spill and leave no record, whose rounds nobody knows: pcs.
  const std::vector<std::uint32_t>& taken_once() const { return taken_once_; }
  std::size_t instructions() const { return slots_.size(); }

  std::uint64_t loads = 0, stores = 0;  // that streams have put back so far
  std::uint64_t rounds = 0;             // records of loops that they have not passed on

 private:
  Spills() = default;
  std::unique_ptr<SpillPath> path_of(CodePaths::Lines lines);
  const SpillPath& round_at(const std::vector<std::int32_t>& points);

  std::vector<trace::Site> sites_;
  std::uint32_t recorded_ = 0;             // of them: the launch's own
  std::vector<SpillSlot> slots_;           // by site behind those
  std::vector<std::uint64_t> offsets_;     // … as addresses
  std::vector<std::uint32_t> site_at_;     // by line of the code; 0: not a spill
  std::unique_ptr<CodePaths> code_paths_;  // between the launch's own sites
  std::uint32_t below_ = 0;
  bool rounds_ = false;
  std::vector<std::uint32_t> taken_once_;
  std::map<std::array<std::uint32_t, 3>, std::unique_ptr<SpillPath>> between_;
  std::vector<CodePaths::Lines> calls_{{}};  // open calls, by number
  std::map<std::vector<std::int32_t>, std::unique_ptr<SpillPath>> round_;
};

// The sites of a launch's records as engines get them.
inline std::span<const trace::Site> sites_of(const trace::TraceReader& reader, std::uint32_t launch,
                                             const Spills* spills) {
  return spills ? spills->sites() : reader.sites(launch);
}

}  // namespace warpmem::sim
