#include "traces/record/batch.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

#include "traces/record/chunk_ring.hpp"

namespace warpmem::record {
namespace {

using trace::Op;
using trace::Space;

Op memory_op(std::uint32_t flags, bool reduction) {
  const bool read = (flags & kFlagRead) != 0, write = (flags & kFlagWrite) != 0;
  if (read && write) return reduction ? Op::kReduction : Op::kAtomic;
  return write ? Op::kStore : Op::kLoad;
}

trace::Site site_of(const RawRecord& raw, const CodeMap& code) {
  trace::Site site;
  site.pc = code.offset_of(raw.pc);
  site.bytes = raw_bytes(raw.what);
  const std::uint32_t flags = raw_flags(raw.what);
  switch (raw_kind(raw.what)) {
    case kRawGlobal:
    case kRawShared:
    case kRawLocal:
    case kRawRemote: {
      constexpr Space kSpaces[] = {Space::kGlobal, Space::kShared, Space::kLocal,
                                   Space::kRemoteShared};
      site.space = kSpaces[raw_kind(raw.what)];
      site.op = (flags & 8u) != 0 ? Op::kPrefetch : memory_op(flags, code.is_reduction(site.pc));
      break;
    }
    case kRawAsyncCopyRead:
      site.op = Op::kAsyncCopyRead;
      site.space = Space::kGlobal;
      break;
    case kRawAsyncCopyWrite:
      site.op = Op::kAsyncCopyWrite;
      site.space = Space::kShared;
      break;
    case kRawMatrix:
      site.op = (flags & kFlagWrite) != 0 ? Op::kMatrixStore : Op::kMatrixLoad;
      site.space = Space::kShared;
      break;
    case kRawPrefetch:
      site.op = Op::kPrefetch;
      site.space = Space::kGlobal;
      break;
    case kRawBulkReadGlobal:
    case kRawBulkReadShared:
      site.op = (flags & kFlagProduct) != 0 ? Op::kProductRead : Op::kBulkRead;
      site.space = raw_kind(raw.what) == kRawBulkReadGlobal ? Space::kGlobal : Space::kShared;
      site.bytes = static_cast<std::uint32_t>(raw.stride);
      break;
    case kRawBulkWriteGlobal:
    case kRawBulkWriteShared:
      site.op = (flags & kFlagRead) != 0 ? Op::kBulkReduction : Op::kBulkWrite;
      site.space = raw_kind(raw.what) == kRawBulkWriteGlobal ? Space::kGlobal : Space::kShared;
      site.bytes = static_cast<std::uint32_t>(raw.stride);
      break;
    case kRawBarrier: site.op = Op::kBarrier; break;
    default: break;
  }
  return site;
}

bool is_bulk(std::uint32_t kind) {
  return kind >= kRawBulkReadGlobal && kind <= kRawBulkWriteShared;
}

}  // namespace

std::uint32_t SiteIndex::intern(std::uint64_t key, const trace::Site& site) {
  const auto [it, added] = index_.try_emplace(key, static_cast<std::uint32_t>(sites_.size()));
  if (added) sites_.push_back(site);
  return it->second;
}

std::uint32_t SiteIndex::find(const RawRecord& raw) {
  const std::uint32_t kind = raw_kind(raw.what);
  std::uint64_t key =
      std::uint64_t{raw.pc} << 32 | raw_flags(raw.what) << 12 | raw_bytes(raw.what) << 4 | kind;
  if (is_bulk(kind)) key ^= std::uint64_t{static_cast<std::uint32_t>(raw.stride)} << 16;
  Recent& recent = recent_[(key * 0x9e3779b97f4a7c15u) >> 56];
  if (recent.key == key) return recent.site;
  const auto found = index_.find(key);
  recent = {key, found != index_.end() ? found->second : intern(key, site_of(raw, *code_))};
  return recent.site;
}

void SiteIndex::reset(const CodeMap& code) {
  code_ = &code;
  index_.clear();
  sites_ = {{0, Op::kCtaBegin, Space::kNone, 0}, {0, Op::kCtaEnd, Space::kNone, 0}};
  begin_ = 0;
  end_ = 1;
  recent_.fill({});
}

void Batch::list_lanes(const trace::Record& record, TwoLevel step,
                       std::vector<std::uint64_t>& out) {
  const std::size_t first = out.size(), width = std::size_t{1} << step.k;
  out.resize(first + 32);
  const auto stride = static_cast<std::uint64_t>(std::int64_t{record.stride});
  const auto outer = static_cast<std::uint64_t>(std::int64_t{step.outer});
  std::uint64_t group = record.base;
  for (std::size_t at = 0; at < 32; at += width, group += outer) {
    std::uint64_t address = group;
    for (std::size_t i = at; i < at + width; ++i, address += stride) out[first + i] = address;
  }
}

trace::Record Batch::translate(const RawRecord& raw) {
  trace::Record record;
  record.mask = raw.mask;
  record.base = raw.base;
  const auto* behind = reinterpret_cast<const unsigned char*>(&raw + 1);
  const auto count = static_cast<std::size_t>(std::popcount(raw.mask));
  switch (raw_form(raw.what)) {
    case kFormTwoLevel: {
      const TwoLevel step{static_cast<std::int32_t>(raw.mask),
                          std::min(raw.what >> (kFlagsShift + kTwoLevelShift) & 15u, 5u)};
      record.mask = ~0u;
      record.stride = raw.stride;
      if (raw_kind(raw.what) == kRawLocal) {  // its addresses are still to be changed one by one
        record.lanes = static_cast<std::uint32_t>(lanes_.size());
        list_lanes(record, step, lanes_);
        break;
      }
      record.lanes = kTwoLevel | static_cast<std::uint32_t>(two_level_.size());
      two_level_.push_back(step);
      return record;
    }
    case kFormOffsets: {
      record.lanes = static_cast<std::uint32_t>(lanes_.size());
      const auto* words = reinterpret_cast<const std::uint32_t*>(behind);
      for (std::size_t i = 0; i < count; ++i) {
        lanes_.push_back(raw.base +
                         static_cast<std::uint64_t>(std::int64_t{offset_of_word(words[i])}));
      }
      break;
    }
    case kFormAddresses: {
      record.lanes = static_cast<std::uint32_t>(lanes_.size());
      const auto* words = reinterpret_cast<const std::uint64_t*>(behind);
      for (std::size_t i = 0; i < count; ++i) lanes_.push_back(address_of_word(words[i]));
      break;
    }
    default: record.stride = is_bulk(raw_kind(raw.what)) ? 0 : raw.stride;
  }
  if (!record.regular()) record.base = 0, record.stride = 0;
  return record;
}

std::uint32_t Batch::add(const RawRecord& raw) {
  const std::uint64_t place = std::uint64_t{raw.cta} << 8 | raw_warp(raw.place);
  trace::Record record;
  std::uint32_t gone = 0;
  switch (raw_kind(raw.what)) {
    case kRawBegin:
      gpu_clock_.note(raw.pc);
      record.base = raw.base & 0xffffffffu;
      record.mask = raw.mask;
      record.site = sites_.begin();
      break;
    case kRawExit: {
      gpu_clock_.note(raw.pc);
      // Lanes may leave at different times; the warp's last record is when the last one does.
      gone = static_cast<std::uint32_t>(std::popcount(raw.mask));
      const std::uint32_t all = launch_->lanes_of(raw_warp(raw.place));
      if (raw.mask != all) {
        const std::uint32_t left = leaving_[place] |= raw.mask;
        if (left != all) return gone;
        leaving_.erase(place);
      }
      record.mask = all;
      record.site = sites_.end();
      break;
    }
    default:
      record = translate(raw);
      record.site = sites_.find(raw);
      if (raw_kind(raw.what) == kRawLocal) note_frame(raw, record);
  }
  warp_of_.push_back(warps_.find(place));
  records_.push_back(record);
  return gone;
}

std::uint32_t WarpIndex::find(std::uint64_t place) {
  if (place == last_place_) return last_;
  if (places_.size() * 2 >= table_.size()) grow();
  std::size_t at = home(place);
  while (table_[at] != kFree && places_[table_[at]] != place) at = (at + 1) & (table_.size() - 1);
  if (table_[at] == kFree) {
    table_[at] = static_cast<std::uint32_t>(places_.size());
    places_.push_back(place);
  }
  last_place_ = place;
  return last_ = table_[at];
}

void WarpIndex::grow() {
  table_.assign(table_.size() * 2, kFree);
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    std::size_t at = home(places_[i]);
    while (table_[at] != kFree) at = (at + 1) & (table_.size() - 1);
    table_[at] = i;
  }
}

