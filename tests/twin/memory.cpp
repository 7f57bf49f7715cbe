#include "tests/twin/memory.hpp"

#include <algorithm>

#include "tests/twin/async_copy.hpp"
#include "tests/twin/atomics.hpp"
#include "tests/twin/banks.hpp"
#include "tests/twin/shared.hpp"

namespace warpmem::twin {

using model::AccessPlan;
using model::Action;
using model::LaunchCounters;
using trace::Record;

void Memory::begin_launch(const trace::Launch& launch, std::uint64_t code,
                          std::uint64_t shared_config, std::uint64_t largest_frame, bool flush) {
  sms_.clear();
  l1_lines_ = spec_.l1_lines(shared_config);
  if (flush) l2_.flush();
  else l2_.settle();
  l2_.set_aside(launch.set_aside);
  if (launch.ends_persisting) l2_.end_persisting();
  l2_.fetch(launch.fetch_bytes ? std::min(launch.fetch_bytes, spec_.line_bytes) / 32
                               : spec_.dram.fetch_sectors);
  l2_.counters = {};
  l2_.fetch_code(code, flush);
  counters = {};
  host_.clear();
  for (const trace::Allocation& a : launch.allocations)
    if (a.kind == trace::AllocationKind::kHost) host_.push_back(a);
  window_ = launch.window;
  plain_ = host_.empty() && window_.bytes == 0;
  places_.emplace(launch.local_bytes, largest_frame, spec_.sm.warps);
  product_bytes_ = 0;
}

LaunchCounters Memory::end_launch() {
  LaunchCounters out = counters;
  out.l2 = l2_.counters;
  out.l2.launch_read += spec_.launch.l2_read_sectors;
  out.l2.dram_read += spec_.launch.dram_read_sectors;
  out.l2.fabric_launch += spec_.launch.fabric_sectors;
  return out;
}

Memory::Sm& Memory::sm(int number) {
  const auto there = sms_.find(number);
  if (there != sms_.end()) return there->second;
  Sm fresh{L1(spec_, l1_lines_), StoreQueue(spec_.l1.store_entries, spec_.l1.store_cycles)};
  return sms_.emplace(number, std::move(fresh)).first->second;
}

bool Memory::in_host_memory(std::uint64_t line) const {
  const std::uint64_t address = line * spec_.line_bytes;
  return std::any_of(host_.begin(), host_.end(), [address](const trace::Allocation& a) {
    return address >= a.base && address < a.base + a.bytes;
  });
}

Stay Memory::stay(std::uint64_t line, Stay own) const {
  const std::uint64_t address = line * spec_.line_bytes;
  if (own != Stay::kUnsaid || address < window_.base || address >= window_.base + window_.bytes)
    return own;
  // Of each sixteen lines as many sixteenths as the ratio has, and one more.
  std::uint64_t digits = 0;
  for (int at = 0; at < 64; at += 4) digits ^= line >> at & 15;
  const bool hits = static_cast<float>(digits) / 16 <= window_.hit_ratio;
  const std::uint8_t which = hits ? window_.hit : window_.miss;
  return which == 1 ? Stay::kFirst : which == 2 ? Stay::kPersist : Stay::kNormal;
}

std::uint64_t Memory::read(int sm, std::uint64_t line, Sectors sectors, std::uint64_t at,
                           std::uint32_t fetch_sectors, Stay own, bool apart) {
  counters.l1_fill_sectors += count(sectors);
  if (in_host_memory(line)) return l2_.read_host(sectors, at);
  return l2_.read(sm, line, sectors, at, {fetch_sectors, stay(line, own), apart});
}

void Memory::send(int sm, const Touch& written, Sectors again, bool opens) {
  const Sectors sent = written.sectors() & ~again;
  counters.l1_write_sectors += count(sent);
  if (in_host_memory(written.line)) l2_.write_host(sent);
  else l2_.write(sm, written, again, opens, stay_written(written.line));
}

void Memory::write(int number, const Touch& written, std::uint64_t tags, std::uint64_t data,
                   Cost& cost) {
  const StoreQueue::Taken taken =
      sm(number).stores.take(written.line, written.sectors(), std::max(tags, cost.held), data);
  cost.held = std::max(cost.held, taken.at);
  send(number, written, taken.again, taken.opens);
}

Cost Memory::run(const Record& r, const AccessPlan& plan, const Turn& turn, AsyncSide& async) {
  Cost cost;
  cost.done = turn.now;
  ++counters.records;
  if (plan.invalidates_before) sm(turn.sm).l1.forget_below(kLocalLine);
  if (r.mask == 0) return cost;
  if (plan.instructions) ++(counters.*plan.instructions);
  switch (plan.action) {
    case Action::kGlobalLoad:
    case Action::kAsyncRead: load(r, plan, turn, cost, async); break;
    case Action::kGlobalStore: store(r, plan, turn, cost); break;
    case Action::kGlobalAtomic: atomic(r, plan, turn, cost); break;
    case Action::kLocalLoad:
    case Action::kLocalStore: local(r, plan, turn, cost); break;
    case Action::kShared: shared(r, plan, turn, cost); break;
    case Action::kAsyncWrite: async_write(r, plan, turn, cost, async); break;
    case Action::kRemote: remote(r, plan, turn, cost); break;
    case Action::kPrefetch: prefetch(r, plan, turn); break;
    case Action::kProductRead: product(plan); break;
    case Action::kBulkRead:
    case Action::kBulkWrite:
    case Action::kBulkReduce: bulk(r, plan, turn, cost); break;
    default: break;
  }
  if (plan.invalidates_after) sm(turn.sm).l1.forget_below(kLocalLine);
  return cost;
}

void Memory::load(const Record& r, const AccessPlan& plan, const Turn& turn, Cost& cost,
                  AsyncSide& async) {
  const Access a = access_of(r, plan.bytes, turn.lanes);
  const Touches touched = touches_of(a, spec_);
  const std::uint32_t tags = tag_cycles(touched.lines(), spec_);
  const bool copies = plan.action == Action::kAsyncRead;
  ++counters.global_ld.requests;
  counters.global_ld_bytes += a.lanes.size() * a.bytes;
  counters.tag_requests += touched.lines().size();
  counters.tag_wavefronts_ld += tags;
  counters.theoretical_global += touched.sectors();
  cost.passes = data_cycles(r, a, tags, spec_);
  cost.done = turn.now + spec_.latency.l1 + cost.passes;
  if (copies && plan.bypass_l1) return copy_past_l1(r, plan, turn, touched, tags, cost, async);
  counters.global_ld.sectors += touched.sectors();
  if (copies) {
    ++counters.ldgsts.requests;
    counters.ldgsts.sectors += touched.sectors();
    async = {static_cast<std::uint32_t>(touched.lines().size()), false};
    if (turn.shared && (turn.shared->mask & r.mask) == r.mask)
      async = {copy_wavefronts(a, access_of(*turn.shared, plan.bytes, turn.lanes)), true};
  }
  if (!plan.bypass_l1) return load_through_l1(touched, plan, turn, cost);
  for (const Touch& t : touched.lines())
    cost.done = std::max(
        cost.done, read(turn.sm, t.line, t.sectors(), turn.now, plan.fetch_sectors, plan.stay));
}

void Memory::load_through_l1(const Touches& touched, const AccessPlan& plan, const Turn& turn,
                             Cost& cost) {
  L1& l1 = sm(turn.sm).l1;
  struct Miss {
    std::size_t number;  // of its line in the access
    Sectors sectors;
    std::uint64_t before;  // cycle in which all lines before it that hit are there
  };
  std::vector<Miss> misses;
  std::uint64_t hit = 0;
  for (std::size_t i = 0; i < touched.lines().size(); ++i) {
    const Touch& t = touched.lines()[i];
    const L1::Found found = l1.load(t, !plan.no_allocate);
    counters.global_ld.hits += count(t.sectors()) - count(found.missing);
    if (found.missing) misses.push_back({i, found.missing, hit});
    else hit = std::max(hit, found.arrival);
  }
  // Misses leave as their tags are looked up, a line of each bank a cycle; a line arrives with what
  // was asked for before it. (Where there is host memory, an access window or an eviction
  // priority all leave at once.)
  for (const Miss& m : misses) {
    const std::uint64_t line = touched.lines()[m.number].line;
    const bool plain = plain_ && plan.stay == Stay::kUnsaid;
    const std::uint64_t later = plain ? m.number / spec_.l1.tag_banks : 0;
    const std::uint64_t back =
        read(turn.sm, line, m.sectors, turn.now + later, plan.fetch_sectors, plan.stay);
    cost.done = std::max({cost.done, m.before, back});
    l1.arrives(line, cost.done);
  }
  cost.done = std::max(cost.done, hit);
}

void Memory::copy_past_l1(const Record& r, const AccessPlan& plan, const Turn& turn,
                          const Touches& touched, std::uint32_t tags, Cost& cost,
                          AsyncSide& async) {
  // Where the shared side is not known, it is taken to lie as the source does.
  const bool known = turn.shared && (turn.shared->mask & r.mask) == r.mask;
  const Access from = access_of(r, plan.bytes, turn.lanes);
  const PastL1 copy = twin::copy_past_l1(
      from, known ? access_of(*turn.shared, plan.bytes, turn.lanes) : from, spec_);
  async = {static_cast<std::uint32_t>(copy.wavefronts), known};
  cost.passes = std::max(cost.passes, copy.output_wavefronts);
  counters.tag_wavefronts_ld += copy.output_wavefronts;
  counters.tag_wavefronts_ld -= tags;
  counters.global_ld.sectors += copy.sectors;
  counters.theoretical_global -= touched.sectors();
  for (const PastL1::Request& q : copy.requests) {
    counters.theoretical_global += count(q.sectors);
    cost.done = std::max(
        cost.done, read(turn.sm, q.line, q.sectors, turn.now, plan.fetch_sectors, plan.stay, true));
  }
}

void Memory::store(const Record& r, const AccessPlan& plan, const Turn& turn, Cost& cost) {
  const Access a = access_of(r, plan.bytes, turn.lanes);
  const Touches touched = touches_of(a, spec_);
  const std::vector<Touch>& lines = touched.lines();
  cost.passes = data_cycles(r, a, 1, spec_);
  ++counters.global_st.requests;
  counters.global_st_bytes += a.lanes.size() * a.bytes;
  counters.global_st.sectors += touched.sectors();
  counters.tag_requests += lines.size();
  counters.theoretical_global += touched.sectors();
  // Lines pass the tag stage and the data stage one after the other.
  const std::uint64_t tags = tag_cycles(lines, spec_);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (sm(turn.sm).l1.store(lines[i])) counters.global_st.hits += count(lines[i].sectors());
    write(turn.sm, lines[i], turn.now + i * tags / lines.size(),
          turn.now + (i + 1) * cost.passes / lines.size(), cost);
  }
}

