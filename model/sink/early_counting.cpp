#include "model/sink/early_counting.hpp"

#include <algorithm>

namespace warpmem::model {
namespace {

void by_size(const Transaction& t, std::uint64_t& of_32, std::uint64_t& of_64,
             std::uint64_t& of_128) {
  of_32 += t.bytes == 32;
  of_64 += t.bytes == 64;
  of_128 += t.bytes == 128;
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
  std::uint64_t all = 0, of_group = 0;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    ++of_group;
    if (i + 1 < moves.size() && moves[i + 1].group == moves[i].group) continue;
    all += std::max<std::uint64_t>(4, of_group);
    of_group = 0;
  }
  return all;
}

}  // namespace

void count_loads(const MovedAccess& a, EarlyCounters& c) {
  const bool by_requests = a.rule == AccessRule::kSubRequests;
  ++c.gld_request;
  c.gld_requested_bytes += a.bytes;
  for (const Transaction& t : a.moves) {
    by_size(t, c.gld_32b, c.gld_64b, c.gld_128b);
    if (a.rule == AccessRule::kHalfWarpStrict) ++(t.in_order ? c.gld_coherent : c.gld_incoherent);
    if (!by_requests) c.gld_moved_bytes += t.bytes;
  }
  if (by_requests) c.gld_moved_bytes += kSectorBytes * distinct_sectors(a.moves);
  c.gld_transactions += by_requests ? four_a_request(a.moves)
                        : a.by_line ? a.lines
                                    : a.moves.size();
  c.global_replays += a.moves.size() - 1;
}

void count_stores(const MovedAccess& a, EarlyCounters& c) {
  ++c.gst_request;
  c.gst_requested_bytes += a.bytes;
  c.gst_transactions += a.moves.size();
  c.global_replays += a.moves.size() - 1;
  for (const Transaction& t : a.moves) {
    by_size(t, c.gst_32b, c.gst_64b, c.gst_128b);
    c.gst_moved_bytes += t.bytes;
    if (a.rule == AccessRule::kHalfWarpStrict) ++(t.in_order ? c.gst_coherent : c.gst_incoherent);
  }
}

void count_l2(const L2Counters& l2, EarlyCounters& c) {
  c.l2_read_transactions = l2.read + l2.atomic + l2.reduction;
  c.l2_write_transactions = l2.write + l2.atomic + l2.reduction;
  c.l2_read_hits = l2.read_hit + l2.atomic_hit + l2.reduction_hit;
}

void count_look_up(EarlyCache cache, std::uint64_t asked, std::uint64_t missed, EarlyCounters& c) {
  switch (cache) {
    case EarlyCache::kNone: return;
    case EarlyCache::kLoads: ++(missed ? c.l1_gld_miss : c.l1_gld_hit); return;
    case EarlyCache::kLocalLoads: ++(missed ? c.l1_local_miss : c.l1_local_hit); return;
    case EarlyCache::kLocalStores:
      ++(missed ? c.l1_local_store_miss : c.l1_local_store_hit);
      return;
    case EarlyCache::kTextures:
      c.tex_requests += asked;
      c.tex_miss += missed;
      c.tex_hit += asked - missed;
      return;
  }
}

}  // namespace warpmem::model
