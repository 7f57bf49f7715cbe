// All records of a CTA, warp by warp, in memory.
#pragma once

#include <vector>

#include "sim/spills/spills.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::twin {

struct WarpRecords {
  std::vector<trace::Record> records;
  std::vector<std::uint64_t> lanes;
};

class TraceRecords {
 public:
  // `spills`: accesses that the trace lacks; nullptr: none.
  TraceRecords(const trace::TraceReader& reader, std::uint32_t launch, sim::Spills* spills)
      : reader_(reader), launch_(launch), spills_(spills) {}
  Result<std::vector<WarpRecords>> of_cta(std::uint64_t cta, std::uint32_t warps);

 private:
  void add(const trace::DecodedBlock& block, const trace::Segment& segment, WarpRecords& out) const;
  void put_spills_back(WarpRecords& warp) const;

  const trace::TraceReader& reader_;
  std::uint32_t launch_;
  sim::Spills* spills_;
  std::uint32_t number_ = ~0u;  // of the latest block
  trace::DecodedBlock block_;
};

}  // namespace warpmem::twin
