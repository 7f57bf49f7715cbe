#include "model/l2/l2_cache.hpp"

#include <algorithm>
#include <set>

#include "base/wide_hosts.hpp"
#include "model/cache/tag_banks.hpp"
#include "model/l2/l2_one_line.hpp"

namespace warpmem::model {
L2Cache::L2Cache(const Spec& spec)
    : spec_(spec),
      line_(spec.side.line_bytes),
      side_{L2Side(spec.side), L2Side(spec.side)},
      reads_(read_coalescer_of(spec), spec.sm_group) {
  for (std::size_t i = 0; i < side_.size(); ++i) sets_[i] = side_[i].memory();
  fetch_granularity(0);
  if (spec_.sides > 1) home_mask_ = spec_.home_mask / line_.bytes();
  // An SM that the list leaves out is on the first side.
  for (std::size_t i = 0; spec_.sides > 1 && i < spec_.sm_side.size(); ++i)
    reads_.sm(static_cast<int>(i)).side = spec_.sm_side[i];
  latencies_ = unloaded_ = reads_.spec().unloaded;
  for (std::size_t mask = 0; mask < dram_cost_.size(); ++mask)
    dram_cost_[mask] = std::uint64_t{sectors_in(static_cast<std::uint8_t>(mask))} * 1000000 /
                       spec_.dram_sectors_per_kilocycle;
}

// What hangs on nothing but the lines' numbers, vectorised. Of products with 64 bits only those
// parts are worked out that their upper bits need.
WARPMEM_WIDE_HOSTS void L2Cache::draw_plain(const LineWords& words, std::uint64_t home_mask,
                                            const Latencies& latencies, Routed& out) {
  const Latencies l = latencies;
  const std::uint32_t* const __restrict low = words.low.data();
  std::uint8_t* const __restrict home = out.home.data();
  std::uint16_t* const __restrict entry = out.entry.data();
  std::uint32_t* const __restrict near = out.near.data();
  std::uint32_t* const __restrict dram = out.dram.data();
  const auto mask = static_cast<std::uint32_t>(home_mask);
  const std::uint32_t above = parity(words.upper_bits() & home_mask);
  const std::uint32_t slot_above =
      words.upper * static_cast<std::uint32_t>(ReadCoalescer::slot_factor());
  const std::uint32_t draw_above = words.upper * static_cast<std::uint32_t>(Latencies::kFactor);
  const std::size_t count = words.count;
  for (std::size_t from = 0; from < count; from += LineWords::kStep) {
    for (std::size_t i = from; i < from + LineWords::kStep; ++i) {
      std::uint32_t bits = low[i] & mask;  // parity(), without a loop in this one
      bits ^= bits >> 16;
      bits ^= bits >> 8;
      bits ^= bits >> 4;
      bits ^= bits >> 2;
      bits ^= bits >> 1;
      home[i] = static_cast<std::uint8_t>((bits ^ above) & 1);
    }
    for (std::size_t i = from; i < from + LineWords::kStep; ++i)
      entry[i] = static_cast<std::uint16_t>(
          (upper_word(low[i], ReadCoalescer::slot_factor()) + slot_above) >>
          ReadCoalescer::slot_shift());
    for (std::size_t i = from; i < from + LineWords::kStep; ++i) {
      const std::uint32_t draw = upper_word(low[i], Latencies::kFactor) + draw_above;
      near[i] = l.near(draw);
      dram[i] = l.dram(draw);
    }
  }
}

void L2Cache::draw(const LineWords& words, std::uint64_t home_mask, const Latencies& latencies,
                   Routed& out) {
#ifdef WARPMEM_AVX512
  if (wide_host()) return draw_avx512(words, home_mask, latencies, out);
#endif
  draw_plain(words, home_mask, latencies, out);
}

void L2Cache::route(Routed& lines, const LineWords& words) {
  side_[0].set_tags(lines, words, lines.set_tag);
  if (words.alike && part_bits_ == 0) [[likely]]
    return draw(words, home_mask_, latencies_, lines);
  for (std::size_t i = 0; i < static_cast<std::size_t>(lines.count); ++i) {
    const std::uint64_t line = lines.line[i];
    const std::uint32_t draw = Latencies::draw_of(line >> part_bits_);
    lines.home[i] = static_cast<std::uint8_t>(home(line));
    lines.entry[i] = ReadCoalescer::slot(line);
    lines.near[i] = latencies_.near(draw);
    lines.dram[i] = latencies_.dram(draw);
  }
}

[[gnu::always_inline]] inline std::uint64_t L2Cache::read_one(
    int sm, std::uint64_t line, const Route& route, std::uint8_t sectors, std::uint64_t now,
    std::uint32_t fetch_sectors, Stay stay, const MemoryPath::Address* address, bool apart) {
  Sm& from = reads_.sm(sm);
  Outstanding& read = reads_.entries(from)[route.entry];
  std::uint8_t joined = 0;
  if (read.line != line) [[likely]] {
    reads_.open(sm, from, read, line, sectors, now);
    sink_.read_requests(1);
  } else {
    const ReadCoalescer::Asked asked = reads_.ask(sm, from, read, line, sectors, now, apart);
    if (asked.merged()) {
      sink_.merges(sectors_in(sectors));
      return path_ ? path_->share(sm, {read.until, 0, sectors}, now) : read.until;
    }
    sink_.read_requests(asked.own());
    joined = asked.joined;
  }
  L2Side::Traffic out;
  const Met met = meet(from.side, route, sectors, joined, granularity(fetch_sectors), stay, out);
  read.bring(met.missing);
  std::uint64_t done = 0;
  if (path_) {
    done = path_->read({sm, line, sectors, met.crosses ? met.missing : std::uint8_t{0}, met.fetched,
                        static_cast<int>(from.side), static_cast<int>(route.home)},
                       address ? *address : path_->address_of(line), now);
    if (out.writes) path_->write_back({0, pushed_out(out), out.fills, out.writes}, now);
  } else {
    done = back(draw(line), met, now);
  }
  read.until = std::max(read.until, path_ ? path_->arrived() : done);
  return done;
}

std::uint64_t L2Cache::read(int sm, std::uint64_t line, const Route& route, std::uint8_t sectors,
                            std::uint64_t now, std::uint32_t fetch_sectors, Stay stay,
                            const MemoryPath::Address* address, bool apart) {
  return read_one(sm, line, route, sectors, now, fetch_sectors, stay, address, apart);
}

std::uint64_t L2Cache::read(int sm, const Routed& lines, std::uint8_t sectors, std::uint64_t now,
                            std::uint32_t fetch_sectors, const MemoryPath::Address* address) {
  return read_one(sm, lines.line[0], lines.route(0), sectors, now, fetch_sectors, Stay::kUnsaid,
                  address, false);
}

// Lines of one access are different, and what happens on one side of the L2 hangs on nothing on the
// other: so all lines are looked up on the reader's side before the first is at its home. It comes
// to the same, and which of them cross is no branch. A read that another answers is done here.
template <bool timed, bool unshared>
[[gnu::always_inline]] inline void L2Cache::look_up(int sm, const Routed& lines,
                                                    const LineParts& parts, std::uint64_t now,
                                                    std::uint32_t granularity, std::uint64_t* done,
                                                    Sent& out) {
  Sm& place = reads_.sm(sm);
  Sm from = place;  // no store of the loop changes a copy
  Outstanding* const entries = reads_.entries(from);
  L2Side& near = side_[from.side];
  const L2Side::Reader read_near(near, lines.set_tag, granularity);
  std::size_t count = 0, cross = 0, causes = 0;
  std::uint64_t hit = 0;
  for (std::size_t k = 0; k < parts.count; ++k) {
    const std::size_t at = parts.index[k];
    std::uint8_t sectors = parts.sectors[k], joined = 0;
    Outstanding* entry = nullptr;
    if constexpr (!unshared) {
      const std::uint64_t line = lines.line[at], start = now + at / kLinesACycle;
      Outstanding& p = *(entry = &entries[lines.entry[at]]);
      if (p.line != line) [[likely]] {
        reads_.open(sm, from, p, line, sectors, start);
      } else {
        const ReadCoalescer::Asked one = reads_.ask(sm, from, p, line, sectors, start, false);
        if (one.merged()) {
          sink_.merges(sectors_in(sectors));
          done[at] = p.until;
          if (timed) out.shared[out.shares++] = {p.until, static_cast<std::uint8_t>(at), sectors};
          continue;
        }
        joined = one.joined;
      }
    }
    const L2Side::Found found = read_near(lines.set_tag, at, sectors);
    if constexpr (!unshared) entry->bring(found.missing);
    if (timed && near.has_traffic()) [[unlikely]]
      causes_.near[causes++] = {count, near.take_traffic()};
    // What arrives with the very request it belongs to was no hit.
    if (found.here) hit += sectors_in(found.here & sectors & ~joined);
    out.asked.index[count] = static_cast<std::uint8_t>(at);
    out.asked.sectors[count] = sectors;
    out.missing[count] = found.missing;
    out.number[cross] = static_cast<std::uint8_t>(count);
    cross += (found.missing != 0) & (lines.home[at] != from.side);
    ++count;
  }
  out.asked.count = count;
  out.crossed = cross;
  std::copy_n(out.missing.data(), count, out.fetched.data());
  std::fill_n(out.crossing.data(), count, std::uint8_t{0});
  causes_.nears = causes;
  sink_.reads(sectors_in(out.asked.sectors, count));
  sink_.read_hits(hit);
  if constexpr (unshared) {
    sink_.read_requests(count);
  } else {
    sink_.read_requests(from.requests - place.requests);
    place = from;
  }

  L2Side& home = side_[1 - from.side];
  const L2Side::Reader read_home(home, lines.set_tag, 1);
  causes = 0;
  std::uint64_t crossed_hit = 0;
  for (std::size_t c = 0; c < cross; ++c) {
    const std::size_t k = out.number[c];
    const std::uint8_t sectors = out.missing[k];
    const L2Side::Found found = read_home(lines.set_tag, out.asked.index[k], sectors);
    if (timed && home.has_traffic()) [[unlikely]]
      causes_.at_home[causes++] = {c, home.take_traffic()};
    if (found.here) crossed_hit += sectors_in(found.here & sectors);
    out.crossing[k] = sectors;
    out.fetched[k] = found.missing;
  }
  causes_.homes = causes;
  sink_.crosses(sectors_in(out.crossing, count), crossed_hit);
}

WARPMEM_NEW_HOSTS void L2Cache::look_up_timed(int sm, const Routed& lines, const LineParts& parts,
                                              std::uint64_t now, std::uint32_t granularity,
                                              std::uint64_t* done, Sent& out) {
  look_up<true, false>(sm, lines, parts, now, granularity, done, out);
}

// The same where none of them meets another.
WARPMEM_NEW_HOSTS void L2Cache::look_up_unshared(int sm, const Routed& lines,
                                                 const LineParts& parts, std::uint32_t granularity,
                                                 Sent& out) {
  look_up<true, true>(sm, lines, parts, 0, granularity, nullptr, out);
}

// What those that come later find of a read. Another line of its access may have taken the entry.
inline void L2Cache::remember(Outstanding& p, std::uint64_t line, std::uint64_t done) {
  if (p.line == line) p.until = std::max(p.until, done);
}

// Whether any of these lines is that of an entry for reads outstanding.
inline bool L2Cache::meet_any(const Outstanding* entries, const Routed& lines,
                              const LineParts& parts) {
  bool any = false;
  if (parts.count == static_cast<std::size_t>(lines.count)) {
    for (std::size_t at = 0; at < parts.count; ++at)
      any |= entries[lines.entry[at]].line == lines.line[at];
    return any;
  }
  for (std::size_t k = 0; k < parts.count; ++k) {
    const std::size_t at = parts.index[k];
    any |= entries[lines.entry[at]].line == lines.line[at];
  }
  return any;
}

// The same as look_up() and what follows it, where none meets another: an entry is written once,
// when all is known of it. Of two lines of the access that fall together the later one's stays.
WARPMEM_NEW_HOSTS void L2Cache::read_unshared(int sm, const Routed& lines, const LineParts& parts,
                                              std::uint64_t now, std::uint32_t granularity,
                                              std::uint64_t* done) {
  Sm& from = reads_.sm(sm);
  const std::uint32_t side = from.side;
  const std::size_t count = parts.count;
  std::array<std::uint8_t, LineList::kMost> here, missing, fetched, number;
  side_[side].read(lines.set_tag, parts, granularity, here.data(), missing.data());
  sink_.reads(sectors_in(parts.sectors, count));
  sink_.read_hits(sectors_in(here, count));
  sink_.read_requests(count);

  LineParts far;
  std::uint64_t crossing = 0;  // by number
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t at = parts.index[k];
    const std::uint64_t crosses = (missing[k] != 0) & (lines.home[at] ^ side);
    far.index[far.count] = static_cast<std::uint8_t>(at);
    far.sectors[far.count] = missing[k];
    number[far.count] = static_cast<std::uint8_t>(k);
    far.count += crosses;
    crossing |= crosses << k;
  }
  fetched = missing;
  std::array<std::uint8_t, LineList::kMost> brought;
  side_[1 - side].read(lines.set_tag, far, 1, here.data(), brought.data());
  sink_.crosses(sectors_in(far.sectors, far.count), sectors_in(here, far.count));
  for (std::size_t c = 0; c < far.count; ++c) fetched[number[c]] = brought[c];
  for (L2Side& s : side_)
    if (s.has_traffic()) account(s.take_traffic());
  sink_.dram_reads(sectors_in(fetched, count));
  wait(lines, parts, now, fetched.data(), crossing, done);
  enter(sm, lines, parts, now, missing.data(), done);
}

