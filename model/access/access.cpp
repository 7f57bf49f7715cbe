#include "model/access/access.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/wide_words.hpp"

namespace warpmem::model {
namespace {

// Lines by number, for the length of one access: a fully divergent warp has 32, and comparing each
// with all before it would cost more than the caches behind.
class Finder {
 public:
  Finder(LineList& out, bool with_bytes) : out_(out), with_bytes_(with_bytes) {
    std::memset(at_, 0, sizeof at_);
  }
  // Where the line is in the list; it is added if it is new.
  std::size_t operator()(std::uint64_t line) {
    // Neighbouring lanes usually share the line, so look at the latest first.
    if (line == latest_line_) return latest_;
    latest_line_ = line;
    std::size_t slot = line * 0x9e3779b97f4a7c15ull >> 57;
    for (; at_[slot]; slot = (slot + 1) % std::size(at_))
      if (out_.line[at_[slot] - 1u] == line) return latest_ = at_[slot] - 1u;
    latest_ = count_++;
    at_[slot] = static_cast<std::uint16_t>(count_);
    out_.line[latest_] = line;
    out_.sectors[latest_] = 0;
    if (with_bytes_) out_.bytes[latest_] = {};
    return latest_;
  }
  int count() const { return static_cast<int>(count_); }

 private:
  LineList& out_;
  const bool with_bytes_;
  std::uint32_t count_ = 0;
  std::uint64_t latest_line_ = ~std::uint64_t{0};  // no address has it
  std::size_t latest_ = 0;
  std::uint16_t at_[128];  // position + 1; twice as many as lines can be
};

std::uint8_t sector_bit(std::uint64_t address, LineSize size) {
  return static_cast<std::uint8_t>(1u << size.sector(address));
}

// A lane whose bytes may lie in several sectors.
void add_bytes(Finder& find, LineList& out, std::uint64_t address, std::uint64_t length,
               bool with_bytes, LineSize size) {
  while (length > 0) {
    const std::uint64_t offset = address % kSectorBytes;
    const std::uint64_t here = length < kSectorBytes - offset ? length : kSectorBytes - offset;
    const std::size_t at = find(size.line(address));
    out.sectors[at] |= sector_bit(address, size);
    if (with_bytes) out.bytes[at][size.sector(address)] |= bytes_in_sector(address, here);
    address += here;
    length -= here;
  }
}

// Whether 32 keys all differ: each is compared with the sixteen behind it, in a ring.
WARPMEM_WIDE_HOSTS bool all_differ(const std::uint32_t* keys) {
  std::uint32_t ring[2 * kWarpLanes];
  for (int i = 0; i < 2 * kWarpLanes; ++i) ring[i] = keys[i % kWarpLanes];
  std::uint32_t same = 0;
  for (int apart = 1; apart <= kWarpLanes / 2; ++apart)
    for (int i = 0; i < kWarpLanes; ++i) same |= ring[i] == ring[i + apart];
  return !same;
}

// Lines and sectors of lanes that lie within a sector each, and what distinguishes most lines.
WARPMEM_WIDE_HOSTS void lanes_alone(const std::uint64_t* __restrict address, LineList& out,
                                    std::uint32_t* __restrict key, LineSize size) {
  const unsigned shift = size.shift(), last_sector = size.sectors() - 1;
  std::uint64_t* const __restrict line = out.line.data();
  for (int i = 0; i < kWarpLanes; ++i) {
    line[i] = address[i] >> shift;
    key[i] = static_cast<std::uint32_t>(address[i] >> shift);
  }
  std::uint8_t* const __restrict sectors = out.sectors.data();
  for (int i = 0; i < kWarpLanes; ++i)
    sectors[i] = static_cast<std::uint8_t>(
        1u << (static_cast<std::uint32_t>(address[i] / kSectorBytes) & last_sector));
}

#ifdef WARPMEM_AVX512

// Both of these at once. Keys of 16 bits, which the lines of one warp in 130 have in common without
// being the same: those are listed like any others. What a lane is compared with moves on by one
// lane each time.
WARPMEM_AVX512 bool divergent_avx512(const std::uint64_t* address, LineList& out, LineSize size) {
  const __m512i last_sector = wide::all(size.sectors() - 1);
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(size.shift())),
                of_line = _mm_cvtsi32_si128(static_cast<int>(size.shift() - 5)),
                of_upper = _mm_cvtsi32_si128(static_cast<int>(size.shift() + 11));
  __m256i half[2];
  for (std::size_t h = 0; h < 2; ++h) {
    __m256i sectors[2];
    for (std::size_t q = 0; q < 2; ++q) {
      const std::size_t at = h * 16 + q * 8;
      const __m512i a = _mm512_loadu_si512(address + at);
      _mm512_storeu_si512(out.line.data() + at, _mm512_srl_epi64(a, shift));
      sectors[q] = _mm512_cvtepi64_epi32(_mm512_srli_epi64(a, 5));
    }
    const __m512i sector = _mm512_inserti64x4(_mm512_castsi256_si512(sectors[0]), sectors[1], 1);
    const __m512i bit = _mm512_sllv_epi32(wide::all(1), _mm512_and_si512(sector, last_sector));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out.sectors.data() + h * 16),
                     _mm512_cvtepi32_epi8(bit));
    half[h] = _mm512_cvtepi32_epi16(
        _mm512_xor_si512(_mm512_srl_epi32(sector, of_line), _mm512_srl_epi32(sector, of_upper)));
  }
  const __m512i keys = _mm512_inserti64x4(_mm512_castsi256_si512(half[0]), half[1], 1);
  alignas(64) static constexpr auto kNext = [] {
    std::array<std::uint16_t, kWarpLanes> next{};
    for (unsigned i = 0; i < kWarpLanes; ++i)
      next[i] = static_cast<std::uint16_t>((i + 1) % kWarpLanes);
    return next;
  }();
  const __m512i next = _mm512_load_si512(kNext.data());
  __m512i least = _mm512_set1_epi16(-1), other = keys;
  for (int apart = 1; apart <= kWarpLanes / 2; ++apart) {
    other = _mm512_permutexvar_epi16(next, other);
    least = _mm512_min_epu16(least, _mm512_xor_si512(keys, other));
  }
  if (_mm512_testn_epi16_mask(least, least)) return false;
  out.count = kWarpLanes;
  return true;
}

