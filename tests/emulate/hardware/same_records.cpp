// same_records RECORDED EMULATED: whether a trace that was emulated from machine code has the
// records of the one that a recorder wrote: launch by launch, all warps of all CTAs, in order.
// Addresses in global memory are those of the allocation that they lie in. Loads from constant
// memory, which a recorder does not see, are left out.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "traces/format/reader.hpp"

using namespace warpmem;
using namespace warpmem::trace;

namespace {

struct One {
  Site site;
  std::uint32_t mask = 0;
  std::vector<std::uint64_t> lanes;  // addresses of the active lanes
};

constexpr std::uint64_t kEach = std::uint64_t{1} << 40;  // numbers of an allocation's places

// Which allocation of the one trace is which of the other.
class Match {
 public:
  bool same(const One& a, const One& b) {
    if (a.site != b.site || a.mask != b.mask || a.lanes.size() != b.lanes.size()) return false;
    for (std::size_t i = 0; i < a.lanes.size(); ++i)
      if (a.site.space == Space::kGlobal ? !same_place(a.lanes[i], b.lanes[i])
                                         : a.lanes[i] != b.lanes[i])
        return false;
    return true;
  }

 private:
  bool same_place(std::uint64_t a, std::uint64_t b) {
    if (a % kEach != b % kEach) return false;
    const std::uint64_t there = there_.try_emplace(a / kEach, b / kEach).first->second,
                        back = back_.try_emplace(b / kEach, a / kEach).first->second;
    return there == b / kEach && back == a / kEach;
  }
  std::map<std::uint64_t, std::uint64_t> there_, back_;
};

using Warps = std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<One>>;

// In global memory: which allocation, and where in it.
std::uint64_t place_of(const std::vector<Allocation>& all, std::uint64_t address) {
  for (std::size_t k = 0; k < all.size(); ++k)
    if (address - all[k].base < all[k].bytes) return (k + 1) * kEach + (address - all[k].base);
  return address % kEach;
}

One one_of(const TraceReader& reader, std::uint32_t launch, const DecodedBlock& block,
           const Record& r) {
  One out{reader.sites(launch)[r.site], r.mask, {}};
  if (out.site.op == Op::kCtaBegin || out.site.op == Op::kCtaEnd) return out;
  const bool global = out.site.space == Space::kGlobal;
  std::size_t next = 0;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(r.mask >> l & 1)) continue;
    const std::uint64_t at = r.lanes == Record::kRegular
                                 ? r.base + static_cast<std::uint64_t>(std::int64_t{r.stride} * l)
                                 : block.lanes[r.lanes + next++];
    out.lanes.push_back(global ? place_of(reader.launches()[launch].launch.allocations, at) : at);
  }
  return out;
}

Result<Warps> warps_of(const TraceReader& reader, std::uint32_t launch, std::uint64_t cta) {
  Warps out;
  const auto segments = reader.cta_segments(launch, cta);
  if (!segments) return segments.error();
  std::map<std::uint32_t, DecodedBlock> blocks;
  for (const SegmentRef& ref : *segments) {
    if (!blocks.contains(ref.block)) {
      auto block = reader.decode(ref.block);
      if (!block) return block.error();
      blocks.clear();
      blocks.emplace(ref.block, std::move(*block));
    }
    const DecodedBlock& block = blocks.at(ref.block);
    const Segment& s = block.segments[ref.segment];
    auto& to = out[{s.cta, s.warp}];
    for (std::size_t i = s.first; i < s.first + s.count; ++i) {
      One one = one_of(reader, launch, block, block.records[i]);
      if (one.site.space != Space::kConstant) to.push_back(std::move(one));
    }
  }
  return out;
}

std::string text_of(const One& one) {
  return fmt::format("pc {:#x} op {} space {} bytes {} mask {:#x} first address {:#x}", one.site.pc,
                     static_cast<int>(one.site.op), static_cast<int>(one.site.space),
                     one.site.bytes, one.mask, one.lanes.empty() ? 0 : one.lanes[0]);
}

// What differs first; empty: nothing.
std::string difference(Match& match, const std::vector<One>& a, const std::vector<One>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (!match.same(a[i], b[i]))
      return fmt::format("record {}: recorded {}, emulated {}", i, text_of(a[i]), text_of(b[i]));
  if (a.size() == b.size()) return "";
  return fmt::format("{} records were recorded, {} emulated", a.size(), b.size());
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return fmt::print(stderr, "same_records RECORDED EMULATED\n"), 2;
  const auto a = TraceReader::open(words[1]), b = TraceReader::open(words[2]);
  if (!a || !b) return fmt::print(stderr, "{}\n", (a ? b : a).error().text()), 2;
  bool same = a->launches().size() == b->launches().size();
  if (!same)
    fmt::print("{} launches were recorded, {} emulated\n", a->launches().size(),
               b->launches().size());
  for (std::uint32_t k = 0; k < std::min(a->launches().size(), b->launches().size()); ++k) {
    const auto ctas = a->ctas(k);
    std::uint64_t warps = 0, differ = 0;
    std::string first;
    Match match;
    for (const std::uint64_t cta : ctas ? *ctas : std::vector<std::uint64_t>{}) {
      const auto x = warps_of(*a, k, cta), y = warps_of(*b, k, cta);
      if (!x || !y) return fmt::print(stderr, "{}\n", (x ? y : x).error().text()), 2;
      for (const auto& [where, records] : *x) {
        ++warps;
        const auto other = y->find(where);
        std::string what =
            other == y->end() ? "is not emulated" : difference(match, records, other->second);
        differ += !what.empty();
        if (first.empty() && !what.empty())
          first = fmt::format("CTA {} warp {}: {}", where.first, where.second, what);
      }
    }
    fmt::print("launch {}: {} warps, {} differ{}{}\n", k, warps, differ, first.empty() ? "" : "; ",
               first);
    same = same && differ == 0;
  }
  return same ? 0 : 1;
}
