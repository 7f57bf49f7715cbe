// Machine instructions one by one against what an H100 gave: those that compilers write, and others
// whose encodings differ from them by a bit. Most of them no PTX instruction names. The kept file
// has their texts, so that neither ptxas nor nvdisasm is needed to run them.
//
// The kept file is one zstd frame: four lines (what it is, GPU, driver, date), the number of
// instructions, a line for each (origin, encoding, text), the words that each thread takes, and for
// each instruction a u32 hash of each group of threads.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace warpmem::emulate::hardware {

constexpr std::uint32_t kEncodingThreads = 1024, kEncodingBlock = 256, kEncodingWords = 12,
                        kEncodingResults = 16, kEncodingGroups = 8;

enum class Origin : char {
  kCompiler = 'c',  // a compiler wrote it
  kMutant = 'm',    // … or something that differs by one bit
  kNear = 'n',      // an approximation
  kFault = 'f',     // the GPU refuses it
};

struct Encoding {
  Origin origin;
  std::uint64_t low, high;
  std::string text;
  std::array<std::uint32_t, kEncodingGroups> hashes;
};

struct Encodings {
  std::string gpu, driver, date;
  std::vector<std::uint32_t> input;  // of each thread in turn
  std::vector<Encoding> all;
};

Encodings read_encodings(const std::string& path);  // throws std::runtime_error

// Its thread's words in R4 to R15, their lanes' first in UR4 to UR15, and in P0 to P6 and UP0 to
// UP6 bits of R15; results from R16 and UR16 on, and in predicates.
std::string listing_of(const Encoding& encoding, const std::string& kernel);

std::uint64_t hash_of_warp(const std::uint32_t* words);   // of 32 threads' results
std::uint32_t hash_of_group(const std::uint64_t* warps);  // of some warps' hashes

}  // namespace warpmem::emulate::hardware
