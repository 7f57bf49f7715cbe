#include <array>
#include <bit>
#include <cstring>

#include "emulate/executor/together.hpp"
#include "emulate/executor/warp_operation.hpp"
#include "emulate/executor/warp_values.hpp"

namespace warpmem::emulate {
namespace {

// Lanes at several places of the code act together when they name each other: ptxas has them meet
// at one of the instructions (WARPSYNC.COLLECTIVE), and each comes with the values of its own
// place.
bool meets_elsewhere(Kind kind) {
  switch (kind) {
    case Kind::kWarpSync:
    case Kind::kShuffle:
    case Kind::kVote:
    case Kind::kMatch:
    case Kind::kReduceSync:
    case Kind::kElect: return true;
    default: return false;
  }
}

// A frame that holds only the operands of one such instruction, of lanes from several frames.
struct Operands {
  alignas(64) std::array<std::byte, 5 * 32 * 8> bytes{};
  enum : std::uint32_t { kA = 0, kB = 256, kC = 512, kD = 768, kD2 = 1024 };

  static bool wide(const Inst& in) { return in.kind == Kind::kMatch && in.sub >> 8 == 8; }

  // The instruction as it would be there.
  static Inst moved(Inst in) {
    in.a = kA, in.b = kB, in.c = kC;
    if (in.d != kNoOffset) in.d = kD;
    if (in.d2 != kNoOffset) in.d2 = kD2;
    if (in.kind == Kind::kVote) in.negate_c = false;
    return in;
  }
  void words(std::uint32_t to, const std::byte* frame, std::uint32_t from, std::uint32_t lanes,
             std::size_t size) {
    for (std::uint32_t left = lanes; left; left &= left - 1) {
      const auto at = size * static_cast<std::size_t>(std::countr_zero(left));
      std::memcpy(bytes.data() + to + at, frame + from + at, size);
    }
  }
  void take(const Inst& in, const std::byte* frame, std::uint32_t lanes) {
    if (in.kind == Kind::kVote) {
      std::uint32_t p = *reinterpret_cast<const std::uint32_t*>(frame + in.a);
      if (in.negate_c) p = ~p;
      auto& all = *reinterpret_cast<std::uint32_t*>(bytes.data() + kA);
      all = (all & ~lanes) | (p & lanes);
    } else if (in.kind != Kind::kElect) {
      words(kA, frame, in.a, lanes, wide(in) ? 8 : 4);
    }
    if (in.kind != Kind::kShuffle) return;
    words(kB, frame, in.b, lanes, 4);
    words(kC, frame, in.c, lanes, 4);
  }
  void give(const Inst& in, std::byte* frame, std::uint32_t lanes) const {
    const auto predicate = [&](std::uint32_t to, std::uint32_t from) {
      auto& p = *reinterpret_cast<std::uint32_t*>(frame + to);
      p = (p & ~lanes) | (*reinterpret_cast<const std::uint32_t*>(bytes.data() + from) & lanes);
    };
    if (in.d2 != kNoOffset) predicate(in.d2, kD2);
    if (in.d == kNoOffset) return;
    if (in.kind == Kind::kVote && in.sub != 3) return predicate(in.d, kD);
    for (std::uint32_t left = lanes; left; left &= left - 1) {
      const auto at = 4 * static_cast<std::size_t>(std::countr_zero(left));
      std::memcpy(frame + in.d + at, bytes.data() + kD + at, 4);
    }
  }
};

bool is_matrix(const Inst& in) {
  switch (in.kind) {
    case Kind::kMatrixLoad:
    case Kind::kMatrixStore:
    case Kind::kMatrixProduct:
    case Kind::kGroupProduct:
    case Kind::kMatrixTurn:
    case Kind::kQuadProduct:
    case Kind::kFragment: return true;
    default: return false;
  }
}

// WARPSYNC.EXCLUSIVE: what follows has one uniform register for a group of lanes, so that each
// group runs it alone, up to the BSYNC at which they meet again.
bool goes_on_apart(const Inst& in) { return in.kind == Kind::kWarpSync && in.sub == kExclusive; }

// Each lane's; matrix instructions take all lanes of the warp.
const std::uint32_t* names_of(const Inst& in, const std::byte* frame) {
  static constexpr auto kAll = [] {
    std::array<std::uint32_t, 32> a{};
    a.fill(~0u);
    return a;
  }();
  if (is_matrix(in)) return kAll.data();
  return reinterpret_cast<const std::uint32_t*>(frame + (in.kind == Kind::kWarpSync ? in.a : in.e));
}

std::uint32_t same_names(const std::uint32_t* names, std::uint32_t lanes) {
  std::uint32_t same = 0;
  const std::uint32_t first = names[std::countr_zero(lanes)];
  for (std::uint32_t left = lanes; left; left &= left - 1)
    if (names[std::countr_zero(left)] == first) same |= left & -left;
  return same;
}

}  // namespace

// A part for each group of lanes that name the same ones.
void Together::wait_together(Warp& warp, std::int32_t number, const std::uint32_t* names,
                             std::uint32_t mask) {
  for (std::uint32_t left = mask; left != 0;) {
    const std::uint32_t lanes = same_names(names, left);
    left &= ~lanes;
    std::int32_t waits = number;
    if (lanes != warp.parts[static_cast<std::size_t>(number)].mask) {
      waits = Divergence::new_part(warp);
      Part& from = warp.parts[static_cast<std::size_t>(number)];
      Part& p = warp.parts[static_cast<std::size_t>(waits)];
      p.mask = lanes, p.pc = from.pc, p.parent = from.parent, p.frame = from.frame,
      p.reconverge = from.reconverge;
      from.mask &= ~lanes;
    } else {
      warp.ready.pop_back();
    }
    Part& p = warp.parts[static_cast<std::size_t>(waits)];
    p.state = Part::State::kTogether;
    p.sync_members = names[std::countr_zero(lanes)];
  }
}

// True: the part goes on.
bool Together::act_together(Warp& warp, std::int32_t number, const Inst& in, std::byte* frame,
                            std::uint32_t mask) {
  if (in.kind == Kind::kActiveMask) {
    put_lanes(frame, in.d, mask, mask);
    return ++warp.parts[static_cast<std::size_t>(number)].pc, true;
  }
  const std::uint32_t* names = names_of(in, frame);
  const std::uint32_t first = names[std::countr_zero(mask)];
  if ((first & ~warp.gone() & ~mask) == 0 && same_names(names, mask) == mask) {
    if (is_matrix(in))
      matrix_.run(warp, warp.parts[static_cast<std::size_t>(number)], in, frame, mask);
    else if (in.kind != Kind::kWarpSync) warp_operation(in, frame, first, mask);
    return ++warp.parts[static_cast<std::size_t>(number)].pc, true;
  }
  // Groups of lanes that name themselves wait for nobody, so the part stays one, unless they are to
  // go on one after the other.
  bool all_here = !is_matrix(in) && !goes_on_apart(in);
  for (std::uint32_t left = mask; left != 0 && all_here;) {
    const std::uint32_t lanes = same_names(names, left);
    left &= ~lanes;
    all_here = (names[std::countr_zero(lanes)] & ~warp.gone() & ~lanes) == 0;
  }
  if (all_here) {
    for (std::uint32_t left = mask; left != 0 && in.kind != Kind::kWarpSync;) {
      const std::uint32_t lanes = same_names(names, left);
      left &= ~lanes;
      warp_operation(in, frame, names[std::countr_zero(lanes)], lanes);
    }
    return ++warp.parts[static_cast<std::size_t>(number)].pc, true;
  }
  wait_together(warp, number, names, mask);
  Part& rest = warp.parts[static_cast<std::size_t>(number)];  // lanes that skip the instruction
  if (rest.state == Part::State::kReady) ++rest.pc;
  release_together(warp);
  return !warp.ready.empty() && warp.ready.back() == number;
}

// Those whose last named lane has come, or exited, act and go on, matrix instructions at one place
// only.
void Together::release_together(Warp& warp) {
  for (std::size_t i = 0; i < warp.parts.size(); ++i) {
    if (warp.parts[i].state != Part::State::kTogether) continue;
    const Part key = warp.parts[i];
    const Inst& in = code_of(warp, key).code[key.pc];
    const auto with = [&](const Part& p) {
      if (p.state != Part::State::kTogether || p.sync_members != key.sync_members) return false;
      return (p.pc == key.pc && p.frame == key.frame) ||
             (meets_elsewhere(in.kind) && code_of(warp, p).code[p.pc].kind == in.kind);
    };
    std::uint32_t here = 0;
    bool apart = false;
    for (const Part& p : warp.parts)
      if (with(p)) here |= p.mask, apart = apart || p.pc != key.pc || p.frame != key.frame;
    if (key.sync_members & ~warp.gone() & ~here) continue;
    const auto frame_of = [&](const Part& p) {
      return warp.frames[static_cast<std::size_t>(p.frame)].registers;
    };
    if (is_matrix(in)) matrix_.run(warp, key, in, frame_of(key), here);
    else if (in.kind != Kind::kWarpSync && !apart)
      warp_operation(in, frame_of(key), key.sync_members, here);
    else if (in.kind != Kind::kWarpSync) {
      Operands operands;
      for (const Part& p : warp.parts)
        if (with(p)) operands.take(code_of(warp, p).code[p.pc], frame_of(p), p.mask);
      for (const Part& p : warp.parts) {
        if (!with(p)) continue;
        const Inst& own = code_of(warp, p).code[p.pc];
        warp_operation(Operands::moved(own), operands.bytes.data(), key.sync_members, here);
        operands.give(own, frame_of(p), p.mask);
      }
    }
    const std::size_t ready = warp.ready.size();
    for (std::size_t k = i; k < warp.parts.size(); ++k) {
      if (!with(warp.parts[k])) continue;
      if (k == i) continue;
      ++warp.parts[k].pc;
      Divergence::make_ready(warp, static_cast<std::int32_t>(k));
    }
    ++warp.parts[i].pc;
    Divergence::make_ready(warp, static_cast<std::int32_t>(i));
    Divergence::rejoin(warp, ready);
  }
}

// Lanes may wait at a reconvergence point for the very lanes that wait for them, as when a branch
// that only some take names the whole warp. They go on without those: to the same instruction, or
// to the end of the kernel, after which nobody waits for them. True: some can run.
bool Together::let_named_go(Warp& warp) {
  std::uint32_t named = 0;
  for (const Part& p : warp.parts)
    if (p.state == Part::State::kTogether) named |= p.sync_members & ~p.mask;
  if (named != 0) divergence_.part_company(warp, Parting::kAll, named);
  return !warp.ready.empty();
}

}  // namespace warpmem::emulate
