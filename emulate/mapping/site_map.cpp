#include "emulate/mapping/site_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "emulate/mapping/address_origins.hpp"
#include "emulate/mapping/code_origins.hpp"
#include "emulate/mapping/idle_values.hpp"
#include "emulate/mapping/mapped_access.hpp"
#include "emulate/mapping/rotated_loops.hpp"
#include "emulate/mapping/round_map.hpp"
#include "emulate/mapping/shared_names.hpp"
#include "emulate/mapping/unrolled_loops.hpp"
#include "isa/sass/instruction.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint32_t kZoneUnit = 0x1000;

using Sort = PtxAccess::Sort;

class Mapper {
 public:
  Mapper(const CodePair& pair, const Resources& resources) : p_(pair), resources_(resources) {}

  Result<SiteMap> run(const std::string& arch) {
    map_.spills = p_.spills;
    place();
    find_functions();
    const std::vector<bool> rotated = map_rotated_loops(p_, map_);
    for (std::uint32_t s = 0; s < p_.ptx.size(); ++s)
      if (!rotated[s])
        if (auto ok = map_one(s); !ok) return ok.error();
    if (auto ok = map_unrolled_loops(p_, several_, map_); !ok) return ok.error();
    find_kept_values();
    find_sunk_loads();
    find_loads_ahead();
    map_.rounds = map_rounds(p_);
    map_.origins = code_origins(p_);
    write_program(arch);
    return std::move(map_);
  }

 private:
  void find_fragments() {
    for (std::uint32_t s = 0; s < p_.ptx.size(); ++s) {
      if (p_.ptx[s].sort != Sort::kFragment || p_.of_statement[s].empty()) continue;
      map_.fragments.resize(p_.ptx.size(), FragmentForm::kUnknown);
      const bool rows = std::ranges::any_of(p_.of_statement[s], [&](std::uint32_t i) {
        return p_.sass[i].kind == trace::InstructionKind::kMatrixLoad;
      });
      map_.fragments[s] = rows ? FragmentForm::kRows : FragmentForm::kRegisters;
    }
  }

  // The statements' places in the order in which they run.
  void place() {
    find_fragments();
    map_.sites.resize(p_.kernel.statements);
    for (std::uint32_t s = 0; s < p_.ptx.size(); ++s) {
      constexpr std::uint32_t kBehindAll = 0xffff;  // functions come after the kernel's own code
      const bool own = s < p_.entry;
      if (own && !p_.ptx_flow.reached(s)) continue;
      const std::uint32_t order = own ? p_.ptx_flow.order[p_.ptx_flow.block_of[s]] : kBehindAll;
      map_.sites[s].position = order << 16 | (s & 0xffffu);
    }
  }

  void find_functions() {
    std::vector<std::uint32_t> function(p_.code.size(), 0);
    for (std::uint32_t i = 1; i < p_.code.size(); ++i)
      function[i] = function[i - 1] + (p_.code[i].begins_function ? 1 : 0);
    for (std::uint32_t s = 0; s < p_.ptx.size(); ++s)
      if (!p_.of_statement[s].empty()) map_.sites[s].function = function[p_.of_statement[s][0]];
  }

