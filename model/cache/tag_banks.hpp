// The L1's tag stage: four banks (l1_index.hpp), one line each a pass. On an H200 (driver 580, CUDA
// 13.0, 2026-11-21) all 3 x 1,024 measured pairs of lines take as many passes as this says.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/access/access.hpp"
#include "model/cache/index/l1_index.hpp"

namespace warpmem::model {

// Lines of an access that it takes in a cycle: one of each bank.
inline constexpr std::size_t kLinesACycle = 4;

// Passes through the tag stage: lines in the fullest bank.
class TagPasses {
 public:
  void add(std::uint32_t bank) { in_bank_ += 1u << bank * 8; }
  void add_all(std::uint32_t in_bank) { in_bank_ += in_bank; }
  int count() const {
    int most = 0;
    for (std::uint32_t rest = in_bank_; rest; rest >>= 8)
      most = std::max(most, static_cast<int>(rest & 255));
    return most;
  }

 private:
  std::uint32_t in_bank_ = 0;  // a byte a bank; there are at most 64 lines
};

// The same of lines of which the sets are known (l1_index.hpp).
int tag_passes_of_sets(const std::uint32_t* set, std::size_t count);

inline int tag_passes(const LineList& lines) {
  TagPasses passes;
  for (int i = 0; i < lines.count; ++i)
    passes.add(tag_bank(lines.line[static_cast<std::size_t>(i)]));
  return passes.count();
}

}  // namespace warpmem::model
