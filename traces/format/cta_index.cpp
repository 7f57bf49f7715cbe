#include "traces/format/cta_index.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "traces/format/format.hpp"

namespace warpmem::trace {

void append_runs(std::span<const Segment> segments, std::uint32_t block,
                 std::vector<CtaRun>& runs) {
  const std::size_t before = runs.size();  // a run stays within its block
  for (std::size_t i = 0; i < segments.size();) {
    const std::uint64_t cta = segments[i].cta;
    std::size_t end = i + 1;
    while (end < segments.size() && segments[end].cta == cta) ++end;
    const auto per_cta = static_cast<std::uint32_t>(end - i);
    bool joined = false;
    if (runs.size() > before && runs.back().per_cta == per_cta && cta > runs.back().last()) {
      CtaRun& run = runs.back();
      const std::uint64_t step = cta - run.last();
      if (run.count == 1 && step <= 0xffffffffu) run.step = static_cast<std::uint32_t>(step);
      joined = step == run.step;
      run.count += joined;
      if (!joined && run.count == 1) run.step = 1;
    }
    if (!joined) runs.push_back({cta, 1, 1, block, static_cast<std::uint32_t>(i), per_cta});
    i = end;
  }
}

Bytes put_runs(std::span<const CtaRun> runs) {
  Bytes out;
  put_varint(out, runs.size());
  CtaRun last;
  std::uint64_t next_cta = 0;
  for (const CtaRun& run : runs) {
    put_varint(out, zigzag(run.cta - next_cta));
    put_varint(out, run.count);
    put_varint(out, run.step);
    put_varint(out, run.block - last.block);  // ascending
    put_varint(out, run.segment);
    put_varint(out, run.per_cta);
    next_cta = run.last() + run.step;
    last = run;
  }
  return out;
}

std::optional<std::vector<CtaRun>> parse_runs(ByteSpan bytes, bool newer) {
  Cursor in(bytes);
  std::vector<CtaRun> runs(in.count(6));
  std::uint64_t next_cta = 0, block = 0;
  for (CtaRun& run : runs) {
    run.cta = next_cta + unzigzag(in.varint());
    run.count = static_cast<std::uint32_t>(in.varint_to(kMaxBlockRecords));
    run.step = in.varint32();
    block += in.varint32();
    run.block = static_cast<std::uint32_t>(block);
    run.segment = static_cast<std::uint32_t>(in.varint_to(kMaxBlockRecords));
    run.per_cta = static_cast<std::uint32_t>(in.varint_to(kMaxBlockRecords));
    const bool sound = run.count > 0 && run.step > 0 && run.per_cta > 0 && block <= 0xffffffffu &&
                       run.last() >= run.cta;
    if (!sound) in.fail();
    next_cta = run.last() + run.step;
  }
  if (!in.ok() || !(in.at_end() || newer)) return std::nullopt;
  return runs;
}

void CtaIndex::finish() {
  std::stable_sort(runs_.begin(), runs_.end(), [](const CtaRun& a, const CtaRun& b) {
    return std::tie(a.cta, a.block, a.segment) < std::tie(b.cta, b.block, b.segment);
  });
  reach_.resize(runs_.size());
  std::uint64_t reach = 0;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    reach = std::max(reach, runs_[i].last());
    reach_[i] = reach;
  }
  by_place_.resize(runs_.size());
  std::iota(by_place_.begin(), by_place_.end(), 0u);
  std::stable_sort(by_place_.begin(), by_place_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(runs_[a].block, runs_[a].segment) < std::tie(runs_[b].block, runs_[b].segment);
  });
}

std::span<const std::uint32_t> CtaIndex::of(std::uint32_t block) const {
  const auto first = std::ranges::lower_bound(by_place_, block, {},
                                              [&](std::uint32_t i) { return runs_[i].block; });
  const auto end = std::ranges::upper_bound(first, by_place_.end(), block, {},
                                            [&](std::uint32_t i) { return runs_[i].block; });
  return {first, end};
}

bool CtaIndex::names(std::uint32_t block) const { return !of(block).empty(); }

bool CtaIndex::fits(std::uint32_t block, std::span<const Segment> segments) const {
  std::size_t at = 0;
  for (const std::uint32_t i : of(block)) {
    const CtaRun& run = runs_[i];
    if (run.segment != at || std::uint64_t{run.count} * run.per_cta > segments.size() - at)
      return false;
    for (std::uint32_t k = 0; k < run.count; ++k)
      for (std::uint32_t n = 0; n < run.per_cta; ++n)
        if (segments[at++].cta != run.cta + std::uint64_t{k} * run.step) return false;
  }
  return at == segments.size();
}

std::vector<SegmentRef> CtaIndex::segments(std::uint64_t cta) const {
  std::vector<SegmentRange> ranges;
  segments(cta, ranges);
  std::vector<SegmentRef> found;
  for (const SegmentRange& range : ranges)
    for (std::uint32_t k = 0; k < range.count; ++k) found.push_back({range.block, range.first + k});
  return found;
}

void CtaIndex::segments(std::uint64_t cta, std::vector<SegmentRange>& out) const {
  out.clear();
  auto i = static_cast<std::size_t>(
      std::upper_bound(runs_.begin(), runs_.end(), cta,
                       [](std::uint64_t value, const CtaRun& run) { return value < run.cta; }) -
      runs_.begin());
  while (i-- > 0 && reach_[i] >= cta) {
    const CtaRun& run = runs_[i];
    if (cta > run.last() || (run.step > 1 && (cta - run.cta) % run.step != 0)) continue;
    const std::uint64_t position = (cta - run.cta) / run.step;
    out.push_back(
        {run.block, static_cast<std::uint32_t>(run.segment + position * run.per_cta), run.per_cta});
  }
  if (out.size() > 1)
    std::sort(out.begin(), out.end(), [](const SegmentRange& a, const SegmentRange& b) {
      return std::tie(a.block, a.first) < std::tie(b.block, b.first);
    });
}

std::vector<std::uint64_t> CtaIndex::ctas() const {
  std::vector<std::uint64_t> all;
  for (const CtaRun& run : runs_) {
    for (std::uint32_t k = 0; k < run.count; ++k)
      all.push_back(run.cta + std::uint64_t{k} * run.step);
  }
  if (!std::is_sorted(all.begin(), all.end())) std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace warpmem::trace
