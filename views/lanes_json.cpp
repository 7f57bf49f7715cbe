#include "views/lanes_json.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "views/lanes.hpp"

namespace warpmem::views {
namespace {

// How far the active lanes are from the lowest address: [first, stride] where a lane's is that much
// more than that of the lane before it.
Json offsets_json(const LaneAccess& a, std::uint64_t base) {
  std::vector<std::pair<unsigned, std::int64_t>> all;
  for (unsigned l = 0; l < 32; ++l)
    if (a.active(l)) all.emplace_back(l, static_cast<std::int64_t>(a.address[l] - base));
  if (all.size() > 2) {
    const std::int64_t stride = (all[1].second - all[0].second) / (all[1].first - all[0].first);
    const std::int64_t first = all[0].second - stride * all[0].first;
    const bool regular = std::ranges::all_of(
        all, [&](const auto& at) { return at.second == first + stride * at.first; });
    if (regular) return {{"first", first}, {"stride", stride}};
  }
  Json out = Json::array();
  for (const auto& [lane, offset] : all) out.push_back(offset);
  return out;
}

// Transactions larger than a sector, as [bytes behind the base, bytes]; null: sectors, those that
// lanes touch.
Json moved_json(const LaneAccess& a, std::uint64_t base) {
  if (std::ranges::all_of(a.moved, [&](const auto& p) { return p.bytes == a.sector_bytes; }))
    return nullptr;
  Json out = Json::array();
  for (const LaneAccess::Piece& p : a.moved)
    out.push_back({static_cast<std::int64_t>(p.address - base), p.bytes});
  return out;
}

}  // namespace

Json lanes_json(const LaneAccess& a) {
  std::uint64_t base = ~std::uint64_t{0};
  for (unsigned l = 0; l < 32; ++l)
    if (a.active(l)) base = std::min(base, a.address[l]);
  Json out{{"base", base},     {"mask", a.mask}, {"offsets", offsets_json(a, base)},
           {"bytes", a.bytes}, {"cta", a.cta},   {"warp", a.warp}};
  if (a.shared) out["banks"] = a.banks, out["bank_bytes"] = a.bank_bytes;
  else out["line"] = a.line_bytes, out["sector"] = a.sector_bytes;
  if (a.shared) out["passes"] = a.passes, out["ideal_passes"] = a.ideal_passes;
  else out["sectors"] = a.sectors, out["ideal_sectors"] = a.ideal_sectors;
  if (!a.shared) out["moved"] = moved_json(a, base);
  out["words"] = lanes_words(a);
  return out;
}

}  // namespace warpmem::views