// When reads are back that meet nobody: after the latency of what they hit, and DRAM's queue.
void L2Cache::wait(const Routed& lines, const LineParts& parts, std::uint64_t now,
                   const std::uint8_t* fetched, std::uint64_t crossing, std::uint64_t* done) {
#ifdef WARPMEM_AVX512
  if (wide_host() && back_avx512(lines, parts, now, fetched, crossing, done)) return;
#endif
  std::uint64_t dram_free = dram_free_;
  for (std::size_t k = 0; k < parts.count; ++k) {
    const std::size_t at = parts.index[k];
    const std::uint64_t start = now + at / kLinesACycle;
    std::uint64_t back = start + lines.near[at] + (crossing >> k & 1) * spec_.far_cycles;
    if (fetched[k]) [[likely]]
      back += lines.dram[at] + dram_queue(dram_free, start, fetched[k]);
    done[at] = back;
  }
  dram_free_ = dram_free;
}

// Writes down what those that come later find of reads that met nobody. `missing`: sectors that the
// reader's side had not, by number; `until`: when each is back, by line.
void L2Cache::enter(int sm, const Routed& lines, const LineParts& parts, std::uint64_t now,
                    const std::uint8_t* missing, const std::uint64_t* until) {
#ifdef WARPMEM_AVX512
  if (wide_host() && enter_avx512(sm, lines, parts, now, missing, until)) return;
#endif
  Sm& from = reads_.sm(sm);
  Outstanding* const entries = reads_.entries(from);
  std::uint64_t leaves = from.leaves;
  std::uint32_t request = from.requests;
  const std::uint32_t reader = Outstanding::by(sm);
  const std::uint64_t soonest = now + spec_.read_cycles, latest = now + spec_.read_entries;
  for (std::size_t k = 0; k < parts.count; ++k) {
    const std::size_t at = parts.index[k];
    const std::uint64_t later = at / kLinesACycle;
    leaves = std::max(soonest + later, std::min(leaves + 1, latest + later));
    Outstanding& p = entries[lines.entry[at]];
    p.line = lines.line[at];
    p.leaves = leaves;
    p.until = until[at];
    p.number = ++request;
    p.how = reader | parts.sectors[k] | std::uint32_t{missing[k]} << 4;
  }
  from.leaves = leaves;
  from.requests = request;
}

