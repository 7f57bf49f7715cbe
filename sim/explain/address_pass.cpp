#include "sim/explain/address_pass.hpp"

#include <algorithm>
#include <bit>

#include "sim/engine/warp_lanes.hpp"
#include "sim/lane_access.hpp"

namespace warpmem::sim {
namespace {

using model::WarpAccess;
using model::WarpLanes;

bool is_shared(const AccessPlan& plan) {
  return plan.action == Action::kShared || plan.action == Action::kAsyncWrite;
}

bool in_sectors(const AccessPlan& plan) {
  switch (plan.action) {
    case Action::kGlobalLoad:
    case Action::kGlobalStore:
    case Action::kGlobalAtomic:
    case Action::kAsyncRead:
    case Action::kLocalLoad:
    case Action::kLocalStore: return true;
    default: return false;
  }
}

bool is_bulk(const AccessPlan& plan) {
  return plan.action == Action::kBulkRead || plan.action == Action::kBulkWrite ||
         plan.action == Action::kBulkReduce;
}

// Of accesses whose rounds depend on which words lanes meet at.
bool counts_addresses(const AccessPlan& plan) {
  return plan.action == Action::kGlobalAtomic ||
         (plan.action == Action::kShared && model::takes_turns(plan.shared));
}

std::uint64_t distinct_addresses(const WarpAccess& a) {
  std::array<std::uint64_t, model::kWarpLanes> all{};
  std::size_t n = 0;
  for (unsigned l = 0; l < model::kWarpLanes; ++l)
    if (a.mask >> l & 1u) all[n++] = a.address[l];
  std::sort(all.begin(), all.begin() + n);
  return static_cast<std::uint64_t>(std::unique(all.begin(), all.begin() + n) - all.begin());
}

}  // namespace

AddressCounter::AddressCounter(const trace::Launch& launch, const std::vector<AccessPlan>& plans,
                               const model::Card& card, AddressPass& out)
    : allocations_(launch.allocations),
      plans_(plans),
      rules_(access_rules_of(card)),
      shared_rule_(static_cast<model::SharedRule>(card.numbers().shared_rule)),
      banks_{static_cast<std::uint32_t>(card.numbers().shared_banks),
             static_cast<std::uint32_t>(card.numbers().shared_bank_bytes)},
      line_bytes_(card.numbers().line_bytes),
      usual_sectors_(static_cast<model::AccessRule>(card.numbers().access_rule) ==
                     model::AccessRule::kSectors),
      out_(out),
      known_(plans.size()),
      followed_(launch.allocations.size()) {
  out.sites.resize(plans.size());
}

void AddressCounter::add(std::uint32_t number, const WarpLanes& w, std::uint64_t cta,
                         std::uint32_t warp) {
  const AccessPlan& plan = plans_[number];
  if (plan.bytes == 0 || w.mask == 0) return;
  SiteAddresses& site = out_.sites[number];
  const auto lanes = static_cast<std::uint64_t>(w.active());
  ++site.requests;
  site.lanes += lanes;
  if (counts_addresses(plan) || plan.action == Action::kConstant)
    site.addresses += distinct_addresses(model::expand(w, plan.bytes));
  if (in_sectors(plan)) {
    const std::size_t array = sectors(site, w, plan);
    if (!w.regular() && array < allocations_.size()) follow(number, array, w, cta, warp);
  } else if (is_shared(plan)) wavefronts(site, w, plan);
  else if (is_bulk(plan)) bulk(site, w, plan);
  sample(site, w, plan, cta, warp);
}

std::size_t AddressCounter::sectors(SiteAddresses& site, const WarpLanes& w,
                                    const AccessPlan& plan) {
  const bool usual = usual_sectors_ &&
                     (plan.action == Action::kGlobalLoad || plan.action == Action::kGlobalStore ||
                      (plan.action == Action::kAsyncRead && !plan.bypass_l1));
  std::uint64_t n = 0, ideal = 0;
  if (usual) {
    list_lines(w, plan.bytes, false, lines_, model::LineSize(line_bytes_));
    n = static_cast<std::uint64_t>(model::sector_count(lines_));
    ideal = std::min(n, (static_cast<std::uint64_t>(w.active()) * plan.bytes + 31) / 32);
  } else {
    const model::AccessDivision d = rules_.divide(model::expand(w, plan.bytes), plan);
    n = d.sectors, ideal = d.ideal_sectors;
  }
  site.sectors += n;
  site.ideal_sectors += ideal;
  ++site.by_size[std::min<std::uint64_t>(n, SiteAddresses::kSizes - 1)];
  const bool local = plan.action == Action::kLocalLoad || plan.action == Action::kLocalStore;
  const std::size_t at =
      local ? allocations_.size() : allocation_of(allocations_, w.first_address());
  ArrayAddresses& array = site.arrays[at];
  ++array.requests, array.sectors += n, array.ideal_sectors += ideal;
  return at;
}

// A line's length at a time, from the start of the copy.
void AddressCounter::bulk(SiteAddresses& site, const WarpLanes& w, const AccessPlan& plan) {
  std::uint64_t n = 0;
  const std::uint64_t begin = w.first_address(), end = begin + plan.bytes;
  for (std::uint64_t at = begin; at < end; at += line_bytes_) {
    const std::uint64_t last = std::min(at + line_bytes_, end) - 1;
    n += last / model::kSectorBytes - at / model::kSectorBytes + 1;
  }
  const std::uint64_t ideal =
      std::min(n, (plan.bytes + model::kSectorBytes - 1) / model::kSectorBytes);
  site.sectors += n, site.ideal_sectors += ideal;
  ArrayAddresses& array = site.arrays[allocation_of(allocations_, begin)];
  ++array.requests, array.sectors += n, array.ideal_sectors += ideal;
}

void AddressCounter::wavefronts(SiteAddresses& site, const WarpLanes& w, const AccessPlan& plan) {
  const model::SharedPasses passes = passes_of(site, w, plan);
  ++site.by_size[std::min<std::size_t>(static_cast<std::size_t>(passes.reported),
                                       SiteAddresses::kSizes - 1)];
  site.wavefronts += static_cast<std::uint64_t>(passes.reported);
  site.ideal_wavefronts += static_cast<std::uint64_t>(std::min(passes.groups, passes.reported));
}

// Rows of all banks further on nothing changes: what a site did lately is mostly what it does
// again.
model::SharedPasses AddressCounter::passes_of(const SiteAddresses& site, const WarpLanes& w,
                                              const AccessPlan& plan) {
  const model::SharedKind kind =
      plan.action == Action::kAsyncWrite ? model::SharedKind::kStore : plan.shared;
  const auto shared = [&] {
    const WarpAccess a = model::expand(w, plan.bytes);
    return model::shared_passes(shared_rule_, a, kind, banks_);
  };
  if (!w.regular()) return shared();
  // A bank gives 8 bytes at most.
  const std::uint64_t base = w.base % (std::uint64_t{banks_.count} * 8);
  const std::uint64_t key =
      w.mask ^ base << 24 ^ std::uint64_t{static_cast<std::uint32_t>(w.stride)} << 16;
  Known& known =
      known_[static_cast<std::size_t>(&site - out_.sites.data())][key * 0x9e3779b97f4a7c15u >> 60];
  if (known.mask != w.mask || known.stride != w.stride || known.base != base)
    known = {w.mask, w.stride, base, shared()};
  return known.passes;
}

// Two accesses of seven that have no stride: an odd number, as loops are unrolled by even ones.
void AddressCounter::follow(std::uint32_t number, std::size_t array, const WarpLanes& w,
                            std::uint64_t cta, std::uint32_t warp) {
  constexpr std::uint64_t kEvery = 7;
  constexpr std::uint64_t kFarthest = 128;  // bytes
  SiteAddresses& site = out_.sites[number];
  Followed& f = followed_[array];
  const std::uint64_t at = f.accesses++ % kEvery;
  if (at == 0) {
    f.access = model::expand(w, plans_[number].bytes), f.cta = cta, f.warp = warp;
    return;
  }
  if (at != 1 || f.cta != cta || f.warp != warp) return;
  const WarpAccess now = model::expand(w, plans_[number].bytes);
  // All lanes alike; by several words where a loop is unrolled and its instructions out of order.
  std::array<std::uint64_t, kFarthest + 1> by_step{};
  for (unsigned l = 0; l < model::kWarpLanes; ++l) {
    if (!(f.access.mask & now.mask & 1u << l)) continue;
    ++site.followed;
    const std::uint64_t step = now.address[l] - f.access.address[l];
    if (step != 0 && step <= kFarthest) ++by_step[step];
  }
  site.went_on += *std::max_element(by_step.begin(), by_step.end());
}

// Early accesses, and then fewer and fewer.
void AddressCounter::sample(SiteAddresses& site, const WarpLanes& w, const AccessPlan& plan,
                            std::uint64_t cta, std::uint32_t warp) {
  if ((site.requests - 1) % site.every != 0) return;
  if (site.samples.size() == SiteAddresses::kSamples) {
    for (std::size_t i = 0; i < SiteAddresses::kSamples / 2; ++i)
      site.samples[i] = site.samples[2 * i];
    site.samples.resize(SiteAddresses::kSamples / 2);
    site.every *= 2;
    if ((site.requests - 1) % site.every != 0) return;
  }
  SampledAccess& s = site.samples.emplace_back();
  s.access = model::expand(w, plan.bytes), s.cta = cta, s.warp = warp;
  for (unsigned l = 0; l < model::kWarpLanes; ++l) {
    if (!(s.access.mask >> l & 1u)) continue;
    site.low = std::min(site.low, s.access.address[l]);
    site.high = std::max(site.high, s.access.address[l] + plan.bytes);
  }
}

std::size_t allocation_of(const std::vector<trace::Allocation>& all, std::uint64_t address) {
  auto at =
      std::upper_bound(all.begin(), all.end(), address,
                       [](std::uint64_t a, const trace::Allocation& b) { return a < b.base; });
  if (at == all.begin()) return all.size();
  --at;
  return address - at->base < at->bytes ? static_cast<std::size_t>(at - all.begin()) : all.size();
}

Result<AddressPass> pass_addresses(const trace::TraceReader& reader, std::uint32_t launch,
                                   const model::Card& card, const std::vector<AccessPlan>& plans,
                                   std::uint64_t most) {
  AddressPass out;
  const trace::LaunchSummary& summary = reader.launches()[launch];
  const auto sites = reader.sites(launch);
  AddressCounter counter(summary.launch, plans, card, out);
  out.of = summary.end.records;
  const std::size_t blocks = summary.blocks.size();
  const std::uint64_t every =
      most == ~std::uint64_t{0} ? 1 : std::max<std::uint64_t>(1, (out.of + most - 1) / most);
  for (std::size_t i = 0; i < blocks; i += every) {
    auto block = reader.decode(summary.blocks[i]);
    if (!block) return block.error();
    for (const trace::Segment& s : block->segments)
      for (std::uint32_t k = s.first; k < s.first + s.count; ++k) {
        const trace::Record& r = block->records[k];
        if (sites[r.site].space != trace::Space::kNone)
          counter.add(r.site, lanes_of(r, block->lanes.data()), s.cta, s.warp);
      }
    out.records += block->records.size();
  }
  return out;
}

}  // namespace warpmem::sim
