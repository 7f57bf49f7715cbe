// What the driver puts before a kernel's parameters in constant bank 0: the launch's sizes, where
// windows and stacks lie. By compute capability, as the code that ptxas makes of PTX's special
// registers reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulate/executor/executor.hpp"

namespace warpmem::emulate {

enum class DriverWord : std::uint8_t {
  kBlockX,
  kBlockY,
  kBlockZ,
  kGridX,
  kGridY,
  kGridZ,
  kSharedBase,
  kSharedBaseHigh,
  kLocalBase,
  kLocalBaseHigh,
  kStack,  // where a thread's ends
  kDynamicShared,
  kKeptShared,  // bytes; kept ones are part of SR_SMEMSZ
  kSms,
  kGridId,
  kGridIdHigh,
  kGridBarrier,
  kGridBarrierHigh,  // null where the launch is not cooperative
  kHasClusters,
  kClusterX,
  kClusterY,
  kClusterZ,
  kPerClusterX,
  kPerClusterY,
  kPerClusterZ,  // floats: 1 / kClusterX …
  kClustersX,
  kClustersY,
  kClustersZ,
  kClusterCtas,
  kParameters,
  kParametersHigh,  // where generic addresses of them begin
  kDescriptor,
  kDescriptorHigh  // of global memory: says nothing here
};

struct DriverPlace {
  std::uint32_t offset;
  DriverWord word;
};

// Since 10.0 some of these are read behind SR_CgaSize x -0xa0: that is 0 here, whatever the
// cluster.
std::span<const DriverPlace> driver_places(std::uint32_t cc);

// Bytes of shared memory that the driver keeps of each CTA's.
constexpr std::uint32_t driver_shared(std::uint32_t cc) { return cc >= 80 ? 1024 : 0; }

struct DriverValues {
  const LaunchShape& shape;
  std::uint64_t shared_window = 0, local_window = 0, parameters = 0, grid_barrier = 0;
  std::uint32_t stack = 0, reserved_shared = 0;
};
void fill_driver_bank(std::uint32_t cc, const DriverValues& values, std::vector<std::byte>& bank);

}  // namespace warpmem::emulate
