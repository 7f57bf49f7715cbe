// How long the L2 should keep a line, as an access says: by the access-policy window that it lies
// in, or by its own eviction priority.
//
// Measured on an H200 (kernels/micro/l2_window.cu) and an H100 (l2_stay.cu): lines that persist are
// in no danger from others, so many of a set at their home; the first to go make room before any
// other. Who says nothing leaves a persisting line as it is, and makes an ordinary one of a line
// that was among the first to go; who asks for a normal one ends both. An access that streams does
// not end what persists. Copies on the other side never persist.
#pragma once

#include <cstdint>

namespace warpmem::model {

enum class Stay : std::uint8_t { kUnsaid, kNormal, kPersist, kFirst };

// Of the copy of a line, on the side that is not its home.
constexpr Stay of_copy(Stay s) { return s == Stay::kPersist ? Stay::kUnsaid : s; }
// Of a store or an atomic: their lines are never among the first to go (measured: st.cs, with a
// policy, and in a streaming window).
constexpr Stay of_write(Stay s) { return s == Stay::kFirst ? Stay::kUnsaid : s; }

// Ways of a set that persisting lines can have: whole ones, and at least one (measured: l2_stay.cu,
// 1, 2 and 3 MiB of an H100 keep one way, 4 and 6 keep two, 8 three; so does nothing set aside).
constexpr std::uint32_t persisting_ways(std::uint64_t bytes, std::uint64_t way_bytes,
                                        std::uint32_t ways) {
  const std::uint64_t whole = (bytes + way_bytes - 1) / way_bytes;
  const std::uint64_t most = ways > 1 ? ways - 1 : 0;
  return static_cast<std::uint32_t>(whole < 1      ? (most < 1 ? most : 1)
                                    : whole < most ? whole
                                                   : most);
}

// Which of a window's lines have its `hit` property: of each sixteen in a row as many as the ratio
// says, in whole sixteenths, and one more (measured: 0 keeps one, 0.5 nine, 0.95 all).
inline bool in_hit_ratio(std::uint64_t line, float ratio) {
  std::uint64_t n = line ^ line >> 32;
  n ^= n >> 16;
  n ^= n >> 8;
  n ^= n >> 4;
  return static_cast<float>(n & 15) <= ratio * 16;
}

}  // namespace warpmem::model
