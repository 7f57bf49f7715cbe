#include "sim/engine/dependence.hpp"

#include <algorithm>

namespace warpmem::sim {
namespace {

void add(std::bitset<256>& set, const std::vector<trace::RegisterRange>& ranges) {
  for (const trace::RegisterRange& r : ranges) {
    if (r.file != trace::RegisterFile::kGeneral) continue;
    for (unsigned k = 0; k < r.count && r.first + k < 256u; ++k) set.set(r.first + k);
  }
}

}  // namespace

Dependence::Dependence(std::span<const trace::Site> sites, const trace::DecodedProgram& program) {
  for (std::size_t k = 0; k < program.size(); ++k) {
    const trace::SassInstruction* const in = program[k].sass();
    if (!in) continue;
    Line line;
    line.pc = program.pc(k);
    add(line.reads, in->sources);
    add(line.writes, in->destinations);
    code_.push_back(line);
  }
  for (const trace::Site& s : sites) {
    pc_.push_back(s.pc);
    Registers brings;
    const auto it = std::lower_bound(code_.begin(), code_.end(), s.pc,
                                     [](const Line& l, std::uint32_t pc) { return l.pc < pc; });
    if (it != code_.end() && it->pc == s.pc) brings = it->writes;
    brings_.push_back(brings);
  }
  sites_ = pc_.size();
  if (sites_ > kTableSites) return;
  between_.assign(sites_ * sites_, 0);
  counted_ = between_.data();
  if (!code_.empty()) known_.assign(sites_ * sites_ * sites_, 0);
}

bool Dependence::find_out(std::uint32_t load, std::uint32_t last, std::uint32_t next) const {
  if (pc_[next] <= pc_[last]) return true;  // around a loop
  const auto pc_above = [](std::uint32_t pc, const Line& l) { return pc < l.pc; };
  for (auto it = std::upper_bound(code_.begin(), code_.end(), pc_[last], pc_above);
       it != code_.end() && it->pc <= pc_[next]; ++it)
    if ((it->reads & brings_[load]).any()) return true;
  return false;
}

std::uint32_t Dependence::count(std::uint32_t last, std::uint32_t next) {
  std::uint32_t n = kLoopInstructions;
  if (!code_.empty() && pc_[next] > pc_[last]) {
    const auto pc_below = [](const Line& l, std::uint32_t pc) { return l.pc < pc; };
    const auto from = std::lower_bound(code_.begin(), code_.end(), pc_[last], pc_below);
    const auto to = std::lower_bound(code_.begin(), code_.end(), pc_[next], pc_below);
    n = static_cast<std::uint32_t>(std::clamp<std::ptrdiff_t>(to - from, 1, 400));
  }
  if (counted_) counted_[last * sites_ + next] = static_cast<std::uint16_t>(n);
  return n;
}

}  // namespace warpmem::sim
