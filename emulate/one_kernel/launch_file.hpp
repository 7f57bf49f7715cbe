// launch.toml: how to launch one kernel that has no host program. docs/reference/launch-file.md
// explains it.
//
//   entry = "saxpy"            # mangled, or the C++ name when only one kernel has it
//   grid = [256, 1, 1]         # or a number
//   block = 256
//   dynamic_shared = "16KiB"
//   [[args]]                   # in the kernel's order
//   type = "f32"
//   value = 2.0
//   [[args]]
//   buffer = "x"
//   type = "f32"
//   count = 65536              # or size = "256KiB"
//   fill = "random"            # zeros, ramp, random, file
//   seed = 1
//   min = -1.0
//   max = 1.0
//   write_back = "x.bin"       # after the kernel
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/dim3.hpp"
#include "base/error.hpp"
#include "base/residency.hpp"
#include "emulate/executor/types.hpp"
#include "emulate/executor/wait_clocks.hpp"

namespace warpmem::emulate {

struct Argument {
  enum class Fill : std::uint8_t { kZeros, kRamp, kRandom, kFile };
  bool is_buffer = false;
  Type type = Type::kU32;
  std::uint64_t bits = 0;      // of a scalar
  std::vector<std::byte> raw;  // of a struct: bytes = "00ff…"
  std::string name;            // of a buffer; the same name again is the same buffer
  std::uint64_t bytes = 0;
  Fill fill = Fill::kZeros;
  std::uint64_t seed = 1;
  double low = 0, high = 1;
  std::string file, write_back;
  std::uint64_t offset = 0;  // added to the address, in bytes
  std::string place;         // "launch.toml, line 12"
};

struct LaunchFile {
  std::string path;
  std::string entry;
  Dim3 grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  std::uint32_t dynamic_shared = 0;
  bool cooperative = false;
  std::vector<Argument> arguments;
};

// What a GPU allows, as its card says.
struct DeviceLimits {
  std::string name;  // of the card
  std::uint32_t block_threads = 0;
  Dim3 block{};
  Dim3 grid{};
  std::uint32_t shared_bytes = 0;
  std::uint32_t cluster_ctas = 1;
  std::uint64_t memory_bytes = 0;
  std::uint32_t sms = 1;
  SmLimits sm;
  WaitClocks waits;
};

Result<LaunchFile> parse_launch_file(const std::string& path, const std::string& text);
Result<LaunchFile> read_launch_file(const std::string& path);
Result<void> check_limits(const LaunchFile& launch, std::uint32_t static_shared,
                          const DeviceLimits& limits);
// The bytes of a buffer at the start.
Result<void> fill_buffer(const Argument& argument, std::byte* to);

}  // namespace warpmem::emulate
