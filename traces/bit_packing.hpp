// Fixed-width fields packed without gaps, least significant bit first.
#pragma once

#include "traces/bytes.hpp"

namespace warpmem::trace {

constexpr std::size_t packed_bytes(std::size_t count, unsigned bits) {
  return (count * bits + 7) / 8;
}

// bits <= 56. Each call starts on a byte of its own.
class BitPacker {
 public:
  BitPacker(Bytes& out, unsigned bits) : out_(out), bits_(bits) {}
  void add(std::uint64_t value) {
    pending_ |= value << held_;
    held_ += bits_;
    while (held_ >= 8) {
      out_.push_back(static_cast<std::uint8_t>(pending_));
      pending_ >>= 8;
      held_ -= 8;
    }
  }
  void finish() {
    if (held_ > 0) out_.push_back(static_cast<std::uint8_t>(pending_));
    pending_ = 0, held_ = 0;
  }

 private:
  Bytes& out_;
  unsigned bits_;
  std::uint64_t pending_ = 0;
  unsigned held_ = 0;  // < 8 between calls
};

// Reads up to 8 bytes from `p + i * bits / 8`: the caller leaves room behind the last field.
inline std::uint64_t unpack(const std::uint8_t* p, std::size_t i, unsigned bits) {
  const std::size_t at = i * bits;
  return (load_le<std::uint64_t>(p + at / 8) >> (at % 8)) & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace warpmem::trace
