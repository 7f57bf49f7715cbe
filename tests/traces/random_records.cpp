// Random records through the codec, shrunk to the smallest case that fails.
#include <rapidcheck.h>
#include <algorithm>

#include "tests/catch.hpp"
#include "traces/format/records_codec.hpp"

using namespace warpmem::trace;

namespace {

// Values that predictors find easy, and values that they do not.
rc::Gen<std::uint64_t> address() {
  return rc::gen::oneOf(
      rc::gen::map(rc::gen::inRange<std::uint64_t>(0, 64),
                   [](std::uint64_t n) { return 0x7f0000000000 + n * 128; }),
      rc::gen::arbitrary<std::uint64_t>(),
      rc::gen::element<std::uint64_t>(0, ~std::uint64_t{0}, std::uint64_t{1} << 63));
}
rc::Gen<std::uint32_t> mask() {
  return rc::gen::oneOf(rc::gen::element<std::uint32_t>(~0u, 0u, 1u, 0xffffu),
                        rc::gen::arbitrary<std::uint32_t>());
}
rc::Gen<std::int32_t> stride() {
  return rc::gen::oneOf(rc::gen::element<std::int32_t>(0, 4, -4, INT32_MAX, INT32_MIN),
                        rc::gen::arbitrary<std::int32_t>());
}

struct Input {
  std::vector<Site> sites;
  std::vector<Segment> segments;
  std::vector<Record> records;
  std::vector<std::uint64_t> lanes;
};

Input make_input() {
  Input in;
  const auto sites = *rc::gen::inRange<std::uint32_t>(1, 6);
  for (std::uint32_t i = 0; i < sites; ++i) {
    in.sites.push_back({*rc::gen::arbitrary<std::uint32_t>(),
                        static_cast<Op>(*rc::gen::inRange(0, static_cast<int>(Op::kCount))),
                        static_cast<Space>(*rc::gen::inRange(0, static_cast<int>(Space::kCount))),
                        *rc::gen::arbitrary<std::uint32_t>()});
    // Rounds have neither space nor width; a prefetch of no space and this width is how they look.
    Site& site = in.sites.back();
    if (site.op == Op::kRounds) site.space = Space::kNone, site.bytes = 0;
    // Further texels look like prefetches of a texture, which there are none of.
    if (site.op == Op::kTexel) site.space = Space::kTexture;
    if (site.op == Op::kPrefetch && site.space == Space::kTexture) site.op = Op::kLoad;
    // … and what products read like prefetches of shared memory.
    if (site.op == Op::kProductRead) site.space = Space::kShared;
    if (site.op == Op::kPrefetch && site.space == Space::kShared) site.op = Op::kLoad;
    if (site.op == Op::kPrefetch && site.bytes == ~0u) site.bytes = 0;
  }
  const auto segments = *rc::gen::inRange<std::uint32_t>(1, 12);
  for (std::uint32_t s = 0; s < segments; ++s) {
    const auto count = *rc::gen::inRange<std::uint32_t>(1, 10);
    in.segments.push_back({*rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(0, 4),
                                           rc::gen::arbitrary<std::uint64_t>()),
                           *rc::gen::oneOf(rc::gen::inRange<std::uint32_t>(0, 4),
                                           rc::gen::arbitrary<std::uint32_t>()),
                           static_cast<std::uint32_t>(in.records.size()), count});
    for (std::uint32_t i = 0; i < count; ++i) {
      Record record;
      record.site = *rc::gen::inRange<std::uint32_t>(0, sites);
      record.mask = *mask();
      if (*rc::gen::arbitrary<bool>()) {
        record.base = *address();
        record.stride = *stride();
      } else {
        record.lanes = static_cast<std::uint32_t>(in.lanes.size());
        // Now and then the offsets of an earlier list at another base.
        const bool again = in.lanes.size() >= 32 && *rc::gen::arbitrary<bool>();
        const std::uint64_t shift = again ? *address() : 0;
        for (int l = 0; l < record.active(); ++l) {
          in.lanes.push_back(again ? in.lanes[in.lanes.size() - 32] + shift : *address());
        }
      }
      in.records.push_back(record);
    }
  }
  return in;
}

}  // namespace

TEST_CASE("random records come back as they were written") {
  const bool passed = rc::check([] {
    const Input in = make_input();
    Bytes raw = encode_records({in.sites, in.segments, in.records, in.lanes});
    const std::size_t size = raw.size();
    raw.resize(size + kSlack);
    DecodedRecords out;
    const char* problem = decode_records(ByteSpan(raw).first(size), out);
    RC_ASSERT(problem == nullptr);
    RC_ASSERT(out.sites == in.sites);
    RC_ASSERT(out.segments.size() == in.segments.size());
    for (std::size_t i = 0; i < in.segments.size(); ++i) {
      RC_ASSERT(out.segments[i].cta == in.segments[i].cta);
      RC_ASSERT(out.segments[i].warp == in.segments[i].warp);
      RC_ASSERT(out.segments[i].first == in.segments[i].first);
      RC_ASSERT(out.segments[i].count == in.segments[i].count);
    }
    RC_ASSERT(std::ranges::equal(out.lanes, in.lanes));
    RC_ASSERT(out.records.size() == in.records.size());
    for (std::size_t i = 0; i < in.records.size(); ++i) {
      RC_ASSERT(out.records[i].base == in.records[i].base);
      RC_ASSERT(out.records[i].stride == in.records[i].stride);
      RC_ASSERT(out.records[i].mask == in.records[i].mask);
      RC_ASSERT(out.records[i].site == in.records[i].site);
      RC_ASSERT(out.records[i].lanes == in.records[i].lanes);
    }
  });
  CHECK(passed);
}
