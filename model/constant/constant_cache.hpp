// The caches of constants: a small one an SM, a larger one a GPC behind it that fills longer
// pieces, and memory. Constants are read-only, so that a line has nothing but the cycle from which
// it is there: who asks for one in flight waits for it. A warp's addresses are looked up one after
// the other.
//
// Leaves out: that instructions share the GPC's cache; the traffic that a miss makes in the L2 and
// in DRAM (it is of other units, and small).
//
// Sources: kernels/micro/launch_shape.cu on an H200 (cards/gpus/h200/README.md), constant_chain,
// constant_round and constant_distinct; sets and ways of the small cache as on Volta (Jia et al.,
// arXiv 1804.06826), which 16 lines 4 KiB apart agree with: they all miss.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/constant/spec.hpp"
#include "model/timing/throughput.hpp"

namespace warpmem::model {

class ConstantCache {
 public:
  using Spec = ConstantSpec;
  explicit ConstantCache(Spec spec);
  // A launch begins with all of them empty.
  void clear();

  // A warp of the SM asks for so many addresses at `now`; cycles by which its data is later than
  // that of one address that hits.
  std::uint64_t read(int sm, const std::uint64_t* addresses, std::size_t count, std::uint64_t now);
  // The cycle in which the last read's first address was looked up.
  std::uint64_t begun() const { return begun_; }
  // Cycles for which an SM's lookup was taken.
  double taken(int sm) const {
    return static_cast<double>(lookup_[static_cast<std::size_t>(sm)].given()) / kTicks;
  }

 private:
  struct Entry {
    std::uint64_t line = kNone;
    std::uint64_t there = 0;  // cycle
    std::uint64_t used = 0;   // number of its last use
  };
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  struct Group {
    std::unordered_map<std::uint64_t, Entry> lines;
  };
  // The cycle from which the SM has the line, not before `now`. When as many misses as may be are
  // outstanding, the next one waits until one of them is back, and all lookups behind it wait too.
  std::uint64_t line(std::size_t sm, std::uint64_t line, std::uint64_t now);
  std::uint64_t group_line(Group& group, std::uint64_t line, std::uint64_t now);

  Spec spec_;
  std::uint32_t sets_;
  std::vector<Entry> entries_;       // by SM, set, way
  std::vector<Throughput> lookup_;   // by SM
  std::vector<std::uint64_t> held_;  // by SM: cycle until which a miss holds lookups up
  std::vector<std::uint64_t> miss_;  // by SM and place for a miss: cycle from which it is free
  std::vector<Group> groups_;
  std::uint64_t uses_ = 0;
  std::uint64_t begun_ = 0;
};

}  // namespace warpmem::model