// Reads that wait for nobody but in the queue before DRAM.
WARPMEM_NEW_HOSTS void L2Cache::read_counting(int sm, const Routed& lines, const LineParts& parts,
                                              std::uint64_t now, std::uint32_t granularity,
                                              std::uint64_t* done) {
  Outstanding* const entries = reads_.entries(reads_.sm(sm));
  if (!meet_any(entries, lines, parts)) {
#ifdef WARPMEM_AVX512
    if (wide_host() && read_unshared_avx512(sm, lines, parts, now, granularity, done)) return;
#endif
    return read_unshared(sm, lines, parts, now, granularity, done);
  }
  Sent sent;
  look_up<false, false>(sm, lines, parts, now, granularity, done, sent);
  for (L2Side& side : side_)
    if (side.has_traffic()) account(side.take_traffic());
  const std::uint64_t crossing = spec_.far_cycles;
  std::uint64_t dram_free = dram_free_;
  for (std::size_t k = 0; k < sent.asked.count; ++k) {
    const std::size_t at = sent.asked.index[k];
    const std::uint64_t start = now + at / kLinesACycle;
    std::uint64_t back =
        start + lines.near[at] + (crossing & -std::uint64_t{sent.crossing[k] != 0});
    if (const std::uint8_t fetched = sent.fetched[k])
      back += lines.dram[at] + dram_queue(dram_free, start, fetched);
    done[at] = back;
    remember(entries[lines.entry[at]], lines.line[at], back);
  }
  sink_.dram_reads(sectors_in(sent.fetched, sent.asked.count));
  dram_free_ = dram_free;
}