#endif

// A fully divergent warp, with a line each, is most of what gathers are: no line has to be looked
// for among the others.
bool touch_divergent(const std::uint64_t* address, LineList& out, LineSize size) {
  if ((address[0] ^ address[1]) < size.bytes()) return false;  // neighbours share lines
#ifdef WARPMEM_AVX512
  if (wide_host()) return divergent_avx512(address, out, size);
#endif
  std::uint32_t keys[kWarpLanes];
  lanes_alone(address, out, keys, size);
  if (!all_differ(keys)) return false;
  out.count = kWarpLanes;
  return true;
}

}  // namespace

void touch_addresses(const std::uint64_t* address, int count, std::uint32_t bytes, bool with_bytes,
                     LineList& out, LineSize size) {
  std::uint64_t all = 0;
  for (int i = 0; i < count; ++i) all |= address[i];
  const bool in_one_sector =
      bytes <= kSectorBytes && !(bytes & (bytes - 1)) && !(all & (bytes - 1));
  if (in_one_sector && !with_bytes && count == kWarpLanes && touch_divergent(address, out, size))
    return;
  Finder find(out, with_bytes);
  if (!in_one_sector) {
    for (int i = 0; i < count; ++i) add_bytes(find, out, address[i], bytes, with_bytes, size);
  } else if (with_bytes) {
    const std::uint32_t ones = bytes_in_sector(0, bytes);
    for (int i = 0; i < count; ++i) {
      const std::size_t at = find(size.line(address[i]));
      out.sectors[at] |= sector_bit(address[i], size);
      out.bytes[at][size.sector(address[i])] |= ones << address[i] % kSectorBytes;
    }
  } else {
    for (int i = 0; i < count; ++i) {
      const std::size_t at = find(size.line(address[i]));
      out.sectors[at] |= sector_bit(address[i], size);
    }
  }
  out.count = find.count();
  if (with_bytes)
    for (std::size_t i = 0; i < static_cast<std::size_t>(out.count); ++i)
      out.full[i] = full_sectors(out.bytes[i]);
}

void touch_lines(const WarpAccess& access, bool with_bytes, LineList& out, LineSize size) {
  std::array<std::uint64_t, kWarpLanes> active;
  int count = 0;
  for (std::uint32_t rest = access.mask; rest; rest &= rest - 1)
    active[count++] = access.address[std::countr_zero(rest)];
  touch_addresses(active.data(), count, access.bytes, with_bytes, out, size);
}

void touch_span(std::uint64_t base, std::uint64_t length, bool with_bytes, LineList& out,
                LineSize size) {
  out.count = 0;
  const std::uint64_t end = base + length, of_line = size.bytes();
  for (std::uint64_t line = size.line(base); line * of_line < end; ++line) {
    const auto at = static_cast<std::size_t>(out.count++);
    auto& bytes = out.bytes[at];
    const std::uint64_t start = line * of_line;
    out.line[at] = line;
    if (start >= base && start + of_line <= end) {  // all of it
      out.sectors[at] = out.full[at] = size.whole();
      for (unsigned s = 0; s < kSectorsPerLine; ++s) bytes[s] = s < size.sectors() ? ~0u : 0;
      continue;
    }
    // Bytes [from, to) of the line.
    const auto from = static_cast<unsigned>(start < base ? base - start : 0);
    const auto to = static_cast<unsigned>(end - start < of_line ? end - start : of_line);
    const unsigned first = from / 32, last = (to - 1) / 32;
    out.sectors[at] = static_cast<std::uint8_t>((2u << last) - (1u << first));
    if (!with_bytes) continue;
    for (unsigned s = 0; s < kSectorsPerLine; ++s) bytes[s] = out.sectors[at] >> s & 1 ? ~0u : 0;
    bytes[first] &= ~0u << from % 32;
    bytes[last] &= ~0u >> (31 - (to - 1) % 32);
    out.full[at] = full_sectors(bytes);
  }
}

std::uint32_t touched_words(const WarpAccess& access, std::uint64_t line, LineSize size) {
  const std::uint64_t of_line = size.bytes() / 4;
  std::uint32_t words = 0;
  for (std::uint32_t rest = access.mask; rest; rest &= rest - 1) {
    const std::uint64_t at = access.address[static_cast<std::size_t>(std::countr_zero(rest))];
    for (std::uint64_t word = at / 4; word <= (at + access.bytes - 1) / 4; ++word)
      if (word / of_line == line) words |= 1u << word % of_line;
  }
  return words;
}

}  // namespace warpmem::model
