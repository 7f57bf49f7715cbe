// Records of a loop that was unrolled, its back edges among them: iterations of the PTX become
// executions of the machine code's bodies.
#include <algorithm>
#include <bit>
#include <map>

#include "emulate/mapping/lane_addresses.hpp"
#include "emulate/mapping/sass_trace.hpp"

namespace warpmem::emulate {
namespace {

using What = MappedSite::What;
using trace::Record;

}  // namespace

void SassTrace::run_loop(const std::vector<Record>& records, std::size_t first, std::size_t last,
                         std::uint32_t loop) {
  if (try_loop(records, first, last, loop)) return;
  close_window();
  for (std::size_t i = first; i < last; ++i) {
    const Known& k = known(records[i].site);
    if (k.marker || k.mapped->what == What::kGone) continue;
    Item item;
    item.record = records[i];
    item.statement = k.site.pc / 16;
    item.kept = true;
    emit(item, records[i]);
  }
}

Record SassTrace::gather(std::uint32_t mask, const std::uint32_t* record_of_lane,
                         const std::vector<Record>& records) {
  const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
  const Record& whole = records[record_of_lane[first]];
  bool one = whole.mask == mask;
  for (std::uint32_t left = mask; left && one; left &= left - 1)
    one = record_of_lane[std::countr_zero(left)] == record_of_lane[first];
  if (one) return whole;
  std::uint64_t addresses[32];
  for (std::uint32_t left = mask; left; left &= left - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(left));
    addresses[l] = lane_address(records[record_of_lane[l]], l, *lanes_);
  }
  Record r = pack_lanes(mask, addresses, *lanes_);
  r.site = whole.site;
  return r;
}

// Records of the loop by the iteration of their lanes; false: the lanes of a record are in several.
bool SassTrace::find_iterations(const std::vector<Record>& records, std::size_t first,
                                std::size_t last, Iterations& out) {
  std::uint32_t at[32] = {};  // the iteration that each lane is in
  std::uint32_t lanes = 0;
  for (std::size_t i = first; i < last; ++i) {
    const Record& r = records[i];
    if (known_[r.site].mapped && known_[r.site].mapped->what == What::kGone) continue;
    if (is_further(r)) continue;  // goes where its copy goes
    lanes |= r.mask;
    const std::uint32_t now = at[std::countr_zero(r.mask)];
    for (std::uint32_t left = r.mask; left; left &= left - 1) {
      const int l = std::countr_zero(left);
      if (at[l] != now) return false;
      if (known_[r.site].marker) ++at[l];
    }
    if (known_[r.site].marker) continue;
    auto [entry, fresh] = out.records.try_emplace(r.site);
    if (fresh) out.sites.push_back(r.site);
    std::vector<std::uint32_t>& of = entry->second;
    if (of.size() <= now) of.resize(now + 1, kNowhere);
    if (of[now] != kNowhere) return false;  // twice in one iteration
    of[now] = static_cast<std::uint32_t>(i);
  }
  std::stable_sort(out.sites.begin(), out.sites.end(), [&](std::uint32_t a, std::uint32_t b) {
    return known_[a].mapped->position < known_[b].mapped->position;
  });
  for (std::uint32_t l = 0; l < 32; ++l) out.left[l] = lanes >> l & 1 ? at[l] + 1 : 0;
  out.most = *std::max_element(std::begin(out.left), std::end(out.left));
  return true;
}

// Straight code has them all, as many as they are: that one statement has fewer instructions says
// nothing.
std::uint32_t SassTrace::iterations_of(const UnrolledLoop& loop, std::size_t body,
                                       const Iterations& found) {
  const std::uint32_t own = loop.bodies[body].iterations;
  return loop.is_straight() ? std::max(found.most, own) : own;
}

