#include "binary/fatbin/fat_binary.hpp"

#include <lz4.h>
#include <zstd.h>

#include "embedded.hpp"
#include "tests/catch.hpp"

namespace warpmem::cudart {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

const std::string kText =
    ".version 9.0\n.target sm_90\n.address_size 64\n// text that repeats, repeats, repeats, "
    "repeats, repeats\n";

EntrySpec lz4_entry() {
  std::string packed(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(kText.size()))),
                     '\0');
  packed.resize(static_cast<std::size_t>(LZ4_compress_default(kText.data(), packed.data(),
                                                              static_cast<int>(kText.size()),
                                                              static_cast<int>(packed.size()))));
  return {.flags = 0x2011,
          .packed = static_cast<std::uint32_t>(packed.size()),
          .plain = kText.size(),
          .bytes = packed};
}

EntrySpec zstd_entry() {
  std::string packed(ZSTD_compressBound(kText.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), kText.data(), kText.size(), 3));
  return {.flags = 0x8011,
          .packed = static_cast<std::uint32_t>(packed.size()),
          .plain = kText.size(),
          .bytes = packed};
}

TEST_CASE("PTX comes out of a fat binary plain, from LZ4 and from zstd") {
  const std::string container = make_container({{.bytes = kText}, lz4_entry(), zstd_entry()});
  auto entries = read_fat_binary(bytes_of(container));
  REQUIRE(entries);
  REQUIRE(entries->size() == 3);
  CHECK((*entries)[0].packing == FatEntry::Packing::kPlain);
  CHECK((*entries)[1].packing == FatEntry::Packing::kLz4);
  CHECK((*entries)[2].packing == FatEntry::Packing::kZstd);
  for (const FatEntry& e : *entries) {
    auto text = unpack_ptx(e);
    REQUIRE(text);
    CHECK(*text == kText);
  }
}

TEST_CASE("the newest PTX that the GPU can run is chosen, and machine code never") {
  const std::string container = make_container({{.architecture = 75, .bytes = "a"},
                                                {.kind = 2, .architecture = 90, .bytes = "b"},
                                                {.architecture = 86, .bytes = "c"},
                                                {.architecture = 100, .bytes = "d"}});
  auto entries = read_fat_binary(bytes_of(container));
  REQUIRE(entries);
  CHECK(choose_ptx(*entries, 90)->architecture == 86);
  CHECK(choose_ptx(*entries, 80)->architecture == 75);
  CHECK(choose_ptx(*entries, 120)->architecture == 100);
  CHECK(choose_ptx(*entries, 70) == nullptr);
  CHECK(choose_newer_ptx(*entries, 70)->architecture == 75);
  CHECK(choose_newer_ptx(*entries, 80)->architecture == 86);
  CHECK(choose_newer_ptx(*entries, 100) == nullptr);
}

TEST_CASE("PTX for a newer GPU is given the target of the one that is there") {
  CHECK(for_older_gpu("// sm_1\n.version 9.0\n.target sm_120\n.address_size 64\n", 90) ==
        "// sm_1\n.version 9.0\n.target sm_90\n.address_size 64\n");
  CHECK(for_older_gpu(".target sm_100a, debug\n", 90) == ".target sm_90a, debug\n");
  CHECK(for_older_gpu(".target sm_103f\n", 80) == ".target sm_80\n");
  CHECK(for_older_gpu("sm_90", 80) == "sm_90");
}

TEST_CASE("PTX for one GPU or one family is for those alone, and there it is the best") {
  const std::string container =
      make_container({{.architecture = 90, .bytes = "a"},
                      {.architecture = 90, .flags = 0x100011, .bytes = "b"},
                      {.architecture = 100, .flags = 0x200011, .bytes = "c"},
                      {.architecture = 100, .bytes = "d"}});
  auto entries = read_fat_binary(bytes_of(container));
  REQUIRE(entries);
  CHECK(choose_ptx(*entries, 90) == &(*entries)[1]);
  CHECK(choose_ptx(*entries, 100) == &(*entries)[2]);
  CHECK(choose_ptx(*entries, 103) == &(*entries)[2]);
  CHECK(choose_ptx(*entries, 120) == &(*entries)[3]);
}

