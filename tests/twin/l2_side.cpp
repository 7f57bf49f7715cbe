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

// In its turn: the first to go; then others. Who persists has no turn as long as no more do than
// were set aside.
void L2Side::make_room(Set& set) {
  using Kind = Line::Kind;
  std::size_t persisting = 0;
  for (const Line& l : set) persisting += l.kind == Kind::kPersists;
  std::vector<const Line*> turns;
  for (auto l = set.rbegin(); l != set.rend(); ++l)
    if (l->kind == Kind::kFirst) turns.push_back(&*l);
  for (auto l = set.rbegin(); l != set.rend(); ++l)
    if (l->kind == Kind::kOrdinary || (l->kind == Kind::kPersists && persisting > persist_ways_))
      turns.push_back(&*l);
  // A dirty one is written back and stays; the next clean one goes, or with none clean itself.
  const Line* gone = turns.front();
  for (auto t = turns.rbegin(); t != turns.rend(); ++t)
    if (!(*t)->is_dirty()) gone = *t;
  for (Line& l : set)
    if (&l == turns.front() && l.is_dirty()) clean(l);
  set.remove_if([gone](const Line& l) { return &l == gone; });
}

void L2Side::keep(std::uint64_t number, Stay stay) {
  using Kind = Line::Kind;
  for (Line& l : set_of(number)) {
    if (l.number != number) continue;
    if (stay == Stay::kPersist) l.kind = Kind::kPersists;
    else if (stay == Stay::kNormal || l.kind == Kind::kFirst) l.kind = Kind::kOrdinary;
    if (stay == Stay::kFirst && l.kind == Kind::kOrdinary) l.kind = Kind::kFirst;
  }
}

void L2Side::discard(std::uint64_t number) {
  for (Line& l : set_of(number))
    if (l.number == number) l.readable = l.dirty = 0, l.part.clear();
}

void L2Side::end_persisting() {
  for (Set& set : sets_)
    for (Line& l : set)
      if (l.kind == Line::Kind::kPersists) l.kind = Line::Kind::kOrdinary;
}

L2Side::Line& L2Side::bring(std::uint64_t number) {
  if (Line* line = use(number)) return *line;
  Set& set = set_of(number);
  if (set.size() == spec_.l2.ways) make_room(set);
  set.emplace_front().number = number;
  return set.front();
}

L2Side::Found L2Side::read(std::uint64_t line, Sectors sectors, std::uint32_t piece, Stay stay) {
  Found found;
  found.here = look_up(line);
  found.missing = in_pieces(sectors & ~found.here, piece, spec_) & ~found.here;
  if (found.missing) fill(line, found.missing, stay);
  else keep(line, stay);
  return found;
}

Sectors L2Side::look_up(std::uint64_t number) {
  const Line* line = use(number);
  return line ? line->readable : 0;
}

void L2Side::fill(std::uint64_t number, Sectors sectors, Stay stay) {
  Line& line = bring(number);
  line.readable |= sectors;
  // What was written in part is whole now, and dirty.
  for (std::uint32_t s = 0; s < spec_.sectors(); ++s)
    if ((sectors >> s & 1) && line.part.erase(s)) line.dirty |= 1u << s;
  keep(number, stay);
}

void L2Side::write(const Touch& written, Stay stay) {
  Line& line = bring(written.line);
  keep(written.line, stay);
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
  const auto persists = [](const Line& l) { return l.kind == Line::Kind::kPersists; };
  const bool held =
      static_cast<std::size_t>(std::count_if(set.begin(), set.end(), persists)) <= persist_ways_;
  limit(set, spec_.l2.dirty_ways,
        [&](const Line& l) { return l.is_dirty() && !(held && persists(l)); });
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

// Ways, of which a started one counts as one, and so does none.
void L2Side::set_aside(std::uint64_t bytes) {
  const std::uint64_t way = std::uint64_t{spec_.l2.sets} * spec_.line_bytes;
  persist_ways_ = 1;
  while (persist_ways_ * way < bytes) ++persist_ways_;
  persist_ways_ = std::min<std::size_t>(persist_ways_, spec_.l2.ways - 1);
}

}  // namespace warpmem::twin
