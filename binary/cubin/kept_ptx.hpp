// The PTX that machine code was made of, kept inside the cubin: a section of its own, which the
// driver, nvdisasm and cuobjdump pass over. Sizes, registers and code stay those of the cubin.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpmem::record {

struct KeptPtx {
  std::string ptx;
  std::string ptxas;    // which one made the code; empty: a compiler that is part of a library
  std::string options;  // what it was told: "-O3 --fmad=false"
};

// The cubin with the PTX in it. kMalformed: these bytes are no ELF file of 64 bits.
Result<std::vector<unsigned char>> keep_ptx(std::span<const unsigned char> cubin,
                                            const KeptPtx& kept);

// What is kept in the cubin; nothing when it was made by NVIDIA's tools alone.
std::optional<KeptPtx> kept_ptx(std::span<const unsigned char> cubin);

// Bytes of the ELF file that begins at `image`, from its headers: for one met in memory, without an
// end. 0: it is none.
std::size_t elf_bytes(const void* image);

}  // namespace warpmem::record