TEST_CASE("what ptxas was told, and the machine code it made, are found beside the PTX") {
  const std::string container =
      make_container({{.architecture = 90, .bytes = kText, .options = "-O2  -maxrregcount=24 "},
                      {.kind = 2, .architecture = 90, .bytes = "cubin"}});
  auto entries = read_fat_binary(bytes_of(container));
  REQUIRE(entries);
  CHECK((*entries)[0].options == "-O2  -maxrregcount=24 ");
  CHECK((*entries)[1].options.empty());
  CHECK(unpack_machine_code((*entries)[1]).value().starts_with("cubin"));
  CHECK(!unpack_machine_code((*entries)[0]));
}

TEST_CASE("containers that stand one behind the other are all read") {
  const std::string two =
      make_container({{.bytes = "a"}}) + make_container({{.bytes = "b"}, {.bytes = "c"}});
  auto entries = read_fat_binary(bytes_of(two));
  REQUIRE(entries);
  CHECK(entries->size() == 3);
}

TEST_CASE("a fat binary that is cut anywhere is refused or gives whole entries") {
  const std::string whole = make_container({{.bytes = kText}, lz4_entry(), zstd_entry()});
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string cut = whole.substr(0, length);
    auto entries = read_fat_binary(bytes_of(cut));
    if (length == 0) continue;  // nothing is no fat binary, and no error
    INFO("cut at " << length);
    REQUIRE(!entries);
    CHECK(entries.error().kind == ErrorKind::kMalformed);
  }
}

TEST_CASE("a flipped byte never crashes the reader") {
  const std::string whole = make_container({{.bytes = kText}, lz4_entry(), zstd_entry()});
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      auto entries = read_fat_binary(bytes_of(damaged));
      if (!entries) continue;
      for (const FatEntry& e : *entries)
        if (e.kind == FatEntry::Kind::kPtx) static_cast<void>(unpack_ptx(e).ok());
    }
  }
}

TEST_CASE("a container that says it has no bytes, or all that can be counted, is none") {
  std::string container = make_container({{.bytes = kText}});
  const auto bytes = [&] { return container_bytes(bytes_of(container).data()); };
  CHECK(bytes().value() == container.size());
  const std::uint64_t most = ~std::uint64_t{0} - 8;
  std::memcpy(container.data() + 8, &most, 8);
  CHECK(!bytes());
  const std::uint64_t none = 0;
  std::memcpy(container.data() + 6, &none, 2);
  std::memcpy(container.data() + 8, &none, 8);
  REQUIRE(!bytes());
  CHECK(bytes().error().kind == ErrorKind::kMalformed);
}

TEST_CASE("what cannot have been packed into so few bytes is refused before room is made for it") {
  for (EntrySpec spec : {lz4_entry(), zstd_entry()}) {
    spec.plain = std::uint64_t{1} << 30;
    const std::string container = make_container({spec});
    const auto entries = read_fat_binary(bytes_of(container));
    REQUIRE(entries);
    const auto text = unpack_ptx(entries->front());
    REQUIRE(!text);
    CHECK(text.error().message.find("1073741824 bytes") != std::string::npos);
  }
}

TEST_CASE("packed data of the wrong length is refused") {
  EntrySpec wrong = zstd_entry();
  wrong.plain += 1;
  EntrySpec wrong_lz4 = lz4_entry();
  wrong_lz4.plain -= 1;
  EntrySpec huge = zstd_entry();
  huge.plain = std::uint64_t{1} << 62;
  for (const EntrySpec& e : {wrong, wrong_lz4, huge}) {
    const std::string container = make_container({e});
    auto entries = read_fat_binary(bytes_of(container));
    REQUIRE(entries);
    auto text = unpack_ptx(entries->front());
    REQUIRE(!text);
    CHECK(text.error().kind == ErrorKind::kMalformed);
  }
}

}  // namespace
}  // namespace warpmem::cudart
