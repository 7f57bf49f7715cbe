#include "sim/code/emptying.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "sim/code/code.hpp"

namespace warpmem::sim {
namespace {

using trace::Op;

bool has(std::string_view text, std::string_view word) { return text.find(word) != text.npos; }

// What ptxas puts a CCTL.IVALL behind.
bool acquires(std::string_view ptx) {
  if (const std::size_t space = ptx.starts_with('@') ? ptx.find(' ') : 0; space < ptx.size())
    ptx.remove_prefix(std::min(ptx.find_first_not_of(' ', space), ptx.size()));
  ptx = ptx.substr(0, ptx.find_first_of(" ;"));
  if (has(ptx, ".cta") && !has(ptx, ".cta_group")) return false;
  if (ptx.starts_with("membar.")) return true;
  if (ptx.starts_with("fence.sc") || ptx.starts_with("fence.acq_rel")) return true;
  if (ptx.starts_with("barrier.cluster.wait")) return true;
  if (has(ptx, "shared")) return false;
  return (ptx.starts_with("ld.acquire") || ptx.starts_with("atom.")) &&
         (has(ptx, ".acquire") || has(ptx, ".acq_rel"));
}

bool empties(const trace::Program& program, const trace::Instruction& i) {
  if (program.level == trace::Level::kPtx || trace::is_ptx(i.text)) return acquires(i.text);
  return has(i.text, "CCTL") && has(i.text, ".IVALL");
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

std::vector<Emptying> emptying(std::span<const trace::Site> sites, const trace::Program& program) {
  std::vector<Emptying> out(sites.size());
  const auto& text = program.code;
  if (std::none_of(text.begin(), text.end(), [&](const auto& i) { return empties(program, i); }))
    return out;

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
    if (!empties(program, text[at])) continue;
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