void Memory::atomic(const Record& r, const AccessPlan& plan, const Turn& turn, Cost& cost) {
  const AtomicRounds rounds =
      atomic_rounds(access_of(r, plan.bytes, turn.lanes), plan.compare_and_swap, spec_);
  model::OpCounters& c = plan.returns ? counters.global_atom : counters.global_red;
  ++c.requests;
  c.sectors += rounds.passes;
  counters.tag_requests += rounds.lines;
  counters.theoretical_global += rounds.sectors.size();
  counters.l1_write_sectors += rounds.passes;
  if (plan.returns) counters.l1_fill_sectors += rounds.passes;
  (plan.returns ? l2_.counters.atomic_requests : l2_.counters.reduction_requests) +=
      rounds.requests;
  cost.passes = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, rounds.requests));
  for (const AtomicRounds::Sector& s : rounds.sectors) {
    sm(turn.sm).l1.drop(s.line, 1u << s.sector);
    cost.done = std::max(cost.done, l2_.atomic(turn.sm, s.line, s.sector, s.passes, plan.returns,
                                               turn.now, stay_written(s.line)));
  }
}

// A request for each word of the lanes.
void Memory::local(const Record& r, const AccessPlan& plan, const Turn& turn, Cost& cost) {
  const Access a = access_of(r, plan.bytes, turn.lanes);
  const bool stores = plan.action == Action::kLocalStore;
  model::OpCounters& c = stores ? counters.local_st : counters.local_ld;
  const std::uint32_t words = std::max(1u, plan.bytes / 4);
  cost.passes = words;
  cost.done = turn.now + spec_.latency.l1;
  L1& l1 = sm(turn.sm).l1;
  for (std::uint32_t k = 0; k < words; ++k) {
    Touches touched(spec_);
    for (const Lane& l : a.lanes) {
      const std::uint64_t word =
          places_->word(static_cast<std::uint64_t>(turn.sm), turn.warp_slot, l.address, k);
      touched.add(kLocalLine * spec_.line_bytes + (word * 32 + l.number) * 4 + l.address % 4,
                  std::min(4u, plan.bytes));
    }
    ++c.requests;
    c.sectors += touched.sectors();
    counters.theoretical_local += touched.sectors();
    for (const Touch& t : touched.lines()) {
      if (stores) {
        if (l1.store(t)) c.hits += count(t.sectors());
        write(turn.sm, t, turn.now + k, turn.now + k + 1, cost);
        continue;
      }
      const Sectors missing = plan.last_use ? l1.load_last(t) : l1.load(t, true).missing;
      c.hits += count(t.sectors()) - count(missing);
      if (missing) cost.done = std::max(cost.done, read(turn.sm, t.line, missing, turn.now, 0));
    }
  }
}

