#include "model/cache/l1_cache.hpp"

#include <algorithm>

#include "base/wide_hosts.hpp"

namespace warpmem::model {

L1Cache::L1Cache(const Spec& spec, std::pmr::memory_resource* memory)
    : spec_(spec),
      is_four_(spec.ways == 4 && spec.fill_sectors == 1),
      measured_(spec.sets == kL1Sets && spec.index == SetRule::kXorMatrix),
      said_by_set_(static_cast<unsigned>(std::countr_zero(std::min(spec.sets, kL1Sets)))),
      four_(memory),
      eight_(memory),
      many_(memory) {
  with([&](auto& sets) {
    sets.shape(spec.sets, spec.ways, spec.lines, spec.replacement == Replacement::kAfterHits,
               spec.fill_sectors);
  });
}

bool L1Cache::takes(std::uint32_t ways, std::uint32_t sets, SetRule index,
                    Replacement replacement) {
  return ways >= 1 && ways <= 32 && sets >= kBanks && std::has_single_bit(sets) &&
         (index == SetRule::kXorMatrix || index == SetRule::kLowBits) &&
         (replacement == Replacement::kAfterHits || replacement == Replacement::kLru ||
          replacement == Replacement::kPlainLru);
}

void L1Cache::reset() {
  with([](auto& sets) { sets.reset(); });
  regions_ = 0;
}

// Regions keep their numbers: lines that are in flight here have been given theirs.
void L1Cache::invalidate(std::uint64_t kept) {
  const unsigned region_bits = said_by_set_ + SetTag::kLowBits;
  std::uint32_t stay = 0;  // regions whose lines do
  for (std::uint32_t r = 0; r < regions_; ++r)
    if (region_[r] >= kept >> region_bits) stay |= 1u << r;
  with([&](auto& sets) { sets.invalidate(stay, kept); });
}

L1Cache::Loaded L1Cache::load_other(std::uint64_t line, const SetTag& set_tag, std::uint8_t sectors,
                                    const AskedWords& words, bool allocate) {
  return with([&](auto& sets) { return sets.load(line, set_tag, sectors, words, allocate); });
}

bool L1Cache::store_other(std::uint64_t line, const SetTag& set_tag, std::uint8_t sectors,
                          std::uint8_t full, const std::uint32_t* bytes) {
  return with([&](auto& sets) { return sets.store(line, set_tag, sectors, full, bytes); });
}

// Where the set is the line's number, or in caches of other than 512 sets, of which nothing was
// measured: further bits for more, and in fewer lines in a row still take all sets by turns, in the
// same banks.
std::uint32_t L1Cache::set_of_others(std::uint32_t of_512, std::uint64_t line) const {
  const std::uint32_t last = spec_.sets - 1;
  if (spec_.index == SetRule::kLowBits) return static_cast<std::uint32_t>(line) & last;
  if (spec_.sets > kL1Sets)
    return (of_512 | static_cast<std::uint32_t>((line >> 9 ^ line >> 18) / kL1Sets * kL1Sets)) &
           last;
  const std::uint32_t row = static_cast<std::uint32_t>(line) ^ l1_set(line & ~std::uint64_t{last});
  return of_512 % kBanks | (row & last) / kBanks * kBanks;
}

void L1Cache::sets(const LineList& lines, const LineWords& words, std::uint32_t* out) const {
  if (measured_ && words.alike) [[likely]]
    return l1_sets(words, out);
  for (std::size_t i = 0; i < static_cast<std::size_t>(lines.count); ++i)
    out[i] = set_of(lines.line[i]);
}

void L1Cache::set_tags(const LineList& lines, const LineWords& words, SetTags& out) {
  const std::uint32_t region = tag(lines.line[0]) >> SetTag::kLowBits;
  if (measured_ && words.alike && region < SetTag::kRegions) [[likely]] {
    l1_sets(words, out.set.data());
    tags(words, region, out.tag.data());
    return;
  }
  const auto count = static_cast<std::size_t>(lines.count);
  for (std::size_t i = 0; i < count; ++i) out.put(i, set_tag(lines.line[i]));
}

// Of lines of one region, in a cache of kL1Sets.
WARPMEM_WIDE_HOSTS void L1Cache::tags(const LineWords& words, std::uint32_t region,
                                      std::uint32_t* __restrict tag) {
  constexpr unsigned kSaidBySet = std::countr_zero(kL1Sets);
  const std::uint32_t* const __restrict low = words.low.data();
  const std::uint32_t upper = words.upper << (32 - kSaidBySet);
  const std::size_t count = words.count;
  for (std::size_t from = 0; from < count; from += LineWords::kStep)
    for (std::size_t i = from; i < from + LineWords::kStep; ++i)
      tag[i] =
          region << SetTag::kLowBits | ((low[i] >> kSaidBySet | upper) % (1u << SetTag::kLowBits));
}

}  // namespace warpmem::model
