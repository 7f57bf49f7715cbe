// How many CTAs of a launch an SM holds at once: registers, shared memory, threads and CTAs limit
// it. The replay, `warpmem occupancy`, the emulated occupancy queries and the emulator's order of
// CTAs all ask here. The rules are those of NVIDIA's cuda_occupancy.h (CUDA 7.0 for compute
// capability 1.0 to 3.x, CUDA 13.0 for later ones).
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace warpmem {

// A card says them.
struct SmLimits {
  std::uint64_t warps = 0;
  std::uint64_t threads = 0;
  std::uint64_t ctas = 0;
  std::uint64_t registers = 0;
  std::uint64_t register_unit = 1;    // registers are given to a warp in multiples of this
  std::uint64_t shared = 0;           // bytes
  std::uint64_t shared_reserved = 0;  // the driver's own, bytes a CTA
  std::uint64_t shared_unit = 1;      // shared memory is given in multiples of this, bytes
  std::uint64_t schedulers = 1;       // that share out the registers
  std::uint64_t cta_shared = 0;       // most that a CTA may ask for, bytes; 0: what an SM has
  unsigned capability = 90;           // 90: compute capability 9.0, whose rules hold
};

struct CtaNeeds {
  std::uint64_t threads = 0;
  std::uint64_t registers = 0;  // a thread; 0: not known, they limit nothing
  std::uint64_t shared = 0;     // bytes, static and dynamic
};

// What a GPU of a compute capability allows, whatever the card (CUDA programming guides, technical
// specifications).
constexpr std::uint64_t most_cta_threads(unsigned capability) {
  return capability < 20 ? 512 : 1024;
}
constexpr std::uint64_t most_grid_x(unsigned capability) {
  return capability < 30 ? 65535 : 0x7fffffff;
}
constexpr std::uint64_t most_grid_z(unsigned capability) { return capability < 20 ? 1 : 65535; }
constexpr std::uint64_t most_thread_registers(unsigned capability) {
  return capability < 20 ? 128 : capability < 35 ? 63 : 255;
}

// Why not even one CTA of a launch can run, as CUDA tells it.
enum class LaunchRefusal : std::uint8_t {
  kNone,
  kThreads,    // cudaErrorInvalidConfiguration: no thread, or more than a CTA can have
  kRegisters,  // cudaErrorLaunchOutOfResources: more than a thread or a CTA can have
  kShared      // cudaErrorInvalidValue: more than a CTA can have
};

// CTAs that an SM would hold if nothing else limited it: `kNoLimit` where the CTA takes none of it.
struct Residency {
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t ctas = 0;  // the least of all
  std::uint64_t by_warps = 0, by_ctas = 0, by_registers = kNoLimit, by_shared = kNoLimit;
  std::uint64_t warps = 0;      // of a CTA
  std::uint64_t registers = 0;  // that a CTA takes, with what is rounded up
  std::uint64_t shared = 0;     // bytes, likewise
  LaunchRefusal refusal = LaunchRefusal::kNone;
};
Residency residency(const SmLimits& sm, const CtaNeeds& cta);

// Shared memory that a CTA takes of its SM, bytes.
std::uint64_t shared_taken(const SmLimits& sm, const CtaNeeds& cta);

// 0: not even one fits.
std::uint32_t resident_ctas(const SmLimits& sm, const CtaNeeds& cta);

// CUDA's error with its number, what the launch asks for and what the GPU has:
// "cudaErrorInvalidValue (1): 64 KiB of shared memory a CTA, h200 allows 48 KiB". `gpu`: what to
// call it. Empty: it can run.
std::string refusal_text(const SmLimits& sm, const CtaNeeds& cta, const std::string& gpu);

}  // namespace warpmem
