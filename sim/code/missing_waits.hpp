// The waits of code without control words: which result which instruction waits for, worked out
// from its registers.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/code/code.hpp"

namespace warpmem::sim {

// Takes a kernel's lines one after the other.
class MissingWaits {
 public:
  // Sets what line `l` waits for and sets; `before`: the line in front, whose stall may grow.
  void line(CodeLine& l, CodeLine* before, const std::vector<std::uint32_t>& reads,
            const std::vector<std::uint32_t>& writes);

 private:
  struct Result {
    std::uint64_t ready = 0;
    std::uint8_t scoreboard = kNoScoreboard;
  };
  std::unordered_map<std::uint32_t, Result> registers_;
  std::uint64_t now_ = 0;
  std::uint32_t next_ = 0;
};

}  // namespace warpmem::sim
