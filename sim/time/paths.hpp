// The way of a warp from one record of its trace to the next, through the kernel's control-flow
// graph, in the steps in which it is timed.
//
// A trace holds memory instructions only; the instructions in between are those of the shortest way
// that passes no other memory instruction (one that is guarded may be passed: all its lanes may
// have been off). A loop without a memory instruction is therefore gone through once: how often it
// really ran is not in the trace.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/time/code.hpp"
#include "traces/record.hpp"

namespace warpmem::sim {

// Instructions of a warp that issue one after the other without waiting for a scoreboard in
// between; the first may wait, the last may set one.
struct Step {
  std::uint16_t issues = 0;                  // instructions
  std::uint16_t to_last = 0;                 // cycles from the first's issue to the last's
  std::uint16_t cycles = 0;                  // … to that of the step behind it
  std::array<std::uint16_t, kPipes> busy{};  // cycles of each pipe
  std::uint16_t latency = 0;                 // of the last one's result
  std::uint8_t waits = 0;                    // scoreboards that must be clear
  std::uint8_t sets = kNoScoreboard;
  std::uint8_t frees = kNoScoreboard;
  std::uint8_t drains = kNoScoreboard, leaves = 0;
  bool commits = false;       // closes a group of asynchronous copies
  bool waits_copies = false;  // waits on an mbarrier
  bool fences = false;        // waits until what the warp wrote is there for all
  bool meets = false;         // waits at its cluster's barrier
  bool joins = false;         // … arrives at it with its last instruction
};

// All steps to a record; the last step's last instruction is the record's own.
struct Segment {
  std::vector<Step> steps;
  std::uint32_t instructions = 0;
};

class Paths {
 public:
  Paths(std::span<const trace::Site> sites, const trace::Program& program,
        const model::InstructionTable& table, bool clusters = false);
  ~Paths();

  static constexpr std::uint32_t kStart = ~0u;  // before a warp's first record
  // From a record at site `from` (or kStart) to the next one at site `to`.
  const Segment& between(std::uint32_t from, std::uint32_t to) {
    const std::size_t at = static_cast<std::size_t>(from + 1) * (sites_ + 1) + to;
    if (at < table_.size()) {
      if (!table_[at]) table_[at] = make(from, to);
      return *table_[at];
    }
    auto& entry = others_[std::uint64_t{from} << 32 | to];
    if (!entry) entry = make(from, to);
    return *entry;
  }
  bool known() const { return !code_.empty(); }

 private:
  struct Graph;
  std::unique_ptr<Segment> make(std::uint32_t from, std::uint32_t to);
  std::vector<std::uint32_t> lines_between(std::uint32_t from, std::uint32_t to);

  std::size_t sites_ = 0;
  std::vector<CodeLine> code_;
  std::vector<std::int32_t> line_;  // by site; -1: not in the code
  std::vector<bool> ends_;          // by site: a warp's end
  std::unique_ptr<Graph> graph_;
  std::vector<std::unique_ptr<Segment>> table_;  // by (from + 1, to), programs with few sites
  std::unordered_map<std::uint64_t, std::unique_ptr<Segment>> others_;
};

}  // namespace warpmem::sim
