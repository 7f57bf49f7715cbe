#include "sim/engine/sites.hpp"

#include <algorithm>
#include <cstdio>

#include "isa/access.hpp"
#include "sim/engine/lacking.hpp"

namespace warpmem::sim {
namespace {

using trace::Op;
using trace::Space;

// What the instruction at a pc asks of the memory system, if the trace carries it.
std::optional<trace::Access> access_at(const trace::DecodedProgram& program, std::uint32_t pc) {
  const auto line = program.line_at(pc);
  if (!line) return std::nullopt;
  if (const auto* const in = program[*line].ptx()) return trace::access_of(*in);
  if (const auto* const in = program[*line].sass()) return trace::access_of(*in);
  return std::nullopt;
}

void plan_global(AccessPlan& p, const trace::Site& site, const trace::Access* in) {
  const bool generic = in && in->generic;
  Op op = site.op;
  if (in && in->returns_nothing) op = Op::kReduction;
  if (in && in->returns) op = Op::kAtomic;
  switch (op) {
    case Op::kLoad:
      p.action = Action::kGlobalLoad;
      p.instructions = generic ? &model::LaunchCounters::inst_generic_ld
                               : &model::LaunchCounters::inst_global_ld;
      break;
    case Op::kStore:
      p.action = Action::kGlobalStore;
      p.instructions = generic ? &model::LaunchCounters::inst_generic_st
                               : &model::LaunchCounters::inst_global_st;
      break;
    case Op::kAtomic:
    case Op::kReduction:
      p.action = Action::kGlobalAtomic;
      p.returns = op == Op::kAtomic;
      p.instructions =
          p.returns ? &model::LaunchCounters::inst_atom : &model::LaunchCounters::inst_red;
      break;
    case Op::kAsyncCopyRead:
      p.action = Action::kAsyncRead;
      p.instructions = &model::LaunchCounters::inst_ldgsts;
      break;
    case Op::kBulkRead:
      p.action = Action::kBulkRead;
      p.multicast = in && in->multicast;
      break;
    case Op::kBulkWrite: p.action = Action::kBulkWrite; break;
    case Op::kBulkReduction: p.action = Action::kBulkReduce; break;
    default: p.action = Action::kIgnore; break;
  }
  if (!in) return;
  // Strong and scoped loads beyond the CTA are answered by the L2 (measured: .cg, .cv, volatile,
  // relaxed.gpu miss and leave nothing; kernels/micro/l1_policy.cu).
  p.bypass_l1 = in->bypass || in->scope == trace::Scope::kGpu || in->scope == trace::Scope::kSystem;
  p.asks_l1 = in->asks_l1;
  // Fermi's load of an address that is the same for all lanes: from global memory, through the
  // constant cache. GPUs after it have none, and ptxas makes a read-only load of it.
  p.read_only = in->read_only || in->uniform;
  p.no_allocate = in->eviction == trace::Eviction::kNoAllocate;
  p.compare_and_swap = in->compare_and_swap || in->attempts;
  p.sums_floats = p.action == Action::kGlobalAtomic && in->adds_floats;
  // Takes the place of the launch's own granularity, also where it asks for less (measured:
  // kernels/micro/l2_window.cu). Beyond a line: the block of two lines that it is in.
  p.fetch_sectors = std::min(in->l2_prefetch, 256u) / 32;
  // Of loads (measured: kernels/micro/l2_stay.cu, loads .EF go first from the L2 too, stores do
  // not).
  const bool reads = p.action == Action::kGlobalLoad || p.action == Action::kAsyncRead;
  if (reads && in->eviction == trace::Eviction::kFirst) p.stay = model::Stay::kFirst;
}

// Those for the L1 come by the L2.
void plan_prefetch(AccessPlan& p, const trace::Site& site, const trace::Access* in) {
  p.action = site.space == Space::kGlobal ? Action::kPrefetch : Action::kIgnore;
  // Of others a recording can say how many bytes a lane names.
  const bool bulk = in ? in->bulk_prefetch : p.bytes > 16;
  if (!bulk) p.bytes = 0;
  if (!in) return;
  if (in->persists) p.stay = model::Stay::kPersist;
  if (in->normal) p.stay = model::Stay::kNormal, p.line_request = model::LineRequest::kChange;
  if (in->discards) p.line_request = model::LineRequest::kDiscard;
}

void plan_shared(AccessPlan& p, const trace::Site& site, const trace::Access* in) {
  p.action = Action::kShared;
  const bool generic = in && in->generic;
  Op op = site.op;
  if (in && in->returns_nothing) op = Op::kReduction;
  switch (op) {
    case Op::kStore:
      p.shared = model::SharedKind::kStore;
      p.instructions = generic ? &model::LaunchCounters::inst_generic_st
                               : &model::LaunchCounters::inst_shared_st;
      break;
    case Op::kMatrixLoad:
      p.shared = model::SharedKind::kMatrix;
      p.instructions = &model::LaunchCounters::inst_ldsm;
      break;
    case Op::kMatrixStore:
      p.shared = model::SharedKind::kMatrix;
      p.instructions = &model::LaunchCounters::inst_stsm;
      break;
    case Op::kAtomic:
    case Op::kReduction:
      p.shared = !in                    ? model::SharedKind::kAtomic
                 : in->compare_and_swap ? model::SharedKind::kCompareAndSwap
                 : in->attempts         ? model::SharedKind::kAttempt
                 // Where machine code does not say it, only of what nobody reads.
                 : in->counts && (op == Op::kReduction || in->returns)
                     ? model::SharedKind::kReduction
                     : model::SharedKind::kAtomic;
      p.instructions =
          generic ? &model::LaunchCounters::inst_atom : &model::LaunchCounters::inst_shared_atom;
      break;
    case Op::kAsyncCopyWrite:
      p.action = Action::kAsyncWrite;
      p.bypass_l1 = in && in->bypass;
      break;
    case Op::kBulkRead:
    case Op::kBulkWrite:
    case Op::kBulkReduction: p.action = Action::kIgnore; break;
    default:
      p.shared = model::SharedKind::kLoad;
      p.instructions = generic ? &model::LaunchCounters::inst_generic_ld
                               : &model::LaunchCounters::inst_shared_ld;
      break;
  }
}

void plan_texture(AccessPlan& p, const trace::Site& site, const trace::Access* in) {
  p.action = site.op == Op::kTexel ? Action::kTexel : Action::kTexture;
  p.by_number = in && in->texel_by_number;
  p.gathers = in && in->gathers;
  // Measured: kernels/micro/texture_reads.cu.
  if (p.by_number && in->dimensions == 1 && site.bytes <= 8) p.request_lanes = 8;
}

void plan_surface(AccessPlan& p, const trace::Site& site, const trace::Access* in) {
  // Reductions on surfaces were not measured, and count nothing.
  p.action = site.op == Op::kLoad    ? Action::kSurfaceLoad
             : site.op == Op::kStore ? Action::kSurfaceStore
                                     : Action::kIgnore;
  p.by_number = true;
  if (!in || in->dimensions < 3) p.request_lanes = 8;
}

}  // namespace

std::vector<AccessPlan> plan_sites(const model::Card& card, std::span<const trace::Site> sites,
                                   const trace::DecodedProgram& program) {
  const std::vector<L1Invalidation> invalidations = l1_invalidations(sites, program);
  std::vector<AccessPlan> plans;
  plans.reserve(sites.size());
  for (const trace::Site& site : sites) {
    AccessPlan p;
    p.bytes = site.bytes;
    p.pc = site.pc;
    p.bulk = trace::is_bulk(site.op);
    p.invalidates_before = invalidations[plans.size()].before;
    p.invalidates_after = invalidations[plans.size()].behind;
    const auto decoded = access_at(program, site.pc);
    const trace::Access* in = decoded ? &*decoded : nullptr;
    // Recordings hold what of a wide load goes to registers that somebody reads: 12 bytes of
    // LDS.128.
    if (in && in->bytes > p.bytes && (site.op == Op::kLoad || site.op == Op::kStore))
      p.bytes = in->bytes;
    if (site.op == Op::kCtaBegin) p.action = Action::kBegin;
    else if (site.op == Op::kCtaEnd) p.action = Action::kEnd;
    else if (site.op == Op::kBarrier) p.action = Action::kBarrier;
    else if (site.op == Op::kRounds) p.action = Action::kRounds;
    else if (site.op == Op::kProductRead) p.action = Action::kProductRead;
    else if (site.space == Space::kTexture) plan_texture(p, site, in);
    else if (site.space == Space::kSurface) plan_surface(p, site, in);
    else if (site.op == Op::kPrefetch) plan_prefetch(p, site, in);
    else if (site.space == Space::kConstant) p.action = Action::kConstant;
    else if (in && in->uniform && card.capability() >= 20 && card.capability() < 30)
      p.action = Action::kConstant;
    else if (site.space == Space::kGlobal) plan_global(p, site, in);
    else if (site.space == Space::kShared) plan_shared(p, site, in);
    else if (site.space == Space::kRemoteShared && site.op != Op::kAsyncCopyWrite &&
             site.op != Op::kBulkWrite && site.op != Op::kBulkRead) {
      p.action = Action::kRemote;
      p.returns = site.op == Op::kAtomic || site.op == Op::kReduction;
      if (site.op == Op::kStore) p.instructions = &model::LaunchCounters::inst_generic_st;
      if (site.op == Op::kLoad) p.instructions = &model::LaunchCounters::inst_generic_ld;
    } else if (site.space == Space::kLocal) {
      const bool store = site.op == Op::kStore;
      p.action = store ? Action::kLocalStore : Action::kLocalLoad;
      p.last_use = in && in->eviction == trace::Eviction::kLastUse;
      const bool generic = in && in->generic;
      p.instructions = store ? (generic ? &model::LaunchCounters::inst_generic_st
                                        : &model::LaunchCounters::inst_local_st)
                             : (generic ? &model::LaunchCounters::inst_generic_ld
                                        : &model::LaunchCounters::inst_local_ld);
    }
    plans.push_back(p);
  }
  skip_lacking(card, sites, plans);
  return plans;
}

std::string place_of(const trace::Program& program, std::uint32_t pc) {
  const auto at =
      std::lower_bound(program.code.begin(), program.code.end(), pc,
                       [](const trace::Instruction& i, std::uint32_t p) { return i.pc < p; });
  if (at != program.code.end() && at->pc == pc && at->line != 0 &&
      at->file < program.files.size()) {
    const std::string& file = program.files[at->file];
    return file.substr(file.rfind('/') + 1) + ":" + std::to_string(at->line);
  }
  char text[16];
  std::snprintf(text, sizeof text, "pc 0x%04x", pc);
  return text;
}

}  // namespace warpmem::sim
