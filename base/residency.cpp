#include "base/residency.hpp"

#include <algorithm>

#include "base/units.hpp"

namespace warpmem {
namespace {

std::uint64_t round_up(std::uint64_t v, std::uint64_t unit) { return (v + unit - 1) / unit * unit; }

// GPUs of compute capability 1.x give registers to a CTA, whose warps count as an even number.
bool by_cta(unsigned capability) { return capability < 20; }

// Registers of a warp. On 2.x some numbers come in twice the unit (cuda_occupancy.h of CUDA 7.0).
std::uint64_t of_warp(const SmLimits& sm, std::uint64_t registers) {
  std::uint64_t unit = sm.register_unit;
  if (sm.capability >= 20 && sm.capability < 30)
    for (const std::uint64_t wide : {21, 22, 29, 30, 37, 38, 45, 46})
      if (registers == wide) unit *= 2;
  return round_up(registers * 32, unit);
}

// CTAs by registers. From 2.x on each scheduler has its part of them, so a CTA's warps count in as
// many as there are schedulers.
void put_registers(const SmLimits& sm, const CtaNeeds& cta, Residency& out) {
  if (cta.registers == 0) return;
  if (by_cta(sm.capability)) {
    const std::uint64_t warps = round_up(out.warps, 2);
    out.registers = round_up(cta.registers * 32 * warps, sm.register_unit);
    out.by_registers = sm.registers / out.registers;
  } else {
    const std::uint64_t a_warp = of_warp(sm, cta.registers);
    out.registers = a_warp * out.warps;
    out.by_registers = sm.registers / sm.schedulers / a_warp * sm.schedulers / out.warps;
    // The hardware's check takes it that each scheduler gets as many of a CTA's warps.
    if (a_warp * round_up(out.warps, sm.schedulers) > sm.registers) out.by_registers = 0;
  }
  if (cta.registers > most_thread_registers(sm.capability)) out.by_registers = 0;
}

std::uint64_t shared_limit(const SmLimits& sm) {
  return sm.cta_shared > 0 ? sm.cta_shared : sm.shared - std::min(sm.shared, sm.shared_reserved);
}

}  // namespace

std::uint64_t shared_taken(const SmLimits& sm, const CtaNeeds& cta) {
  return round_up(cta.shared + sm.shared_reserved, sm.shared_unit);
}

Residency residency(const SmLimits& sm, const CtaNeeds& cta) {
  Residency out;
  out.warps = (cta.threads + 31) / 32;
  if (out.warps == 0 || cta.threads > most_cta_threads(sm.capability) || out.warps > sm.warps) {
    out.refusal = LaunchRefusal::kThreads;
    return out;
  }
  const std::uint64_t slots = by_cta(sm.capability) ? round_up(out.warps, 2) : out.warps;
  out.by_warps = std::min(sm.warps / slots, sm.threads / cta.threads);
  out.by_ctas = sm.ctas;
  put_registers(sm, cta, out);
  out.shared = shared_taken(sm, cta);
  if (out.shared > 0) out.by_shared = sm.shared / out.shared;
  if (cta.shared > shared_limit(sm)) out.by_shared = 0;
  out.ctas = std::min({out.by_warps, out.by_ctas, out.by_registers, out.by_shared});
  if (out.by_shared == 0) out.refusal = LaunchRefusal::kShared;
  else if (out.by_registers == 0) out.refusal = LaunchRefusal::kRegisters;
  else if (out.ctas == 0) out.refusal = LaunchRefusal::kThreads;
  return out;
}

std::uint32_t resident_ctas(const SmLimits& sm, const CtaNeeds& cta) {
  return static_cast<std::uint32_t>(residency(sm, cta).ctas);
}

std::string refusal_text(const SmLimits& sm, const CtaNeeds& cta, const std::string& gpu) {
  const Residency r = residency(sm, cta);
  switch (r.refusal) {
    case LaunchRefusal::kNone: return {};
    case LaunchRefusal::kThreads:
      return "cudaErrorInvalidConfiguration (9): a CTA of " + grouped(cta.threads) + " threads, " +
             gpu + " allows " + grouped(std::min(most_cta_threads(sm.capability), sm.warps * 32));
    case LaunchRefusal::kRegisters: {
      const std::string error = "cudaErrorLaunchOutOfResources (701): ";
      const std::uint64_t most = most_thread_registers(sm.capability);
      if (cta.registers > most)
        return error + grouped(cta.registers) + " registers a thread, " + gpu + " allows " +
               grouped(most);
      return error + "a CTA of " + grouped(cta.threads) + " threads with " +
             grouped(cta.registers) + " registers each takes " + grouped(r.registers) +
             ", an SM of " + gpu + " has " + grouped(sm.registers);
    }
    case LaunchRefusal::kShared:
      return "cudaErrorInvalidValue (1): a CTA asks for " + byte_size(cta.shared) +
             " of shared memory, " + gpu + " allows " + byte_size(shared_limit(sm));
  }
  return {};
}

}  // namespace warpmem