// Few reads cause any. What one pushes out of its home goes before what it pushes out near its SM.
std::span<const MemoryPath::Pushed> L2Cache::account(Causes& causes, const std::uint8_t* number) {
  std::size_t count = 0, h = 0, n = 0;
  while (h < causes.homes || n < causes.nears) {
    const std::size_t of_home =
                          h < causes.homes ? number[causes.at_home[h].number] : LineList::kMost,
                      of_near = n < causes.nears ? causes.near[n].number : LineList::kMost;
    L2Side::Traffic t;
    if (of_home <= of_near) t.add(causes.at_home[h++].traffic);
    if (of_near <= of_home) t.add(causes.near[n++].traffic);
    account(t);
    causes.pushed[count++] = {std::min(of_home, of_near), pushed_out(t), t.fills, t.writes};
  }
  return {causes.pushed.data(), count};
}

void L2Cache::read(int sm, const Routed& lines, const MemoryPath::Addresses* addresses,
                   const LineParts& parts, std::uint64_t now, std::uint32_t fetch_sectors,
                   std::uint64_t* done) {
  const std::uint32_t piece = granularity(fetch_sectors);
  if (!path_) return read_counting(sm, lines, parts, now, piece, done);
  const Sm& from = reads_.sm(sm);
  Outstanding* const entries = reads_.entries(from);
  const bool unshared = !meet_any(entries, lines, parts);
  Sent sent;
  if (unshared) look_up_unshared(sm, lines, parts, piece, sent);
  else look_up_timed(sm, lines, parts, now, piece, done, sent);
  sink_.dram_reads(sectors_in(sent.fetched, sent.asked.count));
  std::array<std::uint64_t, LineList::kMost> arrives;
  path_->read({sm,
               static_cast<int>(from.side),
               lines,
               *addresses,
               lines.near.data(),
               lines.dram.data(),
               sent.asked,
               sent.missing.data(),
               sent.crossing.data(),
               sent.fetched.data(),
               {sent.number.data(), sent.crossed},
               account(causes_, sent.number.data()),
               {sent.shared.data(), sent.shares},
               now},
              done, arrives.data());
  if (unshared) return enter(sm, lines, parts, now, sent.missing.data(), arrives.data());
  for (std::size_t k = 0; k < sent.asked.count; ++k) {
    const std::size_t at = sent.asked.index[k];
    remember(entries[lines.entry[at]], lines.line[at], arrives[at]);
  }
}