void Memory::shared(const Record& r, const AccessPlan& plan, const Turn& turn, Cost& cost) {
  const Access a = access_of(r, plan.bytes, turn.lanes);
  const Wavefronts w = shared_wavefronts(a, plan.shared, spec_);
  counters.shared_wavefronts += w.reported;
  cost.passes = w.taken;
  cost.done =
      turn.now + spec_.latency.shared + 1 + std::uint64_t{w.taken - 1} * spec_.latency.conflict;
  if (plan.shared == model::SharedKind::kLoad || plan.instructions == &LaunchCounters::inst_ldsm) {
    counters.shared_ld_bytes += a.lanes.size() * a.bytes;
    counters.shared_wavefronts_ld += w.taken;
    counters.shared_conflicts_ld += w.taken - w.groups;
  } else if (plan.shared == model::SharedKind::kStore ||
             plan.instructions == &LaunchCounters::inst_stsm) {
    counters.shared_st_bytes += a.lanes.size() * a.bytes;
    counters.shared_wavefronts_st += w.taken;
    counters.shared_conflicts_st += w.taken - w.groups;
  }
}

// The shared side of an asynchronous copy; of one that reads nothing it is all there is.
void Memory::async_write(const Record& r, const AccessPlan& plan, const Turn& turn, Cost& cost,
                         AsyncSide& async) {
  const Access to = access_of(r, plan.bytes, turn.lanes);
  cost.passes = shared_wavefronts(to, model::SharedKind::kStore, spec_).taken;
  if (async.wavefronts == 0) {
    ++counters.inst_ldgsts;
    if (!plan.bypass_l1) ++counters.ldgsts.requests;
    counters.shared_wavefronts += copy_wavefronts({}, to);
  } else {
    counters.shared_wavefronts +=
        async.known ? async.wavefronts : std::max(cost.passes, async.wavefronts);
  }
  async = {};
}

