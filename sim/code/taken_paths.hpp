// Which paths warps took between two records of an emulated trace. The emulator counted how often
// they ran each instruction (trace::TimesRun), so the share of those that went through the body of
// a branch is known: of several passages as many take it, in turn. Where both sides ran more often
// than the branch, diverged warps ran one after the other.
//
// A recording counts nothing. There every other passage runs a body: of 229 bodies of 50 public
// programs that the emulator counted, warps ran 123 mostly and the others hardly ever. Not those of
// one or two instructions (4 of 14), calls (ptxas's functions are for numbers out of the ordinary),
// nor what such numbers take (rare_branches.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "isa/flow/code_flow.hpp"
#include "sim/code/path_graph.hpp"
#include "traces/format/launch.hpp"

namespace warpmem::sim {

class TakenPaths {
 public:
  using Graph = CodePaths::Graph;
  using Vertices = std::vector<std::size_t>;
  // What is left over of each side of a branch from the passages so far, by its vertex.
  using Left = std::unordered_map<std::size_t, std::array<double, 3>>;

  TakenPaths(const Graph& graph, const std::vector<CodeLine>& code, const trace::CodeFlow& flow,
             std::span<const trace::TimesRun> times);
  // … of a recording. `rare`: by line, branches whose bodies are not supposed to be run.
  TakenPaths(const Graph& graph, const std::vector<CodeLine>& code, const trace::CodeFlow& flow,
             std::vector<bool> rare);

  // The path of one passage, behind vertex `source` up to `goal`, which can be reached. Its choices
  // change `left`; it stays empty where there is nothing to choose. Round a loop it does not leave
  // the loop: who does goes no round.
  Vertices passage(std::size_t source, std::size_t goal, Left& left,
                   std::uint32_t loop = trace::kNowhere);

 private:
  struct Times {
    std::uint64_t times = 0;
    std::uint32_t copies = 0;  // 0: not known
  };
  struct Goal {  // by vertex
    std::vector<std::uint64_t> far;
    Vertices next;  // on the shortest path
  };
  struct Edge {
    std::size_t vertex;
    std::uint64_t weight;
  };
  struct Sides {
    std::size_t other = 0, meet = 0;  // vertices
    double next = 0, both = 0;        // shares of the passages; the rest takes the other side
  };

  enum class Of { kSide, kRounds, kOthers };

  void connect();
  const Goal& goal(std::size_t vertex);
  std::size_t nearest_next(std::size_t v, const Goal& to) const;
  std::optional<Sides> sides(std::size_t v, std::size_t next, std::size_t goal);
  bool leaves_round(std::size_t from, std::size_t to) const;
  Of of_side(std::size_t v, std::size_t from, std::size_t side) const;
  bool supposed(std::size_t from, std::size_t body, std::size_t meet, const Goal& to) const;
  std::optional<double> share(std::size_t from, std::size_t side, std::size_t meet,
                              const Goal& to) const;
  void walk(std::size_t from, std::size_t goal, Left& left, std::vector<bool>& met, Vertices& out);
  bool goes_back(std::size_t from, std::size_t to) const;
  std::optional<std::size_t> other_side(std::size_t v, std::size_t next) const;

  const Graph& graph_;
  const std::vector<CodeLine>& code_;
  const trace::CodeFlow& flow_;
  bool counted_;
  std::vector<bool> rare_;                         // by line; of what is not counted
  std::vector<Times> block_, branch_;              // by block: of it, and of its last instruction
  std::vector<std::vector<Edge>> after_, before_;  // by vertex
  std::map<std::size_t, Goal> goals_;
  std::uint32_t round_of_ = trace::kNowhere;  // the loop that the passage goes round
};

}  // namespace warpmem::sim
