#include <algorithm>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "emulate/executor/lane_extent.hpp"
#include "emulate/executor/lane_rows.hpp"

namespace warpmem::emulate {
namespace {

Extent plain_extent(const std::uint64_t* lanes, std::uint32_t mask) {
  Extent e;
  each_lane(mask, [&](std::uint32_t l) {
    e.low = std::min(e.low, lanes[l]), e.high = std::max(e.high, lanes[l]), e.all |= lanes[l];
  });
  return e;
}
#ifdef __x86_64__
__attribute__((target("avx2"))) Extent avx2_extent(const std::uint64_t* lanes) {
  const __m256i top =
      _mm256_set1_epi64x(static_cast<long long>(std::uint64_t{1} << 63));  // comparisons are signed
  const auto load = [&](std::uint32_t l) __attribute__((target("avx2"))) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lanes + l));
  };
  __m256i any = load(0), low = _mm256_xor_si256(any, top), high = low;
  for (std::uint32_t l = 4; l < 32; l += 4) {
    const __m256i v = load(l), turned = _mm256_xor_si256(v, top);
    any = _mm256_or_si256(any, v);
    low = _mm256_blendv_epi8(low, turned, _mm256_cmpgt_epi64(low, turned));
    high = _mm256_blendv_epi8(high, turned, _mm256_cmpgt_epi64(turned, high));
  }
  std::uint64_t a[4], b[4], c[4];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(a), _mm256_xor_si256(low, top));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(b), _mm256_xor_si256(high, top));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(c), any);
  return {std::min(std::min(a[0], a[1]), std::min(a[2], a[3])),
          std::max(std::max(b[0], b[1]), std::max(b[2], b[3])), c[0] | c[1] | c[2] | c[3]};
}
// In pieces as large as avx2_extent reads: what was stored in smaller ones would have to reach the
// cache before it can be read again.
__attribute__((target("avx2"))) void avx2_addresses(const std::uint64_t* base, std::uint64_t offset,
                                                    std::uint64_t* lanes) {
  const __m256i by = _mm256_set1_epi64x(static_cast<long long>(offset));
  for (std::uint32_t l = 0; l < 32; l += 4)
    _mm256_storeu_si256(
        reinterpret_cast<__m256i*>(lanes + l),
        _mm256_add_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(base + l)), by));
}
__attribute__((target("avx2"))) void avx2_addresses(const std::uint32_t* base, std::uint32_t offset,
                                                    std::uint64_t* lanes) {
  const __m128i by = _mm_set1_epi32(static_cast<int>(offset));
  for (std::uint32_t l = 0; l < 32; l += 4)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes + l),
                        _mm256_cvtepu32_epi64(_mm_add_epi32(
                            _mm_loadu_si128(reinterpret_cast<const __m128i*>(base + l)), by)));
}
#endif
[[maybe_unused]] const bool kHasAvx2 = [] {
#ifdef __x86_64__
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}();

template <class T>
void plain_addresses(const T* base, T offset, std::uint64_t* lanes) {
  for (std::uint32_t l = 0; l < 32; ++l) lanes[l] = static_cast<T>(base[l] + offset);
}

}  // namespace

Extent extent_of(const std::uint64_t* lanes, std::uint32_t mask) {
#ifdef __x86_64__
  if (mask == ~0u && kHasAvx2) return avx2_extent(lanes);
#endif
  return plain_extent(lanes, mask);
}

void add_offset(const std::uint64_t* base, std::uint64_t offset, std::uint64_t* lanes) {
#ifdef __x86_64__
  if (kHasAvx2) return avx2_addresses(base, offset, lanes);
#endif
  plain_addresses(base, offset, lanes);
}

void add_offset(const std::uint32_t* base, std::uint32_t offset, std::uint64_t* lanes) {
#ifdef __x86_64__
  if (kHasAvx2) return avx2_addresses(base, offset, lanes);
#endif
  plain_addresses(base, offset, lanes);
}

void machine_addresses(const Access& a, const std::byte* frame, Lanes& lanes) {
  const auto row = [frame](std::uint32_t at) {
    return reinterpret_cast<const std::uint32_t*>(frame + at);
  };
  const auto offset = static_cast<std::uint64_t>(a.offset);
  if (a.address_bytes == 8) {
    std::uint64_t fixed = offset;
    if (a.uniform != kNoOffset)
      fixed += row(a.uniform)[0] | std::uint64_t{row(a.uniform)[32]} << 32;
    if (a.base == kNoOffset) {
      for (std::uint32_t l = 0; l < 32; ++l) lanes[l] = fixed;
    } else if (a.narrow_base) {
      const std::uint32_t* low = row(a.base);
      for (std::uint32_t l = 0; l < 32; ++l) lanes[l] = std::uint64_t{low[l]} * a.scale + fixed;
    } else {
      const std::uint32_t* low = row(a.base);
      for (std::uint32_t l = 0; l < 32; ++l)
        lanes[l] = (low[l] | std::uint64_t{low[l + 32]} << 32) + fixed;
    }
    return;
  }
  std::uint32_t fixed = static_cast<std::uint32_t>(offset);
  if (a.uniform != kNoOffset) fixed += row(a.uniform)[0];
  if (a.base == kNoOffset) {
    for (std::uint32_t l = 0; l < 32; ++l) lanes[l] = fixed;
    return;
  }
  const std::uint32_t *base = row(a.base), scale = a.scale;
  for (std::uint32_t l = 0; l < 32; ++l) lanes[l] = base[l] * scale + fixed;
}

// What a lane's address is in, of an access that does not say.
Space space_of(const Access& a, const std::byte* frame, std::uint32_t lane) {
  std::uint64_t at = 0;
  if (a.machine) {
    Lanes lanes;
    machine_addresses(a, frame, lanes);
    at = lanes[lane];
  } else {
    if (a.address_bytes == 8) at = reinterpret_cast<const std::uint64_t*>(frame + a.base)[lane];
    else if (a.address_bytes == 4)
      at = reinterpret_cast<const std::uint32_t*>(frame + a.base)[lane];
    at += static_cast<std::uint64_t>(a.offset);
  }
  return at - kSharedWindow < kWindowBytes  ? Space::kShared
         : at - kLocalWindow < kWindowBytes ? Space::kLocal
                                            : Space::kGlobal;
}

void own_shared(const Access& a, std::uint32_t rank, std::uint32_t cluster_size, Lanes& lanes) {
  const std::uint32_t reserved = a.reserved;
  if (cluster_size == 1) {
    for (std::uint32_t l = 0; l < 32; ++l)
      lanes[l] = static_cast<std::uint32_t>(lanes[l]) - reserved;
    return;
  }
  for (std::uint32_t l = 0; l < 32; ++l) {
    const auto at = static_cast<std::uint32_t>(lanes[l]);
    const std::uint32_t owner = at >> kRankShift;
    const std::uint32_t within = (at & ((1u << kRankShift) - 1)) - reserved;
    lanes[l] = owner == rank ? within : (std::uint64_t{owner + 1} << kRankShift) + within;
  }
}

}  // namespace warpmem::emulate
