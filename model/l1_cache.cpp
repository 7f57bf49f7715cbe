#include "model/l1_cache.hpp"

#include "base/wide_hosts.hpp"

namespace warpmem::model {

L1Cache::L1Cache(const Spec& spec, std::pmr::memory_resource* memory)
    : spec_(spec), sets_(memory), rows_(memory), partial_(memory) {
  sets_.resize(spec_.sets);
  rows_.resize(spec_.sets);
  partial_.resize(std::size_t{spec_.sets} * kWays);
  invalidate();
}

void L1Cache::invalidate() {
  std::fill(rows_.begin(), rows_.end(), L1Ways::Row{});
  ways_ = L1Ways(rows_.data(), spec_.sets, spec_.lines);
}

WARPMEM_WIDE_HOSTS void L1Cache::seats(const std::uint64_t* __restrict line, std::size_t count,
                                       Seat* __restrict out) {
  const std::uint32_t upper = l1_set(line[0] >> 32 << 32);
  for (std::size_t i = 0; i < count; ++i)
    out[i] = {upper ^ l1_set_of_bits(static_cast<std::uint32_t>(line[i]))};
}

void L1Cache::seats(const LineList& lines, Seat* out) const {
  const auto count = static_cast<std::size_t>(lines.count);
  std::uint64_t differ = 0;
  for (std::size_t i = 0; i < count; ++i) differ |= lines.line[i] ^ lines.line[0];
  if (!(differ >> 32) && spec_.sets == kL1Sets) return seats(lines.line.data(), count, out);
  for (std::size_t i = 0; i < count; ++i) out[i] = seat(lines.line[i]);
}

WARPMEM_WIDE_HOSTS void L1Cache::load(const LineList& lines, const Seat* seats, bool allocate,
                                      Misses& out) {
  Set* const sets = sets_.data();
  L1Ways ways = ways_;
  const auto count = static_cast<std::size_t>(lines.count);
  std::size_t misses = 0;
  std::uint64_t hit = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Loaded one =
        load(sets, ways, seats[i].set, lines.line[i], lines.sectors[i], allocate, &nowhere_);
    out.index[misses] = static_cast<std::uint8_t>(i);
    out.sectors[misses] = one.missing;
    out.entry[misses] = one.entry;
    out.before[misses] = hit;
    if (one.missing) ++misses;
    else hit = std::max(hit, one.arrival);
  }
  ways_ = ways;
  out.count = misses;
  out.hit = hit;
}

bool L1Cache::store(std::uint64_t line, const Seat& seat, std::uint8_t sectors, std::uint8_t full,
                    const std::uint32_t* bytes) {
  Set& set = sets_[seat.set];
  std::uint32_t way = find(set, ways_, seat.set, line);
  const bool present = way != kNone;
  if (present) {
    ways_.use(seat.set, way);
  } else {
    way = ways_.take(seat.set);
    set.state[way] = line << 5;
    set.arrival[way] = 0;
  }
  std::uint64_t state = set.state[way] | full;
  if (sectors & ~state) {
    Bytes& partial = partial_[seat.set * kWays + way];
    if (!(state & kPartial)) partial = Bytes{};
    state |= kPartial;
    for (int s = 0; s < 4; ++s) {
      if (!(sectors >> s & 1) || (state >> s & 1)) continue;
      partial.sector[s] |= bytes[s];
      if (partial.sector[s] == ~0u) state |= 1u << s;
    }
  }
  set.state[way] = state;
  return present;
}

void L1Cache::drop(std::uint64_t line, std::uint8_t sectors) {
  const std::uint32_t at = seat(line).set, way = find(sets_[at], ways_, at, line);
  if (way == kNone) return;
  sets_[at].state[way] &= ~std::uint64_t{sectors};
  for (int s = 0; s < 4; ++s)
    if (sectors >> s & 1) partial_[at * kWays + way].sector[s] = 0;
}

}  // namespace warpmem::model
