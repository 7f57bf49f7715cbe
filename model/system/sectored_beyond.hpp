// How SectoredMemory's accesses go on to the L2: for its own sources alone.
#pragma once

#include <algorithm>

#include "model/system/local_line.hpp"
#include "model/system/sectored_memory.hpp"

namespace warpmem::model {

template <class L2>
inline bool SectoredMemoryOf<L2>::in_host_memory(std::uint64_t line) const {
  const std::uint64_t address = line * kLineBytes;
  auto it = std::upper_bound(host_.begin(), host_.end(), address,
                             [](std::uint64_t a, const AddressRange& h) { return a < h.base; });
  return it != host_.begin() && address < std::prev(it)->base + std::prev(it)->bytes;
}

// An access's own eviction priority goes before the window's.
template <class L2>
inline Stay SectoredMemoryOf<L2>::stay(std::uint64_t line, Stay own) const {
  return own != Stay::kUnsaid || window_.bytes == 0 ? own : stay_in(window_, line, kLineBytes);
}

// From the L2, or from host memory: the cycle in which it is back.
template <class L2>
inline std::uint64_t SectoredMemoryOf<L2>::read_beyond(
    const AccessTiming& place, std::uint64_t at, std::uint64_t line, const L2Cache::Route& route,
    std::uint8_t sectors, std::uint32_t fetch, Stay own, const MemoryPath::Seat* seat, bool apart) {
  if (!plain_ && in_host_memory(line)) [[unlikely]]
    return l2_.read_host(sectors, at);
  return l2_.read(place.sm, line, route, sectors, at, fetch, stay(line, own), seat, apart);
}

template <class L2>
inline std::uint64_t SectoredMemoryOf<L2>::read_l2(AccessTiming& place, std::uint64_t at,
                                                   std::uint64_t line, const L2Cache::Route& route,
                                                   std::uint8_t sectors, std::uint32_t fetch,
                                                   Stay own, const MemoryPath::Seat* seat,
                                                   bool apart) {
  if (!sectors) return place.now;
  place.left_sm = true;
  ++place.missed;
  counters_.l1_fill_sectors += sectors_in(sectors);
  const std::uint64_t back = read_beyond(place, at, line, route, sectors, fetch, own, seat, apart);
  place.done = later(place.done, back);
  return back;
}

// A store to a line that still waits to leave the SM travels with it: sectors that wait already are
// not sent again.
template <class L2>
inline void SectoredMemoryOf<L2>::write_l2(AccessTiming& place, const LineTouch& touch,
                                           const L2Cache::Route& route, std::uint64_t tags,
                                           std::uint64_t data) {
  StoreQueue& queue = stores_[static_cast<std::size_t>(place.sm)];
  const StoreQueue::Taken taken =
      queue.take(touch.line, touch.sectors, std::max(tags, place.held), data);
  place.held = std::max(place.held, taken.at);
  send(place, touch, route, taken.again, taken.opens, std::max(place.now, taken.at));
  // Where stores queue, a later one finds the earlier one still there.
  queue.keep_until(place.sent);
}

template <class L2>
inline void SectoredMemoryOf<L2>::send(AccessTiming& place, const LineTouch& touch,
                                       const L2Cache::Route& route, std::uint8_t again, bool opens,
                                       std::uint64_t at) {
  const auto sectors = static_cast<std::uint8_t>(touch.sectors & ~again);
  counters_.l1_write_sectors += sectors_in(sectors);
  place.left_sm = true;
  const std::uint64_t there =
      !plain_ && in_host_memory(touch.line)
          ? l2_.write_host(sectors, place.sm, at)
          : l2_.write(place.sm, touch.line, route, touch.sectors, touch.full, touch.bytes.data(),
                      again, opens, at, of_write(stay(touch.line, Stay::kUnsaid)));
  place.stored = std::max(place.stored, there);
  place.sent = std::max(place.sent, l2_.sent(at));
}

}  // namespace warpmem::model
