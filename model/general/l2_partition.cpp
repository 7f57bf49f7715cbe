#include "model/general/l2_partition.hpp"

#include <algorithm>
#include <utility>

#include "model/access/sector_pieces.hpp"
#include "model/general/sector_bits.hpp"

namespace warpmem::model {
L2Partition::Traffic L2Partition::take_traffic() { return std::exchange(traffic_, {}); }

void L2Partition::clear() {
  if (listener_) listener_->l2_clear();
  sets_.clear();
  marked_ = false;
}

void L2Partition::mark(Line& line, Stay stay) {
  if (stay == Stay::kFirst || stay == Stay::kPersist) marked_ = true;
  line.first = stay == Stay::kFirst && !line.persists;
  if (stay == Stay::kNormal) line.persists = false;
  if (stay == Stay::kPersist) line.persists = true;
}

void L2Partition::keep(std::uint64_t number, Stay stay) {
  if (Line* const line = find(number)) mark(*line, stay);
}

void L2Partition::discard(std::uint64_t number) {
  notify(CacheUse::kDrop, number, 255);
  if (Line* const line = find(number)) line->readable = line->dirty = line->partial = 0;
}

void L2Partition::end_persisting() {
  for (std::size_t set = 0; set < sets_.size(); ++set)
    for (std::size_t at = 0; at < sets_.held(set); ++at) sets_.line(set, at).persists = false;
}

L2Partition::Line* L2Partition::find(std::uint64_t number) {
  const std::size_t set = spec_->index(number), at = sets_.find(set, number);
  return at < sets_.held(set) ? &sets_.line(set, at) : nullptr;
}

// Makes it the most recently used one; nullptr: it is not here.
L2Partition::Line* L2Partition::use(std::uint64_t number) {
  const std::size_t set = spec_->index(number), at = sets_.find(set, number);
  return at < sets_.held(set) ? &sets_.use(set, at, spec_->ways) : nullptr;
}

// It stays, clean.
void L2Partition::clean(Line& line) {
  traffic_.fills += sectors_in(line.partial);
  line.readable = with(line.readable, line.partial);
  traffic_.writes += sectors_in(with(line.dirty, line.partial));
  traffic_.line = line.number;
  line.dirty = line.partial = 0;
}

// The first to go before all others, then the one that the policy picks; but none that persists,
// unless more persist than may. A dirty one whose turn it is gets written back and stays; the next
// clean one goes, the oldest first, or with none clean itself.
void L2Partition::make_room(std::size_t set) {
  const auto lines = sets_.lines(set);
  const std::size_t picked = sets_.victim(set, spec_->ways);
  if (!policy_->spares_dirty) {
    if (lines[picked].is_dirty()) clean(lines[picked]);
    return sets_.erase(set, picked);
  }
  // What mostly goes.
  if (!marked_ && !lines[picked].is_dirty()) return sets_.erase(set, picked);
  const bool held = lines.count_if([](const Line& l) { return l.persists; }) <= persist_ways_;
  const auto may_go = [held](const Line& l) { return !(held && l.persists); };
  std::vector<std::size_t> turns;
  const auto oldest_first = [&](bool first) {
    for (std::size_t i = lines.size(); i-- > 0;)
      if (lines[i].first == first && may_go(lines[i])) turns.push_back(i);
  };
  oldest_first(true);
  if (may_go(lines[picked])) turns.push_back(picked);
  oldest_first(false);
  const auto clean_one = std::find_if_not(turns.begin(), turns.end(),
                                          [&](std::size_t i) { return lines[i].is_dirty(); });
  const std::size_t gone = clean_one == turns.end() ? turns.front() : *clean_one;
  if (lines[turns.front()].is_dirty()) clean(lines[turns.front()]);
  sets_.erase(set, gone);
}

L2Partition::Line& L2Partition::bring(std::uint64_t number) {
  if (Line* const line = use(number)) return *line;
  const std::size_t set = spec_->index(number);
  if (sets_.held(set) == spec_->ways) make_room(set);
  return sets_.bring(set, number, spec_->ways);
}

L2Partition::Found L2Partition::read(std::uint64_t line, std::uint8_t sectors, std::uint32_t piece,
                                     Stay stay) {
  Found found;
  notify(CacheUse::kLoad, line, sectors);
  CacheListener* const listener = std::exchange(listener_, nullptr);
  found.here = look_up(line);
  found.missing = without(in_pieces(without(sectors, found.here), piece), found.here);
  if (found.missing) fill(line, found.missing, stay);
  else keep(line, stay);
  listener_ = listener;
  return found;
}

std::uint8_t L2Partition::look_up(std::uint64_t number) {
  notify(CacheUse::kLoad, number, 0);
  const Line* const line = use(number);
  return line ? line->readable : std::uint8_t{0};
}

void L2Partition::fill(std::uint64_t number, std::uint8_t sectors, Stay stay) {
  notify(CacheUse::kStore, number, sectors, sectors);
  Line& line = bring(number);
  line.readable = with(line.readable, sectors);
  // What was written in part is whole now, and dirty.
  line.dirty = with(line.dirty, line.partial & sectors);
  line.partial = without(line.partial, sectors);
  mark(line, stay);
}

void L2Partition::write(const LineTouch& written, Stay stay) {
  notify(CacheUse::kStore, written);
  Line& line = bring(written.line);
  mark(line, stay);
  for (std::uint32_t s = 0; s < line_bytes_ / kSectorBytes; ++s) {
    if (written.bytes[s] == 0) continue;
    const auto bit = static_cast<std::uint8_t>(1u << s);
    const std::uint32_t bytes = written.bytes[s] | (line.partial & bit ? line.bytes[s] : 0);
    if ((line.readable & bit) || bytes == ~0u) {
      line.partial = without(line.partial, bit);
      line.readable = with(line.readable, bit);
      line.dirty = with(line.dirty, bit);
    } else {
      line.partial = with(line.partial, bit);
      line.bytes[s] = bytes;
    }
  }
  const auto set = sets_.lines(spec_->index(written.line));
  const auto limit = [&](std::uint32_t most, auto is) {
    if (most < set.size() && set.count_if(is) > most) clean(set.oldest(is));
  };
  limit(spec_->partial_ways, [](const Line& l) { return l.partial != 0; });
  // Lines that persist stay as they are, as long as no more of them do than may.
  const bool held =
      !marked_ || set.count_if([](const Line& l) { return l.persists; }) <= persist_ways_;
  limit(spec_->dirty_ways, [held](const Line& l) { return l.is_dirty() && !(held && l.persists); });
}

void L2Partition::drop(std::uint64_t number, std::uint8_t sectors) {
  notify(CacheUse::kDrop, number, sectors);
  if (Line* const line = find(number)) line->readable = without(line->readable, sectors);
}

void L2Partition::set_aside(std::uint64_t bytes) {
  const std::uint64_t way = std::uint64_t{spec_->index.sets()} * line_bytes_;
  persist_ways_ = persisting_ways(bytes, way, spec_->ways);
}

}  // namespace warpmem::model
