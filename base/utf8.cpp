#include "base/utf8.hpp"

namespace warpmem {

Utf8 first_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first < 0xc2 || first > 0xf4) return {};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  // The second byte says whether it is the shortest form, no surrogate and no more than there is.
  const std::uint32_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const std::uint32_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  std::uint32_t code = first & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const std::uint32_t next = byte(i);
    if (i == 1 ? next < low || next > high : (next & 0xc0u) != 0x80) return {0, 0, i};
    code = code << 6 | (next & 0x3fu);
  }
  return {code, bytes};
}

void put_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t b) { out += static_cast<char>(b); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3f));
  } else {
    byte(0xf0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3f));
    byte(0x80 | (code >> 6 & 0x3f));
  }
  byte(0x80 | (code & 0x3f));
}

}  // namespace warpmem
