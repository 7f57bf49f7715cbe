#include "model/early/line_cache.hpp"

#include <algorithm>
#include <utility>

namespace warpmem::model {
namespace {

std::uint8_t with(std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a | b); }
std::uint8_t without(std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a & ~b); }

}  // namespace

std::uint8_t LineCache::in_pieces(std::uint8_t sectors) const {
  const std::uint32_t piece = shape_.sector_bytes / 32;
  if (piece <= 1) return sectors;
  std::uint8_t all = 0;
  for (std::uint32_t first = 0; first < shape_.line_bytes / 32; first += piece) {
    const auto of_piece = static_cast<std::uint8_t>(((1u << piece) - 1) << first);
    if (sectors & of_piece) all = with(all, of_piece);
  }
  return all;
}

// The youngest from now on, where the policy says so; nullptr: it is not here.
LineCache::Line* LineCache::use(std::uint64_t number) {
  const std::uint32_t of = index_(number);
  return sets_[of].use(number, *policy_, ways_of(of), draws_);
}

LineCache::Line& LineCache::bring(std::uint64_t number) {
  const std::uint32_t of = index_(number);
  Set& set = sets_[of];
  if (set.lines.size() == ways_of(of)) {
    const std::size_t gone = set.victim(*policy_, ways_of(of), draws_);
    if (set.lines[gone].dirty) pushed_ = {set.lines[gone].number, set.lines[gone].dirty};
    set.erase(gone);
  }
  Line line;
  line.number = number;
  return set.bring(line, *policy_, ways_of(of), draws_);
}

LineCache::Found LineCache::load(std::uint64_t number, std::uint8_t sectors) {
  if (!exists()) return {sectors, false, 0};
  if (pieces() == 1) return load_line(number, sectors);
  Found all{0, true, 0};
  const std::uint32_t of_piece = shape_.line_bytes / 32;
  for (std::uint32_t p = 0; p < pieces(); ++p) {
    const auto wanted = static_cast<std::uint8_t>(sectors >> p * of_piece & ((1u << of_piece) - 1));
    if (!wanted) continue;
    const Found found = load_line(number * pieces() + p, wanted);
    all.missing = with(all.missing, static_cast<std::uint8_t>(found.missing << p * of_piece));
    all.hit = all.hit && found.hit;
    all.arrival = std::max(all.arrival, found.arrival);
  }
  return all;
}

LineCache::Found LineCache::load_line(std::uint64_t number, std::uint8_t sectors) {
  Line* line = use(number);
  const std::uint8_t here = line ? line->here : std::uint8_t{0};
  Found found;
  found.hit = without(sectors, here) == 0;
  found.missing = without(in_pieces(without(sectors, here)), here);
  found.arrival = line ? line->arrival : 0;
  if (!found.missing) return found;
  if (!line) line = &bring(number);
  line->here = with(line->here, found.missing);
  return found;
}

void LineCache::arrives(std::uint64_t number, std::uint64_t cycle) {
  if (!exists()) return;
  for (std::uint64_t n = number * pieces(); n < (number + 1) * pieces(); ++n)
    for (Line& l : sets_[index_(n)].lines)
      if (l.number == n) l.arrival = std::max(l.arrival, cycle);
}

bool LineCache::store(std::uint64_t number, std::uint8_t sectors, bool back, bool allocate) {
  if (!exists()) return false;
  Line* line = use(number);
  const bool was_here = line != nullptr;
  if (!line && !allocate) return false;
  if (!line) line = &bring(number);
  line->here = with(line->here, sectors);
  if (back) line->dirty = with(line->dirty, sectors);
  return was_here;
}

bool LineCache::drop(std::uint64_t number, std::uint8_t sectors) {
  if (!exists()) return false;
  Set& set = sets_[index_(number)];
  for (std::size_t i = 0; i < set.lines.size(); ++i) {
    Line& line = set.lines[i];
    if (line.number != number) continue;
    // What is filled as a whole goes as a whole.
    line.here = without(line.here, in_pieces(sectors));
    if (!line.here) set.erase(i);
    return true;
  }
  return false;
}

void LineCache::clear() {
  for (Set& set : sets_) set = {};
  draws_ = 0;
  pushed_.reset();
}

void LineCache::invalidate(std::uint64_t below) {
  for (Set& set : sets_)
    std::erase_if(set.lines, [below](const Line& l) { return l.number < below && !l.dirty; });
}

std::vector<LineCache::Pushed> LineCache::take_dirty() {
  std::vector<Pushed> all;
  for (Set& set : sets_)
    for (Line& l : set.lines)
      if (l.dirty) all.push_back({l.number, std::exchange(l.dirty, std::uint8_t{0})});
  return all;
}

}  // namespace warpmem::model
