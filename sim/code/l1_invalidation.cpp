#include "sim/code/l1_invalidation.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "sim/code/code.hpp"

namespace warpmem::sim {
namespace {

using trace::Op;

bool invalidations(const trace::DecodedLine& line) {
  using trace::Modifier;
  if (const ptx::Instruction* const in = line.ptx()) return in->acquires();
  const trace::SassInstruction* const in = line.sass();
  return in && in->kind == trace::InstructionKind::kCacheControl &&
         (in->has(Modifier::kIVALL) || in->has(Modifier::kIVALLP));
}

// A site whose records the memory system sees.
bool accesses(const trace::Site& site) {
  switch (site.op) {
    case Op::kCtaBegin:
    case Op::kCtaEnd:
    case Op::kBarrier:
    case Op::kRounds:
    case Op::kTexel:
    case Op::kProductRead: return false;
    default:
      return site.space != trace::Space::kConstant && site.space != trace::Space::kTexture &&
             site.space != trace::Space::kSurface;
  }
}

}  // namespace

std::vector<L1Invalidation> l1_invalidations(std::span<const trace::Site> sites,
                                             const trace::DecodedProgram& program) {
  std::vector<L1Invalidation> out(sites.size());
  const auto& lines = program.lines();
  if (std::none_of(lines.begin(), lines.end(), invalidations)) return out;

  std::unordered_map<std::uint32_t, std::size_t> site_at;  // by pc
  for (std::size_t s = 0; s < sites.size(); ++s)
    if (accesses(sites[s])) site_at.emplace(sites[s].pc, s);
  const std::vector<CodeLine> code = read_flow(program);
  std::vector<bool> entered(code.size());  // from elsewhere than the line above
  for (const CodeLine& l : code) {
    if (l.target >= 0) entered[static_cast<std::size_t>(l.target)] = true;
    for (const std::uint32_t p : l.places) entered[p] = true;
  }
  const auto goes_elsewhere = [&](std::size_t k) {
    const CodeLine& l = code[k];
    return l.target >= 0 || !l.places.empty() || l.ends || l.calls || !l.falls;
  };
  const auto site_of = [&](std::size_t k) -> std::optional<std::size_t> {
    const auto it = site_at.find(code[k].pc);
    return it == site_at.end() ? std::nullopt : std::optional(it->second);
  };

  for (std::size_t at = 0; at < code.size(); ++at) {
    if (!invalidations(lines[at])) continue;
    std::optional<std::size_t> before, next;
    // By the access before it, not by a fence in between.
    bool acquired = !code[at].fences && !code[at].meets;
    if (const auto own = site_of(at)) {
      before = own;  // PTX says both in one
    } else {
      for (std::size_t k = at; !before && k > 0 && !entered[k] && !goes_elsewhere(k - 1); --k) {
        before = site_of(k - 1);
        acquired &= !code[k - 1].fences && !code[k - 1].meets;
      }
      for (std::size_t k = at + 1;
           !next && k < code.size() && !entered[k] && !goes_elsewhere(k - 1); ++k)
        next = site_of(k);
    }
    if (before && (acquired || !next)) out[*before].behind = true;
    else if (next) out[*next].before = true;
  }
  return out;
}

}  // namespace warpmem::sim
