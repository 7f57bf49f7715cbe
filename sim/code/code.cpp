#include "sim/code/code.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "sim/code/callees.hpp"
#include "sim/code/code_line.hpp"
#include "sim/code/missing_waits.hpp"

namespace warpmem::sim {
namespace {

// ptxas writes a cluster's barrier so that it does for a CTA alone as well: one branch jumps over
// the arrival to a NOP, one over the waiting to a barrier of the CTA. The launch decides which.
void decide_cluster_branches(std::vector<CodeLine>& code, const trace::DecodedProgram& program,
                             bool clusters) {
  const auto stands_in = [](const trace::SassInstruction* in) {
    return in && in->guard.when == trace::Guard::When::kAlways &&
           (in->opcode == trace::Opcode::kNOP ||
            (in->opcode == trace::Opcode::kBAR && in->has(trace::Modifier::kSYNC)));
  };
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].target <= static_cast<std::int32_t>(i) || !code[i].guarded) continue;
    const auto over = static_cast<std::size_t>(code[i].target);
    const bool other = stands_in(program[over].sass());
    const bool barrier = std::any_of(code.begin() + static_cast<std::ptrdiff_t>(i),
                                     code.begin() + static_cast<std::ptrdiff_t>(over),
                                     [](const CodeLine& l) { return l.joins || l.meets; });
    if (!other || !barrier) continue;
    code[i].guarded = false;
    code[i].falls = clusters;
    if (clusters) code[i].target = -1;
  }
}

// What taking a branch costs, by how it finds its target.
const model::InstructionCost& taken_cost(const ReadLine& read,
                                         const model::InstructionTable& table) {
  if (read.line.rejoins) return table.rejoined();
  return read.by_register ? table.by_register() : table.taken();
}

// The waits that the control word of an instruction says.
void take_control(const trace::Instruction& i, CodeLine& l) {
  l.stall = static_cast<std::uint16_t>(std::max(1u, i.stall()));
  l.waits = static_cast<std::uint8_t>(i.wait_mask());
  l.sets = static_cast<std::uint8_t>(i.write_barrier());
  l.frees = static_cast<std::uint8_t>(i.read_barrier());
}

// pcs of the text become places in the code.
void link(std::vector<CodeLine>& code, const std::vector<ReadLine>& read) {
  const auto line_at = [&](std::uint32_t pc) {
    const auto it = std::lower_bound(code.begin(), code.end(), pc,
                                     [](const CodeLine& l, std::uint32_t at) { return l.pc < at; });
    return it != code.end() && it->pc == pc ? static_cast<std::int32_t>(it - code.begin()) : -1;
  };
  for (std::size_t k = 0; k < code.size(); ++k) {
    if (read[k].target)
      (code[k].meet == 0 ? code[k].meet : code[k].target) = line_at(*read[k].target);
    for (const std::uint32_t pc : read[k].further)
      if (const std::int32_t line = line_at(pc); line >= 0)
        code[k].places.push_back(static_cast<std::uint32_t>(line));
  }
}

ReadLine read_line(const trace::DecodedLine& line, const model::InstructionTable* table,
                   std::unordered_map<std::string, std::uint32_t>& ptx_names) {
  if (const ptx::Instruction* const in = line.ptx()) return read_ptx_line(*in, table, ptx_names);
  const trace::SassInstruction* const in = line.sass();
  return in ? read_sass_line(*in, table) : ReadLine();
}

std::vector<CodeLine> lines_of(const trace::DecodedProgram& program,
                               const model::InstructionTable* table, bool clusters) {
  std::vector<CodeLine> code;
  std::vector<ReadLine> read;
  MissingWaits waits;
  std::unordered_map<std::string, std::uint32_t> ptx_names;
  code.reserve(program.size());
  read.reserve(program.size());
  for (std::size_t k = 0; k < program.size(); ++k) {
    const trace::Instruction& i = program.program().code[k];
    read.push_back(read_line(program[k], table, ptx_names));
    const ReadLine& r = read.back();
    CodeLine l = r.line;
    l.pc = i.pc;
    if (i.has_control()) take_control(i, l);
    else waits.line(l, code.empty() ? nullptr : &code.back(), r.reads, r.writes);
    if (table) {
      const model::InstructionCost& taken = taken_cost(r, *table);
      l.taken_slots = taken.busy;
      l.taken_cycles = taken.latency;
    }
    if (r.opens) l.meet = 0;
    code.push_back(std::move(l));
  }
  link(code, read);
  find_callees(program, code);
  decide_cluster_branches(code, program, clusters);
  return code;
}

}  // namespace

std::vector<CodeLine> read_flow(const trace::DecodedProgram& program) {
  return lines_of(program, nullptr, false);
}

std::vector<CodeLine> read_code(const trace::DecodedProgram& program,
                                const model::InstructionTable& table, bool clusters,
                                const trace::Launch* launch) {
  std::vector<CodeLine> code = lines_of(program, &table, clusters);
  const std::vector<RegisterReads> reads = register_reads(program);
  for (std::size_t k = 0; k < code.size(); ++k) {
    code[k].reads = reads[k];
  }
  for (std::size_t k = 0; k < code.size(); ++k) {
    const trace::SassInstruction* const in = program[k].sass();
    const auto at = in ? parameter_offset(*in) : std::nullopt;
    if (!at || code[k].memory) continue;
    code[k].parameter = static_cast<std::uint16_t>(std::min<std::uint32_t>(*at, kNoParameter - 1));
    code[k].loads_parameter =
        in->opcode == trace::Opcode::kLDC || in->opcode == trace::Opcode::kLDCU;
  }
  if (!launch) return code;
  for (ConstantRead& read : constant_reads(program, *launch))
    if (!read.addresses.empty())
      code[read.line].constants = std::make_shared<const ConstantRead>(std::move(read));
  return code;
}

}  // namespace warpmem::sim
