#include "model/l2_cache.hpp"

#include <algorithm>
#include <type_traits>

#include "model/access.hpp"

namespace warpmem::model {
L2Cache::L2Cache(const Spec& spec) : spec_(spec), side_{L2Side(spec.side), L2Side(spec.side)} {
  for (std::size_t i = 0; i < side_.size(); ++i) sets_[i] = side_[i].sets();
  std::size_t groups = 1;
  for (const std::uint8_t g : spec_.sm_group) groups = std::max<std::size_t>(groups, g + 1u);
  if (spec_.merge > 1 || spec_.read_cycles > 0) pending_.resize(groups * kPending);
  if (spec_.sides > 1) home_mask_ = spec_.home_mask / kLineBytes;
  // An SM that the lists leave out is on the first side and in the first GPC.
  sm_.resize(std::max({std::size_t{256}, spec_.sm_side.size(), spec_.sm_group.size()}));
  for (std::size_t i = 0; i < sm_.size(); ++i) {
    if (spec_.sides > 1 && i < spec_.sm_side.size()) sm_[i].side = spec_.sm_side[i];
    if (i < spec_.sm_group.size()) sm_[i].pending = spec_.sm_group[i] * kPending;
  }
  for (std::uint64_t n = 0; n < dram_cost_.size(); ++n)
    dram_cost_[n] = n * 1000000 / spec_.dram_sectors_per_kilocycle;
}

// DRAM answers in aligned pieces of the line.
inline std::uint8_t L2Cache::fetch_mask(std::uint8_t missing, std::uint32_t granularity) {
  if (granularity == 2) [[likely]] {
    const unsigned pairs = (missing | missing >> 1) & 5u;
    return static_cast<std::uint8_t>(pairs * 3);
  }
  if (granularity >= 4) return missing ? 15 : 0;
  return missing;
}

// A read of a line that another is under way for: whether it rides on that one's answer.
L2Cache::Ride L2Cache::ride_along(int sm, SmPlace& from, Pending& p, std::uint8_t sectors,
                                  std::uint64_t now) {
  if (now >= p.until) return Ride::kOwn;
  // The same sectors: one more reader of the same answer, another SM's or the same one's.
  if (p.sectors == sectors && p.riders < spec_.merge) {
    ++p.riders;
    return Ride::kMerged;
  }
  if (p.sm != sm || now > p.leaves || from.requests - p.number >= spec_.read_entries)
    return Ride::kOwn;
  p.leaves = std::max(p.leaves, now + spec_.read_cycles);
  from.leaves = std::max(from.leaves, p.leaves);
  return Ride::kJoined;
}

// Cycles that a DRAM read waits for those before it.
inline std::uint64_t L2Cache::dram_queue(std::uint64_t now, unsigned sectors) {
  const std::uint64_t at = std::max(dram_free_, now * 1000);
  dram_free_ = at + dram_cost_[sectors];
  return at / 1000 - now;
}

template <bool timed>
[[gnu::always_inline]] inline std::uint64_t L2Cache::read_line(
    int sm, SmPlace& from, std::uint64_t line, const Route& route, const MemoryPath::Seat* seat,
    std::uint8_t sectors, std::uint64_t now, std::uint32_t granularity, bool persist) {
  if (timed) out_ = {};
  std::uint8_t brought = 0;
  Pending* pending = nullptr;
  if (!pending_.empty()) [[likely]] {
    pending = &pending_[from.pending + route.pending];
    const Ride ride =
        pending->line == line ? ride_along(sm, from, *pending, sectors, now) : Ride::kOwn;
    if (ride == Ride::kOwn) [[likely]] {
      // First come, first gone, one a cycle; with a full queue the first has to go.
      from.leaves =
          std::max(now + spec_.read_cycles, std::min(from.leaves + 1, now + spec_.read_entries));
      *pending = {
          line, from.leaves, now, ++from.requests, sectors, 1, static_cast<std::int16_t>(sm), 0};
      ++counters_.read_requests;
    } else if (ride == Ride::kMerged) {
      counters_.merged += sectors_in(sectors);
      return pending->until;
    } else {
      const std::uint8_t shared = static_cast<std::uint8_t>(sectors & pending->sectors);
      counters_.merged += sectors_in(shared);
      pending->sectors = static_cast<std::uint8_t>(pending->sectors | sectors);
      sectors = static_cast<std::uint8_t>(sectors & ~shared);
      // What arrives with the very request it belongs to was no hit.
      brought = pending->brought;
    }
  } else {
    ++counters_.read_requests;
  }
  counters_.read += sectors_in(sectors);
  L2Side& near = side_[from.side];
  const L2Side::Spot spot = near.find(route.seat);
  const std::uint8_t here = near.lookup(spot);
  counters_.read_hit += sectors_in(here & sectors & ~brought);
  // Which slice, and which DRAM bank in what state: a fixed draw for each line.
  const std::uint32_t draw = static_cast<std::uint32_t>(line * 0xd1b54a32d192ed03ull >> 32);
  std::uint64_t done =
      now + spec_.near_cycles + (std::uint64_t{draw & 0xffff} * spec_.near_spread >> 16);
  std::uint8_t missing = static_cast<std::uint8_t>(sectors & ~here), fetched = 0;
  if (missing) {
    // DRAM answers in aligned pieces of the line, and a crossing brings the same.
    missing = static_cast<std::uint8_t>(fetch_mask(missing, granularity) & ~here);
    if (pending) pending->brought = static_cast<std::uint8_t>(pending->brought | missing);
    fetched = missing;
    if (route.home != from.side) {
      done += spec_.far_cycles;
      counters_.fabric_read += sectors_in(missing);
      L2Side& far = side_[route.home];
      const L2Side::Spot home_spot = far.find(route.seat);
      const std::uint8_t there = far.lookup(home_spot);
      counters_.fabric_read_hit += sectors_in(there & missing);
      fetched = static_cast<std::uint8_t>(missing & ~there);
      if (fetched) {
        far.fill(home_spot, fetched, persist);
        account(far);
      }
    }
    if (fetched) {
      counters_.dram_read += sectors_in(fetched);
      if (!timed) {
        done += spec_.dram_cycles + (std::uint64_t{draw >> 16} * spec_.dram_spread >> 16) +
                dram_queue(now, sectors_in(fetched));
        if ((draw >> 8 & 7) == 0)
          done += std::uint64_t{draw >> 11 & 0xffff} * spec_.dram_tail >> 16;
      }
    }
    near.fill(spot, missing, persist);
    account(near);
  }
  if (timed) {
    const std::uint8_t crossing = route.home == from.side ? std::uint8_t{0} : missing;
    done = path_->read({sm, line, sectors, crossing, fetched, static_cast<int>(from.side),
                        static_cast<int>(route.home)},
                       seat ? *seat : path_->seat(line), now);
    if (out_.writes) path_->write_back(pushed_out(), out_.fills, out_.writes, now);
  }
  if (pending) pending->until = std::max(pending->until, done);
  return done;
}

std::uint64_t L2Cache::read(int sm, std::uint64_t line, const Route& route, std::uint8_t sectors,
                            std::uint64_t now, std::uint32_t fetch_sectors, bool persist,
                            const MemoryPath::Seat* seat) {
  SmPlace& from = sm_[static_cast<std::size_t>(sm)];
  const std::uint32_t granularity = std::max(fetch_sectors, spec_.fetch_sectors);
  return path_ ? read_line<true>(sm, from, line, route, seat, sectors, now, granularity, persist)
               : read_line<false>(sm, from, line, route, seat, sectors, now, granularity, persist);
}

void L2Cache::read(int sm, const LineTouch* lines, const Route* routes,
                   const MemoryPath::Seat* seats, Ask* asks, int count, std::uint64_t now,
                   std::uint32_t fetch_sectors) {
  SmPlace& from = sm_[static_cast<std::size_t>(sm)];
  const std::uint32_t granularity = std::max(fetch_sectors, spec_.fetch_sectors);
  const auto each = [&](auto timed) {
    for (Ask* ask = asks; ask != asks + count; ++ask)
      ask->done = read_line<timed.value>(sm, from, lines[ask->index].line, routes[ask->index],
                                         &seats[ask->index], ask->sectors, now + ask->index / 4,
                                         granularity, false);
  };
  path_ ? each(std::true_type{}) : each(std::false_type{});
}

std::uint64_t L2Cache::write(int sm, std::uint64_t line, const Route& route, std::uint8_t sectors,
                             std::uint8_t full, const std::uint32_t* bytes, std::uint8_t again,
                             bool opens, std::uint64_t now) {
  out_ = {};
  const std::uint32_t near = sm_[static_cast<std::size_t>(sm)].side;
  const std::uint64_t sent = sectors_in(sectors & ~again);
  counters_.write_requests += opens;
  counters_.write += sent;
  counters_.write_hit += sent;
  L2Side& home = side_[route.home];
  home.write(home.find(route.seat), sectors, full, bytes);
  account(home);
  if (route.home != near) {
    counters_.fabric_write += sent;
    // The writer's side keeps what it wrote whole; what it wrote in part is stale there.
    const std::uint8_t stale = static_cast<std::uint8_t>(sectors & ~full);
    if (stale) side_[near].drop(route.seat, stale);
    if (full) {
      side_[near].fill(side_[near].find(route.seat), full);
      account(side_[near]);
    }
  } else if (spec_.sides == 2) {
    side_[1 - near].drop(route.seat, sectors);
  }
  if (!path_) [[likely]]
    return now;
  MemoryPath::Write w;
  w.sm = sm;
  w.line = line;
  w.sectors = static_cast<std::uint32_t>(sent);
  w.partial = sectors_in(sectors & ~again & ~full);
  w.opens = opens;
  w.near = static_cast<int>(near);
  w.home = static_cast<int>(route.home);
  w.fills = out_.fills;
  w.evicted = out_.writes;
  w.other = pushed_out();
  return path_->write(w, now);
}

std::uint64_t L2Cache::atomic(int sm, std::uint64_t sector, int passes, bool returns,
                              std::uint64_t now, std::uint32_t requests) {
  out_ = {};
  std::uint32_t brought = 0;
  const std::uint64_t line = sector / 4;
  const std::uint8_t bit = static_cast<std::uint8_t>(1u << sector % 4);
  const std::uint32_t near = sm_[static_cast<std::size_t>(sm)].side;
  const Route to = route(line);
  const std::uint32_t at = to.home;
  const auto n = static_cast<std::uint64_t>(passes);
  std::uint64_t hits = n;
  const L2Side::Spot spot = side_[at].find(to.seat);
  const std::uint8_t here = side_[at].lookup(spot);
  if (!(here & bit)) {
    const std::uint8_t fetched =
        static_cast<std::uint8_t>(fetch_mask(bit, spec_.fetch_sectors) & ~here);
    counters_.dram_read += brought = sectors_in(fetched);
    side_[at].fill(spot, fetched);
    account(side_[at]);
    --hits;
  }
  constexpr std::uint32_t kAll[4] = {~0u, ~0u, ~0u, ~0u};
  side_[at].write(side_[at].find(to.seat), bit, bit, kAll);
  account(side_[at]);
  if (spec_.sides == 2) side_[1 - at].drop(to.seat, bit);
  if (at != near) counters_.fabric_atomic += n;
  (returns ? counters_.atomic : counters_.reduction) += n;
  (returns ? counters_.atomic_hit : counters_.reduction_hit) += hits;
  if (!path_) [[likely]]
    return now + spec_.near_cycles + spec_.far_cycles;
  MemoryPath::Write w;
  w.sm = sm;
  w.line = line;
  w.atomic = static_cast<std::uint32_t>(passes);
  w.requests = requests;
  w.returns = returns;
  w.near = static_cast<int>(near);
  w.home = static_cast<int>(at);
  w.fetched = brought;
  w.fills = out_.fills;
  w.evicted = out_.writes;
  w.other = pushed_out();
  return path_->write(w, now);
}

std::uint64_t L2Cache::read_host(std::uint8_t sectors, std::uint64_t now) {
  ++counters_.read_requests;
  counters_.read += sectors_in(sectors);
  counters_.sysmem_read += sectors_in(sectors);
  return path_ ? path_->host(0, sectors_in(sectors), now) : now + spec_.host_cycles;
}

std::uint64_t L2Cache::write_host(std::uint8_t sectors, int sm, std::uint64_t now) {
  ++counters_.write_requests;
  counters_.write += sectors_in(sectors);
  counters_.write_hit += sectors_in(sectors);
  counters_.sysmem_write += sectors_in(sectors);
  return path_ ? path_->host(sm, sectors_in(sectors), now) : now;
}

void L2Cache::flush(std::uint64_t dirty_sectors) {
  for (L2Side& s : side_) s.clear();
  settle();
  // Lines that no program has: right below the top of the line numbers.
  constexpr std::uint64_t kElsewhere = std::uint64_t{1} << 40;
  constexpr std::uint32_t kAll[4] = {~0u, ~0u, ~0u, ~0u};
  for (std::uint64_t i = 0; i < dirty_sectors / 4; ++i) {
    const Route to = route(kElsewhere + i);
    side_[to.home].write(side_[to.home].find(to.seat), 15, 15, kAll);
    account(side_[to.home]);
  }
}

void L2Cache::settle() {
  std::fill(pending_.begin(), pending_.end(), Pending{});
  dram_free_ = 0;
  for (SmPlace& s : sm_) s.leaves = 0;
}

void L2Cache::set_aside(std::uint64_t bytes) {
  for (L2Side& s : side_) s.set_aside(bytes / static_cast<std::uint64_t>(std::max(1, spec_.sides)));
}

std::uint64_t L2Cache::dirty_sectors() const {
  return side_[0].dirty_sectors() + side_[1].dirty_sectors();
}

}  // namespace warpmem::model