  Result<void> map_one(std::uint32_t s) {
    const PtxAccess& a = p_.ptx[s];
    MappedSite& site = map_.sites[s];
    if (a.sort == Sort::kNone) return {};
    if (s >= p_.entry) return map_in_function(s);
    if (!p_.ptx_flow.reached(s)) return {};
    const std::vector<std::uint32_t>& found = p_.of_statement[s];
    using What = MappedSite::What;
    if (p_.word_loads.contains(s)) return map_word_loop(s);
    if (p_.generic_ways.contains(s)) return map_generic_atomic(s);
    if (const auto loads = p_.swap_loads.find(s); loads != p_.swap_loads.end())
      return map_swap_loop(s, loads->second);
    if (a.space == Space::kConst) {
      // Mostly an operand of some arithmetic instruction, which is no access of its own.
      const bool load = found.size() == 1 && p_.sass_flow.depth(found[0]) == p_.ptx_flow.depth(s);
      site.what = load ? What::kDirect : What::kGone;
      if (load) site.accesses.push_back(mapped_access(p_, found[0], s));
    } else if (found.empty()) {
      if (a.space == Space::kLocal && !p_.uses_local) site.what = What::kGone;
      else if (a.sort == Sort::kStore && overwritten(s)) site.what = What::kGone;
      else if (a.sort == Sort::kLoad && idle(s)) site.what = What::kGone;
      else if (a.sort == Sort::kLoad || a.sort == Sort::kStore) site.what = What::kMissing;
      else return unmappable(fmt::format("its code has nothing for {}", p_.shown(s)));
    } else {
      if (auto parts = split_load(p_, s, found); !parts.empty()) {
        site.what = What::kSplit;
        site.accesses = std::move(parts);
        return {};
      }
      for (const std::uint32_t i : found)
        if (!wide_enough(p_, s, i) && !first_used(p_, s, p_.sass[i].bytes))
          return unmappable(fmt::format("{} was split", p_.shown(s)));
      const std::uint32_t depth = p_.ptx_flow.depth(s);
      const std::uint32_t block = p_.sass_flow.block_of[found[0]];
      const bool together = std::all_of(found.begin(), found.end(), [&](std::uint32_t i) {
        return p_.sass_flow.block_of[i] == block;
      });
      // A copy by one thread of several: the code goes round once for each of them.
      const bool as_deep = p_.sass_flow.depth(found[0]) == depth ||
                           (a.sort == Sort::kBulk && p_.sass_flow.depth(found[0]) == depth + 1);
      if (found.size() == 1 && as_deep) site.what = What::kDirect;
      else if (a.sort == Sort::kFragment && together && as_deep) site.what = What::kPieces;
      else if (as_deep && are_ways(found)) site.what = What::kDirect;
      else if (as_deep && by_warp(s)) site.what = What::kByWarp;
      else if (depth > 0) several_.push_back(s);
      else {
        std::string places;
        for (const std::uint32_t i : found)
          places += fmt::format("{}0x{:x}", places.empty() ? "" : ", ", p_.code[i].line.pc);
        return unmappable(
            fmt::format("its code has {} times {}, at {}", found.size(), p_.shown(s), places));
      }
      if (site.what != What::kNone)
        for (const std::uint32_t i : found) site.accesses.push_back(mapped_access(p_, i, s));
      if (site.what == What::kByWarp)
        site.accesses[0].one_lane = false, site.accesses[1].one_lane = true;
    }
    return {};
  }

  // An addition to one word that is the same for all lanes, whose result each of them gets: lanes of
  // a warp that is not whole add one by one, else the warp adds up with shuffles and its last lane
  // adds for all.
  bool by_warp(std::uint32_t s) const {
    const std::vector<std::uint32_t>& found = p_.of_statement[s];
    if (p_.ptx[s].sort != Sort::kAtomic || found.size() != 2 ||
        p_.sass[found[0]].opcode != p_.sass[found[1]].opcode ||
        p_.sass_flow.depth(found[0]) != p_.sass_flow.depth(found[1]))
      return false;
    const auto made = [&](std::uint32_t from, std::uint32_t to, trace::Opcode opcode) {
      for (std::uint32_t i = from; i < to; ++i)
        if (p_.code[i].statement == s && p_.sass[i].opcode == opcode) return true;
      return false;
    };
    const auto guarded = [&](std::uint32_t i) {
      return p_.sass[i].guard.when != trace::Guard::When::kAlways;
    };
    return guarded(found[0]) && guarded(found[1]) && made(0, found[0], trace::Opcode::kVOTE) &&
           !made(0, found[0], trace::Opcode::kSHFL) && made(found[0], found[1], trace::Opcode::kSHFL);
  }

  void find_sunk_loads() {
    for (std::uint32_t s = 0; s < p_.entry; ++s) {
      MappedSite& site = map_.sites[s];
      if (site.what != MappedSite::What::kDirect || p_.ptx[s].sort != Sort::kLoad || p_.of_statement[s].size() != 1) continue;
      const auto sunk = sunk_load(p_, s, p_.of_statement[s][0]);
      if (!sunk) continue;
      site.sunk = sunk->branch, site.sunk_to_taken = sunk->taken;
      if (map_.told.empty()) map_.told.resize(p_.kernel.statements, 0);
      map_.told[sunk->branch] |= sunk->taken ? SiteMap::kTaken : SiteMap::kPassed;
    }
  }

