// Reads and writes of one line at a time, as most accesses are: to become part of the loop that
// makes them (l2_cache.hpp says what they model).
#pragma once

#include "model/l2/l2_cache.hpp"

namespace warpmem::model {

// Cycles that a DRAM read of these sectors waits for those before it, which `free` knows of.
inline std::uint64_t L2Cache::dram_queue(std::uint64_t& free, std::uint64_t now,
                                         std::uint8_t sectors) const {
  const std::uint64_t at = std::max(free, now * 1000);
  free = at + dram_cost_[sectors];
  return at / 1000 - now;
}

// What the sides of the L2 have of a line, and what they get: counts.
inline L2Cache::Met L2Cache::meet(std::uint32_t side, const Route& route, std::uint8_t sectors,
                                  std::uint8_t joined, std::uint32_t granularity, Stay stay,
                                  L2Side::Traffic& out) {
  sink_.reads(sectors_in(sectors));
  L2Side& near = side_[side];
  const L2Side::Found found =
      near.read(route.set_tag, sectors, granularity, route.home == side ? stay : of_copy(stay));
  // What arrives with the very request it belongs to was no hit.
  sink_.read_hits(sectors_in(found.here & sectors & ~joined));
  Met met{found.missing, found.missing, found.missing && route.home != side};
  if (met.crosses) {
    L2Side& home = side_[route.home];
    const L2Side::Found there = home.read(route.set_tag, found.missing, 1, stay);
    sink_.crosses(sectors_in(found.missing), sectors_in(there.here & found.missing));
    met.fetched = there.missing;
    account(home, out);
  }
  account(near, out);
  sink_.dram_reads(sectors_in(met.fetched));
  return met;
}

// The cycle in which a read is back that waits for nobody but in the queue before DRAM.
inline std::uint64_t L2Cache::back(const Draw& draw, const Met& met, std::uint64_t now) {
  std::uint64_t done = now + draw.near + (met.crosses ? spec_.far_cycles : 0);
  if (met.fetched) done += draw.dram + dram_queue(dram_free_, now, met.fetched);
  return done;
}

inline std::uint64_t L2Cache::read_alone(int sm, std::uint64_t line, const Route& route,
                                         const Draw& draw, std::uint8_t sectors, std::uint64_t now,
                                         std::uint32_t fetch_sectors) {
  Sm& from = reads_.sm(sm);
  Outstanding& p = reads_.entries(from)[route.entry];
  if (p.line == line) [[unlikely]]
    return read(sm, line, route, sectors, now, fetch_sectors);
  sink_.read_requests(1);
  const std::uint64_t leaves = reads_.leave(from, now);
  L2Side::Traffic out;
  const Met met =
      meet(from.side, route, sectors, 0, granularity(fetch_sectors), Stay::kUnsaid, out);
  const std::uint64_t done = back(draw, met, now);
  p = {line, leaves, done, from.requests,
       Outstanding::by(sm) | sectors | std::uint32_t{met.missing} << 4};
  return done;
}

// Of both sides; what DRAM has to do for it is added to `out`.
inline void L2Cache::put(std::uint32_t near, const Route& route, std::uint8_t sectors,
                         std::uint8_t full, const std::uint32_t* bytes, std::uint8_t again,
                         bool opens, Stay stay, L2Side::Traffic& out) {
  const std::uint64_t sent = sectors_in(sectors & ~again);
  sink_.writes(opens, sent, sent);
  L2Side& home = side_[route.home];
  home.write(home.find(route.set_tag), sectors, full, bytes, stay);
  account(home, out);
  if (route.home != near) {
    sink_.write_crosses(sent);
    // The writer's side keeps what it wrote whole; what it wrote in part is stale there.
    const auto stale = static_cast<std::uint8_t>(sectors & ~full);
    if (stale) side_[near].drop(route.set_tag, stale);
    if (full) {
      side_[near].fill(side_[near].find(route.set_tag), full, of_copy(stay));
      account(side_[near], out);
    }
  } else if (spec_.sides == 2) {
    side_[1 - near].drop(route.set_tag, sectors);
  }
}

inline void L2Cache::write_alone(int sm, const Route& route, std::uint8_t sectors,
                                 std::uint8_t again, bool opens) {
  L2Side::Traffic out;
  put(reads_.sm(sm).side, route, sectors, sectors, nullptr, again, opens, Stay::kUnsaid, out);
}

}  // namespace warpmem::model
