// The points of a sweep: each combination of what its axes take. Points are numbered, and the last
// axis changes first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/sweep.hpp"

namespace warpmem::sweep {

// One part of a sweep that is shared out: every `of`-th point, from the `part`-th on (from 1).
struct Shard {
  std::uint64_t part = 1, of = 1;
  bool has(std::uint64_t point) const { return point % of == part - 1; }
  bool whole() const { return of == 1; }
};

class Space {
 public:
  explicit Space(std::vector<SweepAxis> axes) : axes_(std::move(axes)) {}
  const std::vector<SweepAxis>& axes() const { return axes_; }
  // Nothing: more than 64 bits can count.
  std::optional<std::uint64_t> size() const;
  std::vector<std::size_t> indices(std::uint64_t point) const;  // by axis
  std::uint64_t number(const std::vector<std::size_t>& indices) const;
  std::vector<std::string> values(std::uint64_t point) const;

 private:
  std::vector<SweepAxis> axes_;
};

}  // namespace warpmem::sweep
