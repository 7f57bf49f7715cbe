// Of a loop that was unrolled, a statement of which a body has fewer instructions than iterations.
//
// Either the last iteration leaves the loop before it comes there: then there are as many records as
// instructions, one for each. Or loads of several iterations became one, of this statement's or of
// another one's: x[4i+1] … x[4i+4] of four iterations are four wide loads, each with the last word
// of the iteration before, and one load of a word. The constants in the instructions' addresses say
// which bytes each of them loads, as soon as it is known where one of them is.
#include <algorithm>
#include <bit>

#include "emulate/mapping/lane_addresses.hpp"
#include "emulate/mapping/sass_trace.hpp"

namespace warpmem::emulate {
namespace {

using trace::Record;

std::uint64_t first_address(const Record& r, const std::vector<std::uint64_t>& lanes) {
  return lane_address(r, static_cast<std::uint32_t>(std::countr_zero(r.mask)), lanes);
}

}  // namespace

void SassTrace::share_out(std::vector<Fewer> fewer, std::size_t begin) {
  std::erase_if(fewer, [&](const Fewer& f) {
    const bool equal = f.copies->size() == f.items.size();
    const bool load = known_[window_[f.items[0]].record.site].site.op == trace::Op::kLoad;
    for (std::size_t i = 0; i < f.items.size(); ++i) {
      if (equal) window_[f.items[i]].access = &(*f.copies)[i];
      else if (!load) window_[f.items[i]].kept = true;
    }
    return equal || !load || f.copies->empty();  // a load without an instruction may be part of another one
  });
  for (const Fewer& f : fewer) {
    const auto known = anchor(f, fewer, begin);
    if (!known || !share_by_address(f, *known))
      for (const std::size_t i : f.items) window_[i].kept = true;
  }
}

// An item with its instruction: of this body, else of what stands before it in the same straight code. Else the lowest
// instruction has the lowest record, and the highest one the highest, if that comes to the same.
std::optional<SassTrace::Anchor> SassTrace::anchor(const Fewer& of, const std::vector<Fewer>& fewer,
                                                   std::size_t begin) const {
  const SassAccess& own = of.copies->front();
  const auto site = [&](std::size_t item) { return known_[window_[item].record.site].site; };
  const auto alike = [&](std::size_t item) { return site(item).space == site(of.items[0]).space; };
  const auto beside = [&](std::size_t item, const SassAccess& access) {  // wide ones are aligned
    const std::uint32_t width = std::max({access.bytes, site(item).bytes, 1u});
    const std::uint64_t skipped = first_address(window_[item].record, *lanes_) % width;
    return Anchor{window_[item].record, access.at + static_cast<std::int64_t>(skipped)};
  };
  for (const bool before : {false, true})
    for (std::size_t i = before ? 0 : begin; i < (before ? begin : window_.size()); ++i)
      if (const SassAccess* a = window_[i].access; a && !window_[i].whole && a->from == own.from && alike(i))
        return beside(i, *a);
  const SassAccess *first = &own, *last = first;
  std::size_t lowest = of.items[0], highest = lowest;
  const auto address = [&](std::size_t item) { return first_address(window_[item].record, *lanes_); };
  for (const Fewer& f : fewer) {
    if (!alike(f.items[0]) || f.copies->front().from != own.from) continue;
    for (const SassAccess& c : *f.copies) {
      if (c.from == own.from && c.at < first->at) first = &c;
      if (c.from == own.from && c.at > last->at) last = &c;
    }
    for (const std::size_t i : f.items) {
      if (address(i) < address(lowest)) lowest = i;
      if (address(i) > address(highest)) highest = i;
    }
  }
  const Anchor low = beside(lowest, *first), high = beside(highest, *last);
  const auto apart = lane_distance(low.record, high.record, *lanes_);
  if (!apart || low.at + *apart != high.at) return std::nullopt;
  return low;
}

// In straight code each instruction is run once, by lanes that ask for its bytes. Several may load the same ones, where
// values could not be kept.
bool SassTrace::share_by_address(const Fewer& of, const Anchor& known) {
  const std::vector<SassAccess>& copies = *of.copies;
  const std::uint32_t bytes = known_[window_[of.items[0]].record.site].site.bytes;
  std::vector<std::int64_t> place;  // of each item, as an instruction's address would have it
  for (const std::size_t i : of.items) {
    const auto distance = lane_distance(known.record, window_[i].record, *lanes_);
    if (!distance) return false;
    place.push_back(known.at + *distance);
  }
  const std::size_t none = of.items.size();
  const auto loads = [&](const SassAccess& c, std::size_t i) {
    const std::int64_t width = std::max(c.bytes, bytes);
    return c.from == copies[0].from && place[i] >= c.at && place[i] + bytes <= c.at + width;
  };
  std::vector<bool> given(none, false);
  std::vector<std::size_t> asks(copies.size(), none);  // one of the items whose bytes it loads
  std::vector<bool> own(copies.size(), false);         // … for which no other one does
  for (std::size_t c = 0; c < copies.size(); ++c) {
    for (std::size_t i = 0; i < none && !own[c]; ++i) {
      if (!loads(copies[c], i)) continue;
      own[c] = !given[i];
      if (own[c] || asks[c] == none) asks[c] = i;
    }
    if (asks[c] == none) return false;
    given[asks[c]] = true;
  }
  std::vector<std::size_t> stands(copies.size());  // its item
  std::vector<Item> made;
  for (std::size_t c = 0; c < copies.size(); ++c) {
    const std::size_t i = asks[c];
    made.push_back(window_[of.items[i]]);
    made.back().record = moved(made.back().record, copies[c].at - place[i]);
    made.back().access = &copies[c], made.back().whole = true;
    stands[c] = own[c] ? of.items[i] : window_.size();
    if (!own[c]) window_.emplace_back();
  }
  for (std::size_t c = 0; c < copies.size(); ++c) window_[stands[c]] = made[c];
  for (std::size_t i = 0; i < none; ++i)
    for (std::size_t c = 0; c < copies.size() && !given[i]; ++c) {
      if (!loads(copies[c], i)) continue;
      window_[of.items[i]].into = static_cast<std::uint32_t>(stands[c]);
      given[i] = true;
    }
  return true;
}

}  // namespace warpmem::emulate
