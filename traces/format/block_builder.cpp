#include <fmt/format.h>

#include <algorithm>

#include "traces/format/records_codec.hpp"
#include "traces/format/site_table.hpp"
#include "traces/format/writer.hpp"

namespace warpmem::trace {

struct BlockBuilder::State {
  std::uint32_t launch = 0;
  int level = 3;
  std::vector<EncodedBlock> done;  // closed inside one add() that was larger than a block
  SiteTable sites;
  std::vector<Segment> segments;
  std::vector<Record> records;
  std::vector<std::uint64_t> lanes;
  std::vector<std::uint32_t> numbers;  // the caller's site number -> ours; checked at each use
  std::string problem;

  bool full() const { return records.size() >= kBlockRecords || lanes.size() >= kBlockLanes; }
  bool too_large() const {
    return records.size() >= 2 * kBlockRecords || lanes.size() >= 2 * kBlockLanes ||
           sites.size() == kMaxBlockSites;
  }

  // Warps in order, and each warp's records in one piece: neighbours are alike, so that a recording
  // of interleaved warps costs as little as an ordered one. Only the order within a warp is true.
  void sort_by_warp() {
    const auto before = [](const Segment& a, const Segment& b) {
      return a.cta != b.cta ? a.cta < b.cta : a.warp < b.warp;
    };
    const bool sorted = std::adjacent_find(segments.begin(), segments.end(),
                                           [&](const Segment& a, const Segment& b) {
                                             return !before(a, b);
                                           }) == segments.end();
    if (sorted) return;
    std::stable_sort(segments.begin(), segments.end(), before);
    std::vector<Segment> merged;
    std::vector<Record> moved;
    moved.reserve(records.size());
    for (const Segment& segment : segments) {
      const auto first = static_cast<std::uint32_t>(moved.size());
      if (!merged.empty() && !before(merged.back(), segment)) {
        merged.back().count += segment.count;
      } else {
        merged.push_back({segment.cta, segment.warp, first, segment.count});
      }
      const auto from = records.begin() + segment.first;
      moved.insert(moved.end(), from, from + segment.count);
    }
    segments = std::move(merged);
    records = std::move(moved);
  }

  void close(std::uint64_t lost) {
    sort_by_warp();
    EncodedBlock block;
    block.launch = launch;
    block.records = records.size();
    block.lost = lost;
    block.sites = sites.sites();
    const Bytes raw = encode_records({block.sites, segments, records, lanes});
    block.raw_bytes = raw.size();
    block.body = compress(raw, level).bytes;
    block.segments = std::move(segments);
    done.push_back(std::move(block));
    sites.clear();
    segments.clear();
    records.clear();
    lanes.clear();
  }

  // The block's number for a site of the caller's.
  std::uint32_t number_of(std::uint32_t site, std::span<const Site> from) {
    if (numbers.size() < from.size()) numbers.resize(from.size(), 0);
    std::uint32_t& number = numbers[site];
    if (number >= sites.size() || sites.sites()[number] != from[site]) {
      number = sites.number_of(from[site]);
    }
    return number;
  }
};

BlockBuilder::BlockBuilder(std::uint32_t launch, int zstd_level)
    : state_(std::make_unique<State>()) {
  state_->launch = launch;
  state_->level = zstd_level;
}
BlockBuilder::~BlockBuilder() = default;
BlockBuilder::BlockBuilder(BlockBuilder&&) noexcept = default;
BlockBuilder& BlockBuilder::operator=(BlockBuilder&&) noexcept = default;

void BlockBuilder::add(std::uint64_t cta, std::uint32_t warp, std::span<const Record> records,
                       std::span<const Site> sites, std::span<const std::uint64_t> lanes) {
  State& state = *state_;
  if (state.full()) state.close(0);  // the caller did not take() it
  bool open = false;                 // the last segment is this warp's
  state.records.reserve(kBlockRecords);
  for (const Record& record : records) {
    const auto active = static_cast<std::uint64_t>(record.active());
    const bool lanes_fit = record.regular() || record.lanes + active <= lanes.size();
    if (record.site >= sites.size() || !lanes_fit) {
      state.problem = fmt::format("CTA {}, warp {}: a record names {} that the caller did not give",
                                  cta, warp, lanes_fit ? "a site" : "lane addresses");
      return;
    }
    if (state.too_large()) {  // one call's records are split only where they must be
      state.close(0);
      open = false;
    }
    if (!open) {
      state.segments.push_back({cta, warp, static_cast<std::uint32_t>(state.records.size()), 0});
      open = true;
    }
    ++state.segments.back().count;
    Record& kept = state.records.emplace_back(record);
    kept.site = state.number_of(record.site, sites);
    if (record.regular()) continue;
    kept.base = 0;
    kept.stride = 0;
    kept.lanes = static_cast<std::uint32_t>(state.lanes.size());
    const auto from = lanes.subspan(record.lanes, active);
    state.lanes.insert(state.lanes.end(), from.begin(), from.end());
  }
}

void BlockBuilder::restart(std::uint32_t launch) { state_->launch = launch; }

bool BlockBuilder::full() const { return state_->full() || !state_->done.empty(); }

bool BlockBuilder::empty() const {
  return state_->records.empty() && state_->done.empty() && state_->problem.empty();
}

EncodedBlock BlockBuilder::take(std::uint64_t lost) {
  State& state = *state_;
  if (!state.records.empty()) state.close(lost);
  EncodedBlock block;
  block.launch = state.launch;
  if (!state.done.empty()) {
    block = std::move(state.done.front());
    state.done.erase(state.done.begin());
  }
  block.more = std::move(state.done);
  block.lost = lost;
  for (auto& further : block.more) further.lost = lost;
  block.problem = std::move(state.problem);
  state.done.clear();
  state.problem.clear();
  return block;
}

}  // namespace warpmem::trace
