// Reading the ELF file that a module is loaded from: a small one made here, and every damage to it.
#include "binary/cubin/cubin.hpp"

#include <array>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "tests/catch.hpp"
#include "tests/record/small_cubin.hpp"

using namespace warpmem::record;

TEST_CASE("instructions that spill registers are marked, once", "[record][cubin]") {
  const auto cubin = parse_cubin(small_cubin());
  REQUIRE(cubin);
  const CubinFunction& kernel = *cubin->find("_Z1kPf");
  CHECK(kernel.spills == std::vector<std::uint32_t>{0x20, 0x40});
  CHECK(cubin->find("f")->spills.empty());
  const std::string marked = with_spill_mark(kernel, 0x20, "STL [R1], R4");
  CHECK(marked == "STL [R1], R4 (*\"SpillRefill\"*)");
  CHECK(with_spill_mark(kernel, 0x20, marked) == marked);
  CHECK(with_spill_mark(kernel, 0x30, "STL [R1], R4") == "STL [R1], R4");
}

TEST_CASE("a kernel says which launches it was compiled for", "[record][cubin]") {
  const auto cubin = parse_cubin(small_cubin());
  REQUIRE(cubin.ok());
  using Three = std::array<std::uint32_t, 3>;
  CHECK(cubin->find("_Z1kPf")->max_block == Three{256, 1, 1});
  CHECK(cubin->find("_Z1kPf")->required_block == Three{32, 4, 2});
  CHECK(cubin->find("_Z1kPf")->required_cluster == Three{2, 1, 1});
  CHECK(cubin->find("f")->max_block == Three{});
}

TEST_CASE("a kernel's parameters are found, and packed as its code reads them", "[record][cubin]") {
  const auto cubin = parse_cubin(small_cubin());
  REQUIRE(cubin.ok());
  const KernelParameters& p = cubin->find("_Z1kPf")->parameters;
  CHECK(p.at == 0x210);
  CHECK(p.bytes == 0x18);
  REQUIRE(p.each.size() == 4);
  CHECK(p.each[0] == KernelParameters::One{3, 0x14, 4});
  CHECK(p.each[3] == KernelParameters::One{0, 0, 8});
  CHECK(cubin->find("f")->parameters.bytes == 0);

  std::uint64_t out = 0x7f0011223344, in = 0x7f0055667788;
  std::int32_t n = 100, rounds = -3;
  void* each[] = {&out, &in, &n, &rounds};
  const auto packed = pack_parameters(p, each, nullptr);
  REQUIRE(packed.size() == 0x18);
  const auto at = [&](const std::vector<std::uint8_t>& bytes, std::size_t offset) {
    std::int32_t v = 0;
    std::memcpy(&v, bytes.data() + offset, 4);
    return v;
  };
  CHECK(at(packed, 0) == 0x11223344);
  CHECK(at(packed, 8) == 0x55667788);
  CHECK(at(packed, 0x10) == 100);
  CHECK(at(packed, 0x14) == -3);

  // The other way: a buffer with all of them (CU_LAUNCH_PARAM_BUFFER_POINTER and _SIZE).
  std::vector<std::uint8_t> buffer = packed;
  std::size_t size = buffer.size();
  void* extra[] = {reinterpret_cast<void*>(1), buffer.data(), reinterpret_cast<void*>(2), &size,
                   nullptr};
  CHECK(pack_parameters(p, nullptr, extra) == packed);
  // Nothing is made up.
  CHECK(pack_parameters(p, nullptr, nullptr).empty());
  CHECK(pack_parameters({}, each, nullptr).empty());
  KernelParameters beyond = p;
  beyond.each[0].offset = 0x16;
  CHECK(pack_parameters(beyond, each, nullptr).empty());
}

TEST_CASE("functions and their resources are found", "[record][cubin]") {
  const auto cubin = parse_cubin(small_cubin());
  REQUIRE(cubin.ok());
  CHECK(cubin->arch == "sm_90");
  REQUIRE(cubin->functions.size() == 2);
  const CubinFunction* kernel = cubin->find("_Z1kPf");
  REQUIRE(kernel != nullptr);
  CHECK(kernel->kernel);
  CHECK(kernel->symbol == 1);
  CHECK(kernel->size == 0x300);
  CHECK(kernel->registers == 24);
  CHECK(kernel->local_bytes == 160);
  CHECK(kernel->static_shared == 256);  // without the 1024 bytes that the driver reserves
  const CubinFunction* other = cubin->find("f");
  REQUIRE(other != nullptr);
  CHECK_FALSE(other->kernel);
  CHECK(other->relocations == std::vector<std::uint32_t>{0x18, 0x30});
  CHECK(kernel->relocations.empty());
  CHECK(cubin->find("vprintf") == nullptr);
}

TEST_CASE("an instruction's scheduling control is read from the code", "[record][cubin]") {
  std::vector<unsigned char> image = small_cubin();
  auto cubin = parse_cubin(image);
  REQUIRE(cubin.ok());
  const CubinFunction& kernel = *cubin->find("_Z1kPf");
  CHECK(control_at(image, *cubin, kernel, 0) == 0);
  CHECK(control_at(image, *cubin, kernel, 0x10) == 0x80f1);
  CHECK(control_at(image, *cubin, kernel, 0x2f0) == 0);
  for (const std::uint64_t outside : {0x18ull, 0x300ull, 0x2f8ull, ~0xfull})
    CHECK(control_at(image, *cubin, kernel, outside) == warpmem::trace::kUnknownControl);
  cubin->arch = "sm_61";  // 64-bit instructions, with another layout
  CHECK(control_at(image, *cubin, kernel, 0x10) == warpmem::trace::kUnknownControl);
}

TEST_CASE("what is no cubin is an error", "[record][cubin]") {
  CHECK_FALSE(parse_cubin({}).ok());
  const std::vector<unsigned char> zeros(4096, 0);
  CHECK_FALSE(parse_cubin(zeros).ok());
}

TEST_CASE("a cubin cut at any length or with any bit flipped does no harm", "[record][cubin]") {
  const std::vector<unsigned char> whole = small_cubin();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::vector<unsigned char> cut(whole.begin(),
                                         whole.begin() + static_cast<std::ptrdiff_t>(length));
    CHECK_FALSE(parse_cubin(cut).ok());  // the section table is at the end
  }
  std::size_t readable = 0;
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::vector<unsigned char> flipped = whole;
    flipped[bit / 8] ^= static_cast<unsigned char>(1u << bit % 8);
    readable += parse_cubin(flipped).ok() ? 1 : 0;
  }
  CHECK(readable > 0);
}

TEST_CASE("the architecture of the PTX that a cubin was made of is read", "[record][cubin]") {
  CHECK(parse_cubin(small_cubin(80))->virtual_arch == 80);
  CHECK(parse_cubin(small_cubin())->virtual_arch == 0);
  auto older = small_cubin();  // CUDA 12: both architectures are in the flags
  older[8] = 7, older[48] = 90, older[49] = 5, older[50] = 80;
  const auto cubin = parse_cubin(older);
  REQUIRE(cubin);
  CHECK(cubin->arch == "sm_90");
  CHECK(cubin->virtual_arch == 80);
}
