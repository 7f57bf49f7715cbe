#include "model/l1_cache.hpp"

namespace warpmem::model {

const std::array<std::array<L1Cache::Order, L1Cache::kWays>, 256> L1Cache::kPromoted = [] {
  std::array<std::array<Order, kWays>, 256> next{};
  for (unsigned order = 0; order < 256; ++order)
    for (unsigned way = 0; way < kWays; ++way) {
      unsigned others = 0, places = 1;
      for (unsigned at = 0; at < kWays; ++at)
        if (const unsigned w = order >> at * 2 & 3; w != way && places < kWays)
          others |= w << places++ * 2;
      next[order][way] = static_cast<Order>(others | way);
    }
  return next;
}();

L1Cache::L1Cache(const Spec& spec, std::pmr::memory_resource* memory)
    : spec_(spec), sets_(memory), order_(memory), partial_(memory) {
  per_bank_ = std::max<std::uint32_t>(1, spec_.lines / kBanks);
  sets_.resize(spec_.sets + 1);
  order_.resize(spec_.sets);
  partial_.resize(std::size_t{spec_.sets} * kWays);
  invalidate();
}

void L1Cache::invalidate() {
  constexpr Set kEmpty{{kFree, kFree, kFree, kFree}, {}};
  std::fill(sets_.begin(), sets_.end(), kEmpty);
  std::fill(order_.begin(), order_.end(), kInOrder);
  used_ = next_ = {};
}

// The line's way, or kNone.
inline std::uint32_t L1Cache::find(const Set& set, std::uint64_t line) {
  for (std::uint32_t way = 0; way < kWays; ++way)
    if (set.state[way] >> 5 == line) return way;
  return kNone;
}

// The next set of the bank that holds anything gives up its oldest line.
void L1Cache::make_room(std::uint32_t bank) {
  for (const std::uint32_t rows = spec_.sets / kBanks;;) {
    const std::uint32_t at = next_[bank] * kBanks + bank;
    next_[bank] = next_[bank] + 1 == rows ? 0 : next_[bank] + 1;
    for (int place = kWays - 1; place >= 0; --place) {
      std::uint64_t& state = sets_[at].state[order_[at] >> place * 2 & 3];
      if (state == kFree) continue;
      state = kFree;
      return;
    }
  }
}

// A way for the line in its set, empty; the caller touches it.
inline std::uint32_t L1Cache::allocate(std::uint32_t at, std::uint64_t line) {
  const std::uint32_t way = order_[at] >> (kWays - 1) * 2;
  if (sets_[at].state[way] == kFree) {
    const std::uint32_t bank = at % kBanks;
    if (used_[bank] == per_bank_) make_room(bank);
    else ++used_[bank];
  }
  sets_[at].state[way] = line << 5;
  sets_[at].arrival[way] = 0;
  return way;
}

void L1Cache::load(const LineTouch* lines, const Seat* seats, int count, bool may_allocate,
                   Loaded* out) {
  for (int i = 0; i < count; ++i) {
    const std::uint64_t line = lines[i].line;
    const std::uint8_t sectors = lines[i].sectors;
    const std::uint32_t at = seats[i].set;
    Set& set = sets_[at];
    std::uint32_t way = find(set, line);
    if (way == kNone) {
      if (!may_allocate) {
        sets_.back().arrival[0] = 0;
        out[i] = {0, spec_.sets * kWays, sectors};
        continue;
      }
      way = allocate(at, line);
    }
    out[i] = {set.arrival[way], at * kWays + way,
              static_cast<std::uint8_t>(sectors & ~set.state[way])};
    if (may_allocate) set.state[way] |= sectors;
    touch(at, way);
  }
}

std::uint8_t L1Cache::load(std::uint64_t line, std::uint8_t sectors, bool may_allocate) {
  LineTouch touch;
  touch.line = line;
  touch.sectors = sectors;
  const Seat at = seat(line);
  Loaded loaded;
  load(&touch, &at, 1, may_allocate, &loaded);
  return loaded.missing;
}

bool L1Cache::store(std::uint64_t line, const Seat& seat, std::uint8_t sectors, std::uint8_t full,
                    const std::uint32_t* bytes) {
  Set& set = sets_[seat.set];
  std::uint32_t way = find(set, line);
  const bool present = way != kNone;
  if (!present) way = allocate(seat.set, line);
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
  touch(seat.set, way);
  return present;
}

void L1Cache::drop(std::uint64_t line, std::uint8_t sectors) {
  const std::uint32_t at = seat(line).set, way = find(sets_[at], line);
  if (way == kNone) return;
  sets_[at].state[way] &= ~std::uint64_t{sectors};
  for (int s = 0; s < 4; ++s)
    if (sectors >> s & 1) partial_[at * kWays + way].sector[s] = 0;
}

}  // namespace warpmem::model
