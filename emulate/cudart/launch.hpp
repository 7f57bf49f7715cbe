// A kernel launch: checked as CUDA checks it, then run on the CPU and traced.
#pragma once

#include <optional>
#include <vector>

#include "base/residency.hpp"
#include "emulate/cudart/runtime.hpp"

namespace warpmem::cudart {

struct KernelCall {
  Function* function = nullptr;
  Dim grid{1, 1, 1}, block{1, 1, 1}, cluster{0, 0, 0};
  std::size_t shared = 0;
  bool cooperative = false;
  int carveout = -1;
  int priority = 0;
  std::optional<AccessPolicyWindow> window;  // else the stream's
  std::vector<std::byte> params;
  std::vector<std::size_t> offsets;  // of each parameter in them
};

// Launches that are equal in all that the program says of them.
bool equal(const KernelCall& a, const KernelCall& b);

// Packs the arguments as the kernel's PTX declares them. `extra`: a packed buffer instead
// (CU_LAUNCH_PARAM_BUFFER_POINTER); may be null.
Code pack(Runtime& r, KernelCall& call, void** arguments, void** extra);

// What CUDA would refuse about it.
Code check(Runtime& r, const KernelCall& call);

// Runs it now. A fault is printed and becomes the sticky error.
Code run(Runtime& r, Stream& stream, const KernelCall& call);

// Resident CTAs an SM, as the occupancy calculator says. Without `resources` PTX alone is known:
// 32 registers a thread are assumed.
// `shared_sm`: bytes of shared memory an SM, if less than all of it.
int resident_ctas(const Device& device, const emulate::Kernel& kernel,
                  const emulate::Resources* resources, int threads, std::size_t dynamic_shared,
                  int shared_sm = 0);
// … and what limits them.
Residency residency_of(const Device& device, const emulate::Kernel& kernel,
                       const emulate::Resources* resources, int threads, std::size_t dynamic_shared,
                       int shared_sm = 0);

// Shared memory of an SM when the kernel prefers a carve-out (or a cache configuration): the
// smallest that an SM can be set to that is not less than preferred and holds a CTA of so many
// bytes.
int carved_out(const Runtime& r, const Function& function, std::size_t cta_bytes);
// Shared memory's part in per cent as the kernel prefers it, by cudaFuncSetAttribute or by a cache
// configuration, of its own or the device's; -1: it says nothing.
int preferred_carveout(const Runtime& r, const Function& function);

// Most dynamic shared memory the kernel may ask for, bytes.
std::size_t most_dynamic_shared(const Device& device, const Function& function,
                                const emulate::Kernel& kernel);

}  // namespace warpmem::cudart
