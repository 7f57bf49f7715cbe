#include "model/general/sector_cache.hpp"

#include <algorithm>

#include "model/access/sector_pieces.hpp"
#include "model/general/sector_bits.hpp"

namespace warpmem::model {
namespace {

constexpr std::uint32_t kWordsOfSector = 8;

std::uint32_t words_of(std::uint8_t sectors) {
  std::uint32_t words = 0;
  for (std::uint32_t s = 0; s < kSectorsPerLine; ++s)
    if (sectors >> s & 1) words |= 0xffu << s * kWordsOfSector;
  return words;
}

}  // namespace

SectorCache::SectorCache(const L1Spec& spec, std::uint64_t lines)
    : spec_(spec.early ? spec.of_lines(static_cast<std::uint32_t>(lines)) : spec),
      sets_(policy_of(spec.replacement), spec.present ? spec_.index.sets() : 0,
            spec_.ways + (spec_.wider > 0)),
      held_(spec.tag_banks),
      room_(std::max<std::uint64_t>(1, lines / spec.tag_banks)) {
  for (std::uint64_t bank = 0; bank < spec.tag_banks; ++bank) hand_.push_back(bank);
}

SectorCache::Line* SectorCache::find(std::uint64_t number) {
  if (!exists()) return nullptr;
  const std::size_t set = spec_.index(number), at = sets_.find(set, number);
  return at < sets_.held(set) ? &sets_.line(set, at) : nullptr;
}

void SectorCache::give_up(std::size_t set) {
  const std::size_t gone = sets_.victim(set, ways_of(set));
  const Line& line = sets_.line(set, gone);
  if (line.dirty) pushed_ = {line.number, line.dirty};
  sets_.erase(set, gone);
}

SectorCache::Line& SectorCache::bring(std::uint64_t number) {
  const std::size_t set = spec_.index(number), bank = set % spec_.tag_banks;
  if (sets_.held(set) == ways_of(set)) {
    give_up(set);
  } else if (held_[bank] < room_) {
    ++held_[bank];
  } else {
    std::uint64_t& hand = hand_[bank];
    const auto next = [&] { return (hand + spec_.tag_banks) % sets_.size(); };
    while (sets_.held(hand) == 0) hand = next();
    give_up(hand);
    hand = next();
  }
  return sets_.bring(set, number, ways_of(set));
}

// Which sectors miss; they are here from now on, if it allocates.
std::uint8_t SectorCache::read(Line& line, std::uint8_t sectors, std::uint32_t words,
                               bool allocate) const {
  const std::uint32_t lacking = words & words_of(sectors) & words_of(line.partial) & ~line.words;
  if (lacking) {
    // A word that is not here: the line comes anew, and nothing stays but what was asked for.
    if (allocate) line.readable = sectors, line.partial = 0;
    return sectors;
  }
  const std::uint8_t here = with(line.readable, line.partial);
  const std::uint8_t missing = without(in_pieces(without(sectors, here)), here);
  if (allocate) line.readable = with(line.readable, missing);
  return missing;
}

SectorCache::Found SectorCache::look_up(const LineTouch& asked, const AskedWords& words,
                                        bool allocate) {
  if (!exists()) return {asked.sectors, 0};
  notify(allocate ? CacheUse::kLoad : CacheUse::kLoadPast, asked);
  if (pieces() == 1) return look_up_line(asked.line, asked.sectors, words(asked.line), allocate);
  Found all;
  const std::uint32_t of_piece = spec_.line_bytes / static_cast<std::uint32_t>(kSectorBytes);
  for (std::uint32_t p = 0; p < pieces(); ++p) {
    const auto wanted =
        static_cast<std::uint8_t>(asked.sectors >> p * of_piece & ((1u << of_piece) - 1));
    if (!wanted) continue;
    const Found found = look_up_line(asked.line * pieces() + p, wanted, 0, allocate);
    all.missing = with(all.missing, static_cast<std::uint8_t>(found.missing << p * of_piece));
    all.arrival = std::max(all.arrival, found.arrival);
  }
  return all;
}

SectorCache::Found SectorCache::look_up_line(std::uint64_t number, std::uint8_t sectors,
                                             std::uint32_t words, bool allocate) {
  const std::size_t set = spec_.index(number), at = sets_.find(set, number);
  if (at < sets_.held(set)) {
    Line& line = allocate ? sets_.use(set, at, ways_of(set)) : sets_.line(set, at);
    return {read(line, sectors, words, allocate), line.arrival};
  }
  const std::uint8_t brought = in_pieces(sectors);
  if (allocate) bring(number).readable = brought;
  return {brought, 0};
}

void SectorCache::arrives(std::uint64_t number, std::uint64_t cycle) {
  for (std::uint64_t n = number * pieces(); n < (number + 1) * pieces(); ++n)
    if (Line* const line = find(n)) line->arrival = std::max(line->arrival, cycle);
}

std::uint8_t SectorCache::load_last(const LineTouch& asked, const AskedWords& words) {
  if (!exists()) return asked.sectors;
  notify(CacheUse::kLoadLast, asked);
  const std::size_t set = spec_.index(asked.line), at = sets_.find(set, asked.line);
  if (at == sets_.held(set)) return asked.sectors;
  return read(sets_.make_oldest(set, at), asked.sectors, words(asked.line), true);
}

bool SectorCache::store(const LineTouch& stored, const SetTag&, bool allocates) {
  if (policy_of(spec_.write).stays)
    return leave(stored, false, allocates && policy_of(spec_.allocate).stores);
  return exists() && drop(stored.line, in_pieces(written_sectors(stored)));
}

bool SectorCache::leave(const LineTouch& stored, bool back, bool allocates) {
  if (!exists()) return false;
  notify(CacheUse::kStore, stored);
  const std::size_t set = spec_.index(stored.line), at = sets_.find(set, stored.line);
  const bool here = at < sets_.held(set);
  if (!here && !allocates) return false;
  Line& line = here ? sets_.use(set, at, ways_of(set)) : bring(stored.line);
  if (back) {
    line.readable = with(line.readable, stored.sectors);
    line.dirty = with(line.dirty, stored.sectors);
    return here;
  }
  line.readable = with(line.readable, stored.full);
  if (spec_.early) return here;
  line.partial = without(line.partial, stored.full);
  for (std::uint32_t s = 0; s < kSectorsPerLine; ++s) {
    const auto bit = static_cast<std::uint8_t>(1u << s);
    if (stored.bytes[s] == 0 || (line.readable & bit)) continue;
    const std::uint32_t of_sector = words_of(bit);
    if (!(line.partial & bit)) line.words &= ~of_sector;
    line.partial = with(line.partial, bit);
    line.words |= whole_words(stored.bytes[s]) << s * kWordsOfSector;
    if ((line.words & of_sector) != of_sector) continue;
    line.partial = without(line.partial, bit);
    line.readable = with(line.readable, bit);
  }
  return here;
}

bool SectorCache::drop(std::uint64_t number, std::uint8_t sectors) {
  if (listener_) {
    LineTouch dropped;
    dropped.line = number, dropped.sectors = sectors;
    notify(CacheUse::kDrop, dropped);
  }
  if (!exists()) return false;
  const std::size_t set = spec_.index(number), at = sets_.find(set, number);
  if (at == sets_.held(set)) return false;
  Line& line = sets_.line(set, at);
  // What is filled as a whole goes as a whole.
  const std::uint8_t gone = spec_.early ? in_pieces(sectors) : sectors;
  line.readable = without(line.readable, gone);
  line.partial = without(line.partial, gone);
  if (!spec_.early || line.readable) return true;
  sets_.erase(set, at);
  --held_[set % spec_.tag_banks];
  return true;
}

void SectorCache::invalidate(std::uint64_t below) {
  if (listener_) listener_->l1_invalidate(sm_, below);
  for (std::size_t set = 0; set < sets_.size(); ++set)
    held_[set % spec_.tag_banks] -=
        sets_.erase_if(set, [below](const Line& l) { return l.number < below; });
}

}  // namespace warpmem::model
