// What is between a program's compiler and the emulator: PTX kept in machine code, and options that
// the PTX does not show.
#include "binary/cubin/kept_ptx.hpp"
#include "emulate/cudart/default_cache.hpp"
#include "tests/catch.hpp"

#include <elf.h>

#include <cstring>

namespace warpmem {
namespace {

// An ELF file with an empty table of names.
std::vector<unsigned char> small_elf() {
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64, head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_shoff = sizeof head + 16, head.e_shentsize = sizeof(Elf64_Shdr), head.e_shnum = 2,
  head.e_shstrndx = 1;
  Elf64_Shdr none{}, names{};
  names.sh_type = SHT_STRTAB, names.sh_name = 1, names.sh_offset = sizeof head, names.sh_size = 11;
  std::vector<unsigned char> out(sizeof head + 16 + 2 * sizeof none);
  std::memcpy(out.data(), &head, sizeof head);
  std::memcpy(out.data() + sizeof head, "\0.shstrtab", 11);
  std::memcpy(out.data() + head.e_shoff, &none, sizeof none);
  std::memcpy(out.data() + head.e_shoff + sizeof none, &names, sizeof names);
  return out;
}

TEST_CASE("PTX is kept in a cubin and found again, and the cubin stays what it was") {
  const std::vector<unsigned char> cubin = small_elf();
  CHECK(!record::kept_ptx(cubin));
  CHECK(record::elf_bytes(cubin.data()) == cubin.size());
  const auto both =
      record::keep_ptx(cubin, {".version 8.0\n.target sm_90\n", "/bin/ptxas", "-O3 --fmad=false"});
  REQUIRE(both);
  const auto kept = record::kept_ptx(*both);
  REQUIRE(kept);
  CHECK(kept->ptx == ".version 8.0\n.target sm_90\n");
  CHECK(kept->ptxas == "/bin/ptxas");
  CHECK(kept->options == "-O3 --fmad=false");
  CHECK(record::elf_bytes(both->data()) == both->size());
  CHECK(std::equal(cubin.begin() + sizeof(Elf64_Ehdr), cubin.end(),
                   both->begin() + sizeof(Elf64_Ehdr)));
  // Once more: the first that is found counts, and nothing breaks.
  CHECK(record::keep_ptx(*both, {"", "", ""}));
  // Cut short anywhere, it is no cubin or has no text; never a crash.
  for (std::size_t n = 0; n < both->size(); n += 7) {
    const std::span<const unsigned char> part(both->data(), n);
    static_cast<void>(record::kept_ptx(part));
    static_cast<void>(record::keep_ptx(part, {"", "", ""}));
  }
  CHECK(!record::keep_ptx({}, {"", "", ""}));
}

TEST_CASE("the caches that ptxas's options put into loads and stores are in the PTX") {
  using cudart::with_default_caches;
  const auto loads = [](const char* options, const char* text) {
    return with_default_caches(text, options);
  };
  CHECK(loads("-dlcm=cg ", "ld.global.f32 %f1, [%rd1];") == "ld.global.cg.f32 %f1, [%rd1];");
  CHECK(loads("-O3 --def-load-cache ca", "\tld.weak.global.v4.f32 {%f1}, [%rd1];") ==
        "\tld.weak.global.ca.v4.f32 {%f1}, [%rd1];");
  CHECK(loads("-dlcm=cg", "@%p1 ld.u32 %r1, [%rd1];") == "@%p1 ld.cg.u32 %r1, [%rd1];");
  CHECK(loads("-dlcm=cg -dlcm=ca", "ld.global.u8 %r1, [%rd1];") == "ld.global.ca.u8 %r1, [%rd1];");
  for (const char* same : {"ld.global.nc.f32 %f1, [%rd1];", "ld.volatile.global.f32 %f1, [%rd1];",
                           "ld.param.u64 %rd1, [p];", "ld.shared.f32 %f1, [%r1];",
                           "ld.global.ca.f32 %f1, [%rd1];", "st.global.f32 [%rd1], %f1;",
                           "ld.acquire.gpu.global.u32 %r1, [%rd1];", "build.global.f32 x;"})
    CHECK(loads("-dlcm=cg", same) == same);
  CHECK(loads("-dscm=wt", "st.global.f32 [%rd1], %f1;") == "st.global.wt.f32 [%rd1], %f1;");
  CHECK(loads("", "ld.global.f32 %f1, [%rd1];") == "ld.global.f32 %f1, [%rd1];");
  CHECK(loads("-xdlcm=cg", "ld.global.f32 %f1, [%rd1];") == "ld.global.f32 %f1, [%rd1];");
}

}  // namespace
}  // namespace warpmem