void WarpIndex::clear() {
  std::fill(table_.begin(), table_.end(), kFree);
  places_.clear();
  last_place_ = ~std::uint64_t{0};
}

// The first access that the code says is at a known place of the frame tells where the frame is.
void Batch::note_frame(const RawRecord& raw, const trace::Record& record) {
  has_local_ = true;
  if (!record.regular() || record.stride != 0 ||
      launch_->frame.load(std::memory_order_relaxed) != 0)
    return;
  const auto& known = launch_->code->frame_offsets;
  const auto it = known.find(launch_->code->offset_of(raw.pc));
  if (it != known.end()) launch_->frame = record.base - it->second;
}

// The GPU reports offsets in the thread's local window, at whose end the stack lies.
void Batch::make_local_addresses_frame_offsets() {
  constexpr std::uint64_t kWindow = 0xffffff;  // callees' frames lie below, that is, high up
  const std::uint64_t frame = launch_->frame.load();
  for (trace::Record& record : records_) {
    if (sites_.sites()[record.site].space != Space::kLocal) continue;
    if (record.regular()) {
      record.base = (record.base - frame) & kWindow;
      continue;
    }
    for (int i = 0; i < record.active(); ++i) {
      std::uint64_t& lane = lanes_[record.lanes + static_cast<std::uint32_t>(i)];
      lane = (lane - frame) & kWindow;
    }
  }
}

