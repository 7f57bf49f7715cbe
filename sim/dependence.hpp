// Which of a warp's loads its next access has to wait for: those whose registers some instruction
// between the two reads. Straight-line between ascending pcs; a jump backwards waits for all.
#pragma once

#include <bitset>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/program.hpp"
#include "traces/record.hpp"

namespace warpmem::sim {

class Dependence {
 public:
  Dependence(std::span<const trace::Site> sites, const trace::Program& program);

  // True when an access at site `next`, right after one at site `last`, needs what `load` brings.
  bool waits(std::uint32_t load, std::uint32_t last, std::uint32_t next);
  // Instructions from one access to the next.
  std::uint32_t instructions(std::uint32_t last, std::uint32_t next) const;

 private:
  using Registers = std::bitset<256>;
  struct Line {
    std::uint32_t pc = 0;
    Registers reads, writes;
  };
  std::vector<std::uint32_t> pc_;        // by site
  std::vector<Registers> brings_;        // by site: registers that it writes
  std::vector<Line> code_;               // ascending pc
  std::vector<std::uint8_t> known_;      // by (load, last, next): 0 not yet, 1 waits, 2 does not
};

}  // namespace warpmem::sim
