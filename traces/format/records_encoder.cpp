#include <xxhash.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "traces/format/bit_packing.hpp"
#include "traces/format/metadata.hpp"
#include "traces/format/prediction.hpp"
#include "traces/format/records_codec.hpp"

namespace warpmem::trace {
namespace {

unsigned trailing_zeros(std::uint64_t bits) {  // of a set of numbers or'ed together
  return bits == 0 ? 0 : static_cast<unsigned>(std::countr_zero(bits));
}
unsigned width(std::uint64_t bits) { return static_cast<unsigned>(std::bit_width(bits)); }
unsigned varint_bytes(std::uint64_t value) { return value == 0 ? 1 : (width(value) + 6) / 7; }

struct Columns {
  Bytes segment_control, cta, warp, count;
  Bytes control, site, mask, literal_mask, base, stride, list, packed;

  std::array<Bytes*, 12> in_order() {
    return {&segment_control, &cta,  &warp,   &count, &control, &site, &mask,
            &literal_mask,    &base, &stride, &list,  &packed};
  }
};

// What an encoder needs from block to block is memory: fresh pages for each took longer than the
// work, so each thread keeps its own.
struct Workspace {
  Columns columns;
  std::vector<std::span<const std::uint64_t>> lists;
  std::vector<std::uint32_t> like;  // one a list: an earlier one with the same offsets, or ~0
  std::vector<std::uint32_t> offset_table;

  Workspace& cleared() {
    for (Bytes* column : columns.in_order()) column->clear();
    lists.clear();
    like.clear();
    offset_table.assign(4096, ~0u);
    return *this;
  }
};

Workspace& workspace() {
  thread_local Workspace mine;
  return mine.cleared();
}

class Encoder {
 public:
  explicit Encoder(const RecordsView& view)
      : view_(view), coding_(view.sites.size()), state_(view.sites.size() + 1) {}

  Bytes run() {
    find_known_offsets();
    measure_sites();
    columns_.control.reserve(view_.records.size());
    encode_segments();
    std::size_t first = 0;
    for (const Segment& segment : view_.segments) {
      encode_segment(segment.cta * warps_ + segment.warp,
                     view_.records.subspan(first, segment.count));
      first += segment.count;
    }
    return assemble();
  }

 private:
  std::span<const std::uint64_t> lanes_of(const Record& record) const {
    return view_.lanes.subspan(record.lanes, static_cast<std::size_t>(record.active()));
  }
  std::uint64_t base_of(const Record& record) const {
    if (record.regular()) return record.base;
    return record.mask == 0 ? 0 : view_.lanes[record.lanes];
  }

  // Which listed records repeat the offsets of an earlier one: those need no frame.
  void find_known_offsets() {
    std::vector<std::uint32_t> last(view_.sites.size(), ~0u);  // the site's last list
    for (const Record& record : view_.records) {
      if (record.regular()) {
        last[record.site] = ~0u;
        continue;
      }
      const auto lanes = lanes_of(record);
      const auto number = static_cast<std::uint32_t>(lists_.size());
      like_.push_back(find_offsets(lanes, last[record.site]));
      lists_.push_back(lanes);
      last[record.site] = number;
    }
  }

  // What all of a site's addresses share.
  void measure_sites() {
    struct Extent {
      std::uint64_t bases = 0, low = ~std::uint64_t{0}, high = 0;
    };
    std::vector<Extent> extents(view_.sites.size());
    const auto each_full_list = [this](const auto& action) {
      std::size_t number = 0;
      for (const Record& record : view_.records) {
        if (!record.regular() && like_[number++] == ~0u) action(record);
      }
    };
    for (const Record& record : view_.records) {
      extents[record.site].bases |= base_of(record);
      if (!record.regular()) listed_lanes_ += static_cast<std::size_t>(record.active());
    }
    each_full_list([&](const Record& record) {
      Extent& extent = extents[record.site];
      for (const std::uint64_t address : lanes_of(record)) {
        extent.low = std::min(extent.low, address);
        extent.high = std::max(extent.high, address);
      }
    });
    std::vector<std::uint64_t> bits(view_.sites.size());
    each_full_list([&](const Record& record) {
      for (const std::uint64_t address : lanes_of(record)) {
        bits[record.site] |= address - extents[record.site].low;
      }
    });
    for (std::size_t i = 0; i < coding_.size(); ++i) {
      coding_[i].base_shift = static_cast<std::uint8_t>(trailing_zeros(extents[i].bases));
      if (extents[i].low > extents[i].high) continue;  // no list in full
      coding_[i].frame_base = extents[i].low;
      coding_[i].frame_shift = static_cast<std::uint8_t>(trailing_zeros(bits[i]));
      const unsigned needed = width(bits[i] >> coding_[i].frame_shift);
      if (needed <= kMaxPackedBits) coding_[i].frame_bits = static_cast<std::uint8_t>(needed);
    }
  }