// Which body runs when, for which lanes. False: the bodies' numbers do not work out.
bool SassTrace::plan(const UnrolledLoop& u, Iterations& found, std::vector<Execution>& executions) {
  std::uint32_t done[32] = {};
  const auto execute = [&](std::size_t body) {
    const std::uint32_t k = iterations_of(u, body, found);
    Execution e{body, 0, {}};
    for (std::uint32_t l = 0; l < 32; ++l) {
      std::uint32_t& left = found.left[l];
      if (left == 0 || (left < k && !u.may_leave)) continue;
      e.mask |= 1u << l;
      e.from[l] = done[l];
      done[l] += k;
      left -= std::min(k, left);
    }
    if (e.mask != 0) executions.push_back(e);
    return e.mask != 0;
  };
  for (std::size_t b = 0; b < u.bodies.size() && !u.in_turn; ++b)
    while (execute(b) && u.bodies[b].repeats) {
    }
  if (u.in_turn) {
    std::size_t again = 0, b = 0;
    while (again < u.bodies.size() && !u.bodies[again].repeats) ++again;
    while (b < u.bodies.size() && execute(b)) b = b + 1 < u.bodies.size() ? b + 1 : again;
  }
  return std::all_of(std::begin(found.left), std::end(found.left),
                     [](std::uint32_t left) { return left == 0; });
}

// The item of one site in iteration `c` of a body; none: no lane of it has a record there.
std::optional<SassTrace::Item> SassTrace::item_of(const std::vector<Record>& records,
                                                  const Execution& e, std::uint32_t site,
                                                  std::uint32_t c, const Iterations& found) {
  const Known& k = known_[site];
  const std::vector<std::uint32_t>& of = found.records.at(site);
  std::uint32_t of_lane[32];
  std::uint32_t mask = 0;
  for (std::uint32_t m = e.mask; m; m &= m - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(m));
    const std::uint32_t iteration = e.from[l] + c;
    const std::uint32_t r = iteration < of.size() ? of[iteration] : kNowhere;
    if (r == kNowhere || !(records[r].mask >> l & 1)) continue;
    mask |= 1u << l;
    of_lane[l] = r;
  }
  if (mask == 0) return std::nullopt;
  Item item;
  item.record = gather(mask, of_lane, records);
  if (is_bulk(k.site.op)) item.pieces = pieces_behind(records, of_lane[std::countr_zero(mask)]);
  item.statement = k.site.pc / 16;
  item.position = k.mapped->position;
  return item;
}

void SassTrace::run_body(const std::vector<Record>& records, const UnrolledLoop& u,
                         const Execution& e, const Iterations& found) {
  const std::size_t begin = window_.size();
  const std::uint32_t iterations = iterations_of(u, e.body, found);
  // By site with fewer instructions than iterations: its items.
  std::map<std::uint32_t, std::vector<std::size_t>> fewer;
  for (std::uint32_t c = 0; c < iterations; ++c) {
    for (const std::uint32_t site : found.sites) {
      auto item = item_of(records, e, site, c, found);
      if (!item) continue;
      const MappedSite& m = *known_[site].mapped;
      if (m.what == What::kUnrolled) {
        const std::vector<SassAccess>& copies = m.bodies[e.body];
        if (copies.size() == iterations) item->access = &copies[c];
        else fewer[site].push_back(window_.size());
      }
      window_.push_back(*item);
    }
  }
  std::vector<Fewer> shares;
  for (auto& [site, items] : fewer)
    shares.push_back({&known_[site].mapped->bodies[e.body], std::move(items)});
  share_out(std::move(shares), begin);
  if (u.is_straight()) last_position_ = known_[found.sites.back()].mapped->position;
  else close_window();
}

bool SassTrace::try_loop(const std::vector<Record>& records, std::size_t first, std::size_t last,
                         std::uint32_t loop) {
  const UnrolledLoop& u = map_.loops[loop];
  Iterations found;
  // What would be written is kept aside until it is clear that the bodies' numbers work out.
  std::vector<Execution> executions;
  if (!find_iterations(records, first, last, found) || !plan(u, found, executions)) return false;
  for (std::size_t i = first; i < last; ++i) {
    const Known& k = known_[records[i].site];
    counts_.gone += k.mapped && k.mapped->what == What::kGone ? 1u : 0u;
  }
  for (const Execution& e : executions) run_body(records, u, e, found);
  return true;
}

}  // namespace warpmem::emulate
