// The emulated GPU as programs ask about it: properties, attributes, limits of a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpmem::cudart {

// What differs from card to card; everything else follows from the compute capability. The defaults
// are an H200's, as the device reports them.
struct Device {
  std::string card = "h200";
  std::string name = "NVIDIA H200";
  int major = 9, minor = 0;
  int sms = 132;
  int sm_threads = 2048, sm_ctas = 32, sm_registers = 65536;
  int shared_sm = 233472, shared_optin = 232448, shared_reserved = 1024;  // bytes
  int l2_bytes = 62914560;
  std::uint64_t memory_bytes = 150'000'000'000;
  int clock_khz = 1980000, memory_clock_khz = 3201000, bus_bits = 6144;

  // SMs of each part of the GPU within which a cluster has to fit; empty: not known.
  std::vector<int> rooms = {8, 16, 16, 16, 16, 16, 18, 18, 2, 2, 2, 2};

  std::uint32_t cc() const { return static_cast<std::uint32_t>(major * 10 + minor); }
  int persisting_l2() const {
    return major >= 9 ? l2_bytes / 8 * 5 : major >= 8 ? l2_bytes / 4 * 3 : 0;
  }  // at most so much can be set aside: 39,321,600 of an H200's 62,914,560
  // Clusters of `ctas` that are active at once, each SM with so many of their CTAs.
  int clusters(int ctas, int an_sm) const;
};

// Survives an environment variable: "card=h200;name=NVIDIA H200;cc=9.0;…", and back. Unknown keys
// and bad numbers are errors; keys that are missing keep their default.
std::string to_text(const Device& device);
Result<Device> parse_device(const std::string& text);

// cudaDeviceAttr's value; nullopt: no such attribute.
std::optional<int> attribute(const Device& device, int which);

// Fills cudaDeviceProp, as CUDA 13 and as CUDA 12 lay it out.
void fill_properties_13(const Device& device, void* properties);
void fill_properties_12(const Device& device, void* properties);
constexpr std::size_t kPropertiesBytes13 = 1008, kPropertiesBytes12 = 1032;

}  // namespace warpmem::cudart
