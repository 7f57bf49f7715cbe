// Which transactions with memory the addresses of a warp become: the rules that there are, by
// compute capability. Each is a file of this folder and a row of policies.hpp. A transaction is a
// piece of memory, aligned to its size, that moves as a whole.
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
#include "model/access/rule/policies.hpp"
#include "model/policy/table.hpp"

namespace warpmem::model {

// In the order of the rows.
enum class AccessRule : std::uint8_t { WARPMEM_ACCESS_RULES(WARPMEM_ENUMERATOR) };
// As cards name them.
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

struct AccessRulePolicy {
  std::uint32_t (*lanes)(std::uint32_t bytes) = nullptr;  // lanes_of_group()
  // Adds to `out`.
  void (*list)(const AccessShape& shape, const WarpAccess& access,
               std::vector<Transaction>& out) = nullptr;
  bool of_any_lines = true;  // else of lines of 128 bytes alone: what its transactions lie in
};
const AccessRulePolicy& policy_of(AccessRule);

// What the last three of them share: the distinct aligned pieces of `piece` bytes that lanes of a
// group touch, in the order in which the lowest lanes reach them.
void touched_pieces(const WarpAccess& access, std::uint32_t first_lane, std::uint32_t lanes,
                    std::uint32_t group, std::uint32_t piece, std::vector<Transaction>& out);

}  // namespace warpmem::model
