// Fixed-width fields packed without gaps, least significant bit first.
#pragma once

#include "traces/format/bytes.hpp"

namespace warpmem::trace {

constexpr std::size_t packed_bytes(std::size_t count, unsigned bits) {
  return (count * bits + 7) / 8;
}

// Appends field(0) … field(count - 1), each below 1 << bits; bits <= 56.
template <class Field>
void pack(Bytes& out, std::size_t count, unsigned bits, Field&& field) {
  const std::size_t begin = out.size(), end = begin + packed_bytes(count, bits);
  out.resize(end + 8);  // whole words are stored, the last ones past the end
  std::uint8_t* p = out.data() + begin;
  std::uint64_t pending = 0;
  unsigned held = 0;  // < 8
  for (std::size_t i = 0; i < count; ++i) {
    pending |= static_cast<std::uint64_t>(field(i)) << held;
    held += bits;
    store_le(p, pending);
    p += held / 8;
    pending >>= held & ~7u;
    held &= 7;
  }
  out.resize(end);
}

// Reads up to 8 bytes from `p + i * bits / 8`: the caller leaves room behind the last field.
inline std::uint64_t unpack(const std::uint8_t* p, std::size_t i, unsigned bits) {
  const std::size_t at = i * bits;
  return (load_le<std::uint64_t>(p + at / 8) >> (at % 8)) & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace warpmem::trace
