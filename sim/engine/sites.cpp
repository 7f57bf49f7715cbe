#include "sim/engine/sites.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include "isa/sass/instruction.hpp"
#include "sim/engine/lacking.hpp"

namespace warpmem::sim {
namespace {

using trace::InstructionKind;
using trace::Op;
using trace::Space;

// The dotted words of a PTX instruction: "@%p1 ld.global.cg.f32 %f1, [%rd1]" -> ld, global, cg, f32.
std::vector<std::string> ptx_words(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' '), text.size()));
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  text = text.substr(0, text.find_first_of(" ;"));
  std::vector<std::string> words;
  for (std::size_t dot = 0; dot != text.npos;) {
    const std::size_t next = text.find('.', dot);
    words.emplace_back(text.substr(dot, next == text.npos ? next : next - dot));
    dot = next == text.npos ? next : next + 1;
  }
  return words;
}

// PTX in the terms of what ptxas makes of it; the record itself says load, store, atomic …
trace::SassInstruction read_ptx(std::string_view text, Op op) {
  trace::SassInstruction in;
  const std::vector<std::string> words = ptx_words(text);
  const auto has = [&](std::string_view w) { return std::find(words.begin(), words.end(), w) != words.end(); };
  in.opcode = words.front();
  in.generic = true;
  for (const std::string& w : words)
    if (w == "global" || w == "local" || w == "const" || w == "param" || w.starts_with("shared")) in.generic = false;
  if (in.opcode == "cp") in.bypass = has("cg");
  else if (has("cg") || has("gpu")) in.scope = trace::Scope::kGpu;
  if (has("cv") || has("volatile") || has("mmio") || has("sys")) in.scope = trace::Scope::kSystem;
  in.constant = has("nc");
  if (has("ca")) in.modifiers.emplace_back("ca");
  if (has("L1::no_allocate")) in.eviction = trace::Eviction::kNoAllocate;
  if (has("cs") || has("L1::evict_first") || has("L2::evict_first")) in.eviction = trace::Eviction::kFirst;
  if (in.opcode == "prefetch" && has("L1")) in.modifiers.emplace_back("PF1");
  if (has("L2::evict_last")) in.modifiers.emplace_back("PML2");
  if (in.opcode == "applypriority") in.modifiers.emplace_back("DML2");
  if (in.opcode == "discard") in.modifiers.emplace_back("RML2");
  for (const std::uint32_t bytes : {64u, 128u, 256u})
    if (has("L2::" + std::to_string(bytes) + "B")) in.l2_prefetch = bytes;
  for (const std::uint32_t d : {1u, 2u, 3u}) {
    const std::string n = std::to_string(d) + "d";
    if (has(n) || has("a" + n)) in.dimensions = d;
  }
  if (in.opcode == "tex" && words.back() == "s32") in.modifiers.emplace_back("s32");
  if (has("multicast::cluster")) in.modifiers.emplace_back("MULTICAST");
  if (has("cas")) in.modifiers.emplace_back("CAS");
  if (has("add")) in.modifiers.emplace_back("ADD");
  for (const char* const type : {"f16", "f16x2", "bf16", "bf16x2", "f32", "f64"})
    if (has(type)) in.modifiers.emplace_back("F32");
  // Counting by ones whose result nobody reads is ATOMS.POPC.INC in shared memory.
  if (op == Op::kReduction && has("add") && has("u32") && text.ends_with(", 1")) in.modifiers.emplace_back("POPC");
  return in;
}

// The decoded instruction at a pc, if the trace carries it.
std::optional<trace::SassInstruction> instruction_at(const trace::Program& program, std::uint32_t pc, Op op) {
  const auto it = std::lower_bound(program.code.begin(), program.code.end(), pc,
                                   [](const trace::Instruction& i, std::uint32_t p) { return i.pc < p; });
  if (it == program.code.end() || it->pc != pc) return std::nullopt;
  if (program.level == trace::Level::kPtx || trace::is_ptx(it->text)) return read_ptx(it->text, op);
  auto decoded = trace::decode_instruction(it->text);
  if (!decoded) return std::nullopt;
  return std::move(decoded).value();
}

bool adds_floats(const trace::SassInstruction& in) {
  return std::ranges::any_of(in.modifiers, [](const std::string& m) {
    return m.starts_with("F16") || m.starts_with("BF16") || m == "F32" || m == "F64";
  });
}

// Fermi's load of an address that is the same for all lanes: from global memory, through the constant cache. GPUs
// after it have none, and ptxas makes a read-only load of it.
bool uniform_load(const trace::SassInstruction& in) { return in.opcode == "ldu" || in.opcode == "LDU"; }

