#include "model/general/sector_cache.hpp"

#include <algorithm>
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
    : spec_(&spec),
      policy_(&policy_of(spec.replacement)),
      sets_(spec.present ? spec.index.sets() : 0),
      held_(spec.tag_banks),
      room_(std::max<std::uint64_t>(1, lines / spec.tag_banks)) {
  for (std::uint64_t bank = 0; bank < spec.tag_banks; ++bank) hand_.push_back(bank);
}

SectorCache::Line* SectorCache::find(std::uint64_t number) {
  return spec_->present ? sets_[spec_->index(number)].find(number) : nullptr;
}

// What a miss on some sectors brings: whole pieces.
std::uint8_t SectorCache::in_pieces(std::uint8_t sectors) const {
  const std::uint32_t piece = spec_->fill_sectors;
  if (piece <= 1) return sectors;
  std::uint8_t all = 0;
  for (std::uint32_t first = 0; first < kSectorsPerLine; first += piece) {
    const auto of_piece =
        static_cast<std::uint8_t>(((1u << piece) - 1) << first & spec_->line_sectors());
    if (sectors & of_piece) all = with(all, of_piece);
  }
  return all;
}

void SectorCache::give_up(Set& set) { set.erase(set.victim(*policy_, spec_->ways, draws_)); }

SectorCache::Line& SectorCache::bring(std::uint64_t number) {
  const std::uint32_t at = spec_->index(number);
  Set& set = sets_[at];
  const std::uint32_t bank = at % spec_->tag_banks;
  if (set.lines.size() == spec_->ways) {
    give_up(set);
  } else if (held_[bank] < room_) {
    ++held_[bank];
  } else {
    std::uint64_t& hand = hand_[bank];
    const auto next = [&] { return (hand + spec_->tag_banks) % sets_.size(); };
    while (sets_[hand].lines.empty()) hand = next();
    give_up(sets_[hand]);
    hand = next();
  }
  Line line;
  line.number = number;
  return set.bring(line, *policy_, spec_->ways, draws_);
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

SectorCache::Found SectorCache::look_up(const LineTouch& asked, std::uint32_t words,
                                        bool allocate) {
  if (!spec_->present) return {asked.sectors, 0};
  told(allocate ? CacheUse::kLoad : CacheUse::kLoadPast, asked);
  Set& set = sets_[spec_->index(asked.line)];
  for (std::size_t i = 0; i < set.lines.size(); ++i) {
    if (set.lines[i].number != asked.line) continue;
    Line& line = allocate ? set.use_at(i, *policy_, spec_->ways, draws_) : set.lines[i];
    return {read(line, asked.sectors, words, allocate), line.arrival};
  }
  const std::uint8_t brought = in_pieces(asked.sectors);
  if (allocate) bring(asked.line).readable = brought;
  return {brought, 0};
}

void SectorCache::load(const LineList& lines, const Seats&, const AskedWords& words, bool allocate,
                       Misses& out) {
  out.count = 0;
  out.hit = 0;
  for (int i = 0; i < lines.count; ++i) {
    const LineTouch asked = lines[i];
    const Found found = look_up(asked, words(asked.line), allocate);
    if (!found.missing) {
      out.hit = std::max(out.hit, found.arrival);
      continue;
    }
    const std::size_t k = out.count++;
    out.index[k] = static_cast<std::uint8_t>(i);
    out.sectors[k] = found.missing;
    out.line[k] = asked.line;
    out.before[k] = out.hit;
  }
}

std::uint64_t SectorCache::arrive(const Misses& missed, const std::uint64_t* done,
                                  std::uint64_t soonest) {
  for (std::size_t k = 0; k < missed.count; ++k) {
    soonest = std::max({soonest, missed.before[k], done[missed.index[k]]});
    if (Line* const line = find(missed.line[k])) line->arrival = std::max(line->arrival, soonest);
  }
  return soonest;
}

std::uint8_t SectorCache::load_last(const LineTouch& asked, const AskedWords& words) {
  if (!spec_->present) return asked.sectors;
  told(CacheUse::kLoadLast, asked);
  Set& set = sets_[spec_->index(asked.line)];
  for (std::size_t i = 0; i < set.lines.size(); ++i) {
    if (set.lines[i].number != asked.line) continue;
    return read(set.make_oldest(i), asked.sectors, words(asked.line), true);
  }
  return asked.sectors;
}

bool SectorCache::store(const LineTouch& stored, const Seat&) {
  if (!spec_->present) return false;
  if (spec_->write == WritePolicy::kEvict) {
    const bool here = find(stored.line) != nullptr;
    drop(stored.line, in_pieces(stored.sectors));
    return here;
  }
  told(CacheUse::kStore, stored);
  Set& set = sets_[spec_->index(stored.line)];
  Line* const here = set.use(stored.line, *policy_, spec_->ways, draws_);
  if (!here && spec_->allocate == Allocate::kLoads) return false;
  Line& line = here ? *here : bring(stored.line);
  line.readable = with(line.readable, stored.full);
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

void SectorCache::drop(std::uint64_t number, std::uint8_t sectors) {
  if (listener_) {
    LineTouch dropped;
    dropped.line = number, dropped.sectors = sectors;
    told(CacheUse::kDrop, dropped);
  }
  if (Line* const line = find(number)) {
    line->readable = without(line->readable, sectors);
    line->partial = without(line->partial, sectors);
  }
}

void SectorCache::invalidate(std::uint64_t below) {
  if (listener_) listener_->l1_invalidate(sm_, below);
  for (std::size_t at = 0; at < sets_.size(); ++at) {
    held_[at % spec_->tag_banks] -=
        std::erase_if(sets_[at].lines, [below](const Line& l) { return l.number < below; });
    sets_[at].forget_hits();
  }
}

}  // namespace warpmem::model
