// The lines of the accesses that the next few turns come to, listed ahead of them where the memory
// system can do so (model/system/line_lister.hpp). Changes no result.
#pragma once

#include <array>
#include <cstddef>

#include "model/system/line_lister.hpp"
#include "sim/engine/sites.hpp"
#include "sim/engine/warp_lanes.hpp"
#include "sim/records/position.hpp"

namespace warpmem::sim {

class ListedLines {
 public:
  using Lines = model::LineLister::Lines;
  static constexpr std::size_t kAhead = 3;  // turns

  explicit ListedLines(model::LineLister* lister) : lister_(lister) {}

  // Lists those of the record that a warp is at, for the turn of this number; nothing if `at` is
  // nullptr.
  void list(std::size_t turn, const Position* at, const std::vector<AccessPlan>& plans, int sm) {
    Listed& out = listed_[turn % listed_.size()];
    out.record = nullptr;
    if (!at || !lister_) return;
    const trace::Record& r = *at->next;
    if (!model::SectoredLines::prepares(plans[r.site])) return;
    lister_->prepare(lanes_of(r, at->lanes), plans[r.site], sm, out.lines);
    out.record = &r;
  }
  // The turn of this number begins.
  void begin(std::size_t turn) { now_ = &listed_[turn % listed_.size()]; }
  // A record's lines, if they are those of this turn; else nullptr.
  const Lines* of(const trace::Record& r) const {
    return now_->record == &r ? &now_->lines : nullptr;
  }
  // What this turn's were is done with: the record's place in memory may soon be another's.
  void forget() { now_->record = nullptr; }

 private:
  struct Listed {
    const trace::Record* record = nullptr;
    Lines lines;
  };

  model::LineLister* lister_;
  std::array<Listed, kAhead + 1> listed_;
  Listed* now_ = &listed_[0];
};

}  // namespace warpmem::sim
