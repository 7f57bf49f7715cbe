#include "emulate/mapping/sass_trace.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "emulate/mapping/lane_addresses.hpp"

namespace warpmem::emulate {
namespace {

using What = MappedSite::What;
using trace::Record;

bool is_access(const trace::Site& s) {
  return s.op != trace::Op::kCtaBegin && s.op != trace::Op::kCtaEnd;
}

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

const SassTrace::Known& SassTrace::known(std::uint32_t number) {
  while (known_.size() <= number) {
    Known k;
    k.site = sites_.sites()[known_.size()];
    const std::uint32_t statement = k.site.pc / 16;
    k.marker = k.site.bytes == kBackEdgeBytes;
    k.side = k.site.bytes == kTookBytes || k.site.bytes == kPassedBytes;
    if (k.site.op == trace::Op::kRounds) {
      k.rounds = &map_.rounds[statement];
      k.mapped = &map_.sites[statement];
    } else if (k.marker) k.back_edge = map_.back_edges[statement];
    else if (!k.side && is_access(k.site) && statement < map_.sites.size()) k.mapped = &map_.sites[statement];
    known_.push_back(std::move(k));
  }
  return known_[number];
}

void SassTrace::apply(std::vector<Record>& records, std::vector<std::uint64_t>& lanes) {
  lanes_ = &lanes;
  out_.clear();
  // Those of a loop that was unrolled with its accesses say nothing that these do not.
  if (!map_.back_edges.empty())
    std::erase_if(records, [&](const Record& r) {
      const Known& k = known(r.site);
      return k.rounds && map_.back_edges[k.site.pc / 16] >= 2;
    });
  if (!map_.told.empty()) sink(records);
  out_.reserve(records.size());
  // Site numbers beyond these are machine instructions', which this warp's records do not have.
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Known& k = known(records[i].site);
    if (k.rounds) {
      add_rounds(records[i], k);
      continue;
    }
    const std::uint32_t loop = k.marker   ? k.back_edge >= 2 ? k.back_edge - 2 : kNowhere
                               : k.mapped ? k.mapped->loop
                                          : kNowhere;
    if (loop == kNowhere) {
      if (k.marker) continue;  // of a loop around an unrolled one: it has ended that loop's run
      const std::span<const Record> pieces = pieces_behind(records, i);
      add_plain(records[i], pieces, k);
      i += pieces.size();
      continue;
    }
    if (k.mapped) enter(k.mapped->function);
    const std::uint32_t position = k.mapped ? k.mapped->position : 0;
    if (!map_.loops[loop].is_straight() || (!window_.empty() && position <= last_position_)) close_window();
    std::size_t end = i;
    for (; end < records.size(); ++end) {
      const Known& next = known(records[end].site);
      const bool inside = next.marker ? next.back_edge == 2 + loop
                                      : next.mapped && (next.mapped->loop == loop ||
                                                        next.mapped->what == What::kGone);
      if (!inside) break;
    }
    run_loop(records, i, end, loop);
    i = end - 1;
  }
  close_window();
  std::swap(records, out_);
}

void SassTrace::sink(std::vector<Record>& records) {
  std::size_t left = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    Record r = records[i];
    const Known& k = known(r.site);
    if (k.side) continue;
    if (k.mapped && !k.rounds && k.mapped->sunk != kNowhere) {
      const trace::Site side = side_site(16 * k.mapped->sunk, k.mapped->sunk_to_taken);
      std::uint32_t went = 0;
      for (std::size_t j = i + 1; j < records.size() && records[j].site != r.site; ++j)
        if (known(records[j].site).site == side) went |= records[j].mask;
      leave(r, went);
      if (r.mask == 0) continue;
    }
    records[left++] = r;
  }
  records.resize(left);
}

void SassTrace::leave(Record& r, std::uint32_t mask) {
  mask &= r.mask;
  if (mask != r.mask && mask != 0 && !r.regular()) {
    std::size_t lane = r.lanes;
    r.lanes = static_cast<std::uint32_t>(lanes_->size());
    for (std::uint32_t rest = r.mask; rest; rest &= rest - 1, ++lane)
      if (rest & (0u - rest) & mask) lanes_->push_back(std::uint64_t{(*lanes_)[lane]});
  }
  r.mask = mask;
}

bool SassTrace::is_further(const Record& r) {
  const trace::Op op = known(r.site).site.op;
  return op == trace::Op::kTexel || (is_bulk(op) && piece_of(r) == trace::Piece::kFurther);
}

