// Reading the ELF file that a module is loaded from: a small one made here, and every damage to it.
#include "binary/cubin/cubin.hpp"

#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "tests/catch.hpp"

using namespace warpmem::record;

namespace {

void put(std::vector<unsigned char>& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    out.push_back(i < 8 ? static_cast<unsigned char>(value >> 8 * i) : 0);
}

struct Part {
  std::string name;
  std::uint32_t type, link;
  std::vector<unsigned char> bytes;
  std::uint64_t size;  // of sections without bytes in the file
  std::uint32_t info = 0;
};

// 0x300 bytes of code, of which the second instruction is nvcc's "STS [R11], R0".
std::vector<unsigned char> code() {
  std::vector<unsigned char> bytes(16, 0);
  put(bytes, 0x000000000b007388, 8);
  put(bytes, 0x0101e20000000800, 8);
  bytes.resize(0x300);
  return bytes;
}

// kernel `_Z1kPf` (24 registers, a frame of 160 bytes, 256 bytes of shared memory) and function
// `f`.
std::vector<unsigned char> small_cubin() {
  std::vector<unsigned char> strings{0}, symbols(24, 0), info;
  const auto text = [](std::vector<unsigned char>& table, const std::string& s) {
    const auto at = table.size();
    table.insert(table.end(), s.c_str(), s.c_str() + s.size() + 1);
    return at;
  };
  const auto symbol = [&](const std::string& name, unsigned other, unsigned section,
                          std::uint64_t size) {
    put(symbols, text(strings, name), 4);
    put(symbols, 2, 1);  // a function
    put(symbols, other, 1);
    put(symbols, section, 2);
    put(symbols, 0, 8);
    put(symbols, size, 8);
  };
  symbol("_Z1kPf", 0x10, 5, 0x300);
  symbol("f", 0, 6, 0x80);
  symbol("vprintf", 0, 0, 0);  // not in this file
  for (const auto& [attribute, value] : {std::pair{0x2f, 24}, std::pair{0x11, 160}}) {
    put(info, 4, 1);
    put(info, static_cast<unsigned>(attribute), 1);
    put(info, 8, 2);
    put(info, 1, 4);
    put(info, static_cast<unsigned>(value), 4);
  }
  // As nvcc 13 writes them for (float*, const float*, int, int).
  std::vector<unsigned char> own;
  for (const auto& [ordinal, offset, size] :
       {std::tuple{3, 0x14, 0x11f000}, std::tuple{2, 0x10, 0x11f000}, std::tuple{1, 8, 0x21f000},
        std::tuple{0, 0, 0x21f000}}) {
    put(own, 0x000c1704, 4);
    put(own, 0, 4);
    put(own, static_cast<unsigned>(ordinal), 2);
    put(own, static_cast<unsigned>(offset), 2);
    put(own, static_cast<unsigned>(size), 4);
  }
  put(own, 0x00ff1b03, 4);  // a value in the header itself
  put(own, 0x00080a04, 4);
  put(own, 0x1c, 4);
  put(own, 0x00180210, 4);
  put(own, 0x00105504, 4);  // spills at 0x40 and 0x20
  for (const unsigned word : {1u, 0x40u, 1u, 0x20u}) put(own, word, 4);
  std::vector<unsigned char> relocations;  // at 0x30 and 0x18
  for (const unsigned offset : {0x30u, 0x18u}) put(relocations, offset, 24);
  std::vector<Part> parts{{"", 0, 0, {}, 0},
                          {".strtab", 3, 0, strings, 0},
                          {".symtab", 2, 1, symbols, 0},
                          {".nv.info", 0x70000000, 2, info, 0},
                          {".nv.info._Z1kPf", 0x70000000, 2, own, 0},
                          {".text._Z1kPf", 1, 2, code(), 0},
                          {".text.f", 1, 2, std::vector<unsigned char>(0x80), 0},
                          {".nv.shared._Z1kPf", 8, 0, {}, 1024 + 256},
                          {".nv.shared.reserved.0", 8, 0, {}, 0},
                          {".rela.text.f", 4, 2, relocations, 0, 6},
                          {".shstrtab", 3, 0, {}, 0}};
  std::vector<std::size_t> names;
  for (const Part& part : parts) names.push_back(text(parts.back().bytes, part.name));
  std::vector<unsigned char> file(64, 0), table;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    put(table, names[i], 4);
    put(table, part.type, 4);
    put(table, 0, 16);
    put(table, file.size(), 8);
    put(table, part.bytes.empty() ? part.size : part.bytes.size(), 8);
    put(table, part.link, 4);
    put(table, part.info, 4);
    put(table, 0, 16);
    file.insert(file.end(), part.bytes.begin(), part.bytes.end());
  }
  std::vector<unsigned char> header;
  const unsigned char magic[] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x41, 8, 0, 0, 0, 0, 0, 0, 0};
  header.assign(magic, magic + 16);
  put(header, 0, 24);
  put(header, file.size(), 8);  // section table
  put(header, 90 << 8, 4);      // flags: sm_90
  put(header, 0, 8);
  put(header, parts.size(), 2);
  put(header, parts.size() - 1, 2);  // names
  std::copy(header.begin(), header.end(), file.begin());
  file.insert(file.end(), table.begin(), table.end());
  return file;
}

}  // namespace

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