  // A load in a loop, without an instruction, of what was loaded before the loop: the value stays in its register
  // (the end of a row, which the PTX looks up in each round).
  void find_kept_values() {
    const AddressOrigins origins(p_);
    for (std::uint32_t s = 0; s < p_.entry; ++s) {
      if (map_.sites[s].what != MappedSite::What::kMissing || p_.ptx[s].sort != Sort::kLoad) continue;
      const auto mine = origins.of(s);
      const std::uint32_t block = p_.ptx_flow.block_of[s];
      const auto keeps = [&](std::uint32_t t) {
        if (p_.ptx[t].sort != Sort::kLoad || p_.ptx[t].space != p_.ptx[s].space || p_.of_statement[t].empty()) return false;
        const std::uint32_t before = p_.ptx_flow.block_of[t];
        if (p_.ptx_flow.loop_of[before] == p_.ptx_flow.loop_of[block] || !p_.ptx_flow.inside(p_.ptx_flow.loop_of[before], s) ||
            !p_.ptx_flow.dominates(before, block))
          return false;
        const auto theirs = origins.of(t);
        return theirs && theirs->first == mine->first && theirs->second <= mine->second &&
               theirs->second + p_.ptx[t].bytes >= mine->second + p_.ptx[s].bytes;
      };
      for (std::uint32_t t = 0; mine && t < s; ++t)
        if (keeps(t)) map_.sites[s].what = MappedSite::What::kGone;
    }
  }

  // A load, and others beside it of which a branch between says whether they are needed: ptxas
  // makes one of them all, before the branch.
  void find_loads_ahead() {
    const AddressOrigins origins(p_);
    std::vector<std::uint32_t> missing;
    for (std::uint32_t t = 0; t < p_.entry; ++t)
      if (map_.sites[t].what == MappedSite::What::kMissing && p_.ptx[t].sort == Sort::kLoad)
        missing.push_back(t);
    for (std::uint32_t s = 0; s < p_.entry && !missing.empty(); ++s) {
      MappedSite& site = map_.sites[s];
      if (site.what != MappedSite::What::kDirect || p_.ptx[s].sort != Sort::kLoad ||
          site.accesses[0].bytes <= p_.ptx[s].bytes || site.accesses[0].bytes > 16)
        continue;
      const auto mine = origins.of(s);
      if (!mine) continue;
      const auto width = static_cast<std::int64_t>(site.accesses[0].bytes);
      std::vector<bool> asked(static_cast<std::size_t>(3 * width), false);  // from -width on
      const auto ask = [&](std::int64_t from, std::uint32_t bytes) {
        for (std::int64_t b = from; b < from + bytes; ++b)
          if (b >= -width && b < 2 * width) asked[static_cast<std::size_t>(b + width)] = true;
      };
      ask(0, p_.ptx[s].bytes);
      bool branch = false;
      for (const std::uint32_t t : missing) {
        const std::uint32_t a = p_.ptx_flow.block_of[s], b = p_.ptx_flow.block_of[t];
        if (p_.ptx[t].space != p_.ptx[s].space || !p_.ptx_flow.dominates(a, b) ||
            p_.ptx_flow.loop_of[a] != p_.ptx_flow.loop_of[b])
          continue;
        const auto theirs = origins.of(t);
        if (!theirs || theirs->first != mine->first) continue;
        ask(theirs->second - mine->second, p_.ptx[t].bytes);
        branch = branch || a != b;
      }
      if (!branch) continue;
      for (std::int64_t in = 0; in + p_.ptx[s].bytes <= width; ++in) {
        const auto first = asked.begin() + (width - in);
        if (std::all_of(first, first + width, [](bool b) { return b; }))
          site.accesses[0].ahead |= 1u << in;
      }
    }
  }

  // A load without an instruction that nobody needs, if it can be part of none.
  bool idle(std::uint32_t s) {
    for (std::uint32_t t = 0; t < p_.entry; ++t) {
      if (p_.ptx[t].sort != Sort::kLoad || p_.ptx_flow.block_of[t] != p_.ptx_flow.block_of[s]) continue;
      for (const std::uint32_t i : p_.of_statement[t])
        if (p_.sass[i].bytes > p_.ptx[t].bytes) return false;
    }
    if (!idle_values_) idle_values_.emplace(p_);
    return idle_values_->idle(s);
  }

  // A store without an instruction is one that another store makes needless, if it can be part of
  // none: no store is wider than its statement says, and none stands on a way that excludes this
  // one's, with which it could have been made one.
  bool overwritten(std::uint32_t s) const {
    for (std::uint32_t t = 0; t < p_.entry; ++t) {
      if (p_.ptx[t].sort != Sort::kStore || p_.of_statement[t].empty()) continue;
      for (const std::uint32_t i : p_.of_statement[t])
        if (p_.sass[i].bytes > p_.ptx[t].bytes) return false;
      const std::uint32_t a = p_.ptx_flow.block_of[s], b = p_.ptx_flow.block_of[t];
      if (!p_.ptx_flow.dominates(a, b) && !p_.ptx_flow.dominates(b, a)) return false;
    }
    return true;
  }

