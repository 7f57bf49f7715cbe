#include "tests/twin/l1.hpp"

#include <algorithm>

namespace warpmem::twin {
namespace {

constexpr std::uint32_t kWord = 4;  // bytes

// Words of a sector of which all bytes are among these, or any.
std::uint32_t words_of(std::uint32_t bytes, bool whole) {
  std::uint32_t words = 0;
  for (std::uint32_t w = 0; w < 32 / kWord; ++w) {
    const std::uint32_t of_word = bytes >> w * kWord & 15;
    if (whole ? of_word == 15 : of_word != 0) words |= 1u << w;
  }
  return words;
}

}  // namespace

L1::L1(const TwinSpec& spec, std::uint64_t lines)
    : spec_(spec),
      sets_(spec.l1.sets),
      held_(spec.l1.tag_banks),
      room_(std::max<std::uint64_t>(1, lines / spec.l1.tag_banks)) {
  for (std::size_t bank = 0; bank < spec.l1.tag_banks; ++bank) hand_.push_back(bank);
}

std::list<L1::Line>::iterator L1::find(Set& set, std::uint64_t line) {
  return std::find_if(set.lines.begin(), set.lines.end(),
                      [line](const Line& l) { return l.number == line; });
}

void L1::use(Set& set, std::list<Line>::iterator line) {
  // The line of the hit before stays young, if it is another.
  const bool same = line == set.lines.begin();
  set.young = !same && set.young > 0 ? 2 : 1;
  set.lines.splice(set.lines.begin(), set.lines, line);
}

void L1::give_up_oldest(Set& set) {
  set.lines.pop_back();
  set.young = std::min(set.young, set.lines.size());
}

L1::Line& L1::bring(std::uint64_t number) {
  const std::uint64_t at = spec_.l1.set_of(number);
  Set& set = sets_[at];
  const std::size_t bank = at % spec_.l1.tag_banks;
  if (set.lines.size() == spec_.l1.ways) {
    give_up_oldest(set);
  } else if (held_[bank] < room_) {
    ++held_[bank];
  } else {
    std::size_t& hand = hand_[bank];
    const auto next = [&] { return (hand + spec_.l1.tag_banks) % sets_.size(); };
    while (sets_[hand].lines.empty()) hand = next();
    give_up_oldest(sets_[hand]);
    hand = next();
  }
  const std::size_t ahead = spec_.l1.replacement == Replacement::kYoung ? set.young : 0;
  const auto place = std::next(set.lines.begin(), static_cast<std::ptrdiff_t>(ahead));
  Line line;
  line.number = number;
  return *set.lines.insert(place, line);
}

// Which of the sectors asked for miss; they are there from now on, if it allocates.
Sectors L1::read(Line& line, const Touch& asked, bool allocate) {
  const Sectors sectors = asked.sectors();
  for (std::size_t s = 0; s < Touch::kMostSectors; ++s) {
    if (!(line.written >> s & 1) || !(words_of(asked.bytes[s], false) & ~line.words[s])) continue;
    // A word that is not there: the line comes anew, and nothing stays but what was asked for.
    if (allocate) line.readable = sectors, line.written = 0;
    return sectors;
  }
  const Sectors missing = sectors & ~line.readable & ~line.written;
  if (allocate) line.readable |= missing;
  return missing;
}

L1::Found L1::load(const Touch& asked, bool allocate) {
  if (!spec_.l1.present) return {asked.sectors(), 0};
  Set& set = set_of(asked.line);
  const auto line = find(set, asked.line);
  if (line != set.lines.end()) {
    if (allocate) use(set, line);
    return {read(*line, asked, allocate), line->arrival};
  }
  if (allocate) bring(asked.line).readable = asked.sectors();
  return {asked.sectors(), 0};
}

Sectors L1::load_last(const Touch& asked) {
  if (!spec_.l1.present) return asked.sectors();
  Set& set = set_of(asked.line);
  const auto line = find(set, asked.line);
  if (line == set.lines.end()) return asked.sectors();
  const auto place = static_cast<std::size_t>(std::distance(set.lines.begin(), line));
  if (place < set.young) --set.young;
  set.lines.splice(set.lines.end(), set.lines, line);
  return read(*line, asked, true);
}

void L1::arrives(std::uint64_t number, std::uint64_t cycle) {
  if (!spec_.l1.present) return;
  Set& set = set_of(number);
  const auto line = find(set, number);
  if (line != set.lines.end()) line->arrival = std::max(line->arrival, cycle);
}

bool L1::store(const Touch& stored) {
  if (!spec_.l1.present) return false;
  Set& set = set_of(stored.line);
  const auto there = find(set, stored.line);
  const bool present = there != set.lines.end();
  if (present) use(set, there);
  Line& line = present ? *there : bring(stored.line);
  const Sectors full = stored.full(spec_);
  line.readable |= full;
  line.written &= ~full;
  for (std::size_t s = 0; s < Touch::kMostSectors; ++s) {
    if (stored.bytes[s] == 0 || (line.readable >> s & 1)) continue;
    if (!(line.written >> s & 1)) line.words[s] = 0;
    line.written |= 1u << s;
    line.words[s] |= words_of(stored.bytes[s], true);
    if (line.words[s] != (1u << spec_.sector_bytes / kWord) - 1) continue;
    line.written &= ~(1u << s);
    line.readable |= 1u << s;
  }
  return present;
}

void L1::drop(std::uint64_t number, Sectors sectors) {
  if (!spec_.l1.present) return;
  Set& set = set_of(number);
  const auto line = find(set, number);
  if (line == set.lines.end()) return;
  line->readable &= ~sectors;
  line->written &= ~sectors;
}

void L1::forget_below(std::uint64_t number) {
  for (std::size_t at = 0; at < sets_.size(); ++at) {
    Set& set = sets_[at];
    held_[at % spec_.l1.tag_banks] -=
        set.lines.remove_if([number](const Line& l) { return l.number < number; });
    set.young = 0;
  }
}

}  // namespace warpmem::twin
