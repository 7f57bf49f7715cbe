#include "sim/explain/address_pass.hpp"

#include <algorithm>
#include <bit>

#include "model/general/bank_rule.hpp"
#include "sim/engine/warp_lanes.hpp"

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
    case Action::kAsyncRead: return true;
    default: return false;
  }
}

std::uint64_t distinct_addresses(const WarpAccess& a) {
  std::array<std::uint64_t, model::kWarpLanes> all{};
  std::size_t n = 0;
  for (unsigned l = 0; l < model::kWarpLanes; ++l)
    if (a.mask >> l & 1u) all[n++] = a.address[l];
  std::sort(all.begin(), all.begin() + n);
  return static_cast<std::uint64_t>(std::unique(all.begin(), all.begin() + n) - all.begin());
}

class Pass {
 public:
  Pass(const trace::TraceReader& reader, std::uint32_t launch, const model::Card& card,
       const std::vector<AccessPlan>& plans, AddressPass& out)
      : launch_(reader.launches()[launch].launch),
        sites_(reader.sites(launch)),
        plans_(plans),
        banks_{static_cast<std::uint32_t>(card.numbers().shared_banks),
               static_cast<std::uint32_t>(card.numbers().shared_bank_bytes)},
        out_(out) {
    out.sites.resize(sites_.size());
    out.arrays.resize(launch_.allocations.size());
    known_.resize(sites_.size());
    usual_banks_ = banks_.count == 32 && banks_.bytes == 4;
  }

  void block(const trace::DecodedBlock& b) {
    for (const trace::Segment& s : b.segments)
      for (std::uint32_t i = s.first; i < s.first + s.count; ++i)
        record(b.records[i], b.lanes.data(), s);
    out_.records += b.records.size();
  }

 private:
  void record(const trace::Record& r, const std::uint64_t* table, const trace::Segment& segment) {
    const AccessPlan& plan = plans_[r.site];
    if (plan.bytes == 0 || sites_[r.site].space == trace::Space::kNone || r.mask == 0) return;
    SiteAddresses& site = out_.sites[r.site];
    const WarpLanes w = lanes_of(r, table);
    const auto lanes = static_cast<std::uint64_t>(w.active());
    ++site.requests;
    site.lanes += lanes;
    if (in_sectors(plan)) sectors(site, w, plan, lanes);
    else if (is_shared(plan)) wavefronts(site, w, plan);
    else if (plan.action == Action::kConstant)
      site.addresses += distinct_addresses(model::expand(w, plan.bytes));
    else if (plan.action == Action::kLocalLoad || plan.action == Action::kLocalStore) {
      // A thread's words lie 128 bytes apart from its next, beside those of its neighbours.
      site.sectors += (lanes * plan.bytes + 31) / 32;
    }
    sample(site, w, plan, segment);
  }

  void sectors(SiteAddresses& site, const WarpLanes& w, const AccessPlan& plan,
               std::uint64_t lanes) {
    list_lines(w, plan.bytes, false, lines_);
    const auto n = static_cast<std::uint64_t>(model::sector_count(lines_));
    const std::uint64_t ideal = std::min(n, (lanes * plan.bytes + 31) / 32);
    site.sectors += n;
    site.ideal_sectors += ideal;
    if (plan.action == Action::kGlobalAtomic)
      site.addresses += distinct_addresses(model::expand(w, plan.bytes));
    const std::size_t array = allocation_of(launch_, w.first_address());
    if (array == out_.arrays.size()) return;
    ++out_.arrays[array].requests;
    out_.arrays[array].sectors += n;
    out_.arrays[array].ideal_sectors += ideal;
  }

  void wavefronts(SiteAddresses& site, const WarpLanes& w, const AccessPlan& plan) {
    const model::SharedPasses passes = passes_of(site, w, plan);
    site.wavefronts += static_cast<std::uint64_t>(passes.reported);
    site.ideal_wavefronts +=
        static_cast<std::uint64_t>(std::min(passes.groups, passes.reported));
  }

