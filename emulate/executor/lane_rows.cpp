#include <cstring>

#include "emulate/executor/lane_rows.hpp"

namespace warpmem::emulate {
namespace {

// … in the order in which a store of so many bytes a lane leaves them.
template <class F>
void each_stored(std::uint32_t mask, std::uint32_t bytes, F&& f) {
  const std::uint32_t at_once = bytes <= 4 ? 32 : 128 / bytes;
  for (std::uint32_t first = 0; first < 32; first += at_once) {
    if (mask == ~0u) {
      for (std::uint32_t l = first + at_once; l-- > first;) f(l);
      continue;
    }
    std::uint32_t left = at_once == 32 ? mask : mask & (((1u << at_once) - 1) << first);
    while (left != 0) {
      const auto l = 31u - static_cast<std::uint32_t>(std::countl_zero(left));
      left &= ~(1u << l);
      f(l);
    }
  }
}

// Element E at each lane's host address, into registers of width R.
template <class E, class R>
void load_rows(std::byte* to, const std::uint64_t* host, std::uint32_t mask, std::uint32_t offset) {
  auto* d = reinterpret_cast<R*>(to);
  const auto one = [&](std::uint32_t l) {
    E v;
    std::memcpy(&v, reinterpret_cast<const std::byte*>(host[l]) + offset, sizeof v);
    d[l] = static_cast<R>(v);
  };
  if (mask == ~0u) {
    for (std::uint32_t l = 0; l < 32; ++l) one(l);
    return;
  }
  each_lane(mask, one);
}
// Of lanes that store to one place the lowest one's value stays. 128 bytes go at a time: where a
// warp stores more, the lanes that come later have the last word (kernels/micro/store_winners.cu).
template <class E, class R>
void store_rows(const std::byte* from, const std::uint64_t* host, std::uint32_t mask,
                std::uint32_t offset, std::uint32_t bytes) {
  const auto* s = reinterpret_cast<const R*>(from);
  const auto one = [&](std::uint32_t l) {
    const auto v = static_cast<E>(s[l]);
    std::memcpy(reinterpret_cast<std::byte*>(host[l]) + offset, &v, sizeof v);
  };
  each_stored(mask, bytes, one);
}

template <class E>
void load_wide(std::byte* to, std::uint32_t width, const std::uint64_t* host, std::uint32_t mask,
               std::uint32_t offset) {
  if (width == 2) load_rows<E, std::uint16_t>(to, host, mask, offset);
  else if (width == 4) load_rows<E, std::uint32_t>(to, host, mask, offset);
  else load_rows<E, std::uint64_t>(to, host, mask, offset);
}
template <class E>
void store_wide(const std::byte* from, std::uint32_t width, const std::uint64_t* host,
                std::uint32_t mask, std::uint32_t offset, std::uint32_t bytes) {
  if (width == 2) store_rows<E, std::uint16_t>(from, host, mask, offset, bytes);
  else if (width == 4) store_rows<E, std::uint32_t>(from, host, mask, offset, bytes);
  else store_rows<E, std::uint64_t>(from, host, mask, offset, bytes);
}

}  // namespace

void load_element(Type type, std::byte* to, std::uint32_t width, const std::uint64_t* host,
                  std::uint32_t mask, std::uint32_t offset) {
  switch (size_of(type)) {
    case 1:
      return is_signed(type) ? load_wide<std::int8_t>(to, width, host, mask, offset)
                             : load_wide<std::uint8_t>(to, width, host, mask, offset);
    case 2:
      return is_signed(type) ? load_wide<std::int16_t>(to, width, host, mask, offset)
                             : load_wide<std::uint16_t>(to, width, host, mask, offset);
    case 4:
      return is_signed(type) ? load_wide<std::int32_t>(to, width, host, mask, offset)
                             : load_wide<std::uint32_t>(to, width, host, mask, offset);
    case 8: return load_wide<std::uint64_t>(to, 8, host, mask, offset);
    default:
      for (std::uint32_t l = 0; l < 32; ++l)
        if (mask >> l & 1)
          std::memcpy(to + l * 16, reinterpret_cast<const std::byte*>(host[l]) + offset, 16);
  }
}
void store_element(Type type, const std::byte* from, std::uint32_t width, const std::uint64_t* host,
                   std::uint32_t mask, std::uint32_t offset, std::uint32_t bytes) {
  switch (size_of(type)) {
    case 1: return store_wide<std::uint8_t>(from, width, host, mask, offset, bytes);
    case 2: return store_wide<std::uint16_t>(from, width, host, mask, offset, bytes);
    case 4: return store_wide<std::uint32_t>(from, width, host, mask, offset, bytes);
    case 8: return store_wide<std::uint64_t>(from, 8, host, mask, offset, bytes);
    default:
      each_stored(mask, bytes, [&](std::uint32_t l) {
        std::memcpy(reinterpret_cast<std::byte*>(host[l]) + offset, from + l * 16, 16);
      });
  }
}

}  // namespace warpmem::emulate
