// Changes of single accesses, as sim/explain/changes.cpp puts them together.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/engine/rewrite.hpp"

namespace warpmem::sim {

constexpr std::uint64_t whole_lines(std::uint64_t elements) { return (elements + 31) / 32 * 32; }

// Structures of `stride` bytes become arrays of their fields, one behind the other. `each`: bytes
// that a lane takes.
class Split final : public AccessChange {
 public:
  Split(std::uint64_t base, std::uint64_t bytes, std::uint64_t stride, std::uint64_t each)
      : base_(base), stride_(stride), each_(each), count_(whole_lines(bytes / stride + 1)) {}
  std::uint64_t address(std::uint64_t at) const override {
    const std::uint64_t off = at - base_, field = off % stride_;
    return base_ + field * count_ + off / stride_ * each_;
  }

 private:
  std::uint64_t base_, stride_, each_, count_;
};

// A matrix in rows of `row` bytes is stored by columns.
class Transpose final : public AccessChange {
 public:
  Transpose(std::uint64_t base, std::uint64_t bytes, std::uint64_t row, std::uint64_t each)
      : base_(base), row_(row), each_(each), rows_(whole_lines(bytes / row)) {}
  std::uint64_t address(std::uint64_t at) const override {
    const std::uint64_t off = at - base_, column = off % row_ / each_;
    return base_ + (column * rows_ + off / row_) * each_ + off % each_;
  }

 private:
  std::uint64_t base_, row_, each_, rows_;
};

// The access begins where a line does.
class Align final : public AccessChange {
 public:
  std::uint64_t shift(const model::WarpAccess& a) const override {
    std::uint64_t low = ~std::uint64_t{0};
    for (int l = 0; l < model::kWarpLanes; ++l)
      if (a.mask >> l & 1u) low = std::min(low, a.address[l]);
    return low % 128;
  }
};

// `pad` bytes more behind each row of `row` bytes of a piece of shared memory.
class PadRows final : public AccessChange {
 public:
  PadRows(std::uint64_t low, std::uint64_t row, std::uint64_t pad)
      : low_(low), row_(row), pad_(pad) {}
  std::uint64_t address(std::uint64_t at) const override {
    return at < low_ ? at : at + (at - low_) / row_ * pad_;
  }

 private:
  std::uint64_t low_, row_, pad_;
};

// Byte offset o becomes o ^ (o >> shift & mask) ^ …, shifts of at least 1.
class Xor final : public AccessChange {
 public:
  struct Term {
    unsigned shift = 1;
    std::uint64_t mask = 0;
  };
  Xor(std::uint64_t low, std::vector<Term> terms) : low_(low), terms_(std::move(terms)) {}
  std::uint64_t address(std::uint64_t at) const override {
    if (at < low_) return at;
    const std::uint64_t off = at - low_;
    std::uint64_t to = off;
    for (const Term& t : terms_) to ^= off >> t.shift & t.mask;
    return low_ + to;
  }

 private:
  std::uint64_t low_;
  std::vector<Term> terms_;
};

// Within rows of `row` bytes, the column's number of units is exclusively or-ed with the row's.
// Both are powers of two.
inline Xor row_swizzle(std::uint64_t low, std::uint64_t row, std::uint64_t unit) {
  const auto shift = static_cast<unsigned>(std::countr_zero(row) - std::countr_zero(unit));
  return {low, {{shift, (row / unit - 1) * unit}}};
}

// One lane for each word; `first_warp`: and only of a CTA's first warp.
class OneForAWord final : public AccessChange {
 public:
  explicit OneForAWord(bool first_warp) : first_warp_(first_warp) {}
  std::uint32_t lanes(const model::WarpAccess& a, const trace::Segment& s) const override {
    if (first_warp_ && s.warp != 0) return 0;
    std::uint32_t left = 0;
    for (int l = 0; l < model::kWarpLanes; ++l) {
      if (!(a.mask >> l & 1u)) continue;
      bool known = false;
      for (int k = 0; k < l && !known; ++k)
        known = (left >> k & 1u) != 0 && a.address[k] == a.address[l];
      if (!known) left |= 1u << l;
    }
    return left;
  }

 private:
  bool first_warp_;
};

class Drop final : public AccessChange {
 public:
  std::uint32_t lanes(const model::WarpAccess&, const trace::Segment&) const override { return 0; }
};

// Into memory of its own.
class Move final : public AccessChange {
 public:
  explicit Move(std::uint64_t by) : by_(by) {}
  std::uint64_t address(std::uint64_t at) const override { return at + by_; }

 private:
  std::uint64_t by_;
};

}  // namespace warpmem::sim