[[gnu::always_inline]] inline std::uint64_t L2Cache::write_one(
    int sm, std::uint64_t line, const Route& route, std::uint8_t sectors, std::uint8_t full,
    const std::uint32_t* bytes, std::uint8_t again, bool opens, std::uint64_t now, Stay stay) {
  L2Side::Traffic out;
  const std::uint32_t near = reads_.sm(sm).side;
  put(near, route, sectors, full, bytes, again, opens, stay, out);
  if (!path_) [[likely]]
    return now;
  MemoryPath::Write w;
  w.sm = sm;
  w.line = line;
  w.sectors = sectors_in(sectors & ~again);
  w.partial = sectors_in(sectors & ~again & ~full);
  w.opens = opens;
  w.near = static_cast<int>(near);
  w.home = static_cast<int>(route.home);
  w.fills = out.fills;
  w.evicted = out.writes;
  w.other = pushed_out(out);
  return path_->write(w, now);
}

std::uint64_t L2Cache::write(int sm, std::uint64_t line, const Route& route, std::uint8_t sectors,
                             std::uint8_t full, const std::uint32_t* bytes, std::uint8_t again,
                             bool opens, std::uint64_t now, Stay stay) {
  return write_one(sm, line, route, sectors, full, bytes, again, opens, now, stay);
}

