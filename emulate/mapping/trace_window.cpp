// A window of a warp's records, put in the order of the machine instructions: wide accesses take in
// their neighbours, and what has no instruction of its own is part of another.
#include <algorithm>
#include <bit>

#include "emulate/mapping/lane_addresses.hpp"
#include "emulate/mapping/sass_trace.hpp"

namespace warpmem::emulate {
namespace {

using trace::Record;

// Of an access that cannot be as wide as its instruction.
constexpr std::uint32_t kNotToBeHad = ~std::uint32_t{0};

// All bits of `bytes` bytes from `at` on.
std::uint32_t bits(std::uint32_t at, std::uint32_t bytes) { return ((1u << bytes) - 1) << at; }

// Was as much of a wide access asked for as makes it that wide? Of a store every byte. There is no
// load of three words: one of four takes them, as one of two would not, and its rest goes unused.
bool makes_it_so_wide(std::uint32_t asked, std::uint32_t width, trace::Op op) {
  if (asked == bits(0, width)) return true;
  if (op != trace::Op::kLoad || asked == kNotToBeHad || asked == 0) return false;
  const std::uint32_t run = asked >> std::countr_zero(asked);
  const std::uint32_t lower = bits(0, width / 2);
  return (run & (run + 1)) == 0 && (asked & lower) != 0 && (asked & ~lower) != 0;
}

}  // namespace

// The record of a wide access, from that of the PTX access that the instruction is named after.
void SassTrace::widen(std::size_t number) {
  Item& item = window_[number];
  const trace::Site& site = known_[item.record.site].site;
  const std::uint32_t width = item.access->bytes;
  if (width <= site.bytes || width > 16) {
    covered_[number] = 0;
    return;
  }
  // Wide accesses are aligned, so the address says which part of it the PTX access is.
  Record& r = item.record;
  const auto first = static_cast<std::uint32_t>(std::countr_zero(r.mask));
  const auto offset = static_cast<std::uint32_t>(lane_address(r, first, *lanes_) % width);
  bool alike = offset + site.bytes <= width;
  if (r.regular()) {
    alike =
        alike && (std::popcount(r.mask) == 1 || r.stride % static_cast<std::int32_t>(width) == 0);
    r.base -= offset;
  } else {
    std::uint64_t addresses[32];
    for (std::uint32_t left = r.mask; left; left &= left - 1) {
      const auto l = static_cast<std::uint32_t>(std::countr_zero(left));
      const std::uint64_t a = lane_address(r, l, *lanes_);
      alike = alike && a % width == offset;
      addresses[l] = a - offset;
    }
    const std::uint32_t kept = r.site;
    r = pack_lanes(r.mask, addresses, *lanes_);
    r.site = kept;
  }
  if (!alike) covered_[number] = kNotToBeHad;
  else if (item.access->ahead >> offset & 1) covered_[number] = bits(0, width);
  else covered_[number] = bits(offset, site.bytes);
}

// Finds the access that a missing one is part of, between the same barriers: a part of a wide one
// that nobody has yet, else, for a load, any that reads these bytes too.
void SassTrace::take_in(std::size_t number) {
  Item& item = window_[number];
  const trace::Site& site = known_[item.record.site].site;
  for (const bool part : {true, false}) {
    if (!part && site.op != trace::Op::kLoad) return;
    for (std::size_t i = 0; i < window_.size(); ++i) {
      const Item& other = window_[i];
      if (!other.access || other.kept || covered_[i] == kNotToBeHad || other.epoch != item.epoch)
        continue;
      const trace::Site& theirs = known_[other.record.site].site;
      if (theirs.op != site.op || theirs.space != site.space) continue;
      const std::uint32_t width = std::max(other.access->bytes, theirs.bytes);
      if (part && (covered_[i] == 0 || item.record.mask != other.record.mask)) continue;
      const auto distance = lane_distance(other.record, item.record, *lanes_);
      if (!distance || *distance < 0 || *distance + site.bytes > width) continue;
      const std::uint32_t mine = bits(static_cast<std::uint32_t>(*distance), site.bytes);
      if (part && (covered_[i] & mine) != 0) continue;
      // Loads may ask for the same bytes twice: a word, and the four that it is one of.
      if (part || (covered_[i] != 0 && item.record.mask == other.record.mask)) covered_[i] |= mine;
      item.into = static_cast<std::uint32_t>(i);
      return;
    }
  }
}

void SassTrace::close_window() {
  if (window_.empty()) return;
  covered_.assign(window_.size(), 0);
  // Wide accesses first: records change to theirs, so keep the PTX's own.
  std::vector<std::pair<std::size_t, Record>> widened;
  bool missing = false;
  std::uint32_t epoch = 0;
  for (std::size_t i = 0; i < window_.size(); ++i) {
    Item& item = window_[i];
    epoch += known_[item.record.site].site.op == trace::Op::kBarrier ? 1u : 0u;
    item.epoch = epoch;
    if (!item.access) {
      missing |= !item.kept && item.into == kNowhere;
      continue;
    }
    item.rank = item.access->rank;
    const trace::Site& site = known_[item.record.site].site;
    if (!item.whole && item.access->bytes > site.bytes &&
        (site.op == trace::Op::kLoad || site.op == trace::Op::kStore)) {
      widened.emplace_back(i, item.record);
      widen(i);
    }
    if (item.access->one_lane) {
      const Record& r = item.record;
      const auto last = 31u - static_cast<std::uint32_t>(std::countl_zero(r.mask));
      if (r.regular() && (r.stride == 0 || std::popcount(r.mask) == 1))
        item.record.mask = 1u << last;
      else item.kept = true;
    }
  }
  if (missing)
    for (std::size_t i = 0; i < window_.size(); ++i)
      if (!window_[i].access && !window_[i].kept && window_[i].into == kNowhere) take_in(i);
  // A wide access of which not enough was asked for is not what it seemed.
  for (const auto& [i, record] : widened) {
    const trace::Op op = known_[window_[i].record.site].site.op;
    if (makes_it_so_wide(covered_[i], window_[i].access->bytes, op)) continue;
    window_[i].record = record;
    window_[i].kept = true;
    for (Item& other : window_)
      if (other.into == i) other.into = kNowhere;
  }
  std::uint32_t rank = 0;
  for (Item& item : window_) {
    if (!item.access && item.into == kNowhere) item.kept = true;
    if (item.kept || !item.access) item.rank = rank;
    rank = item.rank;
  }
  std::stable_sort(window_.begin(), window_.end(),
                   [](const Item& a, const Item& b) { return a.rank < b.rank; });
  for (const Item& item : window_) {
    if (item.into != kNowhere) ++counts_.merged;
    else emit(item);
  }
  window_.clear();
}

}  // namespace warpmem::emulate
