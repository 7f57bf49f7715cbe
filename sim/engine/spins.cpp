#include "sim/engine/spins.hpp"

#include <algorithm>
#include <set>

#include "isa/access.hpp"

namespace warpmem::sim {
namespace {

using trace::Op;
using trace::Record;

bool looks(const trace::Site& site, const trace::DecodedProgram& program) {
  if (site.op != Op::kLoad && site.op != Op::kAtomic) return false;
  const auto line = program.line_at(site.pc);
  return line && trace::polls(program[*line], site.op == Op::kLoad);
}

bool same(const Record& a, const Record& b, const std::uint64_t* lanes) {
  if (a.site != b.site || a.mask != b.mask || a.regular() != b.regular()) return false;
  if (a.regular()) return a.base == b.base && a.stride == b.stride;
  return std::equal(lanes + a.lanes, lanes + a.lanes + a.active(), lanes + b.lanes);
}

}  // namespace

Spins::Spins(std::span<const trace::Site> sites, const trace::DecodedProgram& program) {
  looks_.reserve(sites.size());
  for (const trace::Site& s : sites) {
    looks_.push_back(looks(s, program));
    any_ = any_ || looks_.back();
  }
}

// Says of each of a warp's records whether it is a look again.
template <class Each>
void Spins::for_each(const trace::DecodedBlock& b, const trace::Segment& s, Each&& each) const {
  constexpr std::size_t kMost = 8;  // different looks in one loop
  std::vector<std::uint32_t> seen;  // since the last access of another kind
  for (std::uint32_t i = s.first; i < s.first + s.count; ++i) {
    const Record& r = b.records[i];
    if (!looks_[r.site]) {
      seen.clear();
      each(i, false);
      continue;
    }
    const bool again = std::ranges::any_of(
        seen, [&](std::uint32_t k) { return same(b.records[k], r, b.lanes.data()); });
    if (!again && seen.size() < kMost) seen.push_back(i);
    each(i, again);
  }
}

std::uint64_t Spins::count(const trace::DecodedBlock& b) const {
  std::uint64_t again = 0;
  if (any_)
    for (const trace::Segment& s : b.segments)
      for_each(b, s, [&](std::uint32_t, bool is) { again += is; });
  return again;
}

void Spins::drop(trace::DecodedBlock& b) const {
  if (!any_) return;
  std::vector<bool> gone(b.records.size(), false);
  for (const trace::Segment& s : b.segments)
    for_each(b, s, [&](std::uint32_t i, bool is) { gone[i] = is; });
  if (std::ranges::find(gone, true) == gone.end()) return;
  std::uint32_t kept = 0;
  for (trace::Segment& s : b.segments) {
    const std::uint32_t from = s.first, to = s.first + s.count;
    s.first = kept;
    for (std::uint32_t i = from; i < to; ++i)
      if (!gone[i]) b.records[kept++] = b.records[i];
    s.count = kept - s.first;
  }
  b.records.resize(kept);
}

Result<SpinCount> count_spins(const trace::TraceReader& reader, std::uint32_t launch,
                              const Spins& spins) {
  SpinCount out;
  if (!spins.any()) return out;
  const auto ctas = reader.ctas(launch);
  if (!ctas) return ctas.error();
  std::set<std::uint32_t> blocks;
  std::vector<trace::SegmentRange> ranges;
  for (const std::uint64_t cta : *ctas) {
    if (auto ok = reader.cta_segments(launch, cta, ranges); !ok) return ok.error();
    for (const trace::SegmentRange& r : ranges) blocks.insert(r.block);
  }
  for (const std::uint32_t n : blocks) {
    const auto block = reader.decode(n);
    if (!block) return block.error();
    out.records += block->records.size();
    out.again += spins.count(*block);
  }
  return out;
}

}  // namespace warpmem::sim
