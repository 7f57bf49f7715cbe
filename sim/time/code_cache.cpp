#include "sim/time/code_cache.hpp"

#include <algorithm>

namespace warpmem::sim {
CodeCache::CodeCache(const model::CardNumbers& card, std::uint64_t bytes)
    : card_(card),
      too_large_(bytes > card.code_bytes),
      brought_(static_cast<std::uint32_t>(card.code_brought_bytes / card.code_piece_bytes)),
      sets_(std::max<std::uint64_t>(1, card.code_bytes / card.code_piece_bytes / card.code_ways)),
      group_sets_(std::max<std::uint64_t>(
          1, card.code_group_bytes / card.code_piece_bytes / card.code_group_ways)) {}

bool CodeCache::push_out(std::uint32_t piece) {
  Piece* oldest = nullptr;
  std::uint32_t here = 0, later = 0;  // in its set; run since this one was
  for (std::size_t k = piece % sets_; k < pieces_.size(); k += sets_) {
    Piece& p = pieces_[k];
    if (p.there == kNotHere) continue;
    ++here;
    if (!oldest || p.used < oldest->used) oldest = &p;
  }
  if (here >= card_.code_ways) {
    oldest->there = kNotHere;
    oldest->gone = ++turn_;
  }
  for (std::size_t k = piece % group_sets_; k < pieces_.size(); k += group_sets_)
    later += pieces_[k].used > pieces_[piece].used;
  return later < card_.code_group_ways;
}

void CodeCache::bring(std::uint32_t piece, std::uint64_t now) {
  Piece& p = pieces_[piece];
  const bool first = p.came == 0;
  bool near = first ? piece < brought_ : true;  // the GPC has it
  if (too_large_) {
    const bool recent = push_out(piece);
    if (!first) near = recent;
  }
  // It was asked for when the one in front of it came, if that was since this one was pushed out;
  // whoever jumps there asks for it now.
  const Piece* const before = piece > 0 ? &pieces_[piece - 1] : nullptr;
  const bool ahead = before && before->there != kNotHere && before->came >= p.gone;
  std::uint64_t each = first ? card_.time_code_cycles : card_.code_again_cycles;
  if (!near && first) each = ahead ? card_.code_far_cycles : card_.code_far_jump_cycles;
  if (!near && !first)
    each = ahead ? card_.code_group_again_cycles : card_.code_group_again_jump_cycles;
  const bool begins = first && !before;  // the launch waits for the first one
  const std::uint64_t there = begins ? now : (ahead ? before->there : now) + each;
  p.there = std::max<std::uint64_t>({1, now, there});
  p.came = ++turn_;
  again_ += !first;
}

}  // namespace warpmem::sim