// By whole wavefronts, once for all four warps.
void Memory::product(const AccessPlan& plan) {
  const std::uint64_t wavefront = std::uint64_t{4} * spec_.sm.banks * spec_.sm.bank_bytes;
  product_bytes_ += plan.bytes;
  counters.shared_wavefronts += product_bytes_ / wavefront;
  product_bytes_ %= wavefront;
}

void Memory::remote(const Record& r, const AccessPlan& plan, const Turn& turn, Cost& cost) {
  const Access a = access_of(r, plan.bytes, turn.lanes);
  // An atomic carries operands there and an answer back.
  const std::uint64_t sectors = plan.returns
                                    ? 2 * atomic_rounds(a, plan.compare_and_swap, spec_).passes
                                    : touches_of(a, spec_).sectors();
  counters.remote_sectors += sectors;
  counters.l1_fill_sectors += sectors;
  counters.l1_write_sectors += sectors;
  cost.done = turn.now + spec_.latency.least_near;
}

// Past the L1, a line's length at a time from the start of the copy.
void Memory::bulk(const Record& r, const AccessPlan& plan, const Turn& turn, Cost& cost) {
  std::uint64_t address = access_of(r, plan.bytes, turn.lanes).lanes.front().address;
  const std::uint64_t end = address + plan.bytes;
  for (; address < end; address += spec_.line_bytes) {
    Touches piece(spec_);
    piece.add(address, std::min<std::uint64_t>(end - address, spec_.line_bytes));
    for (const Touch& t : piece.lines()) {
      if (plan.action == Action::kBulkRead) {
        cost.done = std::max(cost.done, read(turn.sm, t.line, t.sectors(), turn.now, 0));
        continue;
      }
      if (plan.action == Action::kBulkWrite) {
        send(turn.sm, t, 0, true);
        continue;
      }
      ++l2_.counters.reduction_requests;
      counters.global_bulk_red += count(t.sectors());
      counters.l1_write_sectors += count(t.sectors());
      for (std::uint32_t s = 0; s < spec_.sectors(); ++s)
        if (t.sectors() >> s & 1)
          l2_.atomic(turn.sm, t.line, s, 1, false, turn.now, stay_written(t.line));
    }
  }
}

