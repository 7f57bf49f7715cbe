#include "sim/code/code_line.hpp"

namespace warpmem::sim {
namespace {

using trace::InstructionKind;

std::vector<std::uint32_t> numbers(const std::vector<trace::RegisterRange>& ranges) {
  std::vector<std::uint32_t> out;
  for (const trace::RegisterRange& r : ranges)
    for (unsigned k = 0; k < r.count; ++k)
      out.push_back(static_cast<std::uint32_t>(r.file) << 16 | (r.first + k));
  return out;
}

// Does a recording hold what the instruction accesses? Not constants, textures and surfaces, copies
// through a tensor map, and (of local memory) spilled registers: docs/how-to/record.md.
bool recorder_sees(const trace::SassInstruction& in) {
  switch (in.space) {
    case trace::Space::kLocal:
    case trace::Space::kConstant:
    case trace::Space::kTexture:
    case trace::Space::kSurface: return false;
    default: return !in.by_tensor_map();
  }
}

CodeLine sass_line(const trace::SassInstruction& in, const model::InstructionTable* table) {
  CodeLine l;
  if (table) l.cost = sass_cost(in, *table);
  l.memory = in.is_memory() || in.kind == InstructionKind::kBarrier;
  l.accesses = l.memory && recorder_sees(in);
  l.guarded = in.guard.when != trace::Guard::When::kAlways;
  l.calls = in.kind == InstructionKind::kCall;
  if (l.calls && in.labels.size() == 1) l.driver = driver_call(in.labels[0]);
  l.returns = in.kind == InstructionKind::kReturn;
  l.ends = in.kind == InstructionKind::kExit || l.returns;
  if (l.ends || (in.is_branch() && !in.conditional_branch)) l.falls = l.guarded;
  return l;
}

// "DEPBAR.LE SB0, 0x3"
void read_depbar(const trace::SassInstruction& in, CodeLine& l) {
  using Kind = trace::SassOperand::Kind;
  if (in.operands.empty() || in.operands[0].kind != Kind::kScoreboard) return;
  l.drains = static_cast<std::uint8_t>(in.operands[0].number);
  if (in.operands.size() > 1 && in.operands[1].kind == Kind::kInteger)
    l.leaves = static_cast<std::uint8_t>(in.operands[1].value);
}

}  // namespace

DriverCall driver_call(std::string_view function) {
  if (function == "malloc") return DriverCall::kMalloc;
  if (function == "free") return DriverCall::kFree;
  return function == "vprintf" ? DriverCall::kPrint : DriverCall::kNone;
}

ReadLine read_sass_line(const trace::SassInstruction& in, const model::InstructionTable* table) {
  using trace::Modifier;
  using trace::Opcode;
  ReadLine out;
  CodeLine& l = out.line = sass_line(in, table);
  // BSSY and the like name a place, but nobody goes there from them.
  out.opens = in.opcode == Opcode::kBSSY;
  if (in.is_branch() || in.kind == InstructionKind::kCall || out.opens) out.target = in.target;
  l.rejoins = in.opcode == Opcode::kBSYNC;
  out.by_register = l.returns || ((in.opcode == Opcode::kBRX || l.calls) && !in.target);
  out.further = in.places;
  out.reads = numbers(in.sources);
  out.writes = numbers(in.destinations);
  if (in.opcode == Opcode::kDEPBAR) read_depbar(in, l);
  l.commits = in.opcode == Opcode::kLDGDEPBAR;
  l.waits_copies = in.opcode == Opcode::kSYNCS && in.has(Modifier::kTRYWAIT);
  l.joins = in.opcode == Opcode::kUCGABAR_ARV;
  l.meets = in.opcode == Opcode::kUCGABAR_WAIT;
  l.fences = in.opcode == Opcode::kMEMBAR && !in.has(Modifier::kCTA);
  return out;
}

}  // namespace warpmem::sim
