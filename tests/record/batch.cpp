// From what the GPU wrote to the trace's records, kind by kind and form by form.
#include "traces/record/batch.hpp"

#include <cstring>
#include <vector>

#include "tests/catch.hpp"
#include "tests/record/support.hpp"
#include "traces/record/chunk_ring.hpp"

using namespace warpmem;
using namespace warpmem::record;
using trace::Op;
using trace::Space;

namespace {

struct Raw {
  RawRecord header{};
  unsigned char payload[256] = {};
};

Raw raw(std::uint32_t kind, std::uint32_t form, std::uint32_t bytes, std::uint32_t flags,
        std::uint32_t pc, std::uint32_t mask, std::uint64_t base, std::int32_t stride) {
  Raw result;
  result.header = {
      base,
      mask,
      kind | form << kFormShift | bytes << kBytesShift | flags << kFlagsShift | kTag << kTagShift,
      kCodeStart + pc,
      stride,
      0,
      kTag << kTagShift};
  return result;
}

// Adds the records, writes them, and gives back what a reader sees.
struct Seen {
  trace::TraceReader reader;
  trace::DecodedBlock block;
  std::vector<trace::Site> sites;
  const trace::Site& site(std::size_t i) const { return sites[block.records[i].site]; }
};

Seen through_a_trace(const std::vector<Raw>& records, std::uint32_t threads = 32) {
  TraceFile file;
  auto launch = make_launch(0, 1, threads);
  file.output.begin_launch(launch->launch);
  Batch batch;
  batch.reset(*launch);
  for (const Raw& record : records) batch.add(record.header);
  trace::BlockBuilder builder(0);
  batch.encode(builder, [] {});
  const auto block = builder.take();
  file.output.append(block);
  trace::LaunchEnd end;
  end.records = block.records;
  file.output.end_launch(0, end);
  auto reader = file.read();
  REQUIRE(reader.launches()[0].blocks.size() == 1);
  auto decoded = reader.decode(reader.launches()[0].blocks[0]);
  if (!decoded) FAIL(decoded.error().text());
  const auto sites = reader.sites(0);
  std::vector<trace::Site> copy(sites.begin(), sites.end());
  return {std::move(reader), std::move(*decoded), std::move(copy)};
}

}  // namespace

TEST_CASE("flags and code decide what an access is", "[record][batch]") {
  const auto seen = through_a_trace({
      raw(kRawGlobal, kFormRegular, 4, 1, 0x10, ~0u, 0x7f0000000000, 4),
      raw(kRawGlobal, kFormRegular, 16, 2, 0x20, ~0u, 0x7f0000000000, 16),
      raw(kRawGlobal, kFormRegular, 4, 3, 0x30, ~0u, 0x7f0000000000, 0),
      raw(kRawGlobal, kFormRegular, 4, 3, 0x40, ~0u, 0x7f0000000000, 0),  // code says RED
      raw(kRawShared, kFormRegular, 8, 1, 0x50, ~0u, 0x400, 8),
      raw(kRawRemote, kFormRegular, 4, 2, 0x60, ~0u, 0x1000400, 4),
      raw(kRawPrefetch, kFormRegular, 0, 2, 0x70, ~0u, 0x7f0000000000, 32),
      raw(kRawAsyncCopyRead, kFormRegular, 16, 1, 0x90, ~0u, 0x7f0000000000, 16),
      raw(kRawAsyncCopyWrite, kFormRegular, 16, 2, 0x90, ~0u, 0x400, 16),
      raw(kRawMatrix, kFormRegular, 16, 1, 0xa0, ~0u, 0x400, 16),
      raw(kRawMatrix, kFormRegular, 16, 2, 0xb0, 0xff, 0x400, 16),
      raw(kRawBulkReadGlobal, kFormRegular, 0, 1, 0xc0, 1, 0x7f0000000000, 4096),
      raw(kRawBulkWriteShared, kFormRegular, 0, 2, 0xc0, 1, 0x400, 4096),
      raw(kRawBulkReadShared, kFormRegular, 0, 1, 0xd0, 1, 0x400, 64),
      raw(kRawBulkWriteGlobal, kFormRegular, 0, 3, 0xd0, 1, 0x7f0000000000, 64),
      raw(kRawBarrier, kFormRegular, 0, 0, 0xe0, ~0u, 1, 64),
      raw(kRawBulkReadShared, kFormRegular, 0, kFlagRead | kFlagProduct, 0xf0, ~0u, 0x4400, 4096),
  });
  const std::vector<trace::Site> expected{{0x10, Op::kLoad, Space::kGlobal, 4},
                                          {0x20, Op::kStore, Space::kGlobal, 16},
                                          {0x30, Op::kAtomic, Space::kGlobal, 4},
                                          {0x40, Op::kReduction, Space::kGlobal, 4},
                                          {0x50, Op::kLoad, Space::kShared, 8},
                                          {0x60, Op::kStore, Space::kRemoteShared, 4},
                                          {0x70, Op::kPrefetch, Space::kGlobal, 0},
                                          {0x90, Op::kAsyncCopyRead, Space::kGlobal, 16},
                                          {0x90, Op::kAsyncCopyWrite, Space::kShared, 16},
                                          {0xa0, Op::kMatrixLoad, Space::kShared, 16},
                                          {0xb0, Op::kMatrixStore, Space::kShared, 16},
                                          {0xc0, Op::kBulkRead, Space::kGlobal, 4096},
                                          {0xc0, Op::kBulkWrite, Space::kShared, 4096},
                                          {0xd0, Op::kBulkRead, Space::kShared, 64},
                                          {0xd0, Op::kBulkReduction, Space::kGlobal, 64},
                                          {0xe0, Op::kBarrier, Space::kNone, 0},
                                          {0xf0, Op::kProductRead, Space::kShared, 4096}};
  REQUIRE(seen.block.records.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO("record " << i);
    CHECK(seen.site(i) == expected[i]);
  }
  CHECK(seen.block.records[15].base == 1);
  CHECK(seen.block.records[15].stride == 64);
  CHECK(seen.block.records[16].base == 0x4400);
  CHECK(seen.block.records[16].stride == 0);  // the size is the site's
}

