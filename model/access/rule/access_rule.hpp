// Which transactions with memory the addresses of a warp become: one file a rule, by compute
// capability. A transaction is a piece of memory, aligned to its size, that moves as a whole.
//
// Pure functions of the addresses. What a cache does with a transaction is not decided here.
//
// Source, where a rule's file names no other: CUDA C Programming Guide 4.x, appendix F, and 11.x,
// appendix K (the chapters on compute capabilities).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/access/access.hpp"

namespace warpmem::model {

enum class AccessRule : std::uint8_t {
  kHalfWarpStrict,    // 1.0, 1.1: a half-warp in order, or a transaction a lane
  kHalfWarpSegments,  // 1.2, 1.3: segments of a half-warp, which shrink to what is used
  kLinesOrSegments,   // 2.x, 3.x: lines through the L1, segments of 32 bytes past it
  kSubRequests,       // 5.x, 6.x: 8, 4 or 2 lanes at a time, sectors
  kSectors,           // 7.0 and later: a warp at once, sectors
};
const std::vector<std::string>& access_rule_names();

struct Transaction {
  std::uint64_t address = 0;  // of its first byte
  std::uint32_t bytes = 0;    // that it moves
  std::uint32_t lanes = 0;    // bit l: it serves lane l, or a part of what that lane wants
  std::uint32_t group = 0;    // which of the access's groups of lanes it belongs to
  bool in_order = false;      // half_warp_strict: the half-warp was coalesced
  friend bool operator==(const Transaction&, const Transaction&) = default;
};

struct AccessShape {
  AccessRule rule = AccessRule::kSectors;
  std::uint32_t line_bytes = 128;
  bool whole_lines = false;  // lines_or_segments: this access goes through an L1 of whole lines
};

// In the order in which they are issued: group by group, and within one by lowest lane or address.
// `out` is replaced.
void list_transactions(const AccessShape& shape, const WarpAccess& access,
                       std::vector<Transaction>& out);
// Lanes that are served together: 32 or fewer, by bytes a lane.
std::uint32_t lanes_of_group(AccessRule rule, std::uint32_t bytes);

// The rules, one file each; they add to `out`.
void half_warp_strict(const WarpAccess& access, std::vector<Transaction>& out);
void half_warp_segments(const WarpAccess& access, std::vector<Transaction>& out);
void lines_or_segments(const WarpAccess& access, std::uint32_t line_bytes, bool whole_lines,
                       std::vector<Transaction>& out);
void sub_requests(const WarpAccess& access, std::vector<Transaction>& out);
void sectors(const WarpAccess& access, std::vector<Transaction>& out);

// What the last three share: the distinct aligned pieces of `piece` bytes that lanes of a group
// touch, in the order in which the lowest lanes reach them.
void touched_pieces(const WarpAccess& access, std::uint32_t first_lane, std::uint32_t lanes,
                    std::uint32_t group, std::uint32_t piece, std::vector<Transaction>& out);

}  // namespace warpmem::model