  void encode_segments() {
    for (const Segment& segment : view_.segments) warps_ = std::max(warps_, segment.warp + 1);
    std::uint64_t cta = 0;
    std::uint32_t warp = 0, count = 0;
    for (const Segment& segment : view_.segments) {
      std::uint8_t control = 0;
      if (segment.cta != cta) {
        control |= kNewCta;
        put_varint(columns_.cta, zigzag(segment.cta - cta));
      }
      if (segment.warp != warp) {
        control |= kNewWarp;
        put_varint(columns_.warp, segment.warp);
      }
      if (segment.count != count) {
        control |= kNewCount;
        put_varint(columns_.count, segment.count);
        count = segment.count;
      }
      columns_.segment_control.push_back(control);
      cta = segment.cta;
      warp = segment.warp + 1;
      if (warp >= warps_) ++cta, warp = 0;
    }
  }

  void encode_segment(std::uint64_t warp, std::span<const Record> records) {
    std::uint32_t before = static_cast<std::uint32_t>(view_.sites.size());  // "none yet"
    std::uint32_t mask = ~0u;
    for (const Record& record : records) {
      std::uint8_t control = 0;
      if (state_[before].next != record.site) {
        control |= kNewSite;
        put_varint(columns_.site, record.site);
        state_[before].next = record.site;
      }
      before = record.site;
      SiteState& state = state_[record.site];
      control |= encode_mask(record.mask, state, mask);
      mask = record.mask;
      control |= encode_address(record, warp, state);
      columns_.control.push_back(control);
    }
  }

  std::uint8_t encode_mask(std::uint32_t mask, SiteState& state, std::uint32_t previous) {
    if (mask == state.mask) return 0;
    state.mask = mask;
    if (mask == previous) return kMaskPrevious;
    const auto known = mask_numbers_.find(mask);
    if (known != mask_numbers_.end()) {
      columns_.mask.push_back(known->second);
      return kMaskCoded;
    }
    columns_.mask.push_back(0);
    put(columns_.literal_mask, mask);
    if (mask_numbers_.size() < kMaskTable) {
      mask_numbers_.emplace(mask, static_cast<std::uint8_t>(mask_numbers_.size() + 1));
    }
    return kMaskCoded;
  }

  std::uint8_t encode_base(std::uint64_t base, unsigned shift, std::uint64_t warp,
                           SiteState& state) {
    const std::uint64_t surprise = base - state.predict(warp);
    if (surprise == 0) return state.follow(warp, base), std::uint8_t{0};
    put_varint(columns_.base,
               zigzag(static_cast<std::uint64_t>(static_cast<std::int64_t>(surprise) >> shift)));
    state.surprise(warp, base);
    return kNewBase;
  }

  std::uint8_t encode_address(const Record& record, std::uint64_t warp, SiteState& state) {
    const SiteCoding& coding = coding_[record.site];
    if (record.regular()) {
      RecordForm form = kSameForm;
      if (state.list != ~0u || state.stride != record.stride) {
        form = kNewStride;
        put_varint(columns_.stride,
                   zigzag(static_cast<std::uint64_t>(std::int64_t{record.stride})));
        state.stride = record.stride;
        state.list = ~0u;
      }
      return static_cast<std::uint8_t>(encode_base(record.base, coding.base_shift, warp, state) |
                                       form << kFormShift);
    }
    const auto lanes = lanes_of(record);
    const std::uint32_t number = list_++;
    const std::uint32_t like = like_[number];
    if (like == ~0u) {
      state.list = number;
      encode_list(lanes, coding);
      state.surprise(warp, base_of(record));
      return kNewList << kFormShift;
    }
    RecordForm form = kSameForm;
    if (like != state.list) {
      form = kOffsetsOf;
      put_varint(columns_.list, number - like);
    }
    state.list = number;
    return static_cast<std::uint8_t>(encode_base(base_of(record), coding.base_shift, warp, state) |
                                     form << kFormShift);
  }

  // An earlier listed record of this block with the same distances between its lanes, or ~0.
  std::uint32_t find_offsets(std::span<const std::uint64_t> lanes, std::uint32_t likely) {
    const auto same = [&](std::uint32_t number) {
      const auto other = lists_[number];
      if (other.size() != lanes.size()) return false;
      if (lanes.empty()) return true;
      const std::uint64_t shift = lanes[0] - other[0];
      std::uint64_t differ = 0;  // no early way out: this is vectorised
      for (std::size_t i = 1; i < lanes.size(); ++i) differ |= (lanes[i] - other[i]) ^ shift;
      return differ == 0;
    };
    if (likely != ~0u && same(likely)) return likely;
    std::array<std::uint64_t, 32> offsets{};
    for (std::size_t i = 1; i < lanes.size(); ++i) offsets[i] = lanes[i] - lanes[0];
    offsets[0] = lanes.size();
    const std::uint64_t hash =
        XXH3_64bits(offsets.data(), std::max<std::size_t>(lanes.size(), 1) * sizeof(offsets[0]));
    std::uint32_t& slot = offset_table_[hash % offset_table_.size()];
    const std::uint32_t found = slot;
    slot = static_cast<std::uint32_t>(lists_.size());
    return found != ~0u && same(found) ? found : ~0u;
  }

