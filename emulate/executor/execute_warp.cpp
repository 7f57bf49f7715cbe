// What the lanes of a warp do together: __syncwarp, votes, shuffles, matches, reductions.
//
// Each lane names the lanes it acts with. Lanes that name the same ones act together, and wait until
// all of those are there, as independent thread scheduling has them wait: they may come in parts,
// and lanes that are together may name different others.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "emulate/executor/execution.hpp"
#include "emulate/executor/warp_values.hpp"

namespace warpmem::emulate {
namespace {

// redux.f32: the least or the greatest; a NaN loses, or wins with .NaN.
std::uint32_t reduce_floats(const float* v, std::uint32_t mask, bool least, bool absolute, bool nan) {
  float r = std::numeric_limits<float>::quiet_NaN();
  bool met = false;
  for (std::uint32_t left = mask; left; left &= left - 1) {
    float x = v[std::countr_zero(left)];
    if (absolute) x = std::fabs(x);
    if (x != x) met = true;
    else if (r != r) r = x;
    else if (least ? x < r || (x == r && std::signbit(x)) : x > r || (x == r && !std::signbit(x))) r = x;
  }
  if ((met && nan) || r != r) return 0x7fffffffu;
  return std::bit_cast<std::uint32_t>(r);
}

void warp_operation(const Inst& in, std::byte* frame, std::uint32_t members, std::uint32_t mask) {
  switch (in.kind) {
    case Kind::kElect: {
      const auto leader = static_cast<std::uint32_t>(std::countr_zero(members & mask));
      if (in.d != kNoOffset) put_lanes(frame, in.d, mask, leader);
      auto& p = *reinterpret_cast<std::uint32_t*>(frame + in.d2);
      p = (p & ~mask) | (1u << leader);
      return;
    }
    case Kind::kVote: {
      std::uint32_t p = *reinterpret_cast<const std::uint32_t*>(frame + in.a);
      if (in.negate_c) p = ~p;
      p &= mask;
      if (in.sub == 3) return put_lanes(frame, in.d, mask, p);
      put_predicate(frame, in.d, mask, in.sub == 0 ? p == mask : in.sub == 1 ? p != 0 : p == mask || p == 0);
      return;
    }
    case Kind::kMatch: {
      const bool wide = in.sub >> 8 == 8;
      const auto value = [&](std::uint32_t l) { return wide ? reinterpret_cast<const std::uint64_t*>(frame + in.a)[l] : reinterpret_cast<const std::uint32_t*>(frame + in.a)[l]; };
      std::uint32_t same[32] = {};
      bool all = true;
      for (std::uint32_t l = 0; l < 32; ++l)
        for (std::uint32_t k = 0; k < 32; ++k)
          if ((mask >> l & 1) && (mask >> k & 1)) value(l) == value(k) ? same[l] |= 1u << k : all = false;
      for (std::uint32_t l = 0; l < 32; ++l)
        if (mask >> l & 1) reinterpret_cast<std::uint32_t*>(frame + in.d)[l] = in.sub & 1 ? (all ? mask : 0) : same[l];
      if (in.d2 != kNoOffset) put_predicate(frame, in.d2, mask, all);
      return;
    }
    case Kind::kReduceSync: {
      if (in.sub & 32) return put_lanes(frame, in.d, mask, reduce_floats(reinterpret_cast<const float*>(frame + in.a), mask, (in.sub & 15) == 1, in.sub & 64, in.sub & 128));
      const auto* a = reinterpret_cast<const std::uint32_t*>(frame + in.a);
      std::uint32_t r = a[std::countr_zero(mask)];
      for (std::uint32_t left = mask & (mask - 1); left; left &= left - 1) {
        const std::uint32_t v = a[std::countr_zero(left)];
        const bool less = in.sub & 16 ? static_cast<std::int32_t>(v) < static_cast<std::int32_t>(r) : v < r;
        switch (in.sub & 15) {
          case 0: r += v; break;
          case 1: r = less ? v : r; break;
          case 2: r = less ? r : v; break;
          case 3: r &= v; break;
          case 4: r |= v; break;
          default: r ^= v;
        }
      }
      return put_lanes(frame, in.d, mask, r);
    }
    default: break;
  }
  // shfl: c = clamp | segment mask << 8.
  const auto* a = reinterpret_cast<const std::uint32_t*>(frame + in.a);
  const auto* by = reinterpret_cast<const std::uint32_t*>(frame + in.b);
  const auto* c = reinterpret_cast<const std::uint32_t*>(frame + in.c);
  std::uint32_t result[32], inside = 0;
  for (std::uint32_t l = 0; l < 32; ++l) {
    const std::uint32_t segment = c[l] >> 8 & 31, clamp = c[l] & 31, n = by[l] & 31;
    const std::uint32_t first = l & segment, last = (l & segment) | (clamp & ~segment);
    std::uint32_t from = l;
    bool ok = true;
    switch (in.sub) {
      case 0: ok = static_cast<std::int32_t>(l - n) >= static_cast<std::int32_t>(last); from = l - n; break;
      case 1: ok = l + n <= last; from = l + n; break;
      case 2: ok = (l ^ n) <= last; from = l ^ n; break;
      default: from = first | (n & ~segment); ok = from <= last; break;
    }
    if (!ok) from = l;
    inside |= static_cast<std::uint32_t>(ok) << l;
    result[l] = a[from & 31];
  }
  auto* d = reinterpret_cast<std::uint32_t*>(frame + in.d);
  for (std::uint32_t l = 0; l < 32; ++l)
    if (mask >> l & 1) d[l] = result[l];
  if (in.d2 != kNoOffset) {
    auto& p = *reinterpret_cast<std::uint32_t*>(frame + in.d2);
    p = (p & ~mask) | (inside & mask);
  }
}

// Lanes at several places of the code act together when they name each other: ptxas has them meet at
// one of the instructions (WARPSYNC.COLLECTIVE), and each comes with the values of its own place.
bool meets_elsewhere(Kind kind) {
  switch (kind) {
    case Kind::kWarpSync: case Kind::kShuffle: case Kind::kVote: case Kind::kMatch: case Kind::kReduceSync: case Kind::kElect: return true;
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
  void words(std::uint32_t to, const std::byte* frame, std::uint32_t from, std::uint32_t lanes, std::size_t size) {
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
    case Kind::kMatrixLoad: case Kind::kMatrixStore: case Kind::kMatrixProduct: case Kind::kGroupProduct: case Kind::kMatrixTurn: case Kind::kQuadProduct: case Kind::kFragment: return true;
    default: return false;
  }
}

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

// What lanes do together once all are there.
void Execution::convergent(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask) {
  switch (in.kind) {
    case Kind::kMatrixLoad: case Kind::kMatrixStore: return matrix_access(warp, part, in, frame, mask);
    case Kind::kMatrixProduct: return matrix_product(warp, part, in, frame, mask);
    case Kind::kGroupProduct: return group_product(warp, part, in, frame, mask);
    case Kind::kMatrixTurn: return matrix_turn(warp, in, frame, mask);
    case Kind::kQuadProduct: return quad_product(warp, part, in, frame, mask);
    case Kind::kFragment: return fragment(warp, part, in, frame, mask);
    default: return;
  }
}

// True: the part goes on.
bool Execution::act_together(Warp& warp, std::int32_t number, const Inst& in, std::byte* frame, std::uint32_t mask) {
  if (in.kind == Kind::kActiveMask) {
    put_lanes(frame, in.d, mask, mask);
    return ++warp.parts[static_cast<std::size_t>(number)].pc, true;
  }
  const std::uint32_t* names = names_of(in, frame);
  const std::uint32_t first = names[std::countr_zero(mask)];
  if ((first & ~warp.gone() & ~mask) == 0 && same_names(names, mask) == mask) {
    if (is_matrix(in)) convergent(warp, warp.parts[static_cast<std::size_t>(number)], in, frame, mask);
    else if (in.kind != Kind::kWarpSync) warp_operation(in, frame, first, mask);
    return ++warp.parts[static_cast<std::size_t>(number)].pc, true;
  }
  // Groups of lanes that name themselves wait for nobody, so the part stays one.
  bool all_here = !is_matrix(in);
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
  for (std::uint32_t left = mask; left != 0;) {
    const std::uint32_t lanes = same_names(names, left);
    left &= ~lanes;
    std::int32_t waits = number;
    if (lanes != warp.parts[static_cast<std::size_t>(number)].mask) {
      waits = new_part(warp);
      Part& from = warp.parts[static_cast<std::size_t>(number)];
      Part& p = warp.parts[static_cast<std::size_t>(waits)];
      p.mask = lanes, p.pc = from.pc, p.parent = from.parent, p.frame = from.frame, p.reconverge = from.reconverge;
      from.mask &= ~lanes;
    } else {
      warp.ready.pop_back();
    }
    Part& p = warp.parts[static_cast<std::size_t>(waits)];
    p.state = Part::State::kTogether;
    p.sync_members = names[std::countr_zero(lanes)];
  }
  Part& rest = warp.parts[static_cast<std::size_t>(number)];  // lanes that skip the instruction
  if (rest.state == Part::State::kReady) ++rest.pc;
  release_together(warp);
  return !warp.ready.empty() && warp.ready.back() == number;
}

// Those whose last named lane has come, or exited, act and go on, matrix instructions at one place only.
void Execution::release_together(Warp& warp) {
  for (std::size_t i = 0; i < warp.parts.size(); ++i) {
    if (warp.parts[i].state != Part::State::kTogether) continue;
    const Part key = warp.parts[i];
    const Inst& in = code_of(warp, key).code[key.pc];
    const auto with = [&](const Part& p) {
      if (p.state != Part::State::kTogether || p.sync_members != key.sync_members) return false;
      return (p.pc == key.pc && p.frame == key.frame) || (meets_elsewhere(in.kind) && code_of(warp, p).code[p.pc].kind == in.kind);
    };
    std::uint32_t here = 0;
    bool apart = false;
    for (const Part& p : warp.parts)
      if (with(p)) here |= p.mask, apart = apart || p.pc != key.pc || p.frame != key.frame;
    if (key.sync_members & ~warp.gone() & ~here) continue;
    const auto frame_of = [&](const Part& p) { return warp.frames[static_cast<std::size_t>(p.frame)].registers; };
    if (is_matrix(in)) convergent(warp, key, in, frame_of(key), here);
    else if (in.kind != Kind::kWarpSync && !apart) warp_operation(in, frame_of(key), key.sync_members, here);
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
      make_ready(warp, static_cast<std::int32_t>(k));
    }
    ++warp.parts[i].pc;
    make_ready(warp, static_cast<std::int32_t>(i));
    rejoin(warp, ready);
  }
}

// Lanes may wait at a reconvergence point for the very lanes that wait for them, as when a branch that
// only some take names the whole warp. They go on without those: to the same instruction, or to the end
// of the kernel, after which nobody waits for them. True: some can run.
bool Execution::let_named_go(Warp& warp) {
  std::uint32_t named = 0;
  for (const Part& p : warp.parts)
    if (p.state == Part::State::kTogether) named |= p.sync_members & ~p.mask;
  if (named != 0) part_company(warp, Parting::kAll, named);
  return !warp.ready.empty();
}

// Parts that became ready at one place, ready[from] and later, are one part again.
void Execution::rejoin(Warp& warp, std::size_t from) {
  for (std::size_t i = from; i < warp.ready.size(); ++i)
    for (std::size_t k = warp.ready.size() - 1; k > i; --k) {
      Part& a = warp.parts[static_cast<std::size_t>(warp.ready[i])];
      Part& b = warp.parts[static_cast<std::size_t>(warp.ready[k])];
      if (a.pc != b.pc || a.frame != b.frame || a.parent != b.parent || a.reconverge != b.reconverge) continue;
      a.mask |= b.mask;
      b.state = Part::State::kFree;
      warp.unused.push_back(warp.ready[k]);
      warp.ready.erase(warp.ready.begin() + static_cast<std::ptrdiff_t>(k));
    }
}

}  // namespace warpmem::emulate
