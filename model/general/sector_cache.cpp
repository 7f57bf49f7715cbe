#include "model/general/sector_cache.hpp"

#include <algorithm>

namespace warpmem::model {
namespace {

constexpr std::uint32_t kWordsOfSector = 8;

std::uint32_t words_of(std::uint8_t sectors) {
  std::uint32_t words = 0;
  for (std::uint32_t s = 0; s < kSectorsPerLine; ++s)
    if (sectors >> s & 1) words |= 0xffu << s * kWordsOfSector;
  return words;
}

std::uint8_t with(std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a | b); }
std::uint8_t without(std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a & ~b); }

}  // namespace

SectorCache::SectorCache(const L1Spec& spec, std::uint64_t lines)
    : spec_(spec.early ? spec.of_lines(static_cast<std::uint32_t>(lines)) : spec),
      policy_(&policy_of(spec.replacement)),
      sets_(spec.present ? spec_.index.sets() : 0),
      held_(spec.tag_banks),
      room_(std::max<std::uint64_t>(1, lines / spec.tag_banks)) {
  for (std::uint64_t bank = 0; bank < spec.tag_banks; ++bank) hand_.push_back(bank);
}

SectorCache::Line* SectorCache::find(std::uint64_t number) {
  return exists() ? sets_[spec_.index(number)].find(number) : nullptr;
}

// What a miss on some sectors brings: whole pieces.
std::uint8_t SectorCache::in_pieces(std::uint8_t sectors) const {
  const std::uint32_t piece = spec_.fill_sectors;
  if (piece <= 1) return sectors;
  std::uint8_t all = 0;
  for (std::uint32_t first = 0; first < kSectorsPerLine; first += piece) {
    const auto of_piece =
        static_cast<std::uint8_t>(((1u << piece) - 1) << first & spec_.line_sectors());
    if (sectors & of_piece) all = with(all, of_piece);
  }
  return all;
}

void SectorCache::give_up(std::uint32_t at) {
  Set& set = sets_[at];
  const std::size_t gone = set.victim(*policy_, ways_of(at), draws_);
  const Line& line = set.lines[gone];
  if (line.dirty) pushed_ = {line.number, line.dirty};
  set.erase(gone);
}

SectorCache::Line& SectorCache::bring(std::uint64_t number) {
  const std::uint32_t at = spec_.index(number);
  Set& set = sets_[at];
  const std::uint32_t bank = at % spec_.tag_banks;
  if (set.lines.size() == ways_of(at)) {
    give_up(at);
  } else if (held_[bank] < room_) {
    ++held_[bank];
  } else {
    std::uint64_t& hand = hand_[bank];
    const auto next = [&] { return (hand + spec_.tag_banks) % sets_.size(); };
    while (sets_[hand].lines.empty()) hand = next();
    give_up(static_cast<std::uint32_t>(hand));
    hand = next();
  }
  Line line;
  line.number = number;
  return set.bring(line, *policy_, ways_of(at), draws_);
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
  told(allocate ? CacheUse::kLoad : CacheUse::kLoadPast, asked);
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
  const std::uint32_t of = spec_.index(number);
  Set& set = sets_[of];
  for (std::size_t i = 0; i < set.lines.size(); ++i) {
    if (set.lines[i].number != number) continue;
    Line& line = allocate ? set.use_at(i, *policy_, ways_of(of), draws_) : set.lines[i];
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
  told(CacheUse::kLoadLast, asked);
  Set& set = sets_[spec_.index(asked.line)];
  for (std::size_t i = 0; i < set.lines.size(); ++i) {
    if (set.lines[i].number != asked.line) continue;
    return read(set.make_oldest(i), asked.sectors, words(asked.line), true);
  }
  return asked.sectors;
}

bool SectorCache::store(const LineTouch& stored, const Seat&, bool allocates) {
  if (policy_of(spec_.write).stays)
    return leave(stored, false, allocates && policy_of(spec_.allocate).stores);
  return exists() && drop(stored.line, in_pieces(written_sectors(stored)));
}

bool SectorCache::leave(const LineTouch& stored, bool back, bool allocates) {
  if (!exists()) return false;
  told(CacheUse::kStore, stored);
  const std::uint32_t of = spec_.index(stored.line);
  Line* const here = sets_[of].use(stored.line, *policy_, ways_of(of), draws_);
  if (!here && !allocates) return false;
  Line& line = here ? *here : bring(stored.line);
  if (back) {
    line.readable = with(line.readable, stored.sectors);
    line.dirty = with(line.dirty, stored.sectors);
    return here != nullptr;
  }
  line.readable = with(line.readable, stored.full);
  if (spec_.early) return here != nullptr;
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
  return here != nullptr;
}

bool SectorCache::drop(std::uint64_t number, std::uint8_t sectors) {
  if (listener_) {
    LineTouch dropped;
    dropped.line = number, dropped.sectors = sectors;
    told(CacheUse::kDrop, dropped);
  }
  Line* const line = find(number);
  if (!line) return false;
  // What is filled as a whole goes as a whole.
  const std::uint8_t gone = spec_.early ? in_pieces(sectors) : sectors;
  line->readable = without(line->readable, gone);
  line->partial = without(line->partial, gone);
  if (!spec_.early || line->readable) return true;
  const std::uint32_t at = spec_.index(number);
  sets_[at].erase(static_cast<std::size_t>(line - sets_[at].lines.data()));
  --held_[at % spec_.tag_banks];
  return true;
}

void SectorCache::invalidate(std::uint64_t below) {
  if (listener_) listener_->l1_invalidate(sm_, below);
  for (std::size_t at = 0; at < sets_.size(); ++at) {
    held_[at % spec_.tag_banks] -=
        std::erase_if(sets_[at].lines, [below](const Line& l) { return l.number < below; });
    sets_[at].forget_hits();
  }
}

}  // namespace warpmem::model