  // Rows of all banks further on nothing changes: what a site did last time is mostly what it does
  // again.
  model::SharedPasses passes_of(const SiteAddresses& site, const WarpLanes& w,
                                const AccessPlan& plan) {
    const model::SharedKind kind =
        plan.action == Action::kAsyncWrite ? model::SharedKind::kStore : plan.shared;
    const auto shared = [&] {
      const WarpAccess a = model::expand(w, plan.bytes);
      return usual_banks_ ? model::shared_passes(a, kind) : model::shared_passes(a, kind, banks_);
    };
    if (!w.regular()) return shared();
    const std::uint64_t base = w.base % (std::uint64_t{banks_.count} * banks_.bytes);
    const std::uint64_t key = w.mask ^ base << 24 ^ std::uint64_t(std::uint32_t(w.stride)) << 16;
    Known& known = known_[static_cast<std::size_t>(&site - out_.sites.data())]
                         [key * 0x9e3779b97f4a7c15u >> 60];
    if (known.mask != w.mask || known.stride != w.stride || known.base != base)
      known = {w.mask, w.stride, base, shared()};
    return known.passes;
  }

  // Early accesses, and then fewer and fewer.
  void sample(SiteAddresses& site, const WarpLanes& w, const AccessPlan& plan,
              const trace::Segment& segment) {
    if ((site.requests - 1) % site.every != 0) return;
    if (site.samples.size() == SiteAddresses::kSamples) {
      for (std::size_t i = 0; i < SiteAddresses::kSamples / 2; ++i)
        site.samples[i] = site.samples[2 * i];
      site.samples.resize(SiteAddresses::kSamples / 2);
      site.every *= 2;
      if ((site.requests - 1) % site.every != 0) return;
    }
    const SampledAccess& s =
        site.samples.emplace_back(model::expand(w, plan.bytes), segment.cta, segment.warp);
    for (unsigned l = 0; l < model::kWarpLanes; ++l) {
      if (!(s.access.mask >> l & 1u)) continue;
      site.low = std::min(site.low, s.access.address[l]);
      site.high = std::max(site.high, s.access.address[l] + plan.bytes);
    }
  }

  const trace::Launch& launch_;
  std::span<const trace::Site> sites_;
  const std::vector<AccessPlan>& plans_;
  model::Banks banks_;
  AddressPass& out_;
  struct Known {
    std::uint32_t mask = 0;
    std::int32_t stride = 0;
    std::uint64_t base = 0;
    model::SharedPasses passes;
  };
  std::vector<std::array<Known, 16>> known_;  // by site
  bool usual_banks_ = false;  // 32 of 4 bytes
  model::LineList lines_;
};

}  // namespace

std::size_t allocation_of(const trace::Launch& launch, std::uint64_t address) {
  const auto& all = launch.allocations;
  auto at = std::upper_bound(all.begin(), all.end(), address,
                             [](std::uint64_t a, const trace::Allocation& b) { return a < b.base; });
  if (at == all.begin()) return all.size();
  --at;
  return address - at->base < at->bytes ? static_cast<std::size_t>(at - all.begin()) : all.size();
}

Result<AddressPass> pass_addresses(const trace::TraceReader& reader, std::uint32_t launch,
                                   const model::Card& card, const std::vector<AccessPlan>& plans,
                                   std::uint64_t most) {
  AddressPass out;
  Pass pass(reader, launch, card, plans, out);
  const trace::LaunchSummary& summary = reader.launches()[launch];
  out.of = summary.end.records;
  const std::size_t blocks = summary.blocks.size();
  const std::uint64_t every =
      most == ~std::uint64_t{0} ? 1 : std::max<std::uint64_t>(1, (out.of + most - 1) / most);
  for (std::size_t i = 0; i < blocks; i += every) {
    auto block = reader.decode(summary.blocks[i]);
    if (!block) return block.error();
    pass.block(*block);
  }
  return out;
}

}  // namespace warpmem::sim
