#include "tests/twin/cta_records.hpp"

#include "sim/spills/spill_stream.hpp"

namespace warpmem::twin {

Result<std::vector<WarpRecords>> TraceRecords::of_cta(std::uint64_t cta, std::uint32_t warps) {
  std::vector<WarpRecords> out(warps);
  const auto segments = reader_.cta_segments(launch_, cta);
  if (!segments) return segments.error();
  for (const trace::SegmentRef& ref : *segments) {
    if (ref.block != number_) {
      auto block = reader_.decode(ref.block);
      if (!block) return block.error();
      block_ = std::move(block).value();
      number_ = ref.block;
    }
    const trace::Segment& segment = block_.segments[ref.segment];
    if (segment.warp < warps) add(block_, segment, out[segment.warp]);
  }
  if (spills_)
    for (WarpRecords& warp : out) put_spills_back(warp);
  return out;
}

void TraceRecords::add(const trace::DecodedBlock& block, const trace::Segment& segment,
                       WarpRecords& out) const {
  for (std::uint32_t i = 0; i < segment.count; ++i) {
    trace::Record r = block.records[segment.first + i];
    // Only who puts spills back wants to know of loops without accesses.
    if (!spills_ && reader_.sites(launch_)[r.site].op == trace::Op::kRounds) continue;
    if (!r.regular()) {
      const auto first = block.lanes.begin() + r.lanes;
      r.lanes = static_cast<std::uint32_t>(out.lanes.size());
      out.lanes.insert(out.lanes.end(), first, first + r.active());
    }
    out.records.push_back(r);
  }
}

void TraceRecords::put_spills_back(WarpRecords& warp) const {
  sim::SpillStream stream;
  stream.begin();
  sim::Position source{warp.records.data(), warp.records.data() + warp.records.size(),
                       warp.lanes.data()};
  std::vector<trace::Record> all, some;
  while (stream.fill(*spills_, source, some)) all.insert(all.end(), some.begin(), some.end());
  warp.records = std::move(all);
}

}  // namespace warpmem::twin