std::span<const Record> SassTrace::pieces_behind(const std::vector<Record>& records,
                                                 std::size_t i) {
  std::size_t end = i + 1;
  while (end < records.size() && is_further(records[end])) ++end;
  return std::span(records).subspan(i + 1, end - i - 1);
}

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

void SassTrace::add_plain(const Record& record, std::span<const Record> pieces, const Known& k) {
  Item item;
  item.record = record;
  item.pieces = pieces;
  if (!k.mapped) {  // a CTA's begin or end
    close_window();
    out_.push_back(record);
    rotated_.loop = kNowhere;
    function_ = 0;
    return;
  }
  const MappedSite& m = *k.mapped;
  enter(m.function);
  item.statement = k.site.pc / 16;
  if (m.what == What::kGone) {
    counts_.gone += 1 + pieces.size();
    return;
  }
  if (m.what == What::kSwapLoop) {
    add_swap_loop(record, m.accesses, item.statement);
    last_position_ = m.position;
    return;
  }
  if (m.what == What::kWordLoop) {
    add_word_loop(record, m.accesses, item.statement);
    last_position_ = m.position;
    return;
  }
  if (m.what == What::kGenericAtomic) {
    add_generic_atomic(record, k, item.statement);
    last_position_ = m.position;
    return;
  }
  // What comes later in the code has been run, by some of the same lanes, or this itself by others: a
  // loop's next round. Otherwise those were on the other side of a branch, which the machine code may
  // have as predicates.
  bool again = !window_.empty() && m.position < last_position_ &&
               std::any_of(window_.begin(), window_.end(), [&](const Item& i) {
                 return i.position == m.position ||
                        (i.position > m.position && (i.record.mask & record.mask) != 0);
               });
  if (!again && !window_.empty() && m.position == last_position_ && m.what != What::kPieces)
    again = window_.back().record.site == record.site &&
            (window_.back().record.mask & record.mask) != 0;
  if (again) close_window();
  last_position_ = window_.empty() ? m.position : std::max(last_position_, m.position);
  item.position = m.position;
  const bool second = comes_again(record, m);
  if (m.what == What::kDirect) item.access = &m.accesses[0];
  if (m.what == What::kRotated) item.access = &m.accesses[second ? 1 : 0];
  if (m.what == What::kByWarp) item.access = &m.accesses[record.mask == ~0u ? 1 : 0];
  if (m.what == What::kPieces) {
    std::size_t before = 0;
    for (const Item& i : window_) before += i.statement == item.statement ? 1u : 0u;
    item.access = &m.accesses[before % m.accesses.size()];
  }
  if (m.what == What::kSplit)
    for (std::size_t i = 0; i + 1 < m.accesses.size(); ++i) {
      item.access = &m.accesses[i];
      window_.push_back(item);
    }
  if (m.what == What::kSplit) item.access = &m.accesses.back();
  window_.push_back(item);
}

void SassTrace::enter(std::uint32_t function) {
  if (function == kNowhere || function == function_) return;
  close_window();
  function_ = function;
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

// The record with every address so many bytes on.
Record SassTrace::moved(const Record& record, std::int64_t bytes) {
  Record r = record;
  const auto by = static_cast<std::uint64_t>(bytes);
  if (r.regular()) {
    r.base += by;
    return r;
  }
  std::uint64_t address[32] = {};
  for (std::uint32_t left = r.mask; left; left &= left - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(left));
    address[l] = lane_address(r, l, *lanes_) + by;
  }
  r = pack_lanes(r.mask, address, *lanes_);
  r.site = record.site;
  return r;
}

void SassTrace::emit(const Item& item) {
  emit(item, item.record);
  for (const Record& r : item.pieces) emit(item, r);
}

