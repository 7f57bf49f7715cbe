#include "model/system/sectored_memory.hpp"

#include <algorithm>
#include <bit>

#include "model/system/sectored_beyond.hpp"

namespace warpmem::model {

// Wider accesses take a request a word (measured: kernels/micro/instructions.cu).
template <class L2>
void SectoredMemoryOf<L2>::local_access(const WarpLanes& w, const AccessPlan& plan,
                                        AccessTiming& place) {
  const WarpAccess a = expand(w, plan.bytes);
  const bool store = plan.action == Action::kLocalStore;
  OpCounters& c = store ? counters_.local_st : counters_.local_ld;
  const std::uint64_t area =
      kLocalLine + local_.area(static_cast<std::uint64_t>(place.sm), place.warp_slot);
  const std::uint64_t words = std::max<std::uint64_t>(1, plan.bytes / 4);
  place.passes = static_cast<std::uint32_t>(words);
  place.done = place.now + sm_.latency_l1;
  L1Cache& l1 = l1_[static_cast<std::size_t>(place.sm)];
  for (std::uint64_t k = 0; k < words; ++k) {
    ++c.requests;
    lines_.count = 0;
    for (std::uint32_t rest = a.mask; rest; rest &= rest - 1) {
      const int l = std::countr_zero(rest);
      const std::uint64_t line = area + local_.word(a.address[l], k);
      auto at = static_cast<std::size_t>(lines_.count);
      while (at > 0 && lines_.line[at - 1] != line) --at;
      if (at == 0) {
        at = static_cast<std::size_t>(++lines_.count);
        lines_.line[at - 1] = line;
        lines_.sectors[at - 1] = lines_.full[at - 1] = 0;
        lines_.bytes[at - 1] = {};
      }
      --at;
      const auto s = static_cast<std::size_t>(l / 8);
      lines_.sectors[at] = static_cast<std::uint8_t>(lines_.sectors[at] | 1u << s);
      const std::uint32_t width = std::min<std::uint32_t>(4, plan.bytes);
      std::uint32_t& bytes = lines_.bytes[at][s];
      bytes |= (width == 4 ? 15u : (1u << width) - 1)
               << (l % 8 * 4 + static_cast<int>(a.address[l] % 4));
      if (bytes == ~0u) lines_.full[at] = static_cast<std::uint8_t>(lines_.full[at] | 1u << s);
    }
    const auto sectors = static_cast<std::uint64_t>(sector_count(lines_));
    c.sectors += sectors;
    counters_.theoretical_local += sectors;
    for (int i = 0; i < lines_.count; ++i) {
      const LineTouch t = lines_[i];
      if (store) {
        if (l1.store(t.line, t.sectors, t.full, t.bytes.data())) c.hits += sectors_in(t.sectors);
        write_l2(place, t, l2_.route(t.line), place.tags + k, place.now + k + 1);
      } else {
        const auto asked = [&](std::uint64_t) { return touched_words(t); };
        const AskedWords asked_words(asked);
        const std::uint8_t missing = plan.last_use ? l1.load_last(t.line, t.sectors, asked_words)
                                                   : l1.load(t.line, t.sectors, true, asked_words);
        c.hits += sectors_in(t.sectors) - sectors_in(missing);
        read_l2(place, place.now, t.line, l2_.route(t.line), missing, 0);
      }
    }
  }
}

template void SectoredMemoryOf<L2Cache>::local_access(const WarpLanes&, const AccessPlan&,
                                                      AccessTiming&);
template void SectoredMemoryOf<L2Requests>::local_access(const WarpLanes&, const AccessPlan&,
                                                         AccessTiming&);

}  // namespace warpmem::model
