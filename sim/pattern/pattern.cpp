#include "sim/pattern/pattern.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "model/card/memory_system_of.hpp"
#include "sim/explain/address_pass.hpp"
#include "sim/explain/recognise.hpp"
#include "sim/lane_access.hpp"
#include "sim/site_counters.hpp"

namespace warpmem::sim::pattern {
namespace {

AccessPlan plan_of(const Access& access, const Array& array) {
  using C = model::LaunchCounters;
  AccessPlan p;
  const bool matrix = access.kind == AccessKind::kMatrixLoad;
  p.bytes = matrix ? 16 : array.part;
  const bool store = access.kind == AccessKind::kStore;
  const bool atomic = access.kind == AccessKind::kAtomic || access.kind == AccessKind::kReduction;
  if (array.space == MemorySpace::kConstant) {
    p.action = Action::kConstant;
    return p;
  }
  if (array.space == MemorySpace::kShared) {
    p.action = Action::kShared;
    p.shared = matrix                                  ? model::SharedKind::kMatrix
               : store                                 ? model::SharedKind::kStore
               : access.kind == AccessKind::kAtomic    ? model::SharedKind::kAtomic
               : access.kind == AccessKind::kReduction ? model::SharedKind::kReduction
                                                       : model::SharedKind::kLoad;
    p.instructions = matrix   ? &C::inst_ldsm
                     : store  ? &C::inst_shared_st
                     : atomic ? &C::inst_shared_atom
                              : &C::inst_shared_ld;
    return p;
  }
  p.returns = access.kind == AccessKind::kAtomic;
  p.action = atomic ? Action::kGlobalAtomic : store ? Action::kGlobalStore : Action::kGlobalLoad;
  p.instructions = !atomic     ? (store ? &C::inst_global_st : &C::inst_global_ld)
                   : p.returns ? &C::inst_atom
                               : &C::inst_red;
  return p;
}

const char* op_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::kLoad: return "load";
    case AccessKind::kStore: return "store";
    case AccessKind::kAtomic: return "atomic";
    case AccessKind::kReduction: return "reduction";
    case AccessKind::kMatrixLoad: return "matrix load";
  }
  return "";
}

Result<void> check(const Program& program, const Shape& shape) {
  for (const Access& a : program.accesses) {
    const Array& array = program.arrays[a.array];
    if (a.kind == AccessKind::kMatrixLoad && array.space != MemorySpace::kShared)
      return Error{ErrorKind::kUsage,
                   "ldmatrix reads shared memory, and '" + array.name + "' is global", "pattern",
                   "declare it: 'shared half " + array.name + "[64][64]'"};
    if (array.space == MemorySpace::kConstant && a.kind != AccessKind::kLoad)
      return Error{ErrorKind::kUsage, "constant memory can only be read: '" + array.name + "'",
                   "pattern", "declare it global"};
  }
  const std::uint64_t threads = std::uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
  if (threads == 0 || threads > 1024)
    return Error{ErrorKind::kUsage, fmt::format("a block has {} threads", grouped(threads)),
                 "--block", "take 1 to 1,024 threads: --block 32x8"};
  const std::uint64_t warps = (threads + 31) / 32 * shape.grid[0] * shape.grid[1] * shape.grid[2];
  if (warps == 0 || warps > kMostWarps)
    return Error{ErrorKind::kUsage, fmt::format("the grid has {} warps", grouped(warps)), "--grid",
                 fmt::format("take a smaller grid, of {} warps at most: the pattern is what counts",
                             grouped(kMostWarps))};
  return {};
}

// Sites of the text, one for each part of an element.
struct Layout {
  std::vector<std::uint32_t> first;   // by access
  std::vector<AccessPlan> plans;      // by site
  std::vector<std::uint32_t> access;  // by site
};
Layout layout_of(const Program& program) {
  Layout out;
  for (std::uint32_t a = 0; a < program.accesses.size(); ++a) {
    const Array& array = program.arrays[program.accesses[a].array];
    out.first.push_back(static_cast<std::uint32_t>(out.plans.size()));
    const std::uint32_t parts =
        program.accesses[a].kind == AccessKind::kMatrixLoad ? 1 : array.bytes / array.part;
    for (std::uint32_t p = 0; p < parts; ++p) {
      out.plans.push_back(plan_of(program.accesses[a], array));
      out.access.push_back(a);
    }
  }
  return out;
}

