// The shape of a piece of code, PTX or machine code: basic blocks, an order in which no block comes
// before one that leads to it (but by going round a loop), and the loops.
#pragma once

#include <cstdint>
#include <vector>

namespace warpmem::trace {

// One instruction, as far as control flow sees it.
struct FlowLine {
  bool falls = true;                   // the next one may follow
  std::vector<std::uint32_t> targets;  // … or these, by position
};

constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

struct Loop {
  std::uint32_t header = 0;        // block
  std::uint32_t outer = kNowhere;  // the loop around it
  std::uint32_t depth = 1;
  bool has_inner = false;
  bool falls_round = false;  // its end falls through to its beginning
};

struct CodeFlow {
  std::vector<std::uint32_t> block_of;  // of each line
  std::vector<std::uint32_t> order;     // of each block; kNowhere: nothing leads to it
  std::vector<std::uint32_t> loop_of;   // of each block: the innermost, kNowhere: none
  std::vector<Loop> loops;
  std::vector<std::uint32_t> dominator;  // of each block: the last one that all ways to it share
  std::vector<std::uint32_t> back_edge;  // of each line that jumps back: the loop it repeats
  // Likewise of each line that is no jump and after which the loop's beginning follows.
  std::vector<std::uint32_t> falls_back;
  bool reducible = true;  // every cycle is a loop with one way in: else the rest means little

  std::uint32_t depth(std::uint32_t line) const {
    const std::uint32_t loop = loop_of[block_of[line]];
    return loop == kNowhere ? 0 : loops[loop].depth;
  }
  // Blocks: whoever is in b has been in a.
  bool dominates(std::uint32_t a, std::uint32_t b) const {
    while (b != a && b != kNowhere) b = dominator[b];
    return b == a;
  }
  bool inside(std::uint32_t loop, std::uint32_t line) const {
    std::uint32_t l = loop_of[block_of[line]];
    while (l != loop && l != kNowhere) l = loops[l].outer;
    return l == loop;
  }
  // Of two lines of a loop: from the first the second is reached only by going round.
  bool behind(std::uint32_t first, std::uint32_t second) const {
    const std::uint32_t a = order[block_of[first]], b = order[block_of[second]];
    return b < a || (a == b && second <= first);
  }
  bool reached(std::uint32_t line) const { return order[block_of[line]] != kNowhere; }
};

CodeFlow flow_of(const std::vector<FlowLine>& lines);

}  // namespace warpmem::trace
