// Little-endian bytes in and out, whatever the machine: the only two ways the format touches
// memory. Cursor never reads past its end; a failed read makes it fail for good and yields zeros,
// so a parser checks ok() once per group of fields and before it trusts a size.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmem::trace {

using Bytes = std::vector<std::uint8_t>;
using ByteSpan = std::span<const std::uint8_t>;

template <class T>
T load_le(const std::uint8_t* p) {
  static_assert(std::endian::native == std::endian::little, "add a byte swap for this machine");
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

template <class T>
void store_le(std::uint8_t* p, T value) {
  static_assert(std::endian::native == std::endian::little, "add a byte swap for this machine");
  std::memcpy(p, &value, sizeof value);
}

// Small numbers of either sign become small unsigned ones: 0, -1, 1, -2 … -> 0, 1, 2, 3 …
constexpr std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (0 - (difference >> 63));
}
constexpr std::uint64_t unzigzag(std::uint64_t code) { return (code >> 1) ^ (0 - (code & 1)); }

inline void put_varint(Bytes& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<std::uint8_t>(value));
}

template <class T>
void put(Bytes& out, T value) {
  out.resize(out.size() + sizeof value);
  store_le(out.data() + out.size() - sizeof value, value);
}

inline void put_bytes(Bytes& out, ByteSpan bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

inline void put_string(Bytes& out, std::string_view text) {
  put_varint(out, text.size());
  out.insert(out.end(), text.begin(), text.end());
}

// LEB128, at most ten bytes. Returns the byte after it, or nullptr when it runs past `end` or
// past 64 bits.
inline const std::uint8_t* get_varint(const std::uint8_t* p, const std::uint8_t* end,
                                      std::uint64_t& value) {
  if (p < end && *p < 0x80) {
    value = *p;
    return p + 1;
  }
  std::uint64_t sum = 0;
  for (int shift = 0; shift < 64 && p < end; shift += 7) {
    const std::uint64_t byte = *p++;
    if (shift == 63 && byte > 1) return nullptr;
    sum |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      value = sum;
      return p;
    }
  }
  return nullptr;
}

class Cursor {
 public:
  explicit Cursor(ByteSpan bytes)
      : begin_(bytes.data()), p_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return ok_; }
  bool at_end() const { return p_ == end_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - p_); }
  std::size_t offset() const { return static_cast<std::size_t>(p_ - begin_); }
  void fail() { ok_ = false, p_ = end_; }

  template <class T>
  T fixed() {
    if (left() < sizeof(T)) return fail(), T{};
    const T value = load_le<T>(p_);
    p_ += sizeof(T);
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    const std::uint8_t* next = get_varint(p_, end_, value);
    if (next == nullptr) return fail(), 0;
    p_ = next;
    return value;
  }
  // A varint that must not exceed `limit`.
  std::uint64_t varint_to(std::uint64_t limit) {
    const std::uint64_t value = varint();
    if (value > limit) return fail(), 0;
    return value;
  }
  std::uint32_t varint32() { return static_cast<std::uint32_t>(varint_to(0xffffffffu)); }
  ByteSpan bytes(std::uint64_t count) {
    if (count > left()) return fail(), ByteSpan{};
    const ByteSpan taken(p_, static_cast<std::size_t>(count));
    p_ += count;
    return taken;
  }
  std::string string() {
    const ByteSpan taken = bytes(varint());
    return std::string(taken.begin(), taken.end());
  }
  // How many items of at least `item_bytes` each follow; a count that cannot fit fails before
  // anything is allocated for it.
  std::size_t count(std::size_t item_bytes) {
    return static_cast<std::size_t>(varint_to(left() / item_bytes));
  }

 private:
  const std::uint8_t* begin_;
  const std::uint8_t* p_;
  const std::uint8_t* end_;
  bool ok_ = true;
};

}  // namespace warpmem::trace