  // An addition of floats to shared memory, and other operations that the memory has not: a load,
  // and a compare-and-swap that goes round until every lane has had its turn.
  Result<void> map_swap_loop(std::uint32_t s, const std::vector<std::uint32_t>& loads) {
    const std::vector<std::uint32_t>& found = p_.of_statement[s];
    MappedSite& site = map_.sites[s];
    site.what = MappedSite::What::kSwapLoop;
    site.accesses = swap_loop(s, loads, found);
    if (site.accesses.empty())
      return unmappable(fmt::format("its code has {} loads and {} atomics for {}", loads.size(),
                                    found.size(), p_.shown(s)));
    return {};
  }

  // Its load and its compare-and-swap; none where the code has another shape.
  std::vector<SassAccess> swap_loop(std::uint32_t s, const std::vector<std::uint32_t>& loads,
                                    const std::vector<std::uint32_t>& atomics) const {
    const bool one = loads.size() == 1 && atomics.size() == 1 &&
                     (p_.sass[atomics[0]].has(trace::Modifier::kCAST) || p_.sass[atomics[0]].has(trace::Modifier::kCAS)) &&
                     p_.sass_flow.block_of[loads[0]] == p_.sass_flow.block_of[atomics[0]] &&
                     p_.sass_flow.depth(atomics[0]) == depth_of(s) + 1;
    if (!one) return {};
    std::vector<SassAccess> pair{mapped_access(p_, loads[0], s), mapped_access(p_, atomics[0], s)};
    pair[0].load = true;
    return pair;
  }

  // An addition of halves: the word is loaded once, and goes round with what was found there. How
  // often compare-and-swap of a half goes round its values decide, so it stays as the PTX has it.
  Result<void> map_word_loop(std::uint32_t s) {
    const std::vector<std::uint32_t>& loads = p_.word_loads.at(s);
    const std::vector<std::uint32_t>& found = p_.of_statement[s];
    MappedSite& site = map_.sites[s];
    site.what = MappedSite::What::kMissing;
    const std::uint32_t depth = p_.ptx_flow.depth(s);
    if (p_.statement(s).opcode.find(".cas") != std::string::npos || loads.size() != 1 ||
        found.size() != 1 || !p_.sass[found[0]].has(trace::Modifier::kCAS) || p_.sass[found[0]].bytes != 4 ||
        p_.sass_flow.depth(loads[0]) != depth || p_.sass_flow.depth(found[0]) != depth + 1)
      return {};
    site.what = MappedSite::What::kWordLoop;
    site.accesses = {mapped_access(p_, loads[0], s), mapped_access(p_, found[0], s)};
    site.accesses[0].load = true;
    for (SassAccess& a : site.accesses) a.bytes = 4;
    return {};
  }

  // Loops that a statement is in, those of its function.
  std::uint32_t depth_of(std::uint32_t s) const {
    if (s < p_.entry) return p_.ptx_flow.depth(s);
    for (const auto& code : p_.kernel.functions)
      for (std::uint32_t line = 0; line < code->code.size(); ++line)
        if (!code->code[line].hidden && code->first_pc + code->code[line].statement == s) return code->flow.depth(line);
    return kNowhere;
  }

  // An atomic by a generic address, of a kind that only global memory does: all lanes try, and those
  // whose words lie elsewhere go another way then, each kind of memory its own.
  Result<void> map_generic_atomic(std::uint32_t s) {
    std::vector<std::uint32_t> attempts, own, others, remote_loads;
    for (const std::uint32_t i : p_.of_statement[s])
      (!p_.sass[i].has(trace::Modifier::kCAST) ? attempts : p_.sass[i].generic ? others : own).push_back(i);
    if (s >= p_.entry && (attempts.size() != 1 || p_.sass_flow.depth(attempts[0]) != depth_of(s))) return {};
    if (attempts.size() != 1 || p_.sass_flow.depth(attempts[0]) != depth_of(s))
      return unmappable(
          fmt::format("its code has {} attempts at {}", attempts.size(), p_.shown(s)));
    MappedSite& site = map_.sites[s];
    site.what = MappedSite::What::kGenericAtomic;
    site.accesses = {mapped_access(p_, attempts[0], s)};
    const auto loads = p_.swap_loads.find(s);
    if (loads != p_.swap_loads.end() || !own.empty() || !others.empty())
      site.bodies.push_back(loads == p_.swap_loads.end() ? std::vector<SassAccess>()
                                                         : swap_loop(s, loads->second, own));
    if (others.empty()) return {};
    for (const std::uint32_t i : p_.generic_ways.at(s))
      if (p_.sass[i].kind == trace::InstructionKind::kLoad &&
          p_.sass_flow.block_of[i] == p_.sass_flow.block_of[others[0]])
        remote_loads.push_back(i);
    site.bodies.push_back(swap_loop(s, remote_loads, others));
    return {};
  }

