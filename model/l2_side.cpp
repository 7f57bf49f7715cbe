#include "model/l2_side.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>

#include "model/access.hpp"

namespace warpmem::model {
L2Side::L2Side(const Spec& spec) : spec_(spec) {
  columns_ = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(spec.bytes / 128 / spec.ways / kRows));
  sets_.resize(static_cast<std::size_t>(columns_) * kRows);
  bytes_.resize(sets_.size() * (spec.partial_ways + 1));
  clear();
}

void L2Side::clear() {
  for (Set& s : sets_) {
    s = Set{};
    s.order = 0xfedcba9876543210ull;
  }
}

void L2Side::set_aside(std::uint64_t bytes) {
  const std::uint64_t way = sets_.size() * 128;
  persist_ways_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(spec_.ways - 1, bytes / way));
}

int L2Side::find(const Set& s, std::uint32_t tag) {
#ifdef __SSE2__
  const __m128i want = _mm_set1_epi32(static_cast<int>(tag));
  const auto equal = [&](int first) { return _mm_cmpeq_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(s.tag + first)), want); };
  const __m128i low = _mm_packs_epi32(equal(0), equal(4)), high = _mm_packs_epi32(equal(8), equal(12));
  std::uint32_t same = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
#else
  std::uint32_t same = 0;
  for (int w = 0; w < kWays; ++w) same |= static_cast<std::uint32_t>(s.tag[w] == tag) << w;
#endif
  same &= s.used;
  return same ? std::countr_zero(same) : -1;
}

void L2Side::promote(Set& s, int way) {
  // Position of `way` in the order, then rotate it to the front.
  const std::uint64_t ones = 0x1111111111111111ull;
  std::uint64_t x = s.order ^ ones * static_cast<std::uint64_t>(way);
  const std::uint64_t zero = (x - ones) & ~x & ones * 8;
  const int at = std::countr_zero(zero) / 4 * 4;
  const std::uint64_t below = s.order & ((std::uint64_t{1} << at) - 1);
  const std::uint64_t above = at >= 60 ? 0 : s.order >> (at + 4) << (at + 4);
  s.order = above | below << 4 | static_cast<std::uint64_t>(way);
}

int L2Side::oldest(const Set& s, std::uint16_t among) const {
  for (int at = static_cast<int>(spec_.ways) * 4 - 4; at >= 0; at -= 4) {
    const int way = static_cast<int>(s.order >> at & 15);
    if (among >> way & 1) return way;
  }
  return -1;
}

L2Side::PartialBytes* L2Side::partial_bytes(const Place& p, int way, std::uint64_t line) {
  const std::size_t base = static_cast<std::size_t>(p.set - sets_.data()) * (spec_.partial_ways + 1);
  for (std::uint32_t k = 0; k <= spec_.partial_ways; ++k)
    if (bytes_[base + k].line == line) return &bytes_[base + k];
  if (p.set->partial[way] & 15) return nullptr;
  // A free entry: its line has no partial sectors any more.
  for (std::uint32_t k = 0; k <= spec_.partial_ways; ++k) {
    PartialBytes& b = bytes_[base + k];
    const Place other = place(b.line);
    const int w = other.set == p.set ? find(*p.set, other.tag) : -1;
    if (w >= 0 && (p.set->partial[w] & 15)) continue;
    b = {line, {}};
    return &b;
  }
  return nullptr;
}

// Writes a way back and fills its partial sectors; it stays, clean.
void L2Side::clean(Set& s, int way, Traffic& t) {
  const std::uint8_t partial = s.partial[way] & 15, dirty = s.valid[way] >> 4;
  if (!(partial | dirty)) return;
  t.fills += sectors_in(partial);
  t.writes += sectors_in(dirty | partial);
  if (partial) --s.with_partial;
  --s.dirty;
  s.valid[way] = static_cast<std::uint8_t>((s.valid[way] & 15) | partial);
  s.partial[way] &= 0x80;
}

int L2Side::claim(Set& s, std::uint32_t tag, Traffic& t) {
  const std::uint16_t all = static_cast<std::uint16_t>((1u << spec_.ways) - 1);
  int way;
  if (s.used != all) {
    way = std::countr_one(s.used);
    s.used = static_cast<std::uint16_t>(s.used | 1u << way);
  } else {
    std::uint16_t among = all;
    if (s.persisting && s.persisting <= persist_ways_) {
      among = 0;
      for (int w = 0; w < kWays; ++w)
        if (!(s.partial[w] & 0x80)) among = static_cast<std::uint16_t>(among | 1u << w);
    }
    way = oldest(s, among);
    clean(s, way, t);
    if (s.partial[way] & 0x80) --s.persisting;
  }
  s.tag[way] = tag;
  s.valid[way] = s.partial[way] = 0;
  return way;
}

