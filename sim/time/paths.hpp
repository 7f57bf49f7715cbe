// The path of a warp from one record of its trace to the next, through the kernel's control-flow
// graph (code_paths.hpp), in the steps in which it is timed. How often a loop without a memory
// instruction went round is said by the code or by a record of its own (trace::Op::kRounds), which
// is a point of the path like others.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/code/code_paths.hpp"
#include "traces/format/record.hpp"

namespace warpmem::sim {

// What instructions of a warp take of its scheduler.
template <class N>
struct Work {
  N issues = 0;                  // instructions
  N lost = 0;                    // issue slots lost behind branches
  N to_last = 0;                 // cycles from the first's issue to the last's
  N cycles = 0;                  // … to that of what comes behind
  std::array<N, kPipes> busy{};  // cycles of each pipe
};

// Instructions of a warp that issue one after the other without waiting for a scoreboard in
// between; the first may wait, the last may set one.
struct Step : Work<std::uint16_t> {
  std::uint16_t latency = 0;  // of the last one's result
  std::uint32_t piece = 0;    // of the code, that all of them are in
  std::uint8_t waits = 0;     // scoreboards that must be clear
  std::uint8_t sets = kNoScoreboard;
  std::uint8_t frees = kNoScoreboard;
  std::uint8_t drains = kNoScoreboard, leaves = 0;
  bool commits = false;                   // closes a group of asynchronous copies
  bool waits_copies = false;              // waits on an mbarrier
  bool fences = false;                    // waits until what the warp wrote is there for all
  bool meets = false;                     // waits at its cluster's barrier
  DriverCall driver = DriverCall::kNone;  // that the last one calls
  bool joins = false;                     // … arrives at it with its last instruction
  std::uint64_t parameters = 0;           // lines of them that its operands are in, a bit each
  std::uint64_t loads_parameters = 0;     // … that the last one loads
  const ConstantRead* operand = nullptr;  // constant that the first one needs to issue
  const ConstantRead* loads = nullptr;    // constants that the last one loads
};

struct Round;

// All steps to a record; the last step's last instruction is the record's own.
struct Segment {
  std::vector<Step> steps;
  std::uint32_t instructions = 0;
  struct Repeat {
    std::uint32_t after = 0;  // steps: where it comes
    const Round* round = nullptr;
    std::uint64_t rounds = 0;
  };
  std::vector<Repeat> repeats;  // loops on the path, of which the code says how often they go round
};

// Going round a loop, as a warp that has its SM to itself does when it has done so for a while.
struct Round {
  static constexpr std::uint32_t kRounds = 16;
  std::vector<Segment> paths;        // from the branch back to itself; none: nothing is known of it
  std::vector<std::uint32_t> turns;  // which one of them in each of so many rounds
  Work<std::uint64_t> work;          // of kRounds rounds
  std::uint64_t idle = 0;            // of their cycles: waiting for results
  std::array<std::uint16_t, kScoreboards> later{};  // cycles after its end: scoreboards clear
  std::vector<std::uint32_t> pieces;                // of code, ascending
  bool stepwise = false;      // its steps have to do with others: barriers, copies, fences
  bool always_taken = false;  // whoever goes on from the branch has gone round once more
  const Segment& segment(std::uint64_t left) const { return paths[turns[left % turns.size()]]; }
};

class Paths {
 public:
  using Lines = CodePaths::Lines;
  // `code_piece`: bytes of code that come together. `launch`: of a recorded trace, whose loops
  // without accesses left no records; what is known of them is worked out from the code.
  Paths(std::span<const trace::Site> sites, const trace::DecodedProgram& program,
        const model::InstructionTable& table, std::uint64_t code_piece, bool clusters = false,
        const trace::Launch* launch = nullptr, std::span<const SpillSlot> slots = {},
        std::span<const trace::TimesRun> times = {});

  static constexpr std::uint32_t kStart = CodePaths::kStart;
  static const Segment kNothing;  // from a record of an instruction to a further one
  // From a record at site `from` (or kStart) to the next one at site `to`. Where warps took several
  // paths, each call gives the next one. `anew`: the instruction, if it is the same, runs once
  // more.
  const Segment& between(std::uint32_t from, std::uint32_t to, bool anew = false) {
    const std::size_t at = static_cast<std::size_t>(from + 1) * (sites_ + 1) + to;
    if (anew) anew = code_paths_.same(from, to);
    auto& entry = anew                 ? again_[std::uint64_t{from} << 32 | to]
                  : at < table_.size() ? table_[at]
                                       : others_[std::uint64_t{from} << 32 | to];
    if (!entry) entry = make(from, to, anew);
    if (entry->turns.size() == 1) return entry->paths.front();
    if (++entry->turn >= entry->turns.size()) entry->turn = 0;
    return entry->paths[entry->turns[entry->turn]];
  }
  // Going round the loop whose branch back is the site's instruction; the path leads through those
  // of the loops `through` (sites) that lie within it.
  const Round& round(std::uint32_t site, std::span<const std::uint32_t> through = {});
  const std::vector<std::uint32_t>& taken_once() const { return code_paths_.taken_once(); }
  bool known() const { return !code_paths_.code().empty(); }
  const CodePaths& paths() const { return code_paths_; }
  // These lines as steps; `same`: nothing lies between two records.
  Segment segment_of(const Lines& lines, bool same);

 private:
  const Round& round_at(const std::vector<std::int32_t>& points);
  struct Passages {
    std::vector<Segment> paths;
    std::vector<std::uint32_t> turns;
    std::size_t turn = 0;
  };
  std::unique_ptr<Passages> make(std::uint32_t from, std::uint32_t to, bool anew);
  // The steps of these lines; `cut`: places among them at which one ends, `ends`: how many there
  // are then; `round`: behind the last line comes the first one again.
  void add_steps(Segment& segment, const std::vector<CodeLine>& code, const Lines& lines,
                 const Lines& cut, Lines& ends, bool round);

  std::size_t sites_ = 0;
  std::uint32_t code_piece_;
  CodePaths code_paths_;
  std::vector<std::unique_ptr<Passages>> table_;  // by (from + 1, to), programs with few sites
  std::unordered_map<std::uint64_t, std::unique_ptr<Passages>> others_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Passages>> again_;  // … of one instruction
  std::map<std::vector<std::int32_t>, std::unique_ptr<Round>> rounds_;  // by line and those between
};

}  // namespace warpmem::sim