  // Of a function that the kernel calls: known when one instruction is its only one. Others stay as
  // the PTX has them, where they happen at all: such functions are mostly the rare ways of
  // mathematical ones.
  Result<void> map_in_function(std::uint32_t s) {
    MappedSite& site = map_.sites[s];
    const std::vector<std::uint32_t>& found = p_.of_statement[s];
    site.what = MappedSite::What::kMissing;
    if (p_.generic_ways.contains(s)) return map_generic_atomic(s);
    if (const auto loads = p_.swap_loads.find(s); loads != p_.swap_loads.end()) {
      site.accesses = swap_loop(s, loads->second, found);
      if (!site.accesses.empty()) site.what = MappedSite::What::kSwapLoop;
      return {};
    }
    const bool plain = p_.ptx[s].sort != Sort::kFragment;
    const std::uint32_t bytes = found.size() == 1 ? p_.sass[found[0]].bytes : 0;
    if (found.size() == 1 && plain &&
        (wide_enough(p_, s, found[0]) ? p_.ptx[s].bytes == 0 || bytes == p_.ptx[s].bytes || p_.ptx[s].sort == Sort::kAtomic
                                      : first_used(p_, s, bytes).has_value())) {
      site.what = MappedSite::What::kDirect;
      site.accesses.push_back(mapped_access(p_, found[0], s));
    }
    return {};
  }

  // Copies of one access on ways that exclude each other, all as deep and as wide: whoever comes by
  // runs one of them. They differ in nothing but their place, so the first stands for all.
  bool are_ways(const std::vector<std::uint32_t>& found) const {
    for (const std::uint32_t i : found) {
      if (p_.sass_flow.depth(i) != p_.sass_flow.depth(found[0]) ||
          p_.sass[i].bytes != p_.sass[found[0]].bytes ||
          p_.sass[i].opcode != p_.sass[found[0]].opcode)
        return false;
      std::vector<bool> met(p_.code.size(), false);
      std::vector<std::uint32_t> waiting{i};
      while (!waiting.empty()) {
        const std::uint32_t at = waiting.back();
        waiting.pop_back();
        const auto go = [&](std::uint32_t to) {
          if (to >= p_.code.size() || met[to]) return;
          met[to] = true;
          waiting.push_back(to);
        };
        const bool round = p_.sass_flow.back_edge[at] != kNowhere;
        if (p_.sass_lines[at].falls) go(at + 1);
        for (const std::uint32_t to : p_.sass_lines[at].targets)
          if (!round || p_.sass_flow.order[p_.sass_flow.block_of[to]] >
                            p_.sass_flow.order[p_.sass_flow.block_of[at]])
            go(to);
      }
      for (const std::uint32_t other : found)
        if (met[other]) return false;
    }
    return true;
  }

  void write_program(const std::string& arch) {
    trace::Program p = describe(p_.kernel);
    std::vector<trace::Instruction> ptx = std::move(p.code);
    p.code.clear();
    p.level = trace::Level::kPtxSass;
    p.arch = arch;
    p.registers = resources_.registers;
    p.static_shared = resources_.static_shared;
    p.local_bytes = resources_.local_bytes;
    for (const MachineInstruction& i : p_.code) {
      p.code.push_back(i.line);
      if (p.code.back().file >= p.files.size()) p.code.back().file = 0;
    }
    const std::uint32_t end = p.code.empty() ? 0 : p.code.back().pc + 16;
    map_.ptx_zone = (end + kZoneUnit - 1) / kZoneUnit * kZoneUnit;
    for (trace::Instruction& i : ptx) {
      if (map_.sites[i.pc / 16].what == MappedSite::What::kNone) continue;
      i.pc += map_.ptx_zone;
      p.code.push_back(std::move(i));
    }
    map_.program = std::move(p);
  }

  const CodePair& p_;
  const Resources& resources_;
  SiteMap map_;
  std::optional<IdleValues> idle_values_;  // made when first asked for
  std::vector<std::uint32_t> several_;  // statements in loops that became several instructions
};

}  // namespace

Result<SiteMap> map_sites(const Kernel& kernel, const std::vector<MachineInstruction>& code,
                          const Resources& resources, const std::string& arch) {
  auto pair = pair_code(kernel, code);
  if (!pair) return pair.error();
  share_names(*pair);
  return Mapper(*pair, resources).run(arch);
}

}  // namespace warpmem::emulate
