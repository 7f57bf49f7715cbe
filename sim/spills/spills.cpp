#include "sim/spills/spills.hpp"

#include <algorithm>

#include "sim/records/clusters.hpp"

namespace warpmem::sim {

std::unique_ptr<Spills> Spills::of(std::span<const trace::Site> sites,
                                   const trace::DecodedProgram& program,
                                   const trace::Launch& launch,
                                   const model::InstructionTable& table, bool rounds) {
  const std::vector<SpillAccess> accesses = spill_accesses(program, sites);
  if (accesses.empty() || sites.empty()) return nullptr;
  std::unique_ptr<Spills> out(new Spills);
  out->rounds_ = rounds;
  out->sites_.assign(sites.begin(), sites.end());
  out->recorded_ = static_cast<std::uint32_t>(sites.size());
  out->site_at_.assign(program.size(), 0);
  for (const SpillAccess& a : accesses)
    if (a.offset < 0) out->below_ = std::max(out->below_, static_cast<std::uint32_t>(-a.offset));
  for (const SpillAccess& a : accesses) {
    out->site_at_[a.line] = static_cast<std::uint32_t>(out->sites_.size());
    out->sites_.push_back({program.pc(a.line), a.load ? trace::Op::kLoad : trace::Op::kStore,
                           trace::Space::kLocal, a.bytes});
    out->slots_.push_back(a.slot);
    constexpr std::uint32_t kWindow = 0xffffff;  // as the recorder has what lies below the frame
    out->offsets_.push_back(static_cast<std::uint32_t>(a.offset) & kWindow);
  }
  out->code_paths_ = std::make_unique<CodePaths>(
      sites, program, read_code(program, table, cluster_size(launch) > 1), &launch, out->slots_);
  for (const std::uint32_t pc : out->code_paths_->taken_once()) {
    const auto line = static_cast<std::int32_t>(*program.line_at(pc));
    if (!out->round_at({line}).items.empty()) out->taken_once_.push_back(pc);
  }
  return out;
}

trace::Record Spills::access(std::uint32_t site, std::uint32_t mask) const {
  trace::Record r;
  r.base = offsets_[site - recorded_];
  r.mask = mask;
  r.site = site;
  return r;
}

std::unique_ptr<SpillPath> Spills::path_of(CodePaths::Lines lines) {
  auto path = std::make_unique<SpillPath>();
  path->lines = std::move(lines);
  const std::vector<CodePaths::Repeat> repeats = code_paths_->repeats(path->lines);
  auto next = repeats.begin();
  bool diverged = false;
  for (std::size_t k = 0; k < path->lines.size(); ++k) {
    const std::uint32_t line = path->lines[k];
    if (const std::uint32_t site = site_at_[line]; site != 0)
      path->items.push_back({k, diverged, site, nullptr, 0});
    const CodeLine& l = code_paths_->code()[line];
    for (; next != repeats.end() && next->at == k; ++next) {
      const SpillPath& round = round_at({static_cast<std::int32_t>(next->branch)});
      if (!round.items.empty()) path->items.push_back({k, diverged, 0, &round, next->rounds});
    }
    diverged |= l.guarded && (l.target >= 0 || l.ends || !l.falls);
  }
  return path;
}

const SpillPath& Spills::between(std::uint32_t from, std::uint32_t to, std::uint32_t calls) {
  auto& entry = between_[{from, to, calls}];
  if (entry) return *entry;
  CodePaths::Lines open = calls_[calls];
  entry = path_of(code_paths_->between(from, to, open));
  constexpr std::size_t kDeepest = 32;  // what calls itself again and again returns to these
  if (open.size() > kDeepest) open.erase(open.begin(), open.end() - kDeepest);
  const auto known = std::find(calls_.begin(), calls_.end(), open);
  entry->calls = static_cast<std::uint32_t>(known - calls_.begin());
  if (known == calls_.end()) calls_.push_back(std::move(open));
  return *entry;
}

const SpillPath& Spills::round(std::uint32_t site, std::span<const std::uint32_t> through) {
  return round_at(code_paths_->points(site, through));
}

// Loops within the round are gone round where they are passed on the path, not here.
const SpillPath& Spills::round_at(const std::vector<std::int32_t>& points) {
  auto& entry = round_[points];
  if (entry) return *entry;
  entry = std::make_unique<SpillPath>();
  if (points.front() < 0) return *entry;  // not in the code: nothing is known of it
  entry->lines = code_paths_->round(points);
  for (std::size_t k = 0; k < entry->lines.size(); ++k)
    if (const std::uint32_t site = site_at_[entry->lines[k]]; site != 0)
      entry->items.push_back({k, false, site, nullptr, 0});
  return *entry;
}

}  // namespace warpmem::sim
