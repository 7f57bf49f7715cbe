// What the GPU writes arrives whole, in order, and over any number of turns of the ring.
#include "traces/record/chunk_ring.hpp"

#include <atomic>
#include <thread>

#include "tests/catch.hpp"
#include "tests/record/fake_gpu.hpp"

using namespace warpmem::record;

TEST_CASE("a stream shows nothing before a record has landed whole", "[record][ring]") {
  FakeGpu gpu(512);
  ChunkRing ring(gpu.bytes(), 512);
  StreamReader stream(ring, 3);
  CHECK(stream.next() == nullptr);

  auto* record = reinterpret_cast<RawRecord*>(gpu.bytes() + 3 * std::size_t{kChunkBytes});
  record->what = kRawGlobal | kTag << kTagShift;  // the first half only
  CHECK(stream.next() == nullptr);
  record->place = kTag << kTagShift;
  CHECK(stream.next() == record);
  CHECK(stream.next() == nullptr);
}

TEST_CASE("a record counts when all its addresses have landed", "[record][ring]") {
  FakeGpu gpu(512);
  ChunkRing ring(gpu.bytes(), 512);
  StreamReader stream(ring, 3);
  auto* record = reinterpret_cast<RawRecord*>(gpu.bytes() + 3 * std::size_t{kChunkBytes});
  auto* words = reinterpret_cast<std::uint32_t*>(record + 1);
  record->mask = 0x7;
  record->what = kRawGlobal | kFormOffsets << kFormShift | kTag << kTagShift;
  record->place = kTag << kTagShift;
  for (const int lane : {2, 0, 1}) {
    CHECK(stream.next() == nullptr);
    words[lane] = offset_word(lane * 4);
  }
  CHECK(stream.next() == record);
  CHECK(stream.next() == nullptr);
}

TEST_CASE("records of all sizes come out in the order in which room was taken", "[record][ring]") {
  constexpr std::uint32_t kRecords = 200000;  // some 300 chunks, more than there are
  FakeGpu gpu(512);
  ChunkRing ring(gpu.bytes(), 512);
  std::thread producer([&] {
    std::int64_t addresses[32] = {};
    for (std::uint32_t i = 0; i < kRecords; ++i) {
      const std::uint32_t form = i % 3 == 0   ? kFormAddresses
                                 : i % 3 == 1 ? kFormRegular
                                              : kFormOffsets;
      addresses[0] = i;
      gpu.emit({5, 1, i, i % 32}, kRawGlobal, form, 4, kFlagRead, i, i % 7 == 0 ? ~0u : 0xffu, i, 4,
               addresses);
    }
  });
  StreamReader stream(ring, 5);
  for (std::uint32_t i = 0; i < kRecords;) {
    const RawRecord* record = stream.next();
    if (record == nullptr) {
      std::this_thread::yield();
      continue;
    }
    REQUIRE(record->pc == i);
    REQUIRE(record->cta == i);
    REQUIRE(raw_warp(record->place) == i % 32);
    REQUIRE(raw_slot(record->place) == 1);
    if (i % 3 == 0) {
      // As it was written: addresses land behind their header.
      const auto* word = reinterpret_cast<const std::uint64_t*>(record + 1);
      REQUIRE(address_of_word(std::atomic_ref(*const_cast<std::uint64_t*>(word)).load()) == i);
    }
    ++i;
  }
  producer.join();
  CHECK(stream.next() == nullptr);
}

TEST_CASE("a slow stream does not hold up the others", "[record][ring]") {
  FakeGpu gpu(512);
  ChunkRing ring(gpu.bytes(), 512);
  REQUIRE(gpu.emit({0, 0, 0, 0}, kRawBegin, 0, 0, 0, 0, ~0u, 0, 0));  // then silent for ever
  StreamReader fast(ring, 1);
  std::uint64_t seen = 0;
  for (int i = 0; i < 3000000; ++i) {  // several turns of the ring through stream 1 alone
    REQUIRE(gpu.emit({1, 0, 0, 0}, kRawShared, 0, 4, 1, 0, ~0u, 0, 4));
    while (fast.next() != nullptr) ++seen;
  }
  CHECK(seen == 3000000);
}

TEST_CASE("a stopped ring makes the GPU's side give up instead of waiting", "[record][ring]") {
  FakeGpu gpu(512);
  ChunkRing ring(gpu.bytes(), 512);
  StreamReader stream(ring, 2);
  ring.stop();
  int written = 0;
  while (gpu.emit({2, 0, 0, 0}, kRawShared, 0, 4, 1, 0, ~0u, 0, 4)) ++written;
  CHECK(written == kChunkCapacity / kRecordBytes);  // what fitted into the chunk it had
  int seen = 0;
  while (stream.next() != nullptr) ++seen;
  CHECK(seen == written);
  CHECK_FALSE(gpu.emit({2, 0, 0, 0}, kRawShared, 0, 4, 1, 0, ~0u, 0, 4));
}

TEST_CASE("about the wanted fraction of CTAs is kept, the same ones every time", "[record][ring]") {
  int kept = 0;
  for (std::uint32_t cta = 0; cta < 100000; ++cta)
    kept += warpmem::trace::cta_hash(cta) <= 0xffffffffu / 10 ? 1 : 0;
  CHECK(kept > 9700);
  CHECK(kept < 10300);
  CHECK(warpmem::trace::cta_hash(7) == warpmem::trace::cta_hash(7));
}
