// The order in which a grid's CTAs are given out: a what-if. Hardware gives them out by their
// number, x first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "traces/format/launch.hpp"

namespace warpmem::sim {

struct CtaOrder {
  enum class Kind : std::uint8_t {
    kRows,      // by number: x first, as hardware does
    kColumns,   // y first
    kReversed,  // the last one first
    kTiles,     // squares of `tile` x `tile` CTAs, one after the other
  };
  Kind kind = Kind::kRows;
  std::uint32_t tile = 1;
  bool operator==(const CtaOrder&) const = default;
};

// "rows", "columns", "reversed", "tiles4": squares of 4 x 4 CTAs.
Result<CtaOrder> read_cta_order(const std::string& text, const std::string& place);

// Puts CTAs, by their numbers, into the order.
void put_in_order(CtaOrder order, const Dim3& grid, std::vector<std::uint64_t>& ctas);

}  // namespace warpmem::sim
