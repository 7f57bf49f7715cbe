// Layouts of a piece of shared memory that keep its accesses out of each other's banks: paddings,
// and swizzles, found by trying them on accesses of the launch.
//
// A swizzle is a sum (exclusive or) of terms: byte offset o becomes o ^ (o >> shift & mask) ^ … .
// Each bit is changed by higher ones alone, so that no two offsets become one. With one term it is
// what CUTLASS calls Swizzle<bits, base, shift>. Single terms are all tried; terms are added one by
// one as long as each helps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/access/access.hpp"
#include "model/shared/shared_banks.hpp"
#include "sim/engine/rewrite.hpp"

namespace warpmem::sim {

struct BankAccess {
  model::WarpAccess access;
  model::SharedKind kind = model::SharedKind::kLoad;
  double weight = 1;  // how many accesses it stands for
};

// A piece of shared memory and some of its accesses.
struct BankPiece {
  std::uint64_t low = 0, high = 0;  // bytes: [low, high)
  std::uint64_t unit = 4;           // bytes that stay together: the widest access of a lane
  std::set<std::uint64_t> rows;     // bytes: lengths that its rows may have
  model::Banks banks;
  std::vector<BankAccess> accesses;
  double ideal = 0;  // passes without any conflict
};

struct Layout {
  double passes = 0;
  std::shared_ptr<const AccessChange> change;
  std::string what;  // "pad the rows of 128 bytes in shared memory by 4 bytes"
};

struct Layouts {
  double own = 0;                      // passes as it is
  std::optional<Layout> pad, swizzle;  // the best of each; nothing: none helps
};
Layouts search_layouts(const BankPiece& piece);

}  // namespace warpmem::sim
