#include "sim/explain/changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/units.hpp"
#include "sim/explain/address_changes.hpp"
#include "sim/explain/layouts.hpp"

namespace warpmem::sim {
namespace {

using Sites = std::vector<std::uint32_t>;

constexpr std::size_t kSearched = 16;  // accesses of an instruction that a layout is tried on

Candidate candidate(const char* name, std::string what, bool estimate) {
  Candidate c;
  c.change.name = name;
  c.change.what = std::move(what);
  c.change.estimate = estimate;
  return c;
}

void put(Rewrite& rewrite, std::uint32_t site, std::shared_ptr<const AccessChange> change) {
  if (rewrite.of.size() <= site) rewrite.of.resize(site + 1);
  rewrite.of[site] = std::move(change);
}

// Allocation of a site; an empty one where it is in none.
trace::Allocation array_of(const LaunchFacts& f, std::uint32_t site) {
  const std::size_t a = f.arrays[site];
  return a < f.launch.allocations.size() ? f.launch.allocations[a] : trace::Allocation{};
}

Candidate align(const LaunchFacts&, const Sites& sites) {
  Candidate c = candidate(
      "align", "begin each row at a multiple of 128 bytes (pad the rows, cudaMallocPitch)", false);
  for (const std::uint32_t s : sites) put(c.rewrite, s, std::make_shared<Align>());
  return c;
}

// Fields that stand one behind the other, each taken by an instruction of its own, in pieces of 16
// bytes, or 8.
std::optional<Candidate> wide(const LaunchFacts& f, const Sites& sites) {
  const std::uint64_t stride = f.recognised[sites.front()].stride;
  const std::uint64_t piece = stride % 16 == 0 ? 16 : 8;
  if (sites.size() < 2 || stride % piece != 0) return std::nullopt;
  const std::uint32_t each = f.plans[sites.front()].bytes;
  std::map<std::uint64_t, Sites> pieces;  // by where they begin
  for (const std::uint32_t s : sites) {
    const bool alike = f.sites[s].op == f.sites[sites.front()].op && f.plans[s].bytes == each &&
                       f.pass.sites[s].requests == f.pass.sites[sites.front()].requests;
    if (!alike) return std::nullopt;
    pieces[f.recognised[s].field / piece].push_back(s);
  }
  if (each >= piece) return std::nullopt;
  Candidate c = candidate("wide",
                          fmt::format("take {} bytes at once (float{}): one access instead of {}",
                                      piece, piece / 4, piece / each),
                          false);
  for (auto& [number, group] : pieces) {
    std::ranges::sort(group, {}, [&](std::uint32_t s) { return f.recognised[s].field; });
    if (group.size() * each != piece || f.recognised[group.front()].field % piece != 0)
      return std::nullopt;
    for (std::size_t i = 1; i < group.size(); ++i)
      put(c.rewrite, group[i], std::make_shared<Drop>());
    AccessPlan plan = f.plans[group.front()];
    plan.bytes = static_cast<std::uint32_t>(piece);
    c.rewrite.plans.emplace_back(group.front(), plan);
  }
  return c;
}

std::optional<Candidate> split(const LaunchFacts& f, const Sites& sites, bool structure) {
  const std::uint64_t stride = f.recognised[sites.front()].stride;
  Candidate c = candidate(
      structure ? "split" : "unit stride",
      structure ? fmt::format("split the structures of {} bytes: an array for each field", stride)
                : "let neighbouring lanes take neighbouring elements (an array of only those)",
      false);
  for (const std::uint32_t s : sites) {
    const trace::Allocation array = array_of(f, s);
    const std::uint64_t own = f.recognised[s].stride;
    if (array.bytes == 0 || own == 0) continue;
    put(c.rewrite, s, std::make_shared<Split>(array.base, array.bytes, own, f.plans[s].bytes));
  }
  return c.rewrite.of.empty() ? std::nullopt : std::optional(std::move(c));
}

std::optional<Candidate> transpose(const LaunchFacts& f, const Sites& sites) {
  Candidate c =
      candidate("transpose",
                "let lanes go along rows: store the matrix by columns, or turn a tile around in "
                "shared memory",
                true);
  for (const std::uint32_t s : sites) {
    const trace::Allocation array = array_of(f, s);
    const std::uint64_t row = f.recognised[s].stride;
    if (array.bytes < 2 * row) continue;
    put(c.rewrite, s, std::make_shared<Transpose>(array.base, array.bytes, row, f.plans[s].bytes));
  }
  return c.rewrite.of.empty() ? std::nullopt : std::optional(std::move(c));
}

const SharedArray* shared_array_of(const LaunchFacts& f, std::uint32_t site) {
  for (const SharedArray& a : f.shared)
    if (std::ranges::binary_search(a.sites, site)) return &a;
  return nullptr;
}

// Lanes that each go along a row share the rows. Gathers in the same loop go with it.
Candidate deal_runs(const LaunchFacts& f, const Sites& sites) {
  Candidate c = candidate("row by row",
                          "let a warp take each run together: neighbouring lanes take neighbouring "
                          "words of it (a warp a row, and a sum over the warp at its end)",
                          true);
  const auto dealt = [&](std::uint32_t s) {
    const AddressPattern p = f.recognised[s].pattern;
    return p == AddressPattern::kRuns || p == AddressPattern::kScattered;
  };
  // A loop may be unrolled: what its instructions take of an array together.
  std::map<std::size_t, std::pair<std::uint64_t, std::uint64_t>> taken;
  for (std::uint32_t s = 0; s < f.sites.size(); ++s)
    if (dealt(s)) {
      auto& [requests, lanes] = taken[f.arrays[s]];
      requests += f.pass.sites[s].requests, lanes += f.pass.sites[s].lanes;
    }
  c.rewrite.dealt.resize(f.sites.size());
  for (std::uint32_t s = 0; s < f.sites.size(); ++s)
    if (dealt(s) && taken[f.arrays[s]] == taken[f.arrays[sites.front()]])
      c.rewrite.dealt[s] = static_cast<std::uint32_t>(f.arrays[s]) + 1;
  return c;
}

// Atomics on a table that fits every CTA's shared memory.
std::optional<Candidate> shared_table(const LaunchFacts& f, const Sites& sites) {
  constexpr std::uint64_t kMost = 16 << 10;  // bytes: leaves room for a few CTAs on every GPU
  Candidate c =
      candidate("shared table",
                "let each CTA add up in a table of its own in shared memory, and add that "
                "to the whole at its end",
                true);
  for (const std::uint32_t s : sites) {
    const trace::Allocation array = array_of(f, s);
    if (f.plans[s].action != Action::kGlobalAtomic || array.bytes == 0 || array.bytes > kMost)
      return std::nullopt;
    AccessPlan plan = f.plans[s];
    plan.action = Action::kShared, plan.shared = model::SharedKind::kAtomic;
    plan.instructions = &model::LaunchCounters::inst_shared_atom;
    c.rewrite.plans.emplace_back(s, plan);
    put(c.rewrite, s, std::make_shared<Move>(-array.base));
  }
  return c;
}

// Rows that a piece of shared memory can be taken to have: what lanes or warps are apart.
std::set<std::uint64_t> rows_of(const LaunchFacts& f, const SharedArray& array,
                                const Sites& sites) {
  std::set<std::uint64_t> rows;
  for (const std::uint32_t s : sites)
    if (f.recognised[s].stride > f.plans[s].bytes) rows.insert(f.recognised[s].stride);
  // All banks, once: what moves each element by its own number of rows before it.
  rows.insert(f.card.numbers().shared_banks * f.card.numbers().shared_bank_bytes);
  if (rows.size() == 1)
    for (const std::uint64_t row : {64, 128, 256, 512, 1024})
      if (2 * row <= array.high - array.low) rows.insert(row);
  return rows;
}

// Some accesses of the instructions that keep to a piece, each for as many as it stands for.
BankPiece piece_of(const LaunchFacts& f, const SharedArray& array, const Sites& sites) {
  BankPiece out;
  out.low = array.low, out.high = array.high;
  out.unit = f.card.numbers().shared_bank_bytes;
  out.rows = rows_of(f, array, sites);
  out.banks = {static_cast<std::uint32_t>(f.card.numbers().shared_banks),
               static_cast<std::uint32_t>(f.card.numbers().shared_bank_bytes)};
  for (const std::uint32_t s : array.sites) {
    const SiteAddresses& site = f.pass.sites[s];
    out.unit = std::max<std::uint64_t>(out.unit, f.plans[s].bytes);
    out.ideal += static_cast<double>(site.ideal_wavefronts);
    const std::size_t every = std::max<std::size_t>(1, site.samples.size() / kSearched);
    const std::size_t from = out.accesses.size();
    for (std::size_t i = 0; i < site.samples.size(); i += every) {
      BankAccess& a = out.accesses.emplace_back();
      a.access = site.samples[i].access, a.access.bytes = f.plans[s].bytes;
      a.kind =
          f.plans[s].action == Action::kAsyncWrite ? model::SharedKind::kStore : f.plans[s].shared;
    }
    const auto n = static_cast<double>(out.accesses.size() - from);
    for (std::size_t i = from; i < out.accesses.size(); ++i)
      out.accesses[i].weight = static_cast<double>(site.requests) / n;
  }
  return out;
}

bool is_tensor_copy(const trace::DecodedLine& line) {
  using trace::Opcode;
  const trace::SassInstruction* const in = line.sass();
  return in && (in->opcode == Opcode::kUTMALDG || in->opcode == Opcode::kUTMASTG);
}

// Whether the copy engine writes or reads the piece, or a product reads it: they take it as one
// block, or as a tensor map says, and a program that moves its words by itself is wrong. Recordings
// have no records of copies by a tensor map; then it may be any piece.
bool is_one_block(const LaunchFacts& f, const SharedArray& array) {
  bool recorded = false;
  for (std::uint32_t s = 0; s < f.sites.size(); ++s) {
    const bool bulk = trace::is_bulk(f.sites[s].op);
    recorded |= bulk;
    if (!bulk && f.sites[s].op != trace::Op::kProductRead) continue;
    if (f.sites[s].space != trace::Space::kShared) continue;
    const SiteAddresses& a = f.pass.sites[s];
    if (a.low < array.high && array.low < a.high) return true;
  }
  return !recorded && std::ranges::any_of(f.code.lines(), is_tensor_copy);
}

std::vector<Candidate> banks(const LaunchFacts& f, const Sites& sites) {
  std::vector<Candidate> out;
  const SharedArray* array = shared_array_of(f, sites.front());
  if (!array || is_one_block(f, *array)) return out;
  const Layouts found = search_layouts(piece_of(f, *array, sites));
  for (const auto& [name, layout] : {std::pair{"pad", &found.pad}, {"swizzle", &found.swizzle}}) {
    if (!*layout) continue;
    Candidate c = candidate(name, (*layout)->what, false);
    for (const std::uint32_t s : array->sites) put(c.rewrite, s, (*layout)->change);
    out.push_back(std::move(c));
  }
  return out;
}

std::vector<Candidate> one_word(const LaunchFacts& f, const Sites& sites) {
  std::vector<Candidate> out;
  const bool shared = f.plans[sites.front()].action == Action::kShared;
  Candidate warp = candidate(
      "by warp",
      "add up within the warp first (__reduce_add_sync, shuffles); one lane adds the sum", true);
  Candidate cta = candidate(
      "by CTA", "add up within the CTA first, in shared memory; one warp adds the sums", true);
  for (const std::uint32_t s : sites) {
    put(warp.rewrite, s, std::make_shared<OneForAWord>(false));
    put(cta.rewrite, s, std::make_shared<OneForAWord>(true));
  }
  out.push_back(std::move(warp));
  if (!shared) out.push_back(std::move(cta));
  return out;
}

Candidate constants(const LaunchFacts& f, const Sites& sites) {
  Candidate c = candidate("global",
                          "keep the table in global memory (const __restrict__, __ldg) or shared "
                          "memory: the L1 serves lanes side by side",
                          false);
  for (const std::uint32_t s : sites) {
    AccessPlan plan = f.plans[s];
    plan.action = Action::kGlobalLoad;
    plan.instructions = &model::LaunchCounters::inst_global_ld;
    c.rewrite.plans.emplace_back(s, plan);
    put(c.rewrite, s, std::make_shared<Move>(std::uint64_t{1} << 46));
  }
  return c;
}

}  // namespace

std::vector<Candidate> changes_for(const LaunchFacts& f, AddressPattern pattern,
                                   const Sites& sites) {
  std::vector<Candidate> out;
  const auto add = [&](std::optional<Candidate> c) {
    if (c) out.push_back(std::move(*c));
  };
  switch (pattern) {
    case AddressPattern::kMisaligned: add(align(f, sites)); break;
    case AddressPattern::kStrided: add(split(f, sites, false)); break;
    case AddressPattern::kStructure:
      add(split(f, sites, true));
      add(wide(f, sites));
      break;
    case AddressPattern::kColumn: add(transpose(f, sites)); break;
    case AddressPattern::kOneWord: return one_word(f, sites);
    case AddressPattern::kBankStride:
    case AddressPattern::kBankScattered: return banks(f, sites);
    case AddressPattern::kConstants: add(constants(f, sites)); break;
    case AddressPattern::kSpill:
    case AddressPattern::kLocalArray: {
      Candidate c = candidate(
          pattern == AddressPattern::kSpill ? "fewer registers" : "constant index",
          pattern == AddressPattern::kSpill ? "let the thread keep fewer values at once, or have "
                                              "more registers (__launch_bounds__, -maxrregcount)"
                                            : "make the index a constant (unroll the loop, #pragma "
                                              "unroll), so that the array is in registers",
          true);
      for (const std::uint32_t s : sites) put(c.rewrite, s, std::make_shared<Drop>());
      out.push_back(std::move(c));
      break;
    }
    case AddressPattern::kRuns: out.push_back(deal_runs(f, sites)); break;
    case AddressPattern::kScattered: add(shared_table(f, sites)); break;
    case AddressPattern::kFine: break;
  }
  return out;
}

Change advice_for(const LaunchFacts& f, AddressPattern pattern, const Sites& sites) {
  Change out;
  if (pattern == AddressPattern::kScattered) {
    out.what =
        "sort or bin what the indices are made of, so that neighbouring lanes ask for "
        "neighbouring words; or copy the table to shared memory, if it fits";
    out.not_measured = "nothing to replay: it depends on the data";
  }
  if (pattern != AddressPattern::kBankStride && pattern != AddressPattern::kBankScattered)
    return out;
  const SharedArray* const array = shared_array_of(f, sites.front());
  if (array && is_one_block(f, *array)) {
    out.what =
        "let the tensor map swizzle it (CU_TENSOR_MAP_SWIZZLE_128B and its like), and the lanes "
        "with it: a copy or a product takes the block as it lies, and padding would break it";
    out.not_measured = "what a map says is in no record";
  } else {
    out.what = "no padding or swizzle that was tried helps; which lanes meet depends on the data";
  }
  return out;
}

}  // namespace warpmem::sim
