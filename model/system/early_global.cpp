// Loads, stores and atomics of global memory.
#include <algorithm>
#include <bit>
#include <map>

#include "model/access/any_lines.hpp"
#include "model/system/early_memory.hpp"

namespace warpmem::model {
namespace {

void by_size(const Transaction& t, std::uint64_t& of_32, std::uint64_t& of_64,
             std::uint64_t& of_128) {
  of_32 += t.bytes == 32;
  of_64 += t.bytes == 64;
  of_128 += t.bytes == 128;
}

std::uint32_t active(std::uint32_t mask) { return static_cast<std::uint32_t>(std::popcount(mask)); }

// Distinct lines that the transactions of each group lie in.
std::uint64_t lines_by_group(const std::vector<Transaction>& moves, std::uint32_t line_bytes) {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> lines;
  for (const Transaction& t : moves) lines.emplace_back(t.group, t.address / line_bytes);
  std::sort(lines.begin(), lines.end());
  return static_cast<std::uint64_t>(std::unique(lines.begin(), lines.end()) - lines.begin());
}

// Of all requests of an access.
std::uint64_t distinct_sectors(const std::vector<Transaction>& moves) {
  std::vector<std::uint64_t> sectors;
  for (const Transaction& t : moves) sectors.push_back(t.address / kSectorBytes);
  std::sort(sectors.begin(), sectors.end());
  return static_cast<std::uint64_t>(std::unique(sectors.begin(), sectors.end()) - sectors.begin());
}

// As the profiler counts loads on 6.1: four a request, whether its lanes share a sector or not
// (16 a coalesced load, and 16 where all lanes read one word). More where a request has more
// sectors is assumed.
std::uint64_t four_a_request(const std::vector<Transaction>& moves) {
  std::map<std::uint32_t, std::uint64_t> sectors;
  for (const Transaction& t : moves) ++sectors[t.group];
  std::uint64_t all = 0;
  for (const auto& [group, n] : sectors) all += std::max<std::uint64_t>(4, n);
  return all;
}

}  // namespace

// Read-only loads have a path of their own from 3.5 on, whatever else the L1 is for; .cg and
// volatile loads go past.
EarlyMemory::LoadPath EarlyMemory::path_of(const AccessPlan& plan, const AccessTiming& t) {
  const auto sm = static_cast<std::size_t>(t.sm);
  if (plan.read_only && spec_.reads_past_l1 && !plan.bypass_l1) {
    if (spec_.has_texture_cache) return {&textures(t.sm), false};
    if (l1_[sm].exists()) return {&l1_[sm], true};
  }
  const bool wants = caches_loads(spec_.cached) || (plan.asks_l1 && caches_asked(spec_.cached));
  if (wants && !plan.bypass_l1 && l1_[sm].exists()) return {&l1_[sm], true};
  return {};
}

void EarlyMemory::count_loads(bool is_l1, const AccessPlan& plan, const WarpAccess& a) {
  EarlyCounters& e = sink_.counters.early;
  ++e.gld_request;
  e.gld_requested_bytes += std::uint64_t{active(a.mask)} * plan.bytes;
  for (const Transaction& t : moves_) {
    by_size(t, e.gld_32b, e.gld_64b, e.gld_128b);
    if (spec_.access == AccessRule::kHalfWarpStrict)
      ++(t.in_order ? e.gld_coherent : e.gld_incoherent);
    if (spec_.access != AccessRule::kSubRequests) e.gld_moved_bytes += t.bytes;
  }
  if (spec_.access == AccessRule::kSubRequests)
    e.gld_moved_bytes += kSectorBytes * distinct_sectors(moves_);
  if (spec_.access == AccessRule::kSubRequests) e.gld_transactions += four_a_request(moves_);
  else if (spec_.access == AccessRule::kLinesOrSegments && !is_l1 && spec_.capability >= 30)
    e.gld_transactions += lines_by_group(moves_, spec_.line_bytes);
  else e.gld_transactions += moves_.size();
  e.global_replays += moves_.size() - 1;
}

void EarlyMemory::global_load(const WarpAccess& a, const AccessPlan& plan, AccessTiming& t) {
  const LoadPath path = path_of(plan, t);
  const bool whole_lines = path.is_l1 && spec_.l1.sector_bytes == spec_.line_bytes;
  list_transactions({spec_.access, spec_.line_bytes, whole_lines}, a, moves_);
  t.passes = t.tag_passes = static_cast<std::uint32_t>(std::max<std::size_t>(1, moves_.size()));
  t.done = t.now + spec_.latency_l1;
  sink_.global_load(lines_by_group(moves_, spec_.line_bytes), 0, 0);
  sink_.asks(t, moves_.size());
  sink_.load_tag_passes(moves_.size());
  // The texture path's loads are none of the load/store unit's.
  if (!path.cache || path.is_l1) count_loads(path.is_l1, plan, a);
  if (path.cache) load_through(path, t);
  else load_past(t);
}

void EarlyMemory::load_through(LoadPath path, AccessTiming& t) {
  EarlyCounters& e = sink_.counters.early;
  const std::uint64_t at = t.tags;
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    const std::uint64_t line = line_of(moves_[i]);
    const std::uint8_t sectors = sectors_of(moves_[i]);
    const LineCache::Found found = path.cache->load(line, sectors);
    const std::uint64_t asked = sectors_in(sectors);
    const auto missed = static_cast<std::uint8_t>(found.missing & sectors);
    sink_.load_sectors(asked);
    sink_.instead_wanted(asked, 0);
    sink_.load_found(t, line, asked, sectors_in(missed));
    if (path.is_l1) {
      ++(found.hit ? e.l1_gld_hit : e.l1_gld_miss);
    } else {
      e.tex_requests += asked;
      e.tex_miss += sectors_in(missed);
      e.tex_hit += asked - sectors_in(missed);
    }
    t.done = std::max(t.done, found.arrival);
    if (!found.missing) continue;
    write_pushed(*path.cache, t);
    const std::uint64_t back = read(t, at + i, line, found.missing);
    path.cache->arrives(line, back);
    t.done = std::max(t.done, back);
  }
}

