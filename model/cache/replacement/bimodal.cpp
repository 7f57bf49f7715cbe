// As lru, but a new line is the next to go, unless it is used: only one of 32 comes as the
// youngest. So a part of what is read over and over stays, where lru would hold nothing of it
// (Qureshi et al., Adaptive insertion policies for high performance caching, ISCA 2007: BIP).
#include "model/cache/replacement/replacement.hpp"

namespace warpmem::model::replacement {
namespace {

constexpr std::uint32_t kOneOf = 32;

std::size_t place(const SetView& set) { return draw_below(set.draws, kOneOf) == 0 ? 0 : set.lines; }

}  // namespace

extern const ReplacementPolicy bimodal;
const ReplacementPolicy bimodal{.place = place};

}  // namespace warpmem::model::replacement
