// What encoder and decoder both expect of the next record. Only what differs from it is written, so
// the two must step through this state in exactly the same way: it is part of the format.
#pragma once

#include <cstdint>

namespace warpmem::trace {

// Expects an arithmetic sequence. The step changes only when a new one is seen twice in a row: a
// single jump (next row, next CTA) then costs one surprise and not two.
struct Stride {
  std::uint64_t last = 0;
  std::uint64_t step = 0;
  std::uint64_t candidate = 0;

  std::uint64_t predict(std::uint64_t steps) const { return last + step * steps; }
  void follow(std::uint64_t value) {  // the prediction held
    last = value;
    candidate = step;
  }
  // `steps` lie between the last value and this one; a distance that is no multiple teaches
  // nothing.
  void surprise(std::uint64_t value, std::uint64_t steps) {
    std::uint64_t seen = value - last;
    last = value;
    if (steps != 1) {
      const auto distance = static_cast<std::int64_t>(seen), by = static_cast<std::int64_t>(steps);
      if (by <= 0 || distance % by != 0) return;
      seen = static_cast<std::uint64_t>(distance / by);
    }
    if (seen == candidate) step = seen;
    candidate = seen;
  }
};

// One site's memory. Its first execution in a segment moves with the warp's position among all
// warps of the launch (CTA * warps per CTA + warp), its later ones from iteration to iteration.
struct SiteState {
  Stride entry;
  Stride loop;
  std::uint64_t position = ~std::uint64_t{0};  // of the warp that executed it last
  std::uint32_t next = 0;                      // the site that followed it last time
  std::uint32_t mask = ~0u;
  std::int32_t stride = 0;
  std::uint32_t list = ~0u;  // its last listed record, counted in the block; ~0: regular

  std::uint64_t predict(std::uint64_t warp) const {
    return warp == position ? loop.predict(1) : entry.predict(warp - position);
  }
  void follow(std::uint64_t warp, std::uint64_t value) {
    if (warp == position) return loop.follow(value);
    entry.follow(value);
    loop.last = value;
    position = warp;
  }
  void surprise(std::uint64_t warp, std::uint64_t value) {
    if (warp == position) return loop.surprise(value, 1);
    entry.surprise(value, warp - position);
    loop.last = value;
    position = warp;
  }
};

// A record's control byte: zero where all is as expected.
enum Control : std::uint8_t {
  kNewSite = 0x01,       // its number follows in the site column
  kMaskPrevious = 0x02,  // the mask of the record before it in the segment
  kMaskCoded = 0x04,     // … or one from the mask column
  kMaskBits = kMaskPrevious | kMaskCoded,
  kNewBase = 0x08,  // base column: zigzag of actual - expected, shifted by the site's alignment
  kFormShift = 4,
  kFormBits = 0x30,
  kControlUnused = 0xc0,
};
enum RecordForm : std::uint8_t {
  kSameForm = 0,   // regular with the site's last stride, or listed with its last offsets
  kNewStride = 1,  // regular; stride column
  kOffsetsOf = 2,  // listed, offsets of an earlier listed record; list column: how many back
  kNewList = 3,    // listed, in full
};

// A segment's control byte. Expected: the next warp of the CTA (the first of the next CTA after the
// last warp), and as many records as the segment before.
enum SegmentControl : std::uint8_t {
  kNewCta = 1,
  kNewWarp = 2,
  kNewCount = 4,
  kSegmentUnused = 0xf8
};

// How a full list is written: the low two bits of its mode byte; the shift (trailing zero bits that
// all its numbers share) is above them.
enum ListMode : std::uint8_t {
  kSiteFrame = 0,    // address - site minimum, packed to the site's width
  kOwnFrame = 1,     // address - own minimum, packed to its own width
  kPackedSteps = 2,  // zigzag steps from lane to lane, packed
  kVarintSteps = 3,  // … as varints
};

constexpr unsigned kMaxPackedBits = 56;  // one unaligned 8-byte load reaches any such field
constexpr std::uint8_t kNoFrame = 0xff;

// Site table entry beside the Site itself.
struct SiteCoding {
  std::uint8_t base_shift = 0;   // all its bases are multiples of 1 << base_shift
  std::uint64_t frame_base = 0;  // smallest listed address
  std::uint8_t frame_shift = 0;
  std::uint8_t frame_bits = kNoFrame;
};

constexpr std::size_t kMaskTable = 255;  // masks known by number within a block: 1 … 255

}  // namespace warpmem::trace
