#include "emulate/executor/waits.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulate/executor/lane_extent.hpp"

namespace warpmem::emulate {
namespace {

// That lanes which are together may go round, looking, and still find nothing new.
constexpr std::size_t kLooks = 4;

}  // namespace

// To atomics and looks warps come in the order of their clocks, or a compare-and-swap would always
// find what the load before it has found.
bool comes_later(Running& run, Warp& warp, const Access& a, std::uint64_t ahead) {
  if (a.space != Space::kGlobal && a.space != Space::kGeneric) return false;
  if ((a.op != trace::Op::kAtomic && !a.waits) ||
      warp.clock + ahead <= run.group->began + run.shape.waits.slack())
    return false;
  warp.held_in = run.group->turns;
  return run.turn_over = true;
}

std::uint64_t wait_for(const WaitClocks& clocks, const Access& a) {
  if (a.space == Space::kShared)
    return a.op == trace::Op::kLoad || a.op == trace::Op::kAtomic ? clocks.shared : 0;
  if (a.space != Space::kGlobal && a.space != Space::kGeneric) return 0;
  if (a.op == trace::Op::kAtomic || a.waits) return clocks.answer;
  return a.op == trace::Op::kLoad ? clocks.load : 0;
}

// True: what the warp has found there is what it found when it looked last, or one of the last
// times.
bool looks_again(Warp& warp, const Inst& in, std::uint32_t mask, std::uint32_t bytes,
                 const Lanes& host) {
  std::uint64_t seen = reinterpret_cast<std::uint64_t>(&in) * 0x9e3779b97f4a7c15u ^ mask;
  const auto mix = [&](std::uint64_t v) {
    seen = (seen ^ v) * 0xff51afd7ed558ccdu, seen ^= seen >> 32;
  };
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    mix(host[l]);
    for (std::uint32_t i = 0; i < bytes; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, reinterpret_cast<const std::byte*>(host[l]) + i, std::min(8u, bytes - i));
      mix(word);
    }
  }
  seen |= 1;
  warp.in_vain = std::ranges::find(warp.looks, seen) != warp.looks.end();
  if (warp.in_vain) return true;
  if (warp.looks.size() >= kLooks * std::max<std::size_t>(1, warp.ready.size()))
    warp.looks.pop_back();
  warp.looks.insert(warp.looks.begin(), seen);
  return false;
}

// Between two barriers warps keep about the same pace on a GPU, and programs have come to rely on
// it: what all of them read first, none overwrites before the others have read it, and what all of
// them then write is there when they go on to read. So a warp's turn ends before its first store,
// and before the first load after it.
// Code that was compiled for debugging says of hardly any address what memory it is in: there the
// first lane's decides. An mbarrier that begins anew or ends is a store to those that still wait at
// the old one.
bool changes_pace(Running& run, Warp& warp, const Access& a, const std::byte* frame,
                  std::uint32_t mask, bool stores) {
  const Space space = a.space == Space::kGeneric
                          ? space_of(a, frame, static_cast<std::uint32_t>(std::countr_zero(mask)))
                          : a.space;
  if (space != Space::kShared && space != Space::kGlobal) return false;
  Warp::Pace& pace = space == Space::kShared ? warp.shared_pace : warp.global_pace;
  if (pace == Warp::Pace::kReadsAgain) return false;
  const bool reads = pace == Warp::Pace::kReads;
  if ((stores ? trace::Op::kStore : a.op) != (reads ? trace::Op::kStore : trace::Op::kLoad))
    return false;
  pace = reads ? Warp::Pace::kWrites : Warp::Pace::kReadsAgain;
  return run.turn_over = run.cta->warps.size() > 1;
}

}  // namespace warpmem::emulate
