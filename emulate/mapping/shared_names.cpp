#include "emulate/mapping/shared_names.hpp"

#include <algorithm>
#include <map>

#include "emulate/mapping/address_origins.hpp"

namespace warpmem::emulate {
namespace {

class Sharing {
 public:
  explicit Sharing(CodePair& pair) : p_(pair), origins_(pair) {}

  void run() {
    for (std::uint32_t s = 0; s < p_.entry; ++s) {
      const std::vector<std::uint32_t> found = p_.of_statement[s];
      const PtxAccess::Sort sort = p_.ptx[s].sort;
      if (found.size() < 2 || (sort != PtxAccess::Sort::kLoad && sort != PtxAccess::Sort::kStore))
        continue;
      const auto mine = origins_.of(s);
      if (!mine || !p_.ptx_flow.reached(s)) continue;
      if (share_scalars(s, found)) continue;
      bool alike = true;  // all in one place, and the place is no body of several iterations
      for (const std::uint32_t i : found)
        alike =
            alike && p_.sass_flow.block_of[i] == p_.sass_flow.block_of[found[0]] &&
            p_.sass_flow.depth(i) == p_.ptx_flow.depth(s) &&
            address_of(p_.code[i].line.text).first == address_of(p_.code[found[0]].line.text).first;
      if (!alike || (p_.ptx_flow.depth(s) > 0 && !has_single_neighbour(s))) continue;
      // By distance from s, and width.
      std::map<std::pair<std::int64_t, std::uint32_t>, std::uint32_t> others;
      for (std::uint32_t t = 0; t < p_.entry; ++t) {
        if (t == s || !p_.ptx_flow.reached(t) || !p_.of_statement[t].empty() ||
            !comes_along(s, t) || p_.ptx[t].sort != sort || p_.ptx[t].space != p_.ptx[s].space)
          continue;
        const auto theirs = origins_.of(t);
        if (theirs && theirs->first == mine->first)
          others.emplace(std::pair(theirs->second - mine->second, p_.ptx[t].bytes), t);
      }
      for (const std::uint32_t own : found) {
        if (p_.sass[own].bytes != p_.ptx[s].bytes) continue;
        const long here = address_of(p_.code[own].line.text).second;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> given;  // statement, instruction
        for (const std::uint32_t i : found) {
          const auto other =
              others.find({address_of(p_.code[i].line.text).second - here, p_.sass[i].bytes});
          if (i != own && other != others.end()) given.emplace_back(other->second, i);
        }
        if (given.size() + 1 != found.size()) continue;
        p_.of_statement[s] = {own};
        for (const auto& [statement, i] : given) p_.of_statement[statement] = {i};
        break;
      }
    }
  }

 private:
  // Variables in shared memory, read by name: where ptxas put which is not known, but all lanes
  // read one word of each, so it is enough that there are as many as instructions.
  bool share_scalars(std::uint32_t first, const std::vector<std::uint32_t>& found) {
    if (p_.ptx[first].sort != PtxAccess::Sort::kLoad || !by_name(first)) return false;
    for (const std::uint32_t i : found)
      if (p_.sass_flow.depth(i) != p_.ptx_flow.depth(first) ||
          p_.sass[i].bytes != p_.ptx[first].bytes)
        return false;
    std::vector<std::uint32_t> readers{first};
    for (std::uint32_t t = 0; t < p_.entry; ++t) {
      if (t == first || !p_.ptx_flow.reached(t) || !p_.of_statement[t].empty() || !by_name(t) ||
          p_.ptx[t].sort != p_.ptx[first].sort || p_.ptx[t].bytes != p_.ptx[first].bytes)
        continue;
      const std::uint32_t a = p_.ptx_flow.block_of[first], b = p_.ptx_flow.block_of[t];
      bool parted = false;  // by a barrier
      for (std::uint32_t i = std::min(first, t); i < std::max(first, t); ++i)
        parted = parted || p_.ptx[i].sort == PtxAccess::Sort::kBarrier;
      if (!parted && (a == b || p_.ptx_flow.dominator[b] == a)) readers.push_back(t);
    }
    std::stable_sort(readers.begin() + 1, readers.end(), [&](std::uint32_t a, std::uint32_t b) {
      return p_.ptx_flow.order[p_.ptx_flow.block_of[a]] <
             p_.ptx_flow.order[p_.ptx_flow.block_of[b]];
    });
    if (readers.size() != found.size()) return false;
    for (std::size_t i = 0; i < readers.size(); ++i) p_.of_statement[readers[i]] = {found[i]};
    return true;
  }

  bool by_name(std::uint32_t statement) const {
    if (p_.ptx[statement].space != Space::kShared) return false;
    for (const Operand& o : p_.statement(statement).operands)
      if (o.kind == Operand::Kind::kMemory && !o.items.empty())
        return o.items[0].kind == Operand::Kind::kVariable ||
               o.items[0].kind == Operand::Kind::kSymbol;
    return false;
  }

  // Is the second in the first one's place, or for some of its lanes behind it? There ptxas may
  // load for all of them, before it has asked which.
  bool comes_along(std::uint32_t first, std::uint32_t second) const {
    const std::uint32_t a = p_.ptx_flow.block_of[first], b = p_.ptx_flow.block_of[second];
    return a == b || (p_.ptx[first].sort == PtxAccess::Sort::kLoad &&
                      p_.ptx_flow.loop_of[a] == p_.ptx_flow.loop_of[b] &&
                      (p_.ptx_flow.dominates(a, b) || p_.ptx_flow.dominates(b, a)));
  }

  // Is there a statement beside this one that became one instruction?
  bool has_single_neighbour(std::uint32_t statement) const {
    for (std::uint32_t t = 0; t < p_.entry; ++t)
      if (p_.of_statement[t].size() == 1 && p_.ptx_flow.reached(t) &&
          p_.ptx_flow.block_of[t] == p_.ptx_flow.block_of[statement] &&
          p_.sass_flow.depth(p_.of_statement[t][0]) == p_.ptx_flow.depth(statement))
        return true;
    return false;
  }

  CodePair& p_;
  const AddressOrigins origins_;
};

}  // namespace

void share_names(CodePair& pair) { Sharing(pair).run(); }

}  // namespace warpmem::emulate
