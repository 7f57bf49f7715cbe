#include "emulate/mapping/round_map.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace warpmem::emulate {
namespace {

// Is this the machine instruction that a PTX instruction of arithmetic (or a barrier) becomes, when it becomes
// one? Integer additions are not asked: those that count iterations are made anew. Integers of 64
// bits take several instructions.
bool is_wide(std::string_view ptx) {
  return ptx.ends_with(".s64") || ptx.ends_with(".u64") || ptx.ends_with(".b64");
}

bool is_main(std::string_view ptx, std::string_view sass) {
  if (is_wide(ptx)) return false;
  constexpr std::pair<std::string_view, std::string_view> kPairs[] = {
      {"fma", "FMA"},    {"mul", "MUL"},   {"add.f", "ADD"}, {"sub.f", "ADD"}, {"mad", "MAD"},
      {"mul", "MAD"},    {"ex2", "MUFU"},  {"lg2", "MUFU"},  {"sin", "MUFU"},  {"cos", "MUFU"},
      {"rsqrt", "MUFU"}, {"shfl", "SHFL"}, {"mma", "MMA"},
      // A cluster's barrier brings fences along, of which each would count as a copy.
      {"barrier.cluster.arrive", "UCGABAR_ARV"}, {"barrier.cluster.wait", "UCGABAR_WAIT"}};
  return std::any_of(std::begin(kPairs), std::end(kPairs), [&](const auto& pair) {
    const std::string_view rounding = ".rn";  // "add.rn.f32"
    const std::size_t dot = ptx.find(rounding);
    const std::string name = dot == ptx.npos ? std::string(ptx)
                                             : std::string(ptx.substr(0, dot)) +
                                                   std::string(ptx.substr(dot + rounding.size()));
    return name.starts_with(pair.first) && sass.find(pair.second) != sass.npos;
  });
}

// Copies of an iteration of a PTX loop in a loop of the machine code: what most statements of
// arithmetic say, or all if there are none of those; those of 64-bit integers only where there are no others.
std::uint32_t copies(const CodePair& p, std::uint32_t loop, std::uint32_t of_ptx) {
  std::map<std::uint32_t, std::uint32_t> main, any, wide;  // by statement: instructions
  for (std::uint32_t i = 0; i < p.code.size(); ++i) {
    const std::uint32_t s = p.code[i].statement;
    if (s >= p.entry || p.sass_flow.loop_of[p.sass_flow.block_of[i]] != loop ||
        p.ptx_flow.loop_of[p.ptx_flow.block_of[s]] != of_ptx)
      continue;
    if (p.statement(s).opcode.starts_with("bra") && !p.sass[i].is_branch()) continue;  // its test
    ++(is_wide(p.statement(s).opcode) ? wide : any)[s];
    if (is_main(p.statement(s).opcode, p.sass[i].name())) ++main[s];
  }
  std::map<std::uint32_t, std::uint32_t> votes;
  for (const auto& [statement, count] : !main.empty() ? main : !any.empty() ? any : wide)
    ++votes[count];
  std::uint32_t best = 1, most = 0;
  for (const auto& [count, times] : votes)
    if (times >= most) best = count, most = times;
  return best;
}

}  // namespace

std::vector<std::vector<MappedRounds>> map_rounds(const CodePair& p) {
  std::vector<std::vector<MappedRounds>> out(p.kernel.statements);
  const auto loops = static_cast<std::uint32_t>(p.ptx_flow.loops.size());
  // Of each PTX loop the loops of the machine code that it became; of one that was unrolled as a
  // whole those around it. Outer ones first.
  std::vector<std::vector<std::uint32_t>> became(loops);
  std::vector<std::uint32_t> order(loops);
  for (std::uint32_t l = 0; l < loops; ++l) order[l] = l;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return p.ptx_flow.loops[a].depth < p.ptx_flow.loops[b].depth;
  });
  const auto within = [&](std::uint32_t loop, const std::vector<std::uint32_t>& outer) {
    if (outer.empty()) return true;
    for (loop = p.sass_flow.loops[loop].outer; loop != kNowhere;
         loop = p.sass_flow.loops[loop].outer)
      if (std::find(outer.begin(), outer.end(), loop) != outer.end()) return true;
    return false;
  };
  for (const std::uint32_t l : order) {
    const std::uint32_t around = p.ptx_flow.loops[l].outer;
    const std::vector<std::uint32_t> outer =
        around == kNowhere ? std::vector<std::uint32_t>{} : became[around];
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < p.code.size(); ++i) {
      const std::uint32_t s = p.code[i].statement;
      if (s >= p.entry || !p.sass_flow.reached(i) || !p.ptx_flow.inside(l, s)) continue;
      // The outermost one that lies within those of the loop around it.
      std::uint32_t best = kNowhere;
      for (std::uint32_t k = p.sass_flow.loop_of[p.sass_flow.block_of[i]]; k != kNowhere;
           k = p.sass_flow.loops[k].outer)
        if (within(k, outer)) best = k;
      if (best != kNowhere && std::find(found.begin(), found.end(), best) == found.end())
        found.push_back(best);
    }
    became[l] = found.empty() ? outer : found;
    std::vector<MappedRounds> rounds;
    for (const std::uint32_t k : found) {
      std::uint32_t last = kNowhere;
      for (std::uint32_t i = 0; i < p.code.size(); ++i)
        if (p.sass_flow.back_edge[i] == k) last = i;
      if (last == kNowhere) continue;
      MappedRounds r;
      r.branch.pc = p.code[last].line.pc;
      r.branch.rank = p.rank(last);
      r.iterations = copies(p, k, l);
      r.at_end = p.sass[last].conditional_branch;
      rounds.push_back(r);
    }
    std::stable_sort(rounds.begin(), rounds.end(),
                     [](const auto& a, const auto& b) { return a.iterations > b.iterations; });
    for (std::uint32_t s = 0; s < p.entry; ++s)
      if (p.ptx_flow.back_edge[s] == l) out[s] = rounds;
  }
  return out;
}

}  // namespace warpmem::emulate
