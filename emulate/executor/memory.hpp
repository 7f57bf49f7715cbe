// The emulated GPU's memory: one range of addresses, the same on every run, that the host reserves
// and fills as it is allocated. Device addresses are host addresses where the host lets us have
// that range (managed memory needs it); elsewhere they differ by a constant.
//
// Generic addresses: shared memory, local memory and code have windows of their own, outside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "traces/format/launch.hpp"

namespace warpmem::emulate {

constexpr std::uint64_t kMemoryBase = 0x200000000000u;
#ifdef __SANITIZE_THREAD__
// A thread sanitizer leaves the program 1.5 TiB of addresses, of which Speculation takes twice as
// many.
constexpr std::uint64_t kMemoryBytes = std::uint64_t{1} << 38;
#else
constexpr std::uint64_t kMemoryBytes = std::uint64_t{1} << 40;
#endif
constexpr std::uint64_t kSharedWindow = 0x300000000000u;  // + 32-bit shared address
constexpr std::uint64_t kLocalWindow = 0x310000000000u;   // + offset in the thread's stack
constexpr std::uint64_t kCodeWindow = 0x320000000000u;    // + 16 x function
constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 32;
constexpr std::uint32_t kParamBytes = 32768;
constexpr std::uint32_t kGridBarrierBytes =
    256;  // behind the parameters: what grid-wide barriers count in
constexpr std::uint64_t kHeapBytes =
    8u << 20;  // of malloc in kernels, unless cudaLimitMallocHeapSize says otherwise
constexpr std::uint32_t kReservedShared = 1024;  // a CTA, for cooperative groups
// Shared addresses of a cluster: rank r's memory begins at (r + 1) << 24, one's own also at 0.
constexpr std::uint32_t kRankShift = 24;

struct Region {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  trace::AllocationKind kind = trace::AllocationKind::kDevice;
  bool live = true;
  bool internal = false;  // variables and parameters: not the program's own allocation
  bool adopted = false;   // the host's: outside the range
  bool heap = false;      // from malloc in a kernel
  std::string name;       // of a variable
};

class Memory {
 public:
  // `limit`: bytes the emulated GPU has.
  static Result<Memory> create(std::uint64_t limit);
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&&) = delete;
  ~Memory();

  // nullopt-like: 0 when the GPU's memory is exhausted.
  std::uint64_t allocate(std::uint64_t bytes, trace::AllocationKind kind, std::uint64_t align = 512,
                         const std::string& name = {});
  bool free(std::uint64_t base);  // false: not the start of a live allocation
  // What malloc in kernels takes: 0 when the heap has no room left.
  std::uint64_t allocate_heap(std::uint64_t bytes);
  void set_heap(std::uint64_t bytes) { heap_limit_ = bytes; }  // cudaLimitMallocHeapSize
  // The host's own memory, made known to the GPU where it lies (cudaHostRegister). False: it
  // overlaps what is known already, or device addresses are not host addresses here.
  bool adopt(std::uint64_t base, std::uint64_t bytes, trace::AllocationKind kind);
  bool release(std::uint64_t base);                    // of adopted memory
  bool same_addresses() const { return delta_ == 0; }  // a device address is the host's
  const Region* find(std::uint64_t address) const;     // the live region that holds it
  const Region* nearest(std::uint64_t address) const;  // live or freed, before or around it
  // No allocation's, but beside one: a GPU maps 2 MiB at a time, so that running a little over the
  // end of an allocation meets memory and is no fault there. Never freed memory.
  bool mapped_beside(std::uint64_t low, std::uint64_t high) const;
  std::byte* host(std::uint64_t address) const {
    return reinterpret_cast<std::byte*>(address + delta_);
  }
  std::uint64_t device(const void* host) const {
    return reinterpret_cast<std::uint64_t>(host) - delta_;
  }
  // Parameters of the kernel that runs, and how many bytes there are of them: what lies behind is
  // nobody's.
  std::uint64_t param_base() const { return param_base_; }
  void set_param_bytes(std::uint32_t bytes);
  std::uint64_t barrier_base() const {
    return param_base_ + kParamBytes;
  }  // what grid-wide barriers count in
  std::uint64_t used() const { return used_; }
  std::uint64_t heap_used() const { return heap_used_; }
  std::uint64_t limit() const { return limit_; }
  std::vector<trace::Allocation> allocations() const;  // live ones of the program, by base

  // All of [low, high) lies in one live region. The last region found answers at once.
  bool contains(std::uint64_t low, std::uint64_t high) {
    if (low >= last_low_ && high <= last_high_ && low < high) return true;
    return find_again(low, high);
  }

 private:
  Memory() = default;
  bool find_again(std::uint64_t low, std::uint64_t high);
  // A stretch that is filled from its beginning. The program's allocations and what belongs to its
  // code (variables, parameters) have one each, so that running over the end of one does not meet
  // the other.
  struct Stretch {
    std::uint64_t next = 0, committed = 0, end = 0;
  };
  bool commit(Stretch& stretch, std::uint64_t end);

  std::uint64_t delta_ = 0, limit_ = 0, used_ = 0, param_base_ = 0;
  std::uint64_t heap_limit_ = kHeapBytes, heap_used_ = 0;
  Stretch program_, code_;
  std::uint64_t last_low_ = 1, last_high_ = 0;
  void* mapping_ = nullptr;
  std::map<std::uint64_t, Region> regions_;            // by base; freed ones until reused
  std::multimap<std::uint64_t, std::uint64_t> freed_;  // bytes -> base
};

}  // namespace warpmem::emulate
