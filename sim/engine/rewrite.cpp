#include "sim/engine/rewrite.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "sim/engine/warp_lanes.hpp"

namespace warpmem::sim {
namespace {

using model::kWarpLanes;
using model::WarpAccess;

// Writes the lanes of an access into a record: by a stride where there is one.
void put(const WarpAccess& a, trace::Record& r, std::pmr::vector<std::uint64_t>& table) {
  r.mask = a.mask;
  const int first = std::countr_zero(a.mask);
  const std::uint32_t rest = a.mask & (a.mask - 1);
  std::int64_t stride = 0;
  bool regular = true;
  if (rest) {
    const int second = std::countr_zero(rest);
    const auto step = static_cast<std::int64_t>(a.address[second] - a.address[first]);
    stride = step / (second - first);
    regular = stride * (second - first) == step && stride == static_cast<std::int32_t>(stride);
  }
  for (int l = first; regular && l < kWarpLanes; ++l)
    if (a.mask >> l & 1u)
      regular = a.address[l] == a.address[first] + static_cast<std::uint64_t>(stride * (l - first));
  if (regular) {
    r.lanes = trace::Record::kRegular;
    r.stride = static_cast<std::int32_t>(stride);
    r.base = a.address[first] - static_cast<std::uint64_t>(stride * first);
    return;
  }
  r.base = 0, r.stride = 0;
  r.lanes = static_cast<std::uint32_t>(table.size());
  for (int l = 0; l < kWarpLanes; ++l)
    if (a.mask >> l & 1u) table.push_back(a.address[l]);
}

}  // namespace

void Rewrite::apply(std::vector<model::AccessPlan>& own) const {
  for (const auto& [site, plan] : plans) own[site] = plan;
  if (loads == LoadsThrough::kAsRecorded) return;
  for (model::AccessPlan& plan : own) {
    if (plan.action != model::Action::kGlobalLoad) continue;
    plan.bypass_l1 = loads == LoadsThrough::kL2Only;
    plan.asks_l1 = loads == LoadsThrough::kBoth;
  }
}

void Rewrite::apply(const trace::Launch& launch, std::vector<std::uint64_t>& ctas) const {
  if (choose) choose(launch, ctas);
  const Dim3& c = launch.cluster;
  if (std::uint64_t{c[0]} * c[1] * c[2] <= 1) put_in_order(order, launch.grid, ctas);
}

void Rewrite::apply(trace::DecodedBlock& b, std::span<const trace::Site> sites) const {
  if (!dealt.empty()) deal(b, sites);
  if (!of.empty()) change(b, sites);
}

// Records keep their places; those that no word is left for go.
void Rewrite::deal(trace::DecodedBlock& b, std::span<const trace::Site> sites) const {
  const auto changes = [&](const trace::Record& r) {
    return r.site < dealt.size() && dealt[r.site] != 0 && r.mask != 0;
  };
  std::map<std::uint32_t, std::array<std::vector<std::uint64_t>, kWarpLanes>> runs;
  std::map<std::uint32_t, std::vector<std::uint64_t>> words;
  std::uint32_t kept = 0;
  for (trace::Segment& s : b.segments) {
    const std::uint32_t from = s.first, to = s.first + s.count;
    runs.clear(), words.clear();
    for (std::uint32_t i = from; i < to; ++i) {
      const trace::Record& r = b.records[i];
      if (!changes(r)) continue;
      const WarpAccess a = model::expand(lanes_of(r, b.lanes.data()), sites[r.site].bytes);
      for (int l = 0; l < kWarpLanes; ++l)
        if (a.mask >> l & 1u)
          runs[dealt[r.site]][static_cast<std::size_t>(l)].push_back(a.address[l]);
    }
    for (auto& [group, of_lanes] : runs)
      for (const auto& run : of_lanes)
        words[group].insert(words[group].end(), run.begin(), run.end());
    std::map<std::uint32_t, std::size_t> next;
    s.first = kept;
    for (std::uint32_t i = from; i < to; ++i) {
      trace::Record r = b.records[i];
      if (changes(r)) {
        const std::vector<std::uint64_t>& all = words[dealt[r.site]];
        std::size_t& at = next[dealt[r.site]];
        if (at == all.size()) continue;
        WarpAccess a;
        for (int l = 0; l < kWarpLanes && at < all.size(); ++l)
          a.mask |= 1u << l, a.address[l] = all[at++];
        put(a, r, b.lanes);
      }
      b.records[kept++] = r;
    }
    s.count = kept - s.first;
  }
  b.records.resize(kept);
}

void Rewrite::change(trace::DecodedBlock& b, std::span<const trace::Site> sites) const {
  const auto changes = [&](const trace::Record& r) {
    return r.site < of.size() && of[r.site] && r.mask != 0;
  };
  if (std::none_of(b.records.begin(), b.records.end(), changes)) return;
  std::uint32_t kept = 0;
  for (trace::Segment& s : b.segments) {
    const std::uint32_t from = s.first, to = s.first + s.count;
    s.first = kept;
    for (std::uint32_t i = from; i < to; ++i) {
      trace::Record r = b.records[i];
      if (changes(r)) {
        const AccessChange& change = *of[r.site];
        WarpAccess a = model::expand(lanes_of(r, b.lanes.data()), sites[r.site].bytes);
        const std::uint32_t left = change.lanes(a, s) & a.mask;
        if (left == 0) continue;
        const std::uint64_t shift = change.shift(a);
        a.mask = left;
        for (int l = 0; l < kWarpLanes; ++l)
          if (left >> l & 1u) a.address[l] = change.address(a.address[l]) - shift;
        put(a, r, b.lanes);
      }
      b.records[kept++] = r;
    }
    s.count = kept - s.first;
  }
  b.records.resize(kept);
}

}  // namespace warpmem::sim
