// What an L1 of all the bytes that shared memory can leave it would have had: beside the L1s of a
// launch whose configuration leaves them half of that or less, a second set of them that takes the
// same loads and stores and has no part in the time.
//
// Leaves out: local memory and textures, which real L1s hold as well; that loads come in another
// order where more of them hit. Atomics and copies empty an SM's, and of a line stored in part a
// load asks for all words, so that it hits too seldom rather than too often.
// Cost: a lookup a line, in such launches only.
#pragma once

#include <vector>

#include "model/cache/l1_cache.hpp"
#include "model/system/sectored_shape.hpp"
#include "sim/engine/sites.hpp"

namespace warpmem::sim {

class LargerL1 {
 public:
  LargerL1(const model::Card& card, std::uint64_t shared_config);

  std::uint64_t bytes() const { return std::uint64_t{line_bytes_} * lines_; }
  std::uint64_t most_bytes() const { return std::uint64_t{line_bytes_} * most_; }
  // Whether the L1s are so small that it is worth asking.
  bool asks() const { return 2 * lines_ <= most_; }

  // An access of an SM. `lines`: its own, of loads and stores; `missed`: how many of them its L1
  // lacked.
  void access(const AccessPlan& plan, int sm, const model::SectoredLines::Lines& lines,
              std::uint32_t missed);

  std::uint64_t missed() const { return missed_; }  // lines that loads missed
  std::uint64_t had() const { return had_; }  // of them, lines that a larger one would have had

 private:
  LargerL1(const model::L1Spec& l1, const model::CardNumbers& n, std::uint64_t shared_config);
  void load(model::L1Cache& l1, bool allocate, const model::SectoredLines::Lines& lines,
            std::uint32_t missed);

  std::uint32_t line_bytes_, lines_, most_;
  std::vector<model::L1Cache> l1_;  // by SM; none: does not ask
  std::uint64_t missed_ = 0, had_ = 0;
};

}  // namespace warpmem::sim
