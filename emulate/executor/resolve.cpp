// From a lane's address to the host's: where each space lies, who may go there, and what is wrong
// with an address that nobody may use.
#include <fmt/format.h>

#include <algorithm>

#include "emulate/executor/faults.hpp"
#include "emulate/executor/lane_extent.hpp"
#include "emulate/executor/memory_unit.hpp"

namespace warpmem::emulate {
namespace {

constexpr const char* kInBounds =
    "check the index and the size of the allocation: guard threads beyond the end with if (i < n)";

// What an access of so many bytes must be a multiple of.
std::uint32_t alignment(std::uint32_t bytes) { return std::min(bytes, 16u); }

}  // namespace

struct MemoryUnit::Asked {
  Warp& warp;
  std::uint32_t mask, bytes;
  const char* what;
  Touch touch;
  trace::Space space;
  Extent extent;
  // Some lane's access ends behind so many bytes.
  bool ends_behind(std::uint64_t limit) const {
    return extent.high + bytes > limit || extent.high + bytes < extent.high;
  }
};

template <class Bad>
void MemoryUnit::fault_where(const Asked& asked, const Inst& in, const Lanes& lanes, FaultKind kind,
                             const char* how, Bad&& bad) {
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(asked.mask >> l & 1) || !bad(lanes[l])) continue;
    run_.statistics.fault = kind;
    fault(run_, asked.warp, in, l,
          fmt::format("{} {} of {} bytes at {:#x}", how, asked.what, asked.bytes, lanes[l]),
          fmt::format("make the address a multiple of {}: check casts to wider types, and offsets "
                      "into the array",
                      alignment(asked.bytes)));
  }
}

// Memory's own answer is remembered there, which only one thread may do.
inline bool MemoryUnit::contains(std::uint64_t low, std::uint64_t high) {
  if (!speculation_) return run_.memory.contains(low, high);
  if (low >= low_ && high <= high_ && low < high) return true;
  const Region* r = run_.memory.find(low);
  if (!r || high < low || high > r->base + r->bytes) return false;
  low_ = r->base, high_ = r->base + r->bytes;
  return true;
}

// Another CTA's memory, or nobody's.
void MemoryUnit::resolve_of_cluster(const Asked& asked, const Inst& in, Lanes& lanes) {
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(asked.mask >> l & 1)) continue;
    const std::uint64_t rank = lanes[l] >> kRankShift, at = lanes[l] & ((1u << kRankShift) - 1);
    const bool own = rank == 0;
    if (at + asked.bytes > run_.shared_bytes || (!own && rank > run_.group->ctas.size()) ||
        lanes[l] >> 32) {
      run_.statistics.fault = FaultKind::kAddress;
      fault(run_, asked.warp, in, l,
            fmt::format("out-of-bounds shared {} of {} bytes at {:#x}: the CTA has {} bytes of "
                        "shared memory",
                        asked.what, asked.bytes, lanes[l], run_.shared_bytes),
            "check the index, and that the launch asks for enough dynamic shared memory");
    }
    Cta& owner = own ? *run_.cta : run_.group->ctas[rank - 1];
    lanes[l] = reinterpret_cast<std::uint64_t>(owner.shared.data()) + at;
  }
}

void MemoryUnit::out_of_global(const Asked& asked, const Inst& in, const Lanes& lanes) {
  for (std::uint32_t l = 0; l < 32; ++l) {
    const std::uint64_t at = lanes[l], end = at + asked.bytes;
    if (!(asked.mask >> l & 1) || contains(at, end)) continue;
    const auto message = [&] {
      return fmt::format("out-of-bounds global {} of {} bytes at {:#x} ({})", asked.what,
                         asked.bytes, at, nearest_text(run_.memory, at));
    };
    if (run_.options.out_of_bounds && run_.memory.mapped_beside(at, end)) {
      if (reported_.insert(&in).second)
        run_.options.out_of_bounds(
            fault_at(run_, asked.warp, in, l, message(), kInBounds, ErrorKind::kMalformed));
      continue;
    }
    run_.statistics.fault = FaultKind::kAddress;
    fault(run_, asked.warp, in, l, message(), kInBounds);
  }
}

// The stack of machine code grows down, to addresses below 0.
void MemoryUnit::out_of_stack(const Asked& asked, const Inst& in, const Lanes& lanes) {
  constexpr std::uint64_t kBelow = std::uint64_t{1} << 31;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(asked.mask >> l & 1) || lanes[l] < kBelow) continue;
    run_.statistics.fault = FaultKind::kAddress;
    fault(run_, asked.warp, in, l,
          fmt::format("the stack has overflowed: a thread has {} bytes", asked.warp.local_capacity),
          "end the recursion earlier, or give threads more with "
          "cudaDeviceSetLimit(cudaLimitStackSize, …)");
  }
}

// What nearly every access comes through stands in one function once compiled.
inline void MemoryUnit::resolve_shared(const Asked& asked, const Inst& in, Lanes& lanes) {
  if (asked.ends_behind(run_.shared_bytes)) return resolve_of_cluster(asked, in, lanes);
  if (run_.options.report)
    check_shared(asked.warp, in, asked.mask, asked.bytes, lanes, asked.touch);
  const auto base = reinterpret_cast<std::uint64_t>(run_.cta->shared.data());
  for (std::uint32_t l = 0; l < 32; ++l) lanes[l] += base;
}