void plan_global(AccessPlan& p, const trace::Site& site, const trace::SassInstruction* in) {
  const bool generic = in && in->generic;
  Op op = site.op;
  if (in && in->kind == InstructionKind::kReduction) op = Op::kReduction;
  if (in && in->kind == InstructionKind::kAtomic) op = Op::kAtomic;
  switch (op) {
    case Op::kLoad:
      p.action = Action::kGlobalLoad;
      p.instructions = generic ? &model::LaunchCounters::inst_generic_ld : &model::LaunchCounters::inst_global_ld;
      break;
    case Op::kStore:
      p.action = Action::kGlobalStore;
      p.instructions = generic ? &model::LaunchCounters::inst_generic_st : &model::LaunchCounters::inst_global_st;
      break;
    case Op::kAtomic:
    case Op::kReduction:
      p.action = Action::kGlobalAtomic;
      p.returns = op == Op::kAtomic;
      p.instructions = p.returns ? &model::LaunchCounters::inst_atom : &model::LaunchCounters::inst_red;
      break;
    case Op::kAsyncCopyRead:
      p.action = Action::kAsyncRead;
      p.instructions = &model::LaunchCounters::inst_ldgsts;
      break;
    case Op::kBulkRead:
      p.action = Action::kBulkRead;
      p.multicast = in && in->has("MULTICAST");
      break;
    case Op::kBulkWrite: p.action = Action::kBulkWrite; break;
    case Op::kBulkReduction: p.action = Action::kBulkReduce; break;
    default: p.action = Action::kIgnore; break;
  }
  if (!in) return;
  // Strong and scoped loads beyond the CTA are answered by the L2 (measured: .cg, .cv, volatile,
  // relaxed.gpu miss and leave nothing; kernels/micro/l1_policy.cu).
  p.bypass_l1 = in->bypass || in->scope == trace::Scope::kGpu || in->scope == trace::Scope::kSystem;
  p.asks_l1 = in->has("ca");
  p.read_only = in->constant || uniform_load(*in);
  p.no_allocate = in->eviction == trace::Eviction::kNoAllocate;
  p.compare_and_swap = in->has("CAS") || in->has("CAST");
  p.sums_floats = p.action == Action::kGlobalAtomic && in->has("ADD") && adds_floats(*in);
  // Takes the place of the launch's own granularity, also where it asks for less (measured:
  // kernels/micro/l2_window.cu). Beyond a line: the block of two lines that it is in.
  p.fetch_sectors = std::min(in->l2_prefetch, 256u) / 32;
  // Of loads (measured: kernels/micro/l2_stay.cu, loads .EF go first from the L2 too, stores do not).
  const bool reads = p.action == Action::kGlobalLoad || p.action == Action::kAsyncRead;
  if (reads && in->eviction == trace::Eviction::kFirst) p.stay = model::Stay::kFirst;
}

// Those for the L1 come by the L2.
void plan_prefetch(AccessPlan& p, const trace::Site& site, const trace::SassInstruction* in) {
  p.action = site.space == Space::kGlobal ? Action::kPrefetch : Action::kIgnore;
  // Of others a recording can say how many bytes a lane names.
  const bool bulk = in ? in->opcode == "UBLKPF" || in->opcode == "cp" : p.bytes > 16;
  if (!bulk) p.bytes = 0;
  if (!in) return;
  if (in->has("PML2")) p.stay = model::Stay::kPersist;
  if (in->has("DML2")) p.stay = model::Stay::kNormal, p.line_request = model::LineRequest::kChange;
  if (in->has("RML2")) p.line_request = model::LineRequest::kDiscard;
}

void plan_shared(AccessPlan& p, const trace::Site& site, const trace::SassInstruction* in) {
  p.action = Action::kShared;
  const bool generic = in && in->generic;
  Op op = site.op;
  if (in && in->kind == InstructionKind::kReduction) op = Op::kReduction;
  switch (op) {
    case Op::kStore:
      p.shared = model::SharedKind::kStore;
      p.instructions = generic ? &model::LaunchCounters::inst_generic_st : &model::LaunchCounters::inst_shared_st;
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
      p.shared = !in              ? model::SharedKind::kAtomic
                 : in->has("CAS")  ? model::SharedKind::kCompareAndSwap
                 : in->has("CAST") ? model::SharedKind::kAttempt
                 : in->has("POPC") ? model::SharedKind::kReduction
                                   : model::SharedKind::kAtomic;
      p.instructions = generic ? &model::LaunchCounters::inst_atom : &model::LaunchCounters::inst_shared_atom;
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
      p.instructions = generic ? &model::LaunchCounters::inst_generic_ld : &model::LaunchCounters::inst_shared_ld;
      break;
  }
}