TEST_CASE("all four forms give the addresses that the lanes had", "[record][batch]") {
  std::vector<std::uint64_t> expected(32);
  Raw two_level =
      raw(kRawGlobal, kFormTwoLevel, 4, 1 | 4 << kTwoLevelShift, 0x10, 0x1000, 0x7f0000000000, 4);
  Raw offsets = raw(kRawGlobal, kFormOffsets, 4, 1, 0x10, ~0u, 0x7f0000000100, 0);
  Raw addresses = raw(kRawGlobal, kFormAddresses, 4, 1, 0x10, 0x80000001, 0, 0);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t word = offset_word(static_cast<std::int32_t>(lane * lane) * -8);
    std::memcpy(offsets.payload + lane * 4, &word, 4);
  }
  const std::uint64_t far[] = {0x1234567890, 0x7fffffffffff};
  const std::uint64_t words[] = {address_word(far[0]), address_word(far[1])};
  std::memcpy(addresses.payload, words, sizeof words);
  const auto seen =
      through_a_trace({two_level, offsets, addresses,
                       raw(kRawGlobal, kFormRegular, 4, 1, 0x10, 0xffff0000, 0x7f0000000000, -4)});
  const auto lane_of = [&](std::size_t record, std::size_t nth) {
    const trace::Record& r = seen.block.records[record];
    REQUIRE_FALSE(r.regular());
    return seen.block.lanes[r.lanes + nth];
  };
  CHECK(seen.block.records[0].mask == ~0u);
  CHECK(lane_of(0, 15) == 0x7f0000000000 + 15 * 4);
  CHECK(lane_of(0, 16) == 0x7f0000000000 + 0x1000);  // lanes 16 … 31 are the second row
  CHECK(lane_of(0, 31) == 0x7f0000000000 + 0x1000 + 15 * 4);
  CHECK(lane_of(1, 0) == 0x7f0000000100);
  CHECK(lane_of(1, 31) == 0x7f0000000100 - 31 * 31 * 8);
  CHECK(seen.block.records[2].mask == 0x80000001);
  CHECK(lane_of(2, 0) == far[0]);
  CHECK(lane_of(2, 1) == far[1]);
  REQUIRE(seen.block.records[3].regular());
  CHECK(seen.block.records[3].stride == -4);
  CHECK(seen.block.records[3].base == 0x7f0000000000);
}

TEST_CASE("offsets of either sign fit their words, and no word is zero", "[record][batch]") {
  for (const std::int32_t offset : {0, 1, -1, (1 << 30) - 1, -(1 << 30)}) {
    CHECK(offset_word(offset) != 0);
    CHECK(offset_of_word(offset_word(offset)) == offset);
  }
  CHECK(address_word(0) != 0);
  CHECK(address_of_word(address_word(0x7f0000000000)) == 0x7f0000000000);
}

TEST_CASE("a warp ends once, when its last lane leaves", "[record][batch]") {
  const auto seen = through_a_trace(
      {
          raw(kRawBegin, kFormRegular, 0, 0, 0, 0xffff, 77, 0),
          raw(kRawExit, kFormRegular, 0, 0, 0x10, 0x5555, 0, 0),
          raw(kRawGlobal, kFormRegular, 4, 1, 0x20, 0xaaaa, 0x7f0000000000, 4),
          raw(kRawExit, kFormRegular, 0, 0, 0x30, 0xaaaa, 0, 0),
      },
      16);
  REQUIRE(seen.block.records.size() == 3);
  CHECK(seen.site(0).op == Op::kCtaBegin);
  CHECK(seen.block.records[0].base == 77);
  CHECK(seen.site(1).op == Op::kLoad);
  CHECK(seen.site(2).op == Op::kCtaEnd);
  CHECK(seen.block.records[2].mask == 0xffff);
}

TEST_CASE("local addresses become offsets in the thread's frame", "[record][batch]") {
  Raw indexed = raw(kRawLocal, kFormOffsets, 4, 1, 0x90, 3, 0xfff9c0, 0);
  const std::uint32_t offsets[] = {offset_word(0), offset_word(12)};
  std::memcpy(indexed.payload, offsets, sizeof offsets);
  const auto seen = through_a_trace({
      indexed,                                                      // somewhere in an array
      raw(kRawLocal, kFormRegular, 16, 2, 0x80, ~0u, 0xfff9d0, 0),  // the code says [R1+0x10]
  });
  CHECK(seen.block.lanes[seen.block.records[0].lanes] == 0);
  CHECK(seen.block.lanes[seen.block.records[0].lanes + 1] == 12);
  CHECK(seen.block.records[1].base == 0x10);
}

TEST_CASE("a pc outside the module's code is marked, not invented", "[record][batch]") {
  const auto seen =
      through_a_trace({raw(kRawGlobal, kFormRegular, 4, 1, 0x5000, ~0u, 0x7f0000000000, 4)});
  CHECK(seen.site(0).pc == kForeignPc);
}
