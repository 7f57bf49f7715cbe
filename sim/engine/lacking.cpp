#include "sim/engine/lacking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/card/fields/features.hpp"
#include "sim/engine/cluster_placement.hpp"

namespace warpmem::sim {
namespace {

using trace::Op;
using trace::Space;

enum class Feature : std::uint8_t { kNone, kClusters, kAsyncCopies, kBulkCopies };

struct Words {
  Feature feature;
  const char* what;   // the records
  const char* since;  // compute capability
};
constexpr std::array<Words, 3> kWords = {{
    {Feature::kClusters, "accesses to shared memory of other CTAs of a cluster", "9.0"},
    {Feature::kAsyncCopies, "asynchronous copies (cp.async)", "8.0"},
    {Feature::kBulkCopies, "bulk copies (cp.async.bulk)", "9.0"},
}};

// What a GPU must have to run the instruction.
Feature needs(const trace::Site& site) {
  switch (site.op) {
    case Op::kBulkRead:
    case Op::kBulkWrite:
    case Op::kBulkReduction: return Feature::kBulkCopies;
    case Op::kAsyncCopyRead:
    case Op::kAsyncCopyWrite:
      return site.space == Space::kRemoteShared ? Feature::kClusters : Feature::kAsyncCopies;
    default: return site.space == Space::kRemoteShared ? Feature::kClusters : Feature::kNone;
  }
}

bool has(const model::Card& card, Feature feature) {
  switch (feature) {
    case Feature::kNone: return true;
    case Feature::kClusters: return model::has_clusters(card.capability());
    case Feature::kAsyncCopies: return model::has_async_copies(card.capability());
    case Feature::kBulkCopies: return model::has_bulk_copies(card.capability());
  }
  return true;
}

}  // namespace

std::uint64_t cluster_size(const trace::Launch& launch, const model::Card& card) {
  return model::has_clusters(card.capability()) ? cluster_size(launch) : 1;
}

bool lacks(const model::Card& card, const trace::Site& site) { return !has(card, needs(site)); }

void skip_lacking(const model::Card& card, std::span<const trace::Site> sites,
                  std::vector<model::AccessPlan>& plans) {
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (!lacks(card, sites[i])) continue;
    plans[i] = {};
    plans[i].pc = sites[i].pc;
  }
}

Result<std::vector<std::string>> lacking_notes(const trace::TraceReader& reader,
                                               std::uint32_t launch, const model::Card& card) {
  std::vector<std::string> notes;
  const trace::LaunchSummary& summary = reader.launches()[launch];
  if (cluster_size(summary.launch) > cluster_size(summary.launch, card))
    notes.push_back(fmt::format(
        "GPUs of compute capability {} have no clusters: CTAs are placed one by one, and no warp "
        "waits at a cluster's barrier",
        card.compute_capability()));
  const std::span<const trace::Site> sites = reader.sites(launch);
  if (std::none_of(sites.begin(), sites.end(), [&](const auto& s) { return lacks(card, s); }))
    return notes;
  std::vector<std::uint64_t> records(sites.size());
  for (const std::uint32_t block : summary.blocks) {
    const auto decoded = reader.decode(block);
    if (!decoded) return decoded.error();
    for (const trace::Record& r : decoded->records) ++records[r.site];
  }
  for (const Words& words : kWords) {
    if (has(card, words.feature)) continue;
    std::uint64_t skipped = 0;
    std::size_t instructions = 0;
    for (std::size_t i = 0; i < sites.size(); ++i) {
      if (needs(sites[i]) != words.feature || records[i] == 0) continue;
      skipped += records[i];
      ++instructions;
    }
    if (skipped == 0) continue;
    notes.push_back(fmt::format(
        "skipped: {} {} of {} {}, which GPUs of compute capability {} lack ({} and later have "
        "them); counters and cycles are too few by what they do",
        skipped, words.what, instructions, instructions == 1 ? "instruction" : "instructions",
        card.compute_capability(), words.since));
  }
  return notes;
}

}  // namespace warpmem::sim
