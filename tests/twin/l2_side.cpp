#include "tests/twin/l2_side.hpp"

#include <algorithm>

namespace warpmem::twin {

Sectors L2Side::in_pieces(Sectors sectors, std::uint32_t piece, const TwinSpec& spec) {
  Sectors all = 0;
  for (std::uint32_t first = 0; first < spec.sectors(); first += piece) {
    const Sectors of_piece = ((1u << piece) - 1) << first;
    if (sectors & of_piece) all |= of_piece;
  }
  return all;
}

// Makes the line the most recently used one; nullptr: it is not here.
L2Side::Line* L2Side::use(std::uint64_t line) {
  Set& set = set_of(line);
  const auto at =
      std::find_if(set.begin(), set.end(), [line](const Line& l) { return l.number == line; });
  if (at == set.end()) return nullptr;
  set.splice(set.begin(), set, at);
  return &set.front();
}

// Written back, and filled where it was written in part; it stays, clean.
void L2Side::clean(Line& line) {
  for (const auto& [sector, bytes] : line.part)
    line.readable |= 1u << sector, line.dirty |= 1u << sector;
  written_back_.fills += line.part.size();
  written_back_.writes += count(line.dirty);
  line.part.clear();
  line.dirty = 0;
}

void L2Side::make_room(Set& set) {
  auto gone = std::prev(set.end());
  if (any_persists_) {
    // The oldest that does not persist, as long as no more persist than were set aside.
    const auto persisting = static_cast<std::size_t>(
        std::count_if(set.begin(), set.end(), [](const Line& l) { return l.persists; }));
    if (persisting <= persist_ways_)
      while (gone != set.begin() && gone->persists) --gone;
    if (gone->is_dirty()) clean(*gone);
  } else if (gone->is_dirty()) {
    // It is written back and stays; the oldest clean one goes, or with none clean itself.
    const auto clean_one =
        std::find_if_not(set.rbegin(), set.rend(), [](const Line& l) { return l.is_dirty(); });
    clean(*gone);
    if (clean_one != set.rend()) gone = std::prev(clean_one.base());
  }
  set.erase(gone);
}

L2Side::Line& L2Side::bring(std::uint64_t number) {
  if (Line* line = use(number)) return *line;
  Set& set = set_of(number);
  if (set.size() == spec_.l2.ways) make_room(set);
  set.emplace_front().number = number;
  return set.front();
}

L2Side::Found L2Side::read(std::uint64_t line, Sectors sectors, std::uint32_t piece, bool persist) {
  Found found;
  found.here = look_up(line);
  found.missing = in_pieces(sectors & ~found.here, piece, spec_) & ~found.here;
  if (found.missing) fill(line, found.missing, persist);
  return found;
}

Sectors L2Side::look_up(std::uint64_t number) {
  const Line* line = use(number);
  return line ? line->readable : 0;
}

void L2Side::fill(std::uint64_t number, Sectors sectors, bool persist) {
  Line& line = bring(number);
  line.readable |= sectors;
  // What was written in part is whole now, and dirty.
  for (std::uint32_t s = 0; s < spec_.sectors(); ++s)
    if ((sectors >> s & 1) && line.part.erase(s)) line.dirty |= 1u << s;
  if (persist && persist_ways_ > 0) line.persists = any_persists_ = true;
}

void L2Side::write(const Touch& written) {
  Line& line = bring(written.line);
  for (std::uint32_t s = 0; s < spec_.sectors(); ++s) {
    if (written.bytes[s] == 0) continue;
    std::uint32_t bytes = written.bytes[s];
    if (line.part.count(s)) bytes |= line.part[s];
    const std::uint32_t all = ~0u >> (32 - spec_.sector_bytes);
    if ((line.readable >> s & 1) || bytes == all) {
      line.part.erase(s);
      line.readable |= 1u << s;
      line.dirty |= 1u << s;
    } else {
      line.part[s] = bytes;
    }
  }
  Set& set = set_of(written.line);
  limit(set, spec_.l2.partial_ways, [](const Line& l) { return !l.part.empty(); });
  limit(set, spec_.l2.dirty_ways, [](const Line& l) { return l.is_dirty(); });
}

// No more of a set's lines may be so: the oldest that is gets written back.
template <class Is>
void L2Side::limit(Set& set, std::uint32_t most, Is is) {
  if (static_cast<std::size_t>(std::count_if(set.begin(), set.end(), is)) <= most) return;
  clean(*std::find_if(set.rbegin(), set.rend(), is));
}

void L2Side::drop(std::uint64_t number, Sectors sectors) {
  for (Line& line : set_of(number))
    if (line.number == number) line.readable &= ~sectors;
}

void L2Side::set_aside(std::uint64_t bytes) {
  const std::uint64_t way = std::uint64_t{spec_.l2.sets} * spec_.line_bytes;
  persist_ways_ = std::min<std::uint64_t>(spec_.l2.ways - 1, bytes / way);
}

}  // namespace warpmem::twin