L2Side::Spot L2Side::find(std::uint64_t line) const {
  const Place p = place(line);
  return {p.set, p.tag, find(*p.set, p.tag)};
}

std::uint8_t L2Side::lookup(const Spot& spot) {
  if (spot.way < 0) return 0;
  promote(*spot.set, spot.way);
  return spot.set->valid[spot.way] & 15;
}

L2Side::Traffic L2Side::fill(const Spot& spot, std::uint8_t sectors, bool persist) {
  Traffic t;
  Set& s = *spot.set;
  const int way = spot.way < 0 ? claim(s, spot.tag, t) : spot.way;
  promote(s, way);
  // A fill completes partial sectors: they are dirty from then on.
  const std::uint8_t completed = s.partial[way] & sectors & 15;
  if (completed) {
    s.partial[way] = static_cast<std::uint8_t>(s.partial[way] & ~completed);
    s.valid[way] = static_cast<std::uint8_t>(s.valid[way] | completed << 4);
    if (!(s.partial[way] & 15)) --s.with_partial;
  }
  s.valid[way] = static_cast<std::uint8_t>(s.valid[way] | sectors);
  if (persist && persist_ways_ && !(s.partial[way] & 0x80)) {
    s.partial[way] |= 0x80;
    ++s.persisting;
  }
  return t;
}

L2Side::Traffic L2Side::write(std::uint64_t line, std::uint8_t sectors, std::uint8_t full,
                              const std::uint32_t* bytes) {
  Traffic t;
  const Place p = place(line);
  Set& s = *p.set;
  int way = find(s, p.tag);
  if (way < 0) way = claim(s, p.tag, t);
  promote(s, way);
  const bool was_dirty = (s.valid[way] >> 4) | (s.partial[way] & 15);
  // Sectors that can be read stay so and get dirty; the rest of the written ones are partial.
  std::uint8_t whole = static_cast<std::uint8_t>(full | (sectors & s.valid[way]));
  std::uint8_t piece = static_cast<std::uint8_t>(sectors & ~whole);
  if (piece) {
    if (PartialBytes* b = partial_bytes(p, way, line)) {
      for (int k = 0; k < 4; ++k) {
        if (!(piece >> k & 1)) continue;
        if (!(s.partial[way] >> k & 1)) b->bytes[k] = 0;
        b->bytes[k] |= bytes[k];
        if (b->bytes[k] == ~0u) {
          whole = static_cast<std::uint8_t>(whole | 1u << k);
          piece = static_cast<std::uint8_t>(piece & ~(1u << k));
        }
      }
    }
  }
  const std::uint8_t before = s.partial[way] & 15;
  const std::uint8_t after = static_cast<std::uint8_t>((before | piece) & ~whole);
  s.partial[way] = static_cast<std::uint8_t>((s.partial[way] & 0x80) | after);
  s.valid[way] = static_cast<std::uint8_t>(s.valid[way] | whole | whole << 4);
  s.with_partial = static_cast<std::uint16_t>(s.with_partial + (after != 0) - (before != 0));
  if (!was_dirty) ++s.dirty;
  if (s.with_partial > spec_.partial_ways) {
    std::uint16_t among = 0;
    for (int w = 0; w < kWays; ++w)
      if ((s.used >> w & 1) && (s.partial[w] & 15)) among = static_cast<std::uint16_t>(among | 1u << w);
    clean(s, oldest(s, among), t);
  }
  if (s.dirty > spec_.dirty_ways) {
    std::uint16_t among = 0;
    for (int w = 0; w < kWays; ++w)
      if ((s.used >> w & 1) && ((s.partial[w] & 15) | s.valid[w] >> 4)) among = static_cast<std::uint16_t>(among | 1u << w);
    clean(s, oldest(s, among), t);
  }
  return t;
}

void L2Side::drop(std::uint64_t line, std::uint8_t sectors) {
  const Place p = place(line);
  const int way = find(*p.set, p.tag);
  if (way >= 0) p.set->valid[way] = static_cast<std::uint8_t>(p.set->valid[way] & ~(sectors & 15));
}

std::uint64_t L2Side::dirty_sectors() const {
  std::uint64_t n = 0;
  for (const Set& s : sets_)
    for (int w = 0; w < kWays; ++w)
      if (s.used >> w & 1) n += sectors_in(static_cast<std::uint8_t>(s.valid[w] >> 4 | s.partial[w]));
  return n;
}

}  // namespace warpmem::model
