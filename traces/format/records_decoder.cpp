#include <algorithm>
#include <array>
#include <bit>

#include "traces/format/bit_packing.hpp"
#include "traces/format/metadata.hpp"
#include "traces/format/prediction.hpp"
#include "traces/format/records_codec.hpp"

namespace warpmem::trace {
namespace {

// One column: reads past its end are refused and remembered.
class Column {
 public:
  Column() = default;
  explicit Column(ByteSpan bytes) : p_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  std::uint64_t varint() {
    std::uint64_t value = 0;
    const std::uint8_t* next = get_varint(p_, end_, value);
    if (next == nullptr) return fail(), 0;
    p_ = next;
    return value;
  }
  std::uint8_t byte() {
    if (p_ == end_) return fail(), std::uint8_t{0};
    return *p_++;
  }
  std::uint32_t word() {
    if (end_ - p_ < 4) return fail(), 0u;
    p_ += 4;
    return load_le<std::uint32_t>(p_ - 4);
  }
  const std::uint8_t* take(std::size_t count) {
    if (count > static_cast<std::size_t>(end_ - p_)) return fail(), nullptr;
    p_ += count;
    return p_ - count;
  }
  bool finished() const { return ok_ && p_ == end_; }
  bool ok() const { return ok_; }

 private:
  void fail() { ok_ = false, p_ = end_; }
  const std::uint8_t* p_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  bool ok_ = true;
};

class Decoder {
 public:
  Decoder(ByteSpan raw, DecodedRecords& out) : in_(raw), out_(out) {}

  const char* directory() {
    if (!read_head()) return "its column directory does not add up";
    if (!read_segments()) return "its segment directory is not consistent";
    return nullptr;
  }

  const char* all() {
    if (const char* problem = directory()) return problem;
    out_.records.resize(records_);
    out_.lanes.resize(lanes_);
    lists_.reserve(std::min<std::size_t>(lanes_, records_));
    state_.resize(out_.sites.size() + 1);
    for (const Segment& segment : out_.segments) {
      if (!read_segment(segment)) return "its records are not consistent";
    }
    const bool finished = site_.finished() && mask_.finished() && literal_mask_.finished() &&
                          base_.finished() && stride_.finished() && list_.finished() &&
                          packed_.finished() && lane_ == lanes_;
    return finished ? nullptr : "its columns hold more or less than its records need";
  }

 private:
  bool read_head() {
    const auto sites = in_.varint_to(kMaxBlockSites);
    segments_ = in_.varint_to(kMaxBlockRecords);
    records_ = in_.varint_to(kMaxBlockRecords);
    lanes_ = in_.varint_to(kMaxBlockLanes);
    warps_ = in_.varint32();
    std::array<std::uint64_t, 12> sizes{};
    for (auto& size : sizes) size = in_.varint_to(in_.left());
    if (!in_.ok() || sites * 8 > in_.left() || segments_ > records_) return false;
    if (sizes[0] != segments_ || sizes[4] != records_) return false;
    out_.sites.resize(sites);
    coding_.resize(sites);
    for (std::size_t i = 0; i < sites; ++i) {
      if (!read_site(out_.sites[i], coding_[i])) return false;
    }
    Column* columns[] = {nullptr, &cta_,          &warp_, &count_,  nullptr, &site_,
                         &mask_,  &literal_mask_, &base_, &stride_, &list_,  &packed_};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const ByteSpan bytes = in_.bytes(sizes[i]);
      if (columns[i] != nullptr) *columns[i] = Column(bytes);
      if (i == 0) segment_control_ = bytes.data();
      if (i == 4) control_ = bytes.data();
    }
    return in_.ok() && in_.at_end() && (records_ == 0 || sites > 0);
  }

  bool read_site(Site& site, SiteCoding& coding) {
    site = parse_site(in_);
    coding.base_shift = in_.fixed<std::uint8_t>();
    coding.frame_base = in_.varint();
    coding.frame_shift = in_.fixed<std::uint8_t>();
    coding.frame_bits = in_.fixed<std::uint8_t>();
    return in_.ok() && coding.base_shift < 64 && coding.frame_shift < 64 &&
           (coding.frame_bits <= kMaxPackedBits || coding.frame_bits == kNoFrame);
  }