// A counting sort by warp: linear, and stable.
const std::vector<Batch::Run>& Batch::sort() {
  if (has_local_ && launch_->frame.load() != 0) make_local_addresses_frame_offsets();
  const auto& places = warps_.places();
  by_place_.resize(places.size());
  std::iota(by_place_.begin(), by_place_.end(), 0u);
  std::sort(by_place_.begin(), by_place_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return places[a] < places[b]; });
  next_.assign(places.size(), 0);  // where the warp's next record goes
  for (const std::uint32_t warp : warp_of_) ++next_[warp];
  runs_.clear();
  std::uint32_t total = 0;
  for (const std::uint32_t warp : by_place_) {
    const std::uint32_t count = std::exchange(next_[warp], total);
    runs_.push_back({places[warp], total, count});
    total += count;
  }
  sorted_.resize(records_.size());
  for (std::size_t i = 0; i < records_.size(); ++i) sorted_[next_[warp_of_[i]]++] = records_[i];
  return runs_;
}

void Batch::add_to(trace::BlockBuilder& builder, const Run& run, Scratch& scratch) const {
  const auto cta = run.place >> 8;
  const auto warp = static_cast<std::uint32_t>(run.place & 255u);
  const auto records = std::span(sorted_).subspan(run.first, run.count);
  if (std::none_of(records.begin(), records.end(), is_two_level)) {
    builder.add(cta, warp, records, sites_.sites(), lanes_);
    return;
  }
  scratch.records.assign(records.begin(), records.end());
  scratch.lanes.clear();
  for (trace::Record& record : scratch.records) {
    if (record.regular()) continue;
    const std::uint32_t from = record.lanes;
    record.lanes = static_cast<std::uint32_t>(scratch.lanes.size());
    if (from >= kTwoLevel) {
      list_lanes(record, two_level_[from - kTwoLevel], scratch.lanes);
    } else {
      const auto first = lanes_.begin() + from;
      scratch.lanes.insert(scratch.lanes.end(), first, first + record.active());
    }
    record.base = 0;
    record.stride = 0;
  }
  builder.add(cta, warp, scratch.records, sites_.sites(), scratch.lanes);
}

void Batch::encode(trace::BlockBuilder& builder, const std::function<void()>& flush) {
  for (const Run& run : sort()) {
    add_to(builder, run, scratch_);
    if (builder.full()) flush();
  }
  clear();
}

void Batch::warm_up() {
  constexpr std::size_t kUsual = kFull / 4;
  records_.resize(kUsual);
  sorted_.resize(kUsual);
  warp_of_.resize(kUsual);
  two_level_.resize(kUsual);
  clear();
}

void Batch::reset(LaunchState& launch) {
  launch_ = &launch;
  sites_.reset(*launch.code);
  leaving_.clear();
  gpu_clock_ = {};
  clear();
}

void Batch::clear() {
  has_local_ = false;
  warps_.clear();
  warp_of_.clear();
  records_.clear();
  lanes_.clear();
  two_level_.clear();
}

}  // namespace warpmem::record