std::uint64_t L2Cache::write(int sm, const Routed& lines, std::uint8_t again, bool opens,
                             std::uint64_t now) {
  return write_one(sm, lines.line[0], lines.route(0), lines.sectors[0], lines.full[0],
                   lines.bytes[0].data(), again, opens, now, Stay::kUnsaid);
}

std::uint64_t L2Cache::atomic(int sm, std::uint64_t sector, int passes, bool returns,
                              std::uint64_t now, AtomicWork work, Stay stay) {
  L2Side::Traffic out;
  std::uint32_t brought = 0;
  const std::uint64_t line = sector / line_.sectors();
  const std::uint8_t bit = static_cast<std::uint8_t>(1u << sector % line_.sectors());
  const std::uint32_t near = reads_.sm(sm).side;
  const Route to = route(line);
  const std::uint32_t at = to.home;
  const auto n = static_cast<std::uint64_t>(passes);
  std::uint64_t hits = n;
  const L2Side::Lookup found_at = side_[at].find(to.set_tag);
  const std::uint8_t here = side_[at].lookup(found_at);
  if (!(here & bit)) {
    const std::uint8_t fetched = static_cast<std::uint8_t>(in_pieces(bit, fetch_sectors_) & ~here);
    brought = sectors_in(fetched);
    sink_.dram_reads(brought);
    side_[at].fill(found_at, fetched, stay);
    account(side_[at], out);
    --hits;
  }
  constexpr std::uint32_t kAll[4] = {~0u, ~0u, ~0u, ~0u};
  side_[at].write(side_[at].find(to.set_tag), bit, bit, kAll, stay);
  account(side_[at], out);
  if (spec_.sides == 2) side_[1 - at].drop(to.set_tag, bit);
  if (at != near) sink_.atomic_crosses(n);
  sink_.atomics(returns, n, hits);
  if (!path_) [[likely]]
    return now + spec_.near_cycles + spec_.far_cycles;
  MemoryPath::Write w;
  w.sm = sm;
  w.line = line;
  w.atomic = static_cast<std::uint32_t>(passes);
  w.partly = work.partly;
  w.headed = work.headed;
  w.twice = work.twice;
  w.together = work.together;
  w.returns = returns;
  w.near = static_cast<int>(near);
  w.home = static_cast<int>(at);
  w.fetched = brought;
  w.fills = out.fills;
  w.evicted = out.writes;
  w.other = pushed_out(out);
  return path_->write(w, now);
}

std::uint64_t L2Cache::read_host(std::uint8_t sectors, std::uint64_t now) {
  sink_.host_read(sectors_in(sectors));
  return path_ ? path_->host(0, sectors_in(sectors), now) : now + spec_.host_cycles;
}

std::uint64_t L2Cache::write_host(std::uint8_t sectors, int sm, std::uint64_t now) {
  sink_.host_write(sectors_in(sectors), sectors_in(sectors));
  return path_ ? path_->host(sm, sectors_in(sectors), now) : now;
}