void plan_texture(AccessPlan& p, const trace::Site& site, const trace::SassInstruction* in) {
  p.action = site.op == Op::kTexel ? Action::kTexel : Action::kTexture;
  p.by_number = in && (in->opcode == "TLD" || in->has("s32"));
  p.gathers = in && (in->opcode == "TLD4" || in->opcode == "tld4");
  // Measured: kernels/micro/texture_reads.cu.
  if (p.by_number && in->dimensions == 1 && site.bytes <= 8) p.request_lanes = 8;
}

void plan_surface(AccessPlan& p, const trace::Site& site, const trace::SassInstruction* in) {
  // Reductions on surfaces were not measured, and count nothing.
  p.action = site.op == Op::kLoad    ? Action::kSurfaceLoad
             : site.op == Op::kStore ? Action::kSurfaceStore
                                     : Action::kIgnore;
  p.by_number = true;
  if (!in || in->dimensions < 3) p.request_lanes = 8;
}

}  // namespace

std::vector<AccessPlan> plan_sites(const model::Card& card, std::span<const trace::Site> sites,
                                   const trace::Program& program) {
  const std::vector<Emptying> empties = emptying(sites, program);
  std::vector<AccessPlan> plans;
  plans.reserve(sites.size());
  for (const trace::Site& site : sites) {
    AccessPlan p;
    p.bytes = site.bytes;
    p.pc = site.pc;
    p.bulk = trace::is_bulk(site.op);
    p.empties_before = empties[plans.size()].before;
    p.empties_behind = empties[plans.size()].behind;
    const auto decoded = instruction_at(program, site.pc, site.op);
    const trace::SassInstruction* in = decoded ? &*decoded : nullptr;
    // Recordings hold what of a wide load goes to registers that somebody reads: 12 bytes of LDS.128.
    if (in && in->bytes > p.bytes && (site.op == Op::kLoad || site.op == Op::kStore)) p.bytes = in->bytes;
    if (site.op == Op::kCtaBegin) p.action = Action::kBegin;
    else if (site.op == Op::kCtaEnd) p.action = Action::kEnd;
    else if (site.op == Op::kBarrier) p.action = Action::kBarrier;
    else if (site.op == Op::kRounds) p.action = Action::kRounds;
    else if (site.op == Op::kProductRead) p.action = Action::kProductRead;
    else if (site.space == Space::kTexture) plan_texture(p, site, in);
    else if (site.space == Space::kSurface) plan_surface(p, site, in);
    else if (site.op == Op::kPrefetch) plan_prefetch(p, site, in);
    else if (site.space == Space::kConstant) p.action = Action::kConstant;
    else if (in && uniform_load(*in) && card.capability() >= 20 && card.capability() < 30)
      p.action = Action::kConstant;
    else if (site.space == Space::kGlobal) plan_global(p, site, in);
    else if (site.space == Space::kShared) plan_shared(p, site, in);
    else if (site.space == Space::kRemoteShared && site.op != Op::kAsyncCopyWrite && site.op != Op::kBulkWrite &&
             site.op != Op::kBulkRead) {
      p.action = Action::kRemote;
      p.returns = site.op == Op::kAtomic || site.op == Op::kReduction;
      if (site.op == Op::kStore) p.instructions = &model::LaunchCounters::inst_generic_st;
      if (site.op == Op::kLoad) p.instructions = &model::LaunchCounters::inst_generic_ld;
    } else if (site.space == Space::kLocal) {
      const bool store = site.op == Op::kStore;
      p.action = store ? Action::kLocalStore : Action::kLocalLoad;
      p.last_use = in && in->eviction == trace::Eviction::kLastUse;
      const bool generic = in && in->generic;
      p.instructions = store ? (generic ? &model::LaunchCounters::inst_generic_st : &model::LaunchCounters::inst_local_st)
                             : (generic ? &model::LaunchCounters::inst_generic_ld : &model::LaunchCounters::inst_local_ld);
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
  if (at != program.code.end() && at->pc == pc && at->line != 0 && at->file < program.files.size()) {
    const std::string& file = program.files[at->file];
    return file.substr(file.rfind('/') + 1) + ":" + std::to_string(at->line);
  }
  char text[16];
  std::snprintf(text, sizeof text, "pc 0x%04x", pc);
  return text;
}

}  // namespace warpmem::sim
