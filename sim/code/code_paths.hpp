// CodePaths through a kernel's code from one record of a warp to its next: the lines in between,
// for the engines that time them (paths.hpp) or put back the accesses among them that recordings
// lack (sim/spills/spills.hpp).
//
// A trace holds memory instructions only; in between lies the shortest path that passes no other
// one (one that is guarded may be passed: all its lanes may have been off) and takes no branch that
// constants rule out (static_flow.hpp). It goes through the functions called on it, and from a
// function back to behind a call of it. A loop that left no record is gone through once by this.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/code/code.hpp"
#include "sim/code/static_flow.hpp"
#include "traces/format/launch.hpp"
#include "traces/format/record.hpp"

namespace warpmem::sim {

class TakenPaths;

class CodePaths {
 public:
  using Lines = std::vector<std::uint32_t>;
  static constexpr std::uint32_t kStart = ~0u;  // before a warp's first record

  // `code`: as read_code gives it. `launch`: where the code may tell of loops and branches what the
  // trace does not; nullptr: it may not. `slots`: of spilled registers (static_flow.hpp).
  // `times`: how often an emulated launch ran its instructions; of others nothing.
  CodePaths(std::span<const trace::Site> sites, const trace::DecodedProgram& program,
            std::vector<CodeLine> code, const trace::Launch* launch,
            std::span<const SpillSlot> slots = {}, std::span<const trace::TimesRun> times = {});
  ~CodePaths();
  CodePaths(const CodePaths&) = delete;
  CodePaths& operator=(const CodePaths&) = delete;

  const std::vector<CodeLine>& code() const { return code_; }
  bool follows_calls() const { return inner_ != nullptr; }
  // The line of a site; -1: it has none.
  std::int32_t line(std::uint32_t site) const { return line_[site]; }
  // Lines of the BSYNCs at which lanes may wait that part from others where the site's instruction
  // is: those around it, the innermost one first (which a BREAK lets lanes pass by).
  Lines waits(std::uint32_t site) const;
  // Whether the code has the site's instruction: of an emulated kernel, accesses that ptxas made
  // something else of may have none.
  bool placed(std::uint32_t site) const { return line_[site] >= 0 || ends_[site]; }
  bool ends(std::uint32_t site) const { return ends_[site]; }  // a warp's end
  // Two sites of one instruction follow each other without anything in between, but where a copy
  // has been written: then it reads for another time. Pieces of bulk copies say of themselves which
  // of them begin one (trace::Piece); those of emulated traces before format 1.4 are of one copy.
  bool same(std::uint32_t from, std::uint32_t to) const {
    return from != kStart && from != to && line_[from] >= 0 && line_[from] == line_[to] &&
           !(copied_[from] && reads_copy_[to]);
  }

  // CodePaths of several passages, which are taken in turn.
  struct Passages {
    std::vector<Lines> paths;
    std::vector<std::uint32_t> turns;  // at least one; positions in `paths`
  };
  // … from `from` to `to`: the one that between() gives where the trace does not tell more. Not a
  // power of two of them, so that equally many warps do not meet the same ones over and over.
  static constexpr std::uint32_t kPassages = 61;
  // `anew`: even if same(), as the instruction runs once more.
  Passages passages(std::uint32_t from, std::uint32_t to, bool anew = false) const;
  // … so many times round a loop (round()).
  Passages rounds(const std::vector<std::int32_t>& points, std::uint32_t passages) const;

  // Lines after those of site `from` up to and with line `to`; empty: no path leads there.
  Lines lines_to(std::uint32_t from, std::uint32_t to) const;
  // Lines after those of site `from` (or kStart) up to and with `to`; empty: nothing is known.
  Lines between(std::uint32_t from, std::uint32_t to, bool anew = false) const;
  // … of a warp of which is known from which calls (lines, the last one last) it has not returned
  // yet; `calls` becomes what they are at the end. A function is left to behind the call that it
  // was entered by, where the above takes whatever call is nearest.
  Lines between(std::uint32_t from, std::uint32_t to, Lines& calls) const;
  // Once round a loop from its branch back (points[0]) to itself, through the branches back of
  // loops within it that `points` goes on with.
  Lines round(const std::vector<std::int32_t>& points) const;
  // … for a record of rounds: `through` are the sites of rounds since the warp's last record.
  std::vector<std::int32_t> points(std::uint32_t site,
                                   std::span<const std::uint32_t> through) const;

  // A loop on a path that left no records, of which the code says how often it goes round.
  struct Repeat {
    std::uint32_t branch = 0;  // line of its branch back
    std::size_t at = 0;        // place among the path's lines
    std::uint64_t rounds = 0;  // in all: inner ones as often as those around them ask for
  };
  std::vector<Repeat> repeats(const Lines& path) const;
  // Branches back of loops without traced instructions of which nobody knows how often they go
  // round: pcs, ascending. On the path they are taken once at most.
  const std::vector<std::uint32_t>& taken_once() const { return taken_once_; }

  struct Graph;  // path_graph.hpp

 private:
  struct Piece;
  struct Left;
  Lines taken_between(std::int32_t from, std::int32_t to, Left& left,
                      std::uint32_t loop = trace::kNowhere) const;
  Lines lines_between(std::int32_t from, std::int32_t to) const;
  static bool leaves(const Graph& graph, const std::vector<CodeLine>& code, std::size_t block);
  static Piece nearest_end(Graph& graph, const std::vector<CodeLine>& code, std::size_t source,
                           std::int32_t to);
  static Lines lines_in(Graph& graph, const std::vector<CodeLine>& code, std::int32_t from,
                        std::int32_t to);
  void find_loops(const Lines& lines, std::uint64_t times, std::size_t at, Lines& inside,
                  std::vector<Repeat>& out) const;

  std::vector<CodeLine> code_;
  std::vector<std::int32_t> line_;         // by site; -1: not in the code
  std::vector<bool> ends_;                 // by site
  std::vector<bool> copied_, reads_copy_;  // by site: the second and the first record of a copy
  StaticFlow static_;
  std::vector<std::uint32_t> taken_once_;
  std::unique_ptr<Graph> graph_;       // without the branches that constants rule out
  std::unique_ptr<Graph> whole_;       // … with them; nullptr: there are none
  std::unique_ptr<Graph> inner_;       // without returns; nullptr: there are no calls
  trace::CodeFlow flow_;               // of code that records of rounds or `times` belong to
  std::unique_ptr<TakenPaths> taken_;  // nullptr: the shortest paths are taken
};

}  // namespace warpmem::sim