// On 5.x and 6.x requests of one instruction that want the same sectors share them on their way
// (columns of two words a sector move half of what requests alone would: gld_efficiency of 25 % on
// 6.1 for blocks of 16 x 16, and not 12.5 %). Before, each transaction moves by itself.
void EarlyMemory::load_past(AccessTiming& t) {
  if (spec_.access == AccessRule::kSubRequests) {
    std::vector<LineTouch> lines;
    for (const Transaction& m : moves_) {
      auto at = std::find_if(lines.begin(), lines.end(),
                             [&](const LineTouch& l) { return l.line == line_of(m); });
      if (at == lines.end()) {
        at = lines.insert(at, LineTouch{});
        at->line = line_of(m);
      }
      at->sectors = static_cast<std::uint8_t>(at->sectors | sectors_of(m));
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::uint64_t moved = sectors_in(lines[i].sectors);
      sink_.load_sectors(moved);
      sink_.instead_wanted(moved, 0);
      t.done = std::max(t.done, read(t, t.tags + i, lines[i].line, lines[i].sectors));
    }
    return;
  }
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    sink_.load_sectors(moves_[i].bytes / kSectorBytes);
    sink_.instead_wanted(moves_[i].bytes / kSectorBytes, 0);
    t.done = std::max(t.done, read(t, t.tags + i, line_of(moves_[i]), sectors_of(moves_[i])));
  }
}

void EarlyMemory::count_stores(const WarpAccess& a) {
  EarlyCounters& e = sink_.counters.early;
  ++e.gst_request;
  e.gst_requested_bytes += std::uint64_t{active(a.mask)} * a.bytes;
  e.gst_transactions += moves_.size();
  e.global_replays += moves_.size() - 1;
  for (const Transaction& m : moves_) {
    by_size(m, e.gst_32b, e.gst_64b, e.gst_128b);
    e.gst_moved_bytes += m.bytes;
    if (spec_.access == AccessRule::kHalfWarpStrict)
      ++(m.in_order ? e.gst_coherent : e.gst_incoherent);
  }
}