  void encode_list(std::span<const std::uint64_t> lanes, const SiteCoding& coding) {
    if (lanes.empty()) return columns_.list.push_back(kVarintSteps);
    const std::size_t n = lanes.size();
    const std::uint64_t low = *std::min_element(lanes.begin(), lanes.end());
    std::uint64_t own = 0, steps = 0, step_bits = 0;
    for (std::size_t i = 0; i < n; ++i) own |= lanes[i] - low;
    for (std::size_t i = 1; i < n; ++i) steps |= lanes[i] - lanes[i - 1];
    const unsigned own_shift = trailing_zeros(own), step_shift = trailing_zeros(steps);
    const auto step = [&](std::size_t i) {
      return zigzag(static_cast<std::uint64_t>(static_cast<std::int64_t>(lanes[i] - lanes[i - 1]) >>
                                               step_shift));
    };
    std::size_t varint_cost = 0;
    for (std::size_t i = 1; i < n; ++i) {
      step_bits |= step(i);
      varint_cost += varint_bytes(step(i));
    }
    const unsigned own_bits = width(own >> own_shift), packed_step_bits = width(step_bits);

    // Costs in bytes after zstd, roughly: packed bits do not shrink, varints a little.
    const std::size_t head = 1 + varint_bytes((low - coding.frame_base));
    const std::size_t none = ~std::size_t{0};
    const std::array<std::size_t, 4> cost = {
        coding.frame_bits == kNoFrame ? none : packed_bytes(n, coding.frame_bits),
        own_bits > kMaxPackedBits ? none : head + packed_bytes(n, own_bits),
        packed_step_bits > kMaxPackedBits ? none : head + packed_bytes(n - 1, packed_step_bits),
        head + varint_cost - varint_cost / 8};
    const auto mode =
        static_cast<ListMode>(std::min_element(cost.begin(), cost.end()) - cost.begin());

    Bytes& head_out = columns_.list;
    const auto begin = [&](unsigned shift) {
      head_out.push_back(static_cast<std::uint8_t>(mode | shift << 2));
    };
    switch (mode) {
      case kSiteFrame: {
        begin(0);
        return pack(columns_.packed, n, coding.frame_bits, [&](std::size_t i) {
          return (lanes[i] - coding.frame_base) >> coding.frame_shift;
        });
      }
      case kOwnFrame: {
        begin(own_shift);
        head_out.push_back(static_cast<std::uint8_t>(own_bits));
        put_varint(head_out, low - coding.frame_base);
        return pack(columns_.packed, n, own_bits,
                    [&](std::size_t i) { return (lanes[i] - low) >> own_shift; });
      }
      case kPackedSteps: {
        begin(step_shift);
        head_out.push_back(static_cast<std::uint8_t>(packed_step_bits));
        put_varint(head_out, lanes[0] - coding.frame_base);
        return pack(columns_.packed, n - 1, packed_step_bits,
                    [&](std::size_t i) { return step(i + 1); });
      }
      case kVarintSteps:
        begin(step_shift);
        put_varint(head_out, lanes[0] - coding.frame_base);
        for (std::size_t i = 1; i < n; ++i) put_varint(head_out, step(i));
        return;
    }
  }

  Bytes assemble() const {
    const auto columns = columns_.in_order();
    std::size_t bytes = 1024 + coding_.size() * 64;
    for (const Bytes* column : columns) bytes += column->size();
    Bytes out;
    out.reserve(bytes);
    put_varint(out, view_.sites.size());
    put_varint(out, view_.segments.size());
    put_varint(out, view_.records.size());
    put_varint(out, listed_lanes_);
    put_varint(out, warps_);
    for (const Bytes* column : columns) put_varint(out, column->size());
    for (std::size_t i = 0; i < coding_.size(); ++i) {
      put_site(out, view_.sites[i]);
      put(out, coding_[i].base_shift);
      put_varint(out, coding_[i].frame_base);
      put(out, coding_[i].frame_shift);
      put(out, coding_[i].frame_bits);
    }
    for (const Bytes* column : columns) put_bytes(out, *column);
    return out;
  }

  const RecordsView& view_;
  std::vector<SiteCoding> coding_;
  std::vector<SiteState> state_;  // the last one stands for "no record yet in this segment"
  std::size_t listed_lanes_ = 0;
  std::uint32_t warps_ = 1;  // in a CTA, as far as this block has seen
  std::unordered_map<std::uint32_t, std::uint8_t> mask_numbers_;
  Workspace& space_ = workspace();
  Columns& columns_ = space_.columns;
  std::vector<std::span<const std::uint64_t>>& lists_ = space_.lists;
  std::vector<std::uint32_t>& like_ = space_.like;
  std::vector<std::uint32_t>& offset_table_ = space_.offset_table;
  std::uint32_t list_ = 0;  // lists encoded so far
};

}  // namespace

Bytes encode_records(const RecordsView& view) { return Encoder(view).run(); }

}  // namespace warpmem::trace
