// Any bytes as a cubin: its functions, and the code that they are said to have.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "binary/cubin/cubin.hpp"
#include "binary/elf/elf_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmem;
  const std::span<const unsigned char> image(data, size);
  const auto cubin = record::parse_cubin(image);
  if (cubin)
    for (const record::CubinFunction& f : cubin->functions) {
      if (f.code_at > size || f.code_bytes > size - f.code_at) std::abort();
      for (const std::uint64_t offset : {f.offset, f.offset + f.size - 16, std::uint64_t{0}})
        static_cast<void>(record::control_at(image, *cubin, f, offset));
      static_cast<void>(record::with_spill_mark(f, f.offset, "STL [R1], R4"));
    }
  const cudart::ElfFile elf(std::as_bytes(image));
  if (!elf.valid()) return 0;
  for (const Elf64_Shdr& section : elf.sections()) {
    static_cast<void>(elf.name(section));
    if (elf.bytes_of(section).size() > size) std::abort();
  }
  static_cast<void>(elf.functions({"cuda", "__cuda"}));
  return 0;
}
