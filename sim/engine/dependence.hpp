// Which of a warp's loads its next access has to wait for: those whose registers some instruction
// between the two reads. Straight-line between ascending pcs; a jump backwards waits for all.
#pragma once

#include <bitset>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/decoded_program.hpp"
#include "traces/format/record.hpp"

namespace warpmem::sim {

class Dependence {
 public:
  Dependence(std::span<const trace::Site> sites, const trace::DecodedProgram& program);
  Dependence(const Dependence&) = delete;
  Dependence& operator=(const Dependence&) = delete;

  // True when an access at site `next`, right after one at site `last`, needs what `load` brings.
  bool waits(std::uint32_t load, std::uint32_t last, std::uint32_t next) {
    if (known_.empty()) return true;
    std::uint8_t& known = known_[(last * sites_ + next) * sites_ + load];
    if (known == 0) [[unlikely]]
      known = find_out(load, last, next) ? 1 : 2;
    return known == 1;
  }
  // Instructions from one access to the next.
  std::uint32_t instructions(std::uint32_t last, std::uint32_t next) {
    if (counted_) [[likely]]
      if (const std::uint16_t known = counted_[last * sites_ + next]) [[likely]]
        return known;
    return count(last, next);
  }

 private:
  static constexpr std::uint32_t kLoopInstructions = 8;  // the path between two is not straight
  static constexpr std::size_t kTableSites = 256;        // above: no tables, accesses wait always

  using Registers = std::bitset<256>;
  struct Line {
    std::uint32_t pc = 0;
    Registers reads, writes;
  };
  bool find_out(std::uint32_t load, std::uint32_t last, std::uint32_t next) const;
  std::uint32_t count(std::uint32_t last, std::uint32_t next);

  std::vector<std::uint32_t> pc_;       // by site
  std::vector<Registers> brings_;       // by site: registers that it writes
  std::vector<Line> code_;              // ascending pc
  std::vector<std::uint8_t> known_;     // by (last, next, load): 0 not yet, 1 waits, 2 does not
  std::vector<std::uint16_t> between_;  // by (last, next): 0 not yet
  std::uint16_t* counted_ = nullptr;    // these, if there are any
  std::size_t sites_ = 0;
};

}  // namespace warpmem::sim
