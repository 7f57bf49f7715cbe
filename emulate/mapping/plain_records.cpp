// Records outside unrolled loops: which machine instruction each is, and the loops that ptxas makes
// of atomics.
#include <algorithm>
#include <bit>

#include "emulate/mapping/lane_addresses.hpp"
#include "emulate/mapping/sass_trace.hpp"

namespace warpmem::emulate {
namespace {

using What = MappedSite::What;
using trace::Record;

}  // namespace

// A loop's iterations, shared out among the loops that they became: as many as fit go through the
// one that takes most at a time, the others through the next. Counts are of all the times that the
// warp came to the loop; where these were not equally many, half of what the larger loops leave at
// most is left on average.
void SassTrace::add_rounds(const Record& record, const Known& k) {
  if (k.rounds->empty()) return;
  const std::uint32_t position = k.mapped->position;
  if (!window_.empty() && position <= last_position_) close_window();
  last_position_ = position;
  const std::uint64_t taken = record.base;
  const auto passed = static_cast<std::uint64_t>(std::max(record.stride, 0));
  const std::uint64_t entries = std::max<std::uint64_t>(1, passed);
  std::uint64_t left = taken + passed;  // iterations; of a loop that asks first, `passed` is 0
  for (std::size_t i = 0; i < k.rounds->size(); ++i) {
    const MappedRounds& r = (*k.rounds)[i];
    const std::uint64_t n = r.iterations;
    std::uint64_t rounds = 0;
    if (i + 1 == k.rounds->size()) rounds = (left + n / 2) / n;
    else if (left % entries == 0) rounds = left / entries / n * entries;
    else if (const std::uint64_t half = entries * (n - 1) / 2; left > half)
      rounds = (left - half) / n;
    left -= std::min(left, rounds * n);
    const std::uint64_t once = r.at_end ? entries : 0;
    if (rounds <= once) continue;
    Item item;
    item.record = record;
    item.record.base = rounds - once;
    item.record.stride = 0;
    item.statement = k.site.pc / 16;
    item.access = &r.branch;
    item.position = position;
    window_.push_back(item);
  }
}

// What comes later in the code has been run, by some of the same lanes, or this itself by others: a
// loop's next iteration. Otherwise those were on the other side of a branch, which the machine code
// may have as predicates.
bool SassTrace::goes_round(const Record& record, const MappedSite& m) const {
  if (window_.empty()) return false;
  if (m.position < last_position_)
    return std::any_of(window_.begin(), window_.end(), [&](const Item& i) {
      return i.position == m.position ||
             (i.position > m.position && (i.record.mask & record.mask) != 0);
    });
  return m.position == last_position_ && m.what != What::kPieces &&
         window_.back().record.site == record.site &&
         (window_.back().record.mask & record.mask) != 0;
}

// The machine instruction that a record is now; null: it is part of another, if anything.
const SassAccess* SassTrace::instruction_of(const MappedSite& m, const Item& item,
                                            bool second) const {
  switch (m.what) {
    case What::kDirect: return &m.accesses[0];
    case What::kRotated: return &m.accesses[second ? 1 : 0];
    case What::kByWarp: return &m.accesses[item.record.mask == ~0u ? 1 : 0];
    case What::kPieces: {
      std::size_t before = 0;
      for (const Item& i : window_) before += i.statement == item.statement ? 1u : 0u;
      return &m.accesses[before % m.accesses.size()];
    }
    default: return nullptr;
  }
}

// Loops that the machine code has for one access of the PTX. False: it has none.
bool SassTrace::add_loop_of_one(const Record& record, const Known& k, std::uint32_t statement) {
  const MappedSite& m = *k.mapped;
  if (m.what == What::kSwapLoop) add_swap_loop(record, m.accesses, statement);
  else if (m.what == What::kWordLoop) add_word_loop(record, m.accesses, statement);
  else if (m.what == What::kGenericAtomic) add_generic_atomic(record, k, statement);
  else return false;
  last_position_ = m.position;
  return true;
}

void SassTrace::add_plain(const Record& record, std::span<const Record> pieces, const Known& k) {
  if (!k.mapped) {  // a CTA's begin or end
    close_window();
    out_.push_back(record);
    rotated_.loop = kNowhere;
    function_ = 0;
    return;
  }
  Item item;
  item.record = record;
  item.pieces = pieces;
  const MappedSite& m = *k.mapped;
  enter(m.function);
  item.statement = k.site.pc / 16;
  if (m.what == What::kGone) {
    counts_.gone += 1 + pieces.size();
    return;
  }
  if (add_loop_of_one(record, k, item.statement)) return;
  if (goes_round(record, m)) close_window();
  last_position_ = window_.empty() ? m.position : std::max(last_position_, m.position);
  item.position = m.position;
  const bool second = comes_again(record, m);
  if (m.what == What::kSplit) {
    for (const SassAccess& access : m.accesses) {
      item.access = &access;
      window_.push_back(item);
    }
    return;
  }
  item.access = instruction_of(m, item, second);
  window_.push_back(item);
}

// Of a rotated loop: was the warp, or were these lanes of it, in its head before?
bool SassTrace::comes_again(const Record& record, const MappedSite& m) {
  const bool fresh = rotated_.loop != m.rotated || (!m.tail && (rotated_.lanes & record.mask) == 0);
  if (fresh) rotated_ = {m.rotated, 0, 0, 0, false};
  rotated_.lanes |= record.mask;
  if (m.rotated == kNowhere) return false;
  rotated_.again |= m.tail;
  if (m.what == What::kRotated && m.once) {
    rotated_.again |= m.position < rotated_.position ||
                      (m.position == rotated_.position && (record.mask & rotated_.mask) != 0);
    rotated_.position = m.position, rotated_.mask = record.mask;
  }
  return rotated_.again;
}

// All lanes try at once, whatever memory their words lie in; there is a record for each. Those in
// shared memory may have to go round a loop then. In local memory, each lane alone: as the PTX has
// it.
void SassTrace::add_generic_atomic(const Record& record, const Known& k, std::uint32_t statement) {
  const MappedSite& m = *k.mapped;
  const bool own = k.site.space == trace::Space::kShared;
  const bool other = k.site.space == trace::Space::kRemoteShared;
  const std::size_t body = other ? 1 : 0;
  const bool loops = (own || other) && !m.bodies.empty();
  if (!window_.empty() && m.position <= last_position_) close_window();
  Item item;
  item.record = record;
  item.statement = statement;
  item.access = &m.accesses[0];
  item.kept = k.site.space == trace::Space::kLocal ||
              (loops && (body >= m.bodies.size() || m.bodies[body].empty()));
  window_.push_back(item);
  if (loops && !item.kept) add_swap_loop(record, m.bodies[body], statement);
}

// The words are loaded once: who comes too late finds in them what to go on with.
void SassTrace::add_word_loop(const Record& record, const std::vector<SassAccess>& accesses,
                              std::uint32_t statement) {
  std::uint64_t word[32] = {};
  for (std::uint32_t left = record.mask; left; left &= left - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(left));
    word[l] = lane_address(record, l, *lanes_) & ~std::uint64_t{3};
  }
  Record words = pack_lanes(record.mask, word, *lanes_);
  words.site = record.site;
  close_window();
  Item item;
  item.record = words;
  item.statement = statement;
  item.access = &accesses[0];
  window_.push_back(item);
  add_swap_loop(words, {accesses[1]}, statement);
}

// Each round, one lane of those at an address has its turn: the others find another value there
// than they loaded. (Where lanes leave the value as it is they all have it at once; records do not
// say.)
void SassTrace::add_swap_loop(const Record& record, const std::vector<SassAccess>& accesses,
                              std::uint32_t statement) {
  close_window();
  std::uint64_t address[32] = {};
  for (std::uint32_t left = record.mask; left; left &= left - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(left));
    address[l] = lane_address(record, l, *lanes_);
  }
  std::uint32_t waiting = record.mask;
  while (waiting != 0) {
    Item item;
    item.record = waiting == record.mask ? record : pack_lanes(waiting, address, *lanes_);
    item.record.site = record.site;
    item.statement = statement;
    for (const SassAccess& access : accesses) {
      item.access = &access;
      window_.push_back(item);
    }
    close_window();
    std::uint32_t later = 0;
    for (std::uint32_t left = waiting; left; left &= left - 1) {
      const auto l = static_cast<std::uint32_t>(std::countr_zero(left));
      for (std::uint32_t before = waiting & ((1u << l) - 1); before; before &= before - 1)
        if (address[std::countr_zero(before)] == address[l]) later |= 1u << l;
    }
    waiting = later;
  }
}

}  // namespace warpmem::emulate