  bool read_segments() {
    out_.segments.resize(segments_);
    std::uint64_t cta = 0, first = 0;
    std::uint32_t warp = 0, count = 0;
    for (std::size_t i = 0; i < segments_; ++i) {
      const std::uint8_t control = segment_control_[i];
      if (control != 0) {
        if (control & kSegmentUnused) return false;
        if (control & kNewCta) cta += unzigzag(cta_.varint());
        if (control & kNewWarp) warp = narrow(warp_.varint());
        if (control & kNewCount) count = narrow(count_.varint());
      }
      if (count == 0 || count > records_ - first) return false;
      out_.segments[i] = {cta, warp, static_cast<std::uint32_t>(first), count, count};
      first += count;
      if (++warp >= warps_) ++cta, warp = 0;
    }
    return narrow_ok_ && first == records_ && cta_.finished() && warp_.finished() &&
           count_.finished();
  }

  bool read_segment(const Segment& segment) {
    const std::uint64_t warp = segment.cta * warps_ + segment.warp;
    const std::size_t sites = out_.sites.size();
    const std::uint8_t* control = control_ + segment.first;
    Record* record = out_.records.data() + segment.first;
    std::uint32_t before = static_cast<std::uint32_t>(sites), mask = ~0u;
    for (std::uint32_t i = 0; i < segment.count; ++i, ++record) {
      const unsigned c = control[i];
      std::uint32_t site = state_[before].next;
      if (c == 0 && state_[site].list == ~0u) [[likely]] {
        SiteState& state = state_[site];
        const std::uint64_t base = state.predict(warp);
        state.follow(warp, base);
        mask = state.mask;
        *record = Record{base, state.stride, mask, site, Record::kRegular};
        before = site;
        continue;
      }
      if (c & kControlUnused) return false;
      if (c & kNewSite) {
        const std::uint64_t coded = site_.varint();
        if (coded >= sites) return false;
        site = static_cast<std::uint32_t>(coded);
        state_[before].next = site;
      }
      before = site;
      SiteState& state = state_[site];
      if (c & kMaskBits) {
        if ((c & kMaskBits) == kMaskBits) return false;
        if (c & kMaskCoded) mask = read_mask();
        state.mask = mask;
      }
      mask = state.mask;
      record->site = site;
      record->mask = mask;
      if (!read_address(c, warp, state, coding_[site], *record)) return false;
    }
    return true;
  }

  std::uint32_t read_mask() {
    const std::uint8_t number = mask_.byte();
    if (number > 0) {
      if (number > masks_known_) narrow_ok_ = false;
      return masks_[number];
    }
    const std::uint32_t mask = literal_mask_.word();
    if (masks_known_ < kMaskTable) masks_[++masks_known_] = mask;
    return mask;
  }

  std::uint64_t read_base(unsigned control, std::uint64_t warp, SiteState& state, unsigned shift) {
    std::uint64_t base = state.predict(warp);
    if (control & kNewBase) {
      // The encoder's shift rounds the difference down. Rounding the expectation up to the site's
      // alignment makes up for it: an expected step can be a fraction of the alignment.
      const std::uint64_t below = (std::uint64_t{1} << shift) - 1;
      base = ((base + below) & ~below) + (unzigzag(base_.varint()) << shift);
      state.surprise(warp, base);
    } else {
      state.follow(warp, base);
    }
    return base;
  }

