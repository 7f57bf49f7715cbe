#include <algorithm>

#include "sim/code/code_line.hpp"

namespace warpmem::sim {

ReadLine read_ptx_line(const ptx::Instruction& in, const model::InstructionTable* table,
                       std::unordered_map<std::string, std::uint32_t>& names) {
  ReadLine out;
  CodeLine& l = out.line;
  if (table) l.cost = ptx_cost(in, *table);
  l.guarded = in.guarded;
  l.memory = in.leaves_record();
  l.ends = in.ends();
  if (l.ends || in.is_branch()) l.falls = l.guarded;
  l.commits = in.commits_copies();
  if (const auto leaves = in.leaves_groups()) {
    l.drains = 0;
    l.leaves = static_cast<std::uint8_t>(std::min(*leaves, 255u));
  }
  l.waits_copies = in.looks_for_copies();
  l.joins = in.arrives_at_cluster();
  l.meets = in.waits_for_cluster();
  l.fences = in.fences();
  l.driver = driver_call(in.called());
  l.stall = 2;  // an instruction of PTX is about two of SASS
  out.target = in.target;
  const auto number = [&](const std::string& name) {
    return names.emplace(name, static_cast<std::uint32_t>(names.size())).first->second;
  };
  for (const std::string& name : in.reads) out.reads.push_back(number(name));
  for (const std::string& name : in.writes) out.writes.push_back(number(name));
  return out;
}

}  // namespace warpmem::sim