void L2Cache::fetch_code(std::uint64_t bytes, bool cold) {
  const std::uint64_t sectors = (bytes + kSectorBytes - 1) / kSectorBytes;
  const std::set<std::uint8_t> groups(spec_.sm_group.begin(), spec_.sm_group.end());
  sink_.code(groups.size(), sectors, spec_.sides > 1, cold);
}

void L2Cache::flush(std::uint64_t dirty_sectors) {
  for (L2Side& s : side_) s.clear();
  settle();
  // Lines that no program has: right below the top of the line numbers.
  constexpr std::uint64_t kElsewhere = std::uint64_t{1} << 40;
  constexpr std::uint32_t kAll[4] = {~0u, ~0u, ~0u, ~0u};
  L2Side::Traffic out;
  for (std::uint64_t i = 0; i < dirty_sectors / line_.sectors(); ++i) {
    const Route to = route(kElsewhere + i);
    side_[to.home].write(side_[to.home].find(to.set_tag), line_.whole(), line_.whole(), kAll);
    account(side_[to.home], out);
  }
}

void L2Cache::settle() {
  reads_.clear();
  dram_free_ = 0;
}

void L2Cache::set_aside(std::uint64_t bytes) {
  for (L2Side& s : side_) s.set_aside(bytes / static_cast<std::uint64_t>(std::max(1, spec_.sides)));
}

void L2Cache::end_persisting() {
  for (L2Side& s : side_) s.end_persisting();
}

// What the prefetching SM's side has is no reason to ask the home; what comes there stays there
// (measured: l2_window.cu, as many sectors cross in a read behind a prefetch as behind none, and
// half as many in a prefetch of what was just written).
void L2Cache::bring(int sm, std::uint64_t line, std::uint8_t sectors, std::uint64_t now,
                    Stay stay) {
  L2Side::Traffic out;
  std::uint8_t crossing = 0;
  const std::uint8_t fetched = bring_home(sm, line, sectors, crossing, stay, out);
  if (!sectors) return;
  if (path_) {
    path_->bring({sm, line, sectors, crossing, fetched, static_cast<int>(reads_.sm(sm).side),
                  static_cast<int>(home(line))},
                 path_->address_of(line), now);
    if (out.writes) path_->write_back({0, pushed_out(out), out.fills, out.writes}, now);
  } else if (fetched) {
    dram_queue(dram_free_, now, fetched);
  }
}

// Counts, and both sides: what DRAM brings. `sectors`: in the end those that go to the line's home.
std::uint8_t L2Cache::bring_home(int sm, std::uint64_t line, std::uint8_t& sectors,
                                 std::uint8_t& crossing, Stay stay, L2Side::Traffic& out) {
  const std::uint32_t near = reads_.sm(sm).side;
  const Route to = route(line);
  sink_.prefetches(sectors_in(sectors));
  L2Side& home = side_[to.home];
  if (to.home != near) {
    L2Side& own = side_[near];
    crossing = static_cast<std::uint8_t>(sectors & ~own.lookup(own.find(to.set_tag)));
    sink_.prefetch_crosses(sectors_in(crossing));
    sectors = crossing;
    if (!crossing) return 0;
  }
  const std::uint8_t fetched = home.read(to.set_tag, sectors, fetch_sectors_, stay).missing;
  account(home, out);
  sink_.dram_reads(sectors_in(fetched));
  return fetched;
}

void L2Cache::change(int sm, std::uint64_t line, Stay stay, bool discard) {
  const Route to = route(line);
  sink_.prefetches(line_.sectors());
  if (to.home != reads_.sm(sm).side) sink_.prefetch_crosses(line_.sectors());
  if (!discard) return side_[to.home].keep(to.set_tag, stay);
  side_[to.home].discard(to.set_tag);
  if (spec_.sides == 2) side_[1 - to.home].drop(to.set_tag, 15);
}

std::uint64_t L2Cache::dirty_sectors() const {
  return side_[0].dirty_sectors() + side_[1].dirty_sectors();
}

}  // namespace warpmem::model
