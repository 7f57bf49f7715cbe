// The pieces: varints, cursors, bit packing, and what the encoder makes of known patterns.
#include "tests/catch.hpp"
#include "tests/traces/support.hpp"
#include "traces/format/bit_packing.hpp"
#include "traces/format/format.hpp"
#include "traces/format/records_codec.hpp"

using namespace warpmem::trace;

TEST_CASE("varints of every length come back, and overlong ones are refused") {
  for (int bits = 0; bits <= 64; ++bits) {
    const std::uint64_t value = bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
    for (const std::uint64_t v : {value, value ^ (value >> 1)}) {
      Bytes bytes;
      put_varint(bytes, v);
      CHECK(bytes.size() <= 10);
      Cursor in(bytes);
      CHECK(in.varint() == v);
      CHECK(in.ok());
      CHECK(in.at_end());
      bytes.pop_back();
      Cursor cut(bytes);
      CHECK(cut.varint() == 0);
      CHECK_FALSE(cut.ok());
    }
  }
  const Bytes too_large = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
  Cursor in(too_large);
  in.varint();
  CHECK_FALSE(in.ok());
}

TEST_CASE("zigzag maps small numbers of either sign to small codes") {
  CHECK(zigzag(0) == 0);
  CHECK(zigzag(~std::uint64_t{0}) == 1);
  CHECK(zigzag(1) == 2);
  for (const std::uint64_t v : {0ull, 1ull, ~0ull, 1ull << 63, (1ull << 63) - 1}) {
    CHECK(unzigzag(zigzag(v)) == v);
  }
}

TEST_CASE("a cursor refuses counts and sizes that cannot fit before they are allocated") {
  Bytes bytes;
  put_varint(bytes, 1'000'000'000);
  bytes.resize(20);
  Cursor count(bytes);
  CHECK(count.count(1) == 0);
  CHECK_FALSE(count.ok());
  Cursor string(bytes);
  CHECK(string.string().empty());
  CHECK_FALSE(string.ok());
  CHECK(string.fixed<std::uint8_t>() == 0);  // stays failed
}

TEST_CASE("packed fields of every width come back") {
  for (unsigned bits = 0; bits <= 56; ++bits) {
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    Bytes out;
    pack(out, 33, bits, [&](std::size_t i) { return i * 0x9e3779b97f4a7c15u & mask; });
    CHECK(out.size() == packed_bytes(33, bits));
    out.resize(out.size() + 8);
    std::size_t wrong = 0;
    for (std::uint64_t i = 0; i < 33; ++i) {
      wrong += unpack(out.data(), i, bits) != (i * 0x9e3779b97f4a7c15u & mask);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a regular kernel costs next to nothing, a random one its entropy") {
  const auto bytes_per_record = [](const patterns::Pattern& pattern) {
    std::mt19937_64 random(1);
    BlockBuilder builder(0);
    for (std::uint64_t cta = 0; !builder.full(); ++cta) {
      for (std::uint32_t w = 0; w < pattern.warps_per_cta; ++w) {
        patterns::Warp warp{cta, w, {}, {}};
        pattern.fill(warp, random);
        builder.add(cta, w, warp.records, pattern.sites, warp.lanes);
      }
    }
    const EncodedBlock block = builder.take();
    CHECK(block.raw_bytes <= 256 << 10);
    return static_cast<double>(block.body.size() + kBlockHeaderBytes) /
           static_cast<double>(block.records);
  };
  CHECK(bytes_per_record(patterns::streaming()) < 0.1);
  CHECK(bytes_per_record(patterns::transpose()) < 0.1);
  CHECK(bytes_per_record(patterns::matmul()) < 0.3);
  CHECK(bytes_per_record(patterns::stencil()) < 0.1);
  CHECK(bytes_per_record(patterns::chase()) < 4.5);
  CHECK(bytes_per_record(patterns::gather()) < 106);
}
