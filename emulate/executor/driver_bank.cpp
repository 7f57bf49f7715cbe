#include "emulate/executor/driver_bank.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace warpmem::emulate {
namespace {

using W = DriverWord;

constexpr DriverPlace kTuring[] = {
    {0x0, W::kBlockX},         {0x4, W::kBlockY},          {0x8, W::kBlockZ},
    {0xc, W::kGridX},          {0x10, W::kGridY},          {0x14, W::kGridZ},
    {0x18, W::kSharedBase},    {0x1c, W::kSharedBaseHigh}, {0x20, W::kLocalBase},
    {0x24, W::kLocalBaseHigh}, {0x28, W::kStack},          {0x2c, W::kDynamicShared},
    {0x30, W::kGridId},        {0x34, W::kGridIdHigh},     {0x8c, W::kGridBarrierHigh},
    {0x90, W::kGridBarrier},   {0x10c, W::kSms},           {0x114, W::kKeptShared},
    {0x118, W::kDescriptor},   {0x11c, W::kDescriptorHigh}};

constexpr DriverPlace kHopper[] = {{0x0, W::kBlockX},
                                   {0x4, W::kBlockY},
                                   {0x8, W::kBlockZ},
                                   {0xc, W::kGridX},
                                   {0x10, W::kGridY},
                                   {0x14, W::kGridZ},
                                   {0x20, W::kLocalBase},
                                   {0x24, W::kLocalBaseHigh},
                                   {0x28, W::kStack},
                                   {0x2c, W::kDynamicShared},
                                   {0x30, W::kGridId},
                                   {0x34, W::kGridIdHigh},
                                   {0x44, W::kGridBarrierHigh},
                                   {0x48, W::kGridBarrier},
                                   {0x10c, W::kSms},
                                   {0x114, W::kKeptShared},
                                   {0x118, W::kDescriptor},
                                   {0x11c, W::kDescriptorHigh},
                                   {0x140, W::kHasClusters},
                                   {0x144, W::kClusterX},
                                   {0x148, W::kClusterY},
                                   {0x14c, W::kClusterZ},
                                   {0x150, W::kPerClusterX},
                                   {0x154, W::kPerClusterY},
                                   {0x158, W::kPerClusterZ},
                                   {0x15c, W::kClustersX},
                                   {0x160, W::kClustersY},
                                   {0x164, W::kClustersZ},
                                   {0x188, W::kClusterCtas},
                                   {0x198, W::kParameters},
                                   {0x19c, W::kParametersHigh},
                                   {0x208, W::kDescriptor},
                                   {0x20c, W::kDescriptorHigh}};

constexpr DriverPlace kBlackwell[] = {{0x140, W::kGridId},
                                      {0x144, W::kGridIdHigh},
                                      {0x16c, W::kKeptShared},
                                      {0x254, W::kGridBarrierHigh},
                                      {0x258, W::kGridBarrier},
                                      {0x2a0, W::kClusterX},
                                      {0x2a4, W::kClusterY},
                                      {0x2a8, W::kClusterZ},
                                      {0x2ac, W::kDynamicShared},
                                      {0x2b0, W::kPerClusterX},
                                      {0x2b4, W::kPerClusterY},
                                      {0x2b8, W::kPerClusterZ},
                                      {0x2c0, W::kClustersX},
                                      {0x2c4, W::kClustersY},
                                      {0x2c8, W::kClustersZ},
                                      {0x2cc, W::kClusterCtas},
                                      {0x2d0, W::kSms},
                                      {0x2f8, W::kLocalBase},
                                      {0x2fc, W::kLocalBaseHigh},
                                      {0x348, W::kParameters},
                                      {0x34c, W::kParametersHigh},
                                      {0x358, W::kDescriptor},
                                      {0x35c, W::kDescriptorHigh},
                                      {0x360, W::kBlockX},
                                      {0x364, W::kBlockY},
                                      {0x368, W::kBlockZ},
                                      {0x36c, W::kHasClusters},
                                      {0x370, W::kGridX},
                                      {0x374, W::kGridY},
                                      {0x378, W::kGridZ},
                                      {0x37c, W::kStack}};

std::uint32_t low(std::uint64_t v) { return static_cast<std::uint32_t>(v); }
std::uint32_t high(std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); }

// Not below 1 / n, so that a multiple of n times it, cut off, is whole.
std::uint32_t share(std::uint32_t n) {
  float f = 1.0f / static_cast<float>(n);
  if (static_cast<double>(f) * n < 1) f = std::nextafter(f, 2.0f);
  return std::bit_cast<std::uint32_t>(f);
}

std::uint32_t value_of(DriverWord word, const DriverValues& v) {
  const Dim3 &block = v.shape.block, &grid = v.shape.grid, &cluster = v.shape.cluster;
  const std::uint32_t ctas = cluster[0] * cluster[1] * cluster[2];
  const auto nth = [&](DriverWord first) {
    return static_cast<std::size_t>(word) - static_cast<std::size_t>(first);
  };
  switch (word) {
    case W::kBlockX:
    case W::kBlockY:
    case W::kBlockZ: return block[nth(W::kBlockX)];
    case W::kGridX:
    case W::kGridY:
    case W::kGridZ: return grid[nth(W::kGridX)];
    case W::kSharedBase: return low(v.shared_window);
    case W::kSharedBaseHigh: return high(v.shared_window);
    case W::kLocalBase: return low(v.local_window);
    case W::kLocalBaseHigh: return high(v.local_window);
    case W::kStack: return v.stack;
    case W::kDynamicShared: return v.shape.dynamic_shared;
    case W::kKeptShared: return v.reserved_shared;
    case W::kSms: return v.shape.sms;
    case W::kGridBarrier: return low(v.grid_barrier);
    case W::kGridBarrierHigh: return high(v.grid_barrier);
    case W::kHasClusters: return ctas > 1 ? 1 : 0;
    case W::kClusterX:
    case W::kClusterY:
    case W::kClusterZ: return cluster[nth(W::kClusterX)];
    case W::kPerClusterX:
    case W::kPerClusterY:
    case W::kPerClusterZ: return share(cluster[nth(W::kPerClusterX)]);
    case W::kClustersX:
    case W::kClustersY:
    case W::kClustersZ: return grid[nth(W::kClustersX)] / cluster[nth(W::kClustersX)];
    case W::kClusterCtas: return ctas;
    case W::kParameters: return low(v.parameters);
    case W::kParametersHigh: return high(v.parameters);
    case W::kGridId:
    case W::kGridIdHigh:
    case W::kDescriptor:
    case W::kDescriptorHigh: return 0;
  }
  return 0;
}

}  // namespace

std::span<const DriverPlace> driver_places(std::uint32_t cc) {
  if (cc >= 100) return kBlackwell;
  if (cc >= 90) return kHopper;
  return kTuring;
}

void fill_driver_bank(std::uint32_t cc, const DriverValues& values, std::vector<std::byte>& bank) {
  for (const DriverPlace& place : driver_places(cc)) {
    const std::uint32_t value = value_of(place.word, values);
    if (place.offset + sizeof value <= bank.size())
      std::memcpy(bank.data() + place.offset, &value, sizeof value);
  }
}

}  // namespace warpmem::emulate
