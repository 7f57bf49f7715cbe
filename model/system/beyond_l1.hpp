// How the accesses of a ShapedMemory go on to the L2: for its own sources alone.
#pragma once

#include <algorithm>

#include "model/system/local_line.hpp"
#include "model/system/shaped_memory.hpp"

namespace warpmem::model {

template <class Shape>
inline bool ShapedMemory<Shape>::in_host_memory(std::uint64_t line) const {
  const std::uint64_t address = line * line_.bytes();
  auto it = std::upper_bound(host_.begin(), host_.end(), address,
                             [](std::uint64_t a, const AddressRange& h) { return a < h.base; });
  return it != host_.begin() && address < std::prev(it)->base + std::prev(it)->bytes;
}

// An access's own eviction priority goes before the window's.
template <class Shape>
inline Stay ShapedMemory<Shape>::stay(std::uint64_t line, Stay own) const {
  return own != Stay::kUnsaid || window_.bytes == 0 ? own : stay_in(window_, line, line_.bytes());
}

// From the L2, or from host memory: the cycle in which it is back.
template <class Shape>
inline std::uint64_t ShapedMemory<Shape>::read_beyond(const AccessTiming& place, std::uint64_t at,
                                                      std::uint64_t line, const Route& route,
                                                      std::uint8_t sectors, std::uint32_t fetch,
                                                      Stay own, const MemoryPath::Address* address,
                                                      bool apart) {
  if (!plain_ && in_host_memory(line)) [[unlikely]] {
    if constexpr (Shape::kAsCard) return l2_.read_host(sectors, at, is_early() ? place.sm : 0);
    else return l2_.read_host(sectors, at);
  }
  return l2_.read(place.sm, line, route, sectors, at, fetch, stay(line, own), address, apart);
}

// The same of a load's miss, which takes one of the SM's entries for those.
template <class Shape>
inline std::uint64_t ShapedMemory<Shape>::read_missed_line(const AccessTiming& place,
                                                           std::uint64_t at, std::uint64_t line,
                                                           const Route& route, std::uint8_t sectors,
                                                           std::uint32_t fetch, Stay own,
                                                           const MemoryPath::Address* address,
                                                           bool apart) {
  const auto read = [&](std::uint64_t from) {
    return read_beyond(place, from, line, route, sectors, fetch, own, address, apart);
  };
  if constexpr (!L2::kAnswersLater)
    if (!misses_.empty()) return misses_[static_cast<std::size_t>(place.sm)].miss(line, at, read);
  return read(at);
}

template <class Shape>
inline std::uint64_t ShapedMemory<Shape>::read_l2(AccessTiming& place, std::uint64_t at,
                                                  std::uint64_t line, const Route& route,
                                                  std::uint8_t sectors, std::uint32_t fetch,
                                                  Stay own, const MemoryPath::Address* address,
                                                  bool apart) {
  if (!sectors) return place.now;
  place.left_sm = true;
  ++place.missed;
  sink_.fill(place, line, sectors_in(sectors));
  const std::uint64_t back =
      read_missed_line(place, at, line, route, sectors, fetch, own, address, apart);
  place.done = later(place.done, back);
  return back;
}

// A store to a line that still waits to leave the SM travels with it: sectors that wait already are
// not sent again.
template <class Shape>
inline void ShapedMemory<Shape>::write_l2(AccessTiming& place, const LineTouch& touch,
                                          const Route& route, std::uint64_t tags,
                                          std::uint64_t data) {
  if (is_early()) return send(place, touch, route, 0, true, tags);
  StoreQueue& queue = stores_[static_cast<std::size_t>(place.sm)];
  const StoreQueue::Taken taken =
      queue.take(touch.line, touch.sectors, std::max(tags, place.held), data);
  place.held = std::max(place.held, taken.at);
  send(place, touch, route, taken.again, taken.opens, std::max(place.now, taken.at));
  // Where stores queue, a later one finds the earlier one still there.
  queue.keep_until(place.sent);
}

template <class Shape>
inline void ShapedMemory<Shape>::send(AccessTiming& place, const LineTouch& touch,
                                      const Route& route, std::uint8_t again, bool opens,
                                      std::uint64_t at) {
  const auto sectors = static_cast<std::uint8_t>(touch.sectors & ~again);
  sink_.sends(place, touch.line, sectors_in(sectors));
  place.left_sm = true;
  const std::uint64_t there =
      !plain_ && in_host_memory(touch.line)
          ? l2_.write_host(sectors, place.sm, at)
          : l2_.write(place.sm, touch.line, route, touch.sectors, touch.full, touch.bytes.data(),
                      again, opens, at, of_write(stay(touch.line, Stay::kUnsaid)));
  place.stored = std::max(place.stored, there);
  place.sent = std::max(place.sent, l2_.sent(at));
}

// What a cache gave up and has kept back, before what comes in its place.
template <class Shape>
inline void ShapedMemory<Shape>::write_pushed(L1& cache, AccessTiming& place) {
  if constexpr (Shape::kAsCard) {
    const auto pushed = cache.take_pushed();
    if (!pushed) return;
    LineTouch line{pushed->line, pushed->sectors, pushed->sectors};
    for (std::uint32_t s = 0; s < kSectorsPerLine; ++s)
      if (pushed->sectors >> s & 1) line.bytes[s] = ~0u;
    write_l2(place, line, {}, place.now, place.now);
  }
}

}  // namespace warpmem::model