SiteTraffic traffic(const Program& program, const Layout& layout, std::uint32_t s,
                    const SiteAddresses& a, const model::LaunchCounters& c, std::uint64_t base,
                    const model::CardNumbers& n) {
  const Access& access = program.accesses[layout.access[s]];
  const Array& array = program.arrays[access.array];
  SiteTraffic t;
  t.site = s;
  t.instruction = access.text;
  if (array.bytes != array.part && access.kind != AccessKind::kMatrixLoad)
    t.instruction += fmt::format(", part {}", s - layout.first[layout.access[s]] + 1);
  t.space = array.space == MemorySpace::kShared     ? "shared"
            : array.space == MemorySpace::kConstant ? "constant"
                                                    : "global";
  t.op = op_of(access.kind), t.bytes = layout.plans[s].bytes, t.array = array.name;
  t.requests = a.requests, t.lanes = a.lanes, t.addresses = a.addresses;
  t.sectors =
      c.global_ld.sectors + c.global_st.sectors + c.global_atom.sectors + c.global_red.sectors;
  t.ideal_sectors = std::min(t.sectors, a.ideal_sectors);
  t.wavefronts = c.shared_wavefronts,
  t.ideal_wavefronts = std::min(t.wavefronts, a.ideal_wavefronts);
  t.l1_hits = c.global_ld.hits + c.global_st.hits;
  t.l2_reads = c.l2.read + c.l2.atomic + c.l2.reduction,
  t.l2_read_hits = c.l2.read_hit + c.l2.atomic_hit + c.l2.reduction_hit;
  t.l2_writes = c.l2.write;
  const Recognised r = recognise(layout.plans[s], a, {base, 0}, n);
  t.pattern = r.pattern, t.sentence = r.sentence;
  return t;
}

}  // namespace

Result<std::vector<SiteTraffic>> on_card(const Program& program, const Shape& shape,
                                         const model::Card& card, const Drawn& drawn) {
  if (auto ok = check(program, shape); !ok) return ok.error();
  const Layout layout = layout_of(program);
  const model::CardNumbers& n = card.numbers();
  const auto memory = model::memory_system_of(card, false);
  SiteCounters counters(*memory, layout.plans.size());
  model::LaunchMemory launch;
  launch.shared_config = n.shared_configs.empty() ? 0 : n.shared_configs.front();
  counters.begin_launch(launch);
  const model::AccessRules rules = access_rules_of(card);
  AddressPass pass;
  AddressCounter addresses(trace::Launch(), layout.plans, card, pass);
  std::vector<std::vector<LaneAccess>> examples(layout.plans.size());
  std::vector<std::uint64_t> l1_cycles(layout.plans.size());
  const std::uint64_t threads = std::uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
  const std::uint64_t ctas = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  std::uint64_t now = 0;
  for (std::uint64_t cta = 0; cta < ctas; ++cta)
    for (std::uint32_t warp = 0; warp < (threads + 31) / 32; ++warp) {
      const TakeAccess take = [&](std::uint32_t access, std::uint32_t part,
                                  const model::WarpAccess& a) {
        const std::uint32_t site = layout.first[access] + part;
        std::array<std::uint64_t, 32> listed{};
        std::size_t count = 0;
        for (std::uint32_t l = 0; l < 32; ++l)
          if (a.mask >> l & 1u) listed[count++] = a.address[l];
        const model::WarpLanes lanes{a.mask, 0, 0, listed.data()};
        addresses.add(site, lanes, cta, warp);
        constexpr std::size_t kExamples = 4;
        if (cta == drawn.cta && warp == drawn.warp && examples[site].size() < kExamples)
          examples[site].push_back(lane_access(a, layout.plans[site], rules, n)),
              examples[site].back().cta = cta, examples[site].back().warp = warp;
        if (layout.plans[site].action == Action::kConstant) return;
        model::AccessTiming t;
        t.sm = static_cast<int>(n.cta_order.empty() ? 0 : n.cta_order[cta % n.cta_order.size()]);
        t.site = site, t.cta = cta, t.warp = warp, t.warp_slot = warp;
        t.now = t.tags = now += 64;
        counters.run(lanes, layout.plans[site], t);
        l1_cycles[site] += std::max(t.passes, t.tag_passes);
      };
      if (auto ok = run_warp(program, shape, cta, warp, take); !ok) return ok.error();
    }
  counters.finish_launch();
  const std::vector<std::uint64_t> bases = bases_of(program);
  std::vector<SiteTraffic> out;
  for (std::uint32_t s = 0; s < layout.plans.size(); ++s) {
    const std::uint64_t base = bases[program.accesses[layout.access[s]].array];
    out.push_back(traffic(program, layout, s, pass.sites[s], counters.by_site()[s], base, n));
    out.back().examples = std::move(examples[s]);
    out.back().l1_cycles = l1_cycles[s];
  }
  return out;
}

}  // namespace warpmem::sim::pattern
