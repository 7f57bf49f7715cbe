// The fat binary that nvcc embeds in a program: PTX and machine code for several architectures.
//
// A container is a header of 16 bytes (magic 0xBA55ED50, version 1, header bytes, body bytes) and
// entries, each with a header of its own that gives kind, architecture, flags, sizes and a name.
// NVIDIA does not document it; the offsets were read from what nvcc 13.0 writes in every
// --compress-mode, and hold for CUDA 11 and 12 too. Containers may stand one behind the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpmem::cudart {

// The oldest compute capability that ptxas of CUDA 13 makes machine code for.
constexpr std::uint32_t kOldestCode = 75;

struct FatEntry {
  enum class Kind : std::uint8_t { kPtx, kMachineCode, kOther };
  enum class Packing : std::uint8_t { kPlain, kLz4, kZstd };
  Kind kind = Kind::kOther;
  Packing packing = Packing::kPlain;
  std::uint32_t architecture = 0;  // 90: compute_90 or sm_90
  bool exact = false;              // compute_90a
  bool family = false;             // compute_100f
  std::uint64_t plain_bytes = 0;   // of packed entries, once unpacked
  std::span<const std::byte> bytes;
  std::string name;
  std::string options;  // what ptxas was told: "-O2  -maxrregcount=24 "; of PTX
};

// Bytes of the container that begins at `data`, from its header: for one met in memory, without an
// end.
Result<std::size_t> container_bytes(const std::byte* data);

// All entries, in order. Fails with kMalformed, naming the offset, when `bytes` are no fat binary
// or are cut short. The entries refer to `bytes`.
Result<std::vector<FatEntry>> read_fat_binary(std::span<const std::byte> bytes);

// The entry's PTX, unpacked.
Result<std::string> unpack_ptx(const FatEntry& entry);

// The entry's machine code (a cubin), unpacked.
Result<std::string> unpack_machine_code(const FatEntry& entry);

// The machine code that a GPU of compute capability `cc` loads: of the same major one, not newer;
// code of sm_90a runs on 9.0 alone. Null: there is none, and PTX is compiled.
const FatEntry* choose_machine_code(std::span<const FatEntry> entries, std::uint32_t cc);
// The newest PTX that a GPU of compute capability `cc` (90: 9.0) can run; null when there is none.
const FatEntry* choose_ptx(std::span<const FatEntry> entries, std::uint32_t cc);
// If there is none: the oldest of those for newer GPUs.
const FatEntry* choose_newer_ptx(std::span<const FatEntry> entries, std::uint32_t cc);
// The first architecture that PTX is for: "sm_90a"; empty: it does not say.
std::string ptx_target(std::string_view ptx);
// Its .target changed to this compute capability, or to the oldest that can be compiled: PTX means
// the same on each GPU that has it all.
std::string for_older_gpu(std::string ptx, std::uint32_t cc);

}  // namespace warpmem::cudart
