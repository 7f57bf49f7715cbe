// The emulated GPU as programs ask about it: properties, attributes, limits of a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "emulate/executor/wait_clocks.hpp"
#include "host/link/spec.hpp"

namespace warpmem::cudart {

// What differs from card to card; everything else follows from the compute capability. The command
// says all of it (card_device.cpp): nothing here is of a certain GPU.
struct Device {
  std::string card;
  std::string name;
  int major = 0, minor = 0;
  int sms = 0;
  int sm_warps = 0, sm_threads = 0, sm_ctas = 0, sm_schedulers = 0;
  int sm_registers = 0, register_unit = 0;
  int shared_optin = 0, shared_reserved = 0, shared_unit = 0;  // bytes
  std::vector<int> shared_configs;  // bytes an SM can have, the most last
  int l2_bytes = 0;
  std::uint64_t memory_bytes = 0;
  int clock_khz = 0, memory_clock_khz = 0, bus_bits = 0;
  int ecc = 0;  // 1: on
  emulate::WaitClocks waits;
  host::LinkSpec link;

  // SMs of each part of the GPU within which a cluster has to fit; empty: not known.
  std::vector<int> rooms;

  int shared_sm() const { return shared_configs.empty() ? 0 : shared_configs.back(); }

  std::uint32_t cc() const { return static_cast<std::uint32_t>(major * 10 + minor); }
  int persisting_l2() const {
    return major >= 9 ? l2_bytes / 8 * 5 : major >= 8 ? l2_bytes / 4 * 3 : 0;
  }  // at most so much can be set aside: 39,321,600 of an H200's 62,914,560
  // Clusters of `ctas` that are active at once, each SM with so many of their CTAs.
  int clusters(int ctas, int an_sm) const;
};

// Survives an environment variable: "card=h200;name=NVIDIA H200;cc=9.0;…", and back. Unknown and
// missing keys and bad numbers are errors.
std::string to_text(const Device& device);
Result<Device> parse_device(const std::string& text);

// As nvidia-smi -L prints it: "GPU-7761…".
std::string uuid_text();

// cudaDeviceAttr's value; nullopt: no such attribute.
std::optional<int> attribute(const Device& device, int which);

// Fills cudaDeviceProp, as CUDA 13 and as CUDA 12 lay it out.
void fill_properties_13(const Device& device, void* properties);
void fill_properties_12(const Device& device, void* properties);
constexpr std::size_t kPropertiesBytes13 = 1008, kPropertiesBytes12 = 1032;

}  // namespace warpmem::cudart