  bool read_address(unsigned control, std::uint64_t warp, SiteState& state,
                    const SiteCoding& coding, Record& record) {
    const auto form = static_cast<RecordForm>((control & kFormBits) >> kFormShift);
    if (form == kNewStride || (form == kSameForm && state.list == ~0u)) {
      if (form == kNewStride) {
        const std::uint64_t stride = unzigzag(stride_.varint());
        state.stride = static_cast<std::int32_t>(stride);
        state.list = ~0u;
        if (static_cast<std::uint64_t>(std::int64_t{state.stride}) != stride) return false;
      }
      record.base = read_base(control, warp, state, coding.base_shift);
      record.stride = state.stride;
      return true;  // a column that ran dry is noticed at the end
    }
    const auto count = static_cast<std::uint32_t>(record.active());
    if (count > lanes_ - lane_) return false;
    std::uint64_t* lanes = out_.lanes.data() + lane_;
    record.lanes = lane_;
    const auto number = static_cast<std::uint32_t>(lists_.size());
    if (form == kNewList) {
      if (control & kNewBase) return false;
      if (!read_list(lanes, count, coding)) return false;
      state.surprise(warp, count == 0 ? 0 : lanes[0]);
    } else {
      std::uint32_t like = state.list;
      if (form == kOffsetsOf) {
        const std::uint64_t back = list_.varint();
        if (back == 0 || back > number) return false;
        like = number - static_cast<std::uint32_t>(back);
      }
      if (lists_[like].count != count) return false;
      const std::uint64_t base = read_base(control, warp, state, coding.base_shift);
      const std::uint64_t* model = out_.lanes.data() + lists_[like].first;
      if (count > 0) {
        const std::uint64_t shift = base - model[0];
        for (std::uint32_t i = 0; i < count; ++i) lanes[i] = model[i] + shift;
      }
    }
    state.list = number;
    lists_.push_back({lane_, count});
    lane_ += count;
    return true;
  }

  bool read_list(std::uint64_t* lanes, std::uint32_t count, const SiteCoding& coding) {
    const std::uint8_t head = list_.byte();
    const auto mode = static_cast<ListMode>(head & 3);
    const unsigned shift = head >> 2;
    if (count == 0) return mode == kVarintSteps;
    if (mode == kSiteFrame) {
      if (coding.frame_bits > kMaxPackedBits || shift != 0) return false;
      const std::uint8_t* from = packed_.take(packed_bytes(count, coding.frame_bits));
      if (from == nullptr) return false;
      for (std::uint32_t i = 0; i < count; ++i) {
        lanes[i] = coding.frame_base + (unpack(from, i, coding.frame_bits) << coding.frame_shift);
      }
      return true;
    }
    if (mode == kVarintSteps) {
      lanes[0] = coding.frame_base + list_.varint();
      for (std::uint32_t i = 1; i < count; ++i) {
        lanes[i] = lanes[i - 1] + (unzigzag(list_.varint()) << shift);
      }
      return list_.ok();
    }
    const unsigned bits = list_.byte();
    const std::uint64_t first = coding.frame_base + list_.varint();
    if (bits > kMaxPackedBits) return false;
    const std::uint32_t fields = mode == kOwnFrame ? count : count - 1;
    const std::uint8_t* from = packed_.take(packed_bytes(fields, bits));
    if (from == nullptr) return false;
    if (mode == kOwnFrame) {
      for (std::uint32_t i = 0; i < count; ++i) lanes[i] = first + (unpack(from, i, bits) << shift);
    } else {
      lanes[0] = first;
      for (std::uint32_t i = 1; i < count; ++i) {
        lanes[i] = lanes[i - 1] + (unzigzag(unpack(from, i - 1, bits)) << shift);
      }
    }
    return true;
  }

  std::uint32_t narrow(std::uint64_t value) {
    if (value > 0xffffffffu) narrow_ok_ = false;
    return static_cast<std::uint32_t>(value);
  }

  struct List {
    std::uint32_t first, count;
  };

  Cursor in_;
  DecodedRecords& out_;
  std::uint64_t segments_ = 0, records_ = 0, lanes_ = 0;
  std::uint32_t warps_ = 0;
  const std::uint8_t* segment_control_ = nullptr;
  const std::uint8_t* control_ = nullptr;
  Column cta_, warp_, count_, site_, mask_, literal_mask_, base_, stride_, list_, packed_;
  std::vector<SiteCoding> coding_;
  std::vector<SiteState> state_;  // the last one stands for "no record yet in this segment"
  std::array<std::uint32_t, kMaskTable + 1> masks_{};
  std::size_t masks_known_ = 0;
  std::vector<List> lists_;
  std::uint32_t lane_ = 0;
  bool narrow_ok_ = true;
};

}  // namespace

const char* decode_records(ByteSpan raw, DecodedRecords& out) { return Decoder(raw, out).all(); }

const char* decode_directory(ByteSpan raw, DecodedRecords& out) {
  return Decoder(raw, out).directory();
}

}  // namespace warpmem::trace
