// What of a ShapedMemory is as the card says, or known beforehand: for its own sources alone.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "model/cache/data_banks.hpp"
#include "model/cache/tag_banks.hpp"
#include "model/system/local_line.hpp"
#include "model/system/shaped_memory.hpp"

namespace warpmem::model {

// Whether the L1 keeps what such an access brings.
template <class Shape>
inline bool ShapedMemory<Shape>::is_cached(const AccessPlan& plan) const {
  if constexpr (!Shape::kAsCard) return true;
  const CachedSpaces cached = spec_.l1.cached;
  if (!spec_.l1.present) return true;
  if constexpr (Shape::kAsCard)
    if (is_early() && (plan.bypass_l1 || !l1_.front().exists())) return false;
  if (plan.action == Action::kLocalLoad || plan.action == Action::kLocalStore)
    return caches_local(cached);
  return caches_loads(cached) || (plan.asks_l1 && caches_asked(cached));
}

// Read-only loads have a path of their own from compute capability 3.5 on, whatever else the L1 is
// for.
template <class Shape>
inline typename Shape::L1* ShapedMemory<Shape>::cache_of(const AccessPlan& plan, int sm) {
  if (plan.bypass_l1) return nullptr;
  L1& l1 = l1_[static_cast<std::size_t>(sm)];
  if constexpr (Shape::kAsCard) {
    const bool apart = plan.read_only && spec_.reads_apart;
    if (apart && !textures_.empty()) return &textures(sm);
    if (apart ? is_early() && !l1.exists() : !is_cached(plan)) return nullptr;
  }
  return &l1;
}

// Word `k` of the lanes' local memory, which lies in 128 bytes for all lanes of a warp.
template <class Shape>
inline WarpAccess ShapedMemory<Shape>::local_word(const WarpAccess& a, std::uint64_t area,
                                                  std::uint64_t k) const {
  WarpAccess word;
  word.mask = a.mask;
  word.bytes = std::min<std::uint32_t>(4, a.bytes);
  for (std::uint32_t rest = a.mask; rest; rest &= rest - 1) {
    const auto l = static_cast<std::size_t>(std::countr_zero(rest));
    const std::uint64_t at = (area + local_.word(a.address[l], k)) * kWarpLanes + l;
    word.address[l] = kLocalLine * spec_.line_bytes + at * 4 + a.address[l] % 4;
  }
  return word;
}

// Its lines.
template <class Shape>
inline void ShapedMemory<Shape>::list_local(const WarpAccess& a, std::uint64_t area,
                                            std::uint64_t k) {
  lines_.count = 0;
  const std::uint32_t width = std::min<std::uint32_t>(4, a.bytes);
  if (Shape::kAsCard || line_ != LineSize()) {
    touch_lines(local_word(a, area, k), true, lines_, line_);
  } else {
    for (std::uint32_t rest = a.mask; rest; rest &= rest - 1) {
      const auto l = static_cast<std::size_t>(std::countr_zero(rest));
      const std::uint64_t line = kLocalLine + area + local_.word(a.address[l], k);
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
      std::uint32_t& bytes = lines_.bytes[at][s];
      bytes |= (width == 4 ? 15u : (1u << width) - 1)
               << (l % 8 * 4 + static_cast<unsigned>(a.address[l] % 4));
      if (bytes == ~0u) lines_.full[at] = static_cast<std::uint8_t>(lines_.full[at] | 1u << s);
    }
  }
}

// Cycles of the L1's tag stage: lines in the fullest of its banks.
template <class Shape>
inline std::uint32_t ShapedMemory<Shape>::tag_passes_of(const Lines& lines) const {
  const auto count = static_cast<std::size_t>(lines.count);
  if (is_early()) {
    if constexpr (Shape::kAsCard) return std::max(1u, lines.transactions);
  }
  if constexpr (!Shape::kAsCard) {
    return static_cast<std::uint32_t>(tag_passes_of_sets(lines.l1.set.data(), count));
  } else {
    std::array<std::uint32_t, LineList::kMost> bank;
    std::array<std::uint8_t, LineList::kMost> of_bank{};
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < count; ++i) {
      bank[i] = spec_.l1.index(lines.line[i]) % spec_.l1.tag_banks;
      most = std::max<std::uint32_t>(most, ++of_bank[bank[i] % LineList::kMost]);
    }
    return most;
  }
}

// Cycles of the data stage, or `least` if they are fewer.
template <class Shape>
inline std::uint32_t ShapedMemory<Shape>::data_passes_of(const WarpLanes& w, std::uint32_t bytes,
                                                         std::uint32_t least) const {
  if constexpr (!Shape::kAsCard) return data_passes(w, bytes, least);
  else return data_passes(w, bytes, least, Banks{spec_.banks, spec_.bank_bytes});
}

template <class Shape>
inline SharedPasses ShapedMemory<Shape>::shared_passes_of(const WarpAccess& a,
                                                          SharedKind kind) const {
  if constexpr (!Shape::kAsCard) return shared_passes(a, kind);
  else return shared_passes(spec_.shared, a, kind, Banks{spec_.banks, spec_.bank_bytes});
}

template <class Shape>
inline AtomicTraffic ShapedMemory<Shape>::atomic_of(const WarpLanes& w,
                                                    const AccessPlan& plan) const {
  const WarpAccess a = expand(w, plan.bytes);
  if (is_early()) return atomic_transactions(a, spec_.line_bytes);
  return has_measured_index()
             ? atomic_traffic(a, plan.compare_and_swap)
             : atomic_traffic(a, plan.compare_and_swap, line_, spec_.bank_bytes, spec_.l1.index);
}

}  // namespace warpmem::model
