#include "traces/record/batch.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

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
      constexpr Space kSpaces[] = {Space::kGlobal, Space::kShared, Space::kLocal, Space::kRemoteShared};
      site.space = kSpaces[raw_kind(raw.what)];
      site.op = (flags & 8u) != 0 ? Op::kPrefetch : memory_op(flags, code.is_reduction(site.pc));
      break;
    }
    case kRawAsyncCopyRead: site.op = Op::kAsyncCopyRead; site.space = Space::kGlobal; break;
    case kRawAsyncCopyWrite: site.op = Op::kAsyncCopyWrite; site.space = Space::kShared; break;
    case kRawMatrix:
      site.op = (flags & kFlagWrite) != 0 ? Op::kMatrixStore : Op::kMatrixLoad;
      site.space = Space::kShared;
      break;
    case kRawPrefetch: site.op = Op::kPrefetch; site.space = Space::kGlobal; break;
    case kRawBulkReadGlobal:
    case kRawBulkReadShared:
      site.op = Op::kBulkRead;
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

bool is_bulk(std::uint32_t kind) { return kind >= kRawBulkReadGlobal && kind <= kRawBulkWriteShared; }

}  // namespace

std::uint32_t SiteIndex::intern(std::uint64_t key, const trace::Site& site) {
  const auto [it, added] = index_.try_emplace(key, static_cast<std::uint32_t>(sites_.size()));
  if (added) sites_.push_back(site);
  return it->second;
}

std::uint32_t SiteIndex::find(const RawRecord& raw) {
  const std::uint32_t kind = raw_kind(raw.what);
  std::uint64_t key = std::uint64_t{raw.pc} << 32 | raw_flags(raw.what) << 12 |
                      raw_bytes(raw.what) << 4 | kind;
  if (is_bulk(kind)) key ^= std::uint64_t{static_cast<std::uint32_t>(raw.stride)} << 16;
  if (key == last_key_) return last_;
  last_key_ = key;
  const auto found = index_.find(key);
  last_ = found != index_.end() ? found->second : intern(key, site_of(raw, *code_));
  return last_;
}

std::uint32_t SiteIndex::boundary(Op op) {
  return intern(~std::uint64_t{0} - 1 - static_cast<std::uint64_t>(op), trace::Site{0, op, Space::kNone, 0});
}

std::uint32_t SiteIndex::adopt(const trace::Site& site) {
  const auto found = std::find(sites_.begin(), sites_.end(), site);
  if (found != sites_.end()) return static_cast<std::uint32_t>(found - sites_.begin());
  sites_.push_back(site);
  return static_cast<std::uint32_t>(sites_.size() - 1);
}

trace::Record Batch::translate(const RawRecord& raw) {
  trace::Record record;
  record.mask = raw.mask;
  record.base = raw.base;
  const auto* behind = reinterpret_cast<const unsigned char*>(&raw + 1);
  const auto count = static_cast<std::size_t>(std::popcount(raw.mask));
  switch (raw_form(raw.what)) {
    case kFormTwoLevel: {
      const std::uint32_t k = raw.what >> (kFlagsShift + kTwoLevelShift) & 15u;
      const auto outer = static_cast<std::int32_t>(raw.mask);
      record.mask = ~0u;
      record.lanes = static_cast<std::uint32_t>(lanes_.size());
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        const std::int64_t inner = lane & ((1u << k) - 1);
        lanes_.push_back(raw.base + static_cast<std::uint64_t>(inner * raw.stride) +
                         static_cast<std::uint64_t>(std::int64_t{lane >> k} * outer));
      }
      break;
    }
    case kFormOffsets: {
      record.lanes = static_cast<std::uint32_t>(lanes_.size());
      const auto* offsets = reinterpret_cast<const std::int32_t*>(behind);
      for (std::size_t i = 0; i < count; ++i) {
        lanes_.push_back(raw.base + static_cast<std::uint64_t>(std::int64_t{offsets[i]}));
      }
      break;
    }
    case kFormAddresses: {
      record.lanes = static_cast<std::uint32_t>(lanes_.size());
      const auto* addresses = reinterpret_cast<const std::uint64_t*>(behind);
      lanes_.insert(lanes_.end(), addresses, addresses + count);
      break;
    }
    default: record.stride = is_bulk(raw_kind(raw.what)) ? 0 : raw.stride;
  }
  if (!record.regular()) record.base = 0;
  return record;
}

std::uint32_t Batch::add(const RawRecord& raw) {
  const std::uint64_t place = std::uint64_t{raw.cta} << 8 | raw_warp(raw.place);
  trace::Record record;
  std::uint32_t gone = 0;
  switch (raw_kind(raw.what)) {
    case kRawBegin:
      record.base = raw.base & 0xffffffffu;
      record.mask = raw.mask;
      record.site = sites_.boundary(Op::kCtaBegin);
      break;
    case kRawExit: {
      // Lanes may leave at different times; the warp's last record is when the last one does.
      gone = static_cast<std::uint32_t>(std::popcount(raw.mask));
      const std::uint32_t all = launch_->lanes_of(raw_warp(raw.place));
      if (raw.mask != all) {
        const std::uint32_t left = leaving_[place] |= raw.mask;
        if (left != all) return gone;
        leaving_.erase(place);
      }
      record.mask = all;
      record.site = sites_.boundary(Op::kCtaEnd);
      break;
    }
    default:
      record = translate(raw);
      record.site = sites_.find(raw);
  }
  places_.push_back(place);
  records_.push_back(record);
  return gone;
}

void Batch::encode(trace::BlockBuilder& builder, const std::function<void()>& flush) {
  std::vector<std::uint32_t> order(records_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return places_[a] < places_[b]; });
  std::vector<trace::Record> run;
  for (std::size_t first = 0; first < order.size();) {
    const std::uint64_t place = places_[order[first]];
    run.clear();
    std::size_t last = first;
    for (; last < order.size() && places_[order[last]] == place; ++last) run.push_back(records_[order[last]]);
    builder.add(place >> 8, static_cast<std::uint32_t>(place & 255u), run, sites_.sites(), lanes_);
    if (builder.full()) flush();
    first = last;
  }
  clear();
}

void Batch::clear() {
  places_.clear();
  records_.clear();
  lanes_.clear();
}

void Batch::append(const Batch& other) {
  const auto first_lane = static_cast<std::uint32_t>(lanes_.size());
  places_.insert(places_.end(), other.places_.begin(), other.places_.end());
  lanes_.insert(lanes_.end(), other.lanes_.begin(), other.lanes_.end());
  // Sites are few: find each of the other's in ours once.
  std::vector<std::uint32_t> site_here(other.sites_.sites().size());
  for (std::size_t i = 0; i < site_here.size(); ++i) site_here[i] = sites_.adopt(other.sites_.sites()[i]);
  for (trace::Record record : other.records_) {
    record.site = site_here[record.site];
    if (!record.regular()) record.lanes += first_lane;
    records_.push_back(record);
  }
}

}  // namespace warpmem::record