// The line of each lane's address, or bytes side by side, line by line.
void Memory::prefetch(const Record& r, const AccessPlan& plan, const Turn& turn) {
  const Access a = access_of(r, std::max(1u, plan.bytes), turn.lanes);
  Touches touched(spec_);
  for (const Lane& l : a.lanes) touched.add(l.address, a.bytes);
  for (const Touch& t : touched.lines()) {
    if (in_host_memory(t.line)) continue;
    const Sectors sectors = plan.bytes ? t.sectors() : (1u << spec_.sectors()) - 1;
    if (plan.line_request == model::LineRequest::kBring)
      l2_.bring(turn.sm, t.line, sectors, turn.now, stay(t.line, plan.stay));
    else l2_.change(turn.sm, t.line, plan.stay, plan.line_request == model::LineRequest::kDiscard);
  }
}

// Lines of textures and surfaces lie in the L1 beside those of global memory. A sector that an
// earlier request of the fetch asked for counts as a hit.
Cost Memory::fetch(const Fetch& f, const AccessPlan& plan, const Turn& turn) {
  const bool stores = plan.action == Action::kSurfaceStore;
  model::OpCounters& c = plan.action == Action::kTexture ? counters.texture
                         : stores                        ? counters.surface_st
                                                         : counters.surface_ld;
  const FetchTraffic traffic = fetch_traffic(f, spec_);
  counters.records += f.texels.size();
  c.requests += traffic.requests;
  c.sectors += traffic.sectors;
  c.hits += traffic.sectors;
  Cost cost;
  cost.passes = traffic.cycles;
  // Beyond an L1 hit of the load/store unit, through the unit's own stages.
  const std::uint64_t unit = traffic.cycles + spec_.latency.texture +
                             (plan.by_number ? 0 : spec_.latency.coordinates) +
                             (f.texels.size() > 1 ? spec_.latency.filter : 0);
  cost.done = turn.now + (stores ? traffic.cycles : unit);
  L1& l1 = sm(turn.sm).l1;
  for (std::size_t i = 0; i < traffic.lines.size(); ++i) {
    const Touch& t = traffic.lines[i];
    if (stores) {
      if (l1.store(t)) c.hits += count(t.sectors());
      send(turn.sm, t, 0, true);
      continue;
    }
    const Sectors missing = l1.load(t.whole_sectors(), true).missing;
    c.hits -= count(missing);
    if (!missing) continue;
    const std::uint64_t at = turn.now + i * traffic.cycles / traffic.lines.size();
    cost.done =
        std::max(cost.done, read(turn.sm, t.line, missing, at, 0) + unit - spec_.latency.l1);
  }
  return cost;
}

}  // namespace warpmem::twin