void SassTrace::emit(const Item& item, Record r) {
  Known& k = known_[r.site];
  std::uint32_t pc = 0, bytes = k.site.bytes;
  if (item.kept || !item.access) {
    pc = map_.ptx_zone + 16 * item.statement;
    ++counts_.kept;
  } else {
    pc = item.access->pc;
    if (item.access->bytes > bytes || item.access->narrow) bytes = item.access->bytes;
    if (item.access->skipped != 0) r = moved(r, item.access->skipped);
    if (!k.rounds) ++counts_.mapped;
  }
  const auto found = std::find_if(k.numbers.begin(), k.numbers.end(),
                                  [&](const auto& n) { return n.first == pc; });
  if (found != k.numbers.end()) {
    r.site = found->second;
  } else {
    trace::Site site = k.site;
    site.pc = pc, site.bytes = bytes;
    if (item.access && !item.kept && item.access->load) site.op = trace::Op::kLoad;
    else if (item.access && !item.kept &&
             (site.op == trace::Op::kAtomic || site.op == trace::Op::kReduction))
      site.op = item.access->reduction ? trace::Op::kReduction : trace::Op::kAtomic;
    r.site = sites_.number_of(site);
    k.numbers.emplace_back(pc, r.site);
  }
  out_.push_back(r);
}

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

bool SassTrace::try_loop(const std::vector<Record>& records, std::size_t first, std::size_t last,
                         std::uint32_t loop) {
  // The iteration that each lane is in; all lanes of a record must be in the same.
  std::uint32_t at[32] = {};
  std::uint32_t lanes = 0;
  std::map<std::uint32_t, std::vector<std::uint32_t>> found;  // site: record of each iteration
  std::vector<std::uint32_t> order;                           // sites as they were met
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
    auto [entry, fresh] = found.try_emplace(r.site);
    if (fresh) order.push_back(r.site);
    std::vector<std::uint32_t>& of = entry->second;
    if (of.size() <= now) of.resize(now + 1, kNowhere);
    if (of[now] != kNowhere) return false;  // twice in one iteration
    of[now] = static_cast<std::uint32_t>(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return known_[a].mapped->position < known_[b].mapped->position;
  });
  std::uint32_t left[32] = {};  // iterations
  for (std::uint32_t l = 0; l < 32; ++l) left[l] = lanes >> l & 1 ? at[l] + 1 : 0;
  std::uint32_t done[32] = {};
  // What would be written is kept aside until it is clear that the bodies' numbers work out.
  const UnrolledLoop& u = map_.loops[loop];
  std::vector<Execution> executions;
  // Straight code has them all, as many as they are: that one statement has fewer instructions says nothing.
  const std::uint32_t all = *std::max_element(std::begin(left), std::end(left));
  const auto iterations = [&](std::size_t body) {
    return u.is_straight() ? std::max(all, u.bodies[body].iterations) : u.bodies[body].iterations;
  };
  const auto execute = [&](std::size_t body) {
    const std::uint32_t k = iterations(body);
    Execution e{body, 0, {}};
    for (std::uint32_t l = 0; l < 32; ++l) {
      if (left[l] == 0 || (left[l] < k && !u.may_leave)) continue;
      e.mask |= 1u << l;
      e.from[l] = done[l];
      done[l] += k;
      left[l] -= std::min(k, left[l]);
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
  for (const std::uint32_t l : left)
    if (l != 0) return false;
  for (std::size_t i = first; i < last; ++i) {
    const Known& k = known_[records[i].site];
    counts_.gone += k.mapped && k.mapped->what == What::kGone ? 1u : 0u;
  }
  for (const Execution& e : executions) {
    const std::size_t begin = window_.size();
    std::map<std::uint32_t, std::vector<std::size_t>> fewer;  // site with fewer instructions than iterations: its items
    for (std::uint32_t c = 0; c < iterations(e.body); ++c) {
      for (const std::uint32_t site : order) {
        const Known& k = known_[site];
        const std::vector<std::uint32_t>& of = found[site];
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
        if (mask == 0) continue;
        Item item;
        item.record = gather(mask, of_lane, records);
        if (is_bulk(k.site.op))
          item.pieces = pieces_behind(records, of_lane[std::countr_zero(mask)]);
        item.statement = k.site.pc / 16;
        item.position = k.mapped->position;
        if (k.mapped->what == What::kUnrolled) {
          const std::vector<SassAccess>& copies = k.mapped->bodies[e.body];
          if (copies.size() == iterations(e.body)) item.access = &copies[c];
          else fewer[site].push_back(window_.size());
        }
        window_.push_back(item);
      }
    }
    std::vector<Fewer> shares;
    for (auto& [site, items] : fewer) shares.push_back({&known_[site].mapped->bodies[e.body], std::move(items)});
    share_out(std::move(shares), begin);
    if (u.is_straight()) last_position_ = known_[order.back()].mapped->position;
    else close_window();
  }
  return true;
}

}  // namespace warpmem::emulate