inline void MemoryUnit::resolve_local(const Asked& asked, const Inst& in, Lanes& lanes) {
  const std::uint64_t limit = asked.warp.local_capacity;
  if (asked.ends_behind(limit) && run_.kernel.machine) out_of_stack(asked, in, lanes);
  if (asked.ends_behind(limit))
    fault_where(
        asked, in, lanes, FaultKind::kAddress, "out-of-bounds local",
        [&](std::uint64_t at) { return at + asked.bytes > limit || at + asked.bytes < at; });
  const auto base = reinterpret_cast<std::uint64_t>(asked.warp.local.data());
  for (std::uint32_t l = 0; l < 32; ++l) lanes[l] += base + l * limit;
}

// A kernel's parameters lie in constant memory, though a generic address may lead there.
void MemoryUnit::require_no_parameter(const Warp& warp, const Inst& in, std::uint32_t mask,
                                      const Lanes& lanes) {
  const std::uint64_t base = run_.memory.param_base();
  const Extent extent = extent_of(lanes, mask);
  if (extent.low >= base + kParamBytes || extent.high < base) return;
  for (std::uint32_t l = 0; l < 32; ++l)
    if ((mask >> l & 1) && lanes[l] - base < kParamBytes) {
      run_.statistics.fault = FaultKind::kAddress;
      fault(run_, warp, in, l, fmt::format("a store to a kernel's parameters, at {:#x}", lanes[l]),
            "write to a copy of the parameter");
    }
}

inline void MemoryUnit::resolve_global(const Asked& asked, const Inst& in, Lanes& lanes) {
  if (!contains(asked.extent.low, asked.extent.high + asked.bytes)) out_of_global(asked, in, lanes);
  if (speculation_ && asked.space == trace::Space::kGlobal)
    watch(lanes, asked.mask, asked.bytes, asked.touch != Touch::kRead);
  const std::uint64_t delta = reinterpret_cast<std::uint64_t>(run_.memory.host(0));
  for (std::uint32_t l = 0; l < 32; ++l) lanes[l] += delta;
}

void MemoryUnit::resolve(Warp& warp, const Inst& in, std::uint32_t mask, trace::Space space,
                         std::uint32_t bytes, const char* what, Lanes& lanes, Touch touch) {
  const Asked asked{warp, mask, bytes, what, touch, space, extent_of(lanes, mask)};
  const std::uint64_t below = alignment(bytes) - 1;
  if ((asked.extent.all & below) != 0)
    fault_where(asked, in, lanes, FaultKind::kMisaligned, "misaligned",
                [&](std::uint64_t at) { return (at & below) != 0; });
  switch (space) {
    case trace::Space::kShared: return resolve_shared(asked, in, lanes);
    case trace::Space::kLocal: return resolve_local(asked, in, lanes);
    default: return resolve_global(asked, in, lanes);
  }
}

void MemoryUnit::watch(const Lanes& lanes, std::uint32_t mask, std::uint32_t bytes, bool writes) {
  std::uint64_t last = ~std::uint64_t{0};
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1) || lanes[l] == last) continue;
    last = lanes[l];
    if (writes) speculation_->write(run_.memory, last, bytes, number_, *log_);
    else speculation_->read(last, bytes, number_);
  }
}

// Once for each instruction and kind of finding: a loop would say it a thousand times.
void MemoryUnit::check_shared(const Warp& warp, const Inst& in, std::uint32_t mask,
                              std::uint32_t bytes, const Lanes& lanes, Touch touch) {
  const std::uint32_t pc = run_.code->first_pc + in.statement;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    const auto found =
        run_.cta->check.touch(touch, static_cast<std::uint32_t>(lanes[l]), bytes, warp.index, pc);
    if (!found || !found_.emplace(static_cast<std::uint32_t>(found->what), pc).second) continue;
    std::string what;
    switch (found->what) {
      case Finding::What::kUninitialised: what = "reads shared memory that nobody wrote"; break;
      case Finding::What::kReadAfterWrite:
        what = fmt::format("reads what warp {} wrote", found->other_warp);
        break;
      case Finding::What::kWriteAfterRead:
        what = fmt::format("writes what warp {} read", found->other_warp);
        break;
      case Finding::What::kWriteAfterWrite:
        what = fmt::format("writes what warp {} wrote", found->other_warp);
        break;
    }
    std::string text =
        fmt::format("{}: {} {}, shared address {:#x}", place_of(run_.kernel, *run_.code, in),
                    thread_name(run_, warp, l), what, found->offset);
    if (found->what != Finding::What::kUninitialised) {
      for (const auto& code : run_.kernel.functions)  // where the other access stands
        if (found->other_pc >= code->first_pc &&
            found->other_pc - code->first_pc < code->function->body.size()) {
          Inst other;
          other.statement = found->other_pc - code->first_pc;
          text += fmt::format(", with no barrier since {}", place_of(run_.kernel, *code, other));
          break;
        }
    }
    run_.options.report(text);
  }
}

}  // namespace warpmem::emulate
