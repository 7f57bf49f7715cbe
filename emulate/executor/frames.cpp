#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulate/executor/faults.hpp"
#include "emulate/executor/frames.hpp"

namespace warpmem::emulate {

// A GPU runs into memory that is not its own: to the program it is an illegal address.
void Frames::overflow_stack(const char* how) {
  run_.statistics.fault = FaultKind::kAddress;
  throw Fault{{ErrorKind::kResources, fmt::format("the stack has overflowed: {}", how),
               demangled(run_.kernel.entry->name), "end the recursion earlier"}};
}

// One that nobody uses and that was this function's before; of many it looks at a few.
std::size_t Frames::free_frame(Warp& warp, const Code& code) {
  constexpr std::size_t kLooks = 64;
  std::vector<std::int32_t>& free = warp.free_frames;
  for (std::size_t k = 1; k <= std::min(kLooks, free.size()); ++k) {
    const auto at = static_cast<std::size_t>(free[free.size() - k]);
    if (warp.frames[at].code != &code && warp.frames[at].code) continue;
    free.erase(free.end() - static_cast<std::ptrdiff_t>(k));
    return at;
  }
  warp.frames.emplace_back();
  return warp.frames.size() - 1;
}

std::int32_t Frames::new_frame(Warp& warp, const Code& code, std::uint32_t local_base,
                               std::uint32_t depth) {
  // A call takes stack even if its function has no variables there: to return, at least.
  constexpr std::uint32_t kCallBytes = 16;
  if (std::uint64_t{local_base} + code.local_bytes + std::uint64_t{depth} * kCallBytes > kMostLocal)
    overflow_stack("more than 512 KiB a thread");
  const std::size_t at = free_frame(warp, code);
  Frame& f = warp.frames[at];
  if (!f.memory) {
    f.memory.reset(
        static_cast<std::byte*>(::operator new[](code.image.size() + 64, std::align_val_t{64})));
    f.registers = f.memory.get();
    f.code = &code;
  }
  std::ranges::copy(code.image, f.registers);
  f.used = true;
  f.local_base = local_base;
  f.taken = 0;
  f.depth = depth;
  grow_local(warp, local_base + code.local_bytes);
  return static_cast<std::int32_t>(at);
}

void Frames::grow_local(Warp& warp, std::uint32_t need) {
  if (need <= warp.local_capacity) return;
  if (need > kMostLocal) overflow_stack("more than 512 KiB a thread");
  const std::uint32_t grown = std::max(need, warp.local_capacity * 2);
  std::vector<std::byte> fresh(std::size_t{grown} * 32);
  for (std::size_t l = 0; l < 32 && warp.local_capacity; ++l)
    std::memcpy(fresh.data() + l * grown, warp.local.data() + l * warp.local_capacity,
                warp.local_capacity);
  warp.local = std::move(fresh);
  warp.local_capacity = grown;
}

// alloca: lanes of a frame share one stack, so each takes as much as the one that asks for most.
void Frames::stack(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                   std::uint32_t mask) {
  Frame& f = warp.frames[static_cast<std::size_t>(part.frame)];
  const auto put = [&](std::uint64_t v) {
    for (std::uint32_t l = 0; l < 32; ++l) {
      if (!(mask >> l & 1)) continue;
      if (in.sub == 8) reinterpret_cast<std::uint64_t*>(frame + in.d)[l] = v;
      else reinterpret_cast<std::uint32_t*>(frame + in.d)[l] = static_cast<std::uint32_t>(v);
    }
  };
  const auto value = [&](std::uint32_t l) {
    return in.sub == 8 ? reinterpret_cast<const std::uint64_t*>(frame + in.a)[l]
                       : reinterpret_cast<const std::uint32_t*>(frame + in.a)[l];
  };
  if (in.kind == Kind::kStackSave) return put(f.taken);
  if (in.kind == Kind::kStackRestore) {
    f.taken = static_cast<std::uint32_t>(value(static_cast<std::uint32_t>(std::countr_zero(mask))));
    return;
  }
  std::uint64_t most = 0;
  for (std::uint32_t l = 0; l < 32; ++l)
    if (mask >> l & 1) most = std::max(most, value(l));
  const std::uint32_t align = std::max(16u, in.target);
  const std::uint32_t from =
      (f.local_base + f.code->local_bytes + f.taken + align - 1) / align * align;
  if (most > kMostLocal)
    fault(run_, warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)),
          fmt::format("alloca of {} bytes: a thread's stack has 512 KiB", most),
          "ask for less, or use memory that is allocated before the launch");
  f.taken =
      from + static_cast<std::uint32_t>((most + 15) / 16 * 16) - f.local_base - f.code->local_bytes;
  grow_local(warp, f.local_base + f.code->local_bytes + f.taken);
  put(from);
}

}  // namespace warpmem::emulate
