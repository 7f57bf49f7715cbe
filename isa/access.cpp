#include "isa/access.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace warpmem::trace {
namespace {

bool is_float(std::string_view modifier) {
  return modifier.starts_with("F16") || modifier.starts_with("BF16") || modifier == "F32" ||
         modifier == "F64";
}

}  // namespace

Access access_of(const SassInstruction& in) {
  Access a;
  a.bytes = in.bytes;
  a.generic = in.generic;
  a.returns = in.kind == InstructionKind::kAtomic;
  a.returns_nothing = in.kind == InstructionKind::kReduction;
  a.scope = in.scope, a.eviction = in.eviction;
  a.bypass = in.bypass;
  a.read_only = in.constant;
  a.uniform = in.opcode == Opcode::kLDU;
  a.l2_prefetch = in.l2_prefetch;
  a.multicast = in.has(Modifier::kMULTICAST);
  a.bulk_prefetch = in.opcode == Opcode::kUBLKPF;
  a.persists = in.has(Modifier::kPML2);
  a.normal = in.has(Modifier::kDML2);
  a.discards = in.has(Modifier::kRML2);
  a.compare_and_swap = in.has(Modifier::kCAS);
  a.attempts = in.has(Modifier::kCAST);
  const auto modifiers = in.modifier_names();
  a.adds_floats =
      in.has(Modifier::kADD) && std::any_of(modifiers.begin(), modifiers.end(), is_float);
  a.counts = in.has(Modifier::kPOPC);
  a.dimensions = in.dimensions;
  a.texel_by_number = in.opcode == Opcode::kTLD;
  a.gathers = in.opcode == Opcode::kTLD4;
  return a;
}

Access access_of(const ptx::Instruction& in) {
  Access a;
  const auto has = [&](std::string_view word) { return in.has(word); };
  a.generic = !has("global") && !has("local") && !has("const") && !has("param") &&
              !in.has_beginning("shared");
  if (in.opcode() == "cp") a.bypass = has("cg");
  else if (has("cg") || has("gpu")) a.scope = Scope::kGpu;
  if (has("cv") || has("volatile") || has("mmio") || has("sys")) a.scope = Scope::kSystem;
  a.read_only = has("nc");
  a.asks_l1 = has("ca");
  if (has("L1::no_allocate")) a.eviction = Eviction::kNoAllocate;
  if (has("cs") || has("L1::evict_first") || has("L2::evict_first")) a.eviction = Eviction::kFirst;
  a.uniform = in.opcode() == "ldu";
  for (const std::uint32_t bytes : {64u, 128u, 256u})
    if (has("L2::" + std::to_string(bytes) + "B")) a.l2_prefetch = bytes;
  a.multicast = has("multicast::cluster");
  a.bulk_prefetch = in.opcode() == "cp";
  a.persists = has("L2::evict_last");
  a.normal = in.opcode() == "applypriority";
  a.discards = in.opcode() == "discard";
  a.compare_and_swap = has("cas");
  constexpr std::array<std::string_view, 6> kFloats = {"f16",    "f16x2", "bf16",
                                                       "bf16x2", "f32",   "f64"};
  a.adds_floats = has("add") && std::any_of(kFloats.begin(), kFloats.end(), has);
  // Counting by ones whose result nobody reads is ATOMS.POPC.INC in shared memory.
  a.counts = has("add") && has("u32") && !in.operands.empty() && in.operands.back() == "1";
  for (const std::uint32_t d : {1u, 2u, 3u}) {
    const std::string n = std::to_string(d) + "d";
    if (has(n) || has("a" + n)) a.dimensions = d;
  }
  a.texel_by_number = in.opcode() == "tex" && in.words.back() == "s32";
  a.gathers = in.opcode() == "tld4";
  return a;
}

bool polls(const DecodedLine& line, bool load) {
  if (const ptx::Instruction* const in = line.ptx())
    return load ? in->load_polls() : in->atomic_polls();
  const SassInstruction* const in = line.sass();
  if (!in) return false;
  if (load) return in->scope == Scope::kGpu || in->scope == Scope::kSystem;
  if (in->has(Modifier::kCAS) || in->has(Modifier::kCAST) || in->has(Modifier::kEXCH)) return true;
  return in->has(Modifier::kADD) &&
         std::any_of(in->operands.begin() + std::min<std::ptrdiff_t>(1, std::ssize(in->operands)),
                     in->operands.end(), [](const SassOperand& o) {
                       return o.kind == SassOperand::Kind::kRegister && o.is_zero_register();
                     });
}

}  // namespace warpmem::trace