void EarlyMemory::global_store(const WarpAccess& a, const AccessPlan&, AccessTiming& t) {
  // Stores of 5.x and 6.x count in the distinct sectors of the warp, and travel by line.
  const bool by_line = spec_.access == AccessRule::kSubRequests;
  list_transactions({by_line ? AccessRule::kSectors : spec_.access, spec_.line_bytes, false}, a,
                    moves_);
  count_stores(a);
  std::uint64_t moved = 0;
  for (const Transaction& m : moves_) moved += m.bytes / kSectorBytes;
  sink_.global_store(lines_by_group(moves_, spec_.line_bytes), moved, 0);
  t.passes = t.tag_passes = static_cast<std::uint32_t>(std::max<std::size_t>(1, moves_.size()));
  sink_.asks(t, moves_.size());
  if (by_line) {
    list_any(a, spec_.line_bytes, touched_);
    for (int i = 0; i < touched_.count; ++i)
      store_line(touched_[i], touched_[i].sectors, t.tags + static_cast<std::uint64_t>(i), t);
    return;
  }
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    const Transaction& m = moves_[i];
    touched_.count = 0;
    for (std::uint32_t l = 0; l < kWarpLanes; ++l) {
      if (!(m.lanes >> l & 1)) continue;
      // The part of the lane's word that this transaction writes.
      const std::uint64_t from = std::max(a.address[l], m.address);
      const std::uint64_t to = std::min(a.address[l] + a.bytes, m.address + m.bytes);
      if (from < to) touch_any(from, to - from, spec_.line_bytes, touched_);
    }
    LineTouch written;
    written.line = line_of(m);
    if (touched_.count > 0) written = touched_[0];
    store_line(written, sectors_of(m), t.tags + i, t);
  }
}

// `moved`: sectors that travel, whether lanes write in them or not.
void EarlyMemory::store_line(const LineTouch& written, std::uint8_t moved, std::uint64_t at,
                             AccessTiming& t) {
  const std::uint64_t sectors = sectors_in(moved);
  sink_.stores_line(t, written.line, sectors);
  LineCache& cache = l1(t);
  const bool here =
      spec_.write == WritePolicy::kEvict
          ? cache.drop(written.line, written.sectors)
          : cache.store(written.line, written.full, false,
                        spec_.allocate == Allocate::kLoadsAndStores && caches_loads(spec_.cached));
  if (here) sink_.store_hits(sectors);
  write_pushed(cache, t);
  write(t, written, moved, at);
}

// A word is changed once a pass, however many lanes change it; lanes on other words of a sector go
// in the same pass. (Same-address atomics serialise, all that the guides say.)
void EarlyMemory::global_atomic(const WarpAccess& a, const AccessPlan& plan, AccessTiming& t) {
  std::map<std::uint64_t, std::uint32_t> of_word;    // lanes
  std::map<std::uint64_t, std::uint32_t> of_sector;  // passes
  std::vector<std::uint64_t> lines;
  for (std::uint32_t l = 0; l < kWarpLanes; ++l) {
    if (!(a.mask >> l & 1)) continue;
    std::uint32_t& passes = of_sector[a.address[l] / kSectorBytes];
    passes = std::max(passes, ++of_word[a.address[l]]);
    lines.push_back(a.address[l] / spec_.line_bytes);
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  std::uint64_t all_passes = 0;
  for (const auto& [sector, passes] : of_sector) all_passes += passes;
  sink_.global_atomic(plan.returns, all_passes, of_sector.size(), lines.size());
  t.left_sm = true;
  for (const auto& [sector, passes] : of_sector) {
    const std::uint64_t line = sector * kSectorBytes / spec_.line_bytes;
    const auto in_line =
        static_cast<std::uint32_t>(sector * kSectorBytes % spec_.line_bytes / kSectorBytes);
    l1(t).drop(line, static_cast<std::uint8_t>(1u << in_line));
    t.done = std::max(t.done, memory_.atomic(t.sm, line, in_line, passes, plan.returns, t.now));
  }
  memory_.sink.atomic_requests(plan.returns, of_sector.size());
  t.passes = static_cast<std::uint32_t>(of_sector.size());
  t.stored = t.done;
  t.sent = std::max(t.sent, memory_.sent(t.now));
  sink_.asks(t, of_sector.size());
}

}  // namespace warpmem::model
