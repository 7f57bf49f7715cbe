// Part of body.hpp: video instructions: a byte, a half-word or the whole of each operand, then
// perhaps saturation, then perhaps a second operation; and the same on two or four parts at once.

struct Part32 {  // which part of a register: 0 all of it, 1-4 byte 0-3, 5-6 half-word 0-1
  static s64 of(u32 v, u32 which, bool is_signed) {
    if (which == 0) return is_signed ? static_cast<s64>(static_cast<s32>(v)) : static_cast<s64>(v);
    const u32 width = which < 5 ? 8 : 16, shift = which < 5 ? (which - 1) * 8 : (which - 5) * 16;
    const u32 top = v << (32 - width - shift);
    return is_signed ? static_cast<s64>(static_cast<s32>(top) >> (32 - width))
                     : static_cast<s64>(top >> (32 - width));
  }
};
inline s64 video_clamp(s64 v, u32 width, bool is_signed) {
  const s64 high = is_signed ? (s64{1} << (width - 1)) - 1 : (s64{1} << width) - 1,
            low = is_signed ? -high - 1 : 0;
  return v < low ? low : v > high ? high : v;
}
inline bool video_compare(u32 how, s64 a, s64 b) {
  switch (how) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return a < b;
    case 3: return a <= b;
    case 4: return a > b;
    default: return a >= b;
  }
}
inline s64 video_one(const Video& v, s64 a, s64 b) {
  switch (v.op) {
    case VideoOp::kAdd: return a + b;
    case VideoOp::kSub: return a - b;
    case VideoOp::kAbsdiff: return a < b ? b - a : a - b;
    case VideoOp::kMin: return a < b ? a : b;
    case VideoOp::kMax: return a > b ? a : b;
    case VideoOp::kAverage: return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case VideoOp::kSet: return video_compare(v.mode, a, b);
    case VideoOp::kShl:
    case VideoOp::kShr: {
      const u32 by = static_cast<u32>(b);
      const u32 n = v.mode ? by & 31 : by > 32 ? 32 : by;  // wrap, clamp
      return v.op == VideoOp::kShl ? static_cast<s64>(static_cast<u64>(a) << n) : a >> n;
    }
    default: return 0;
  }
}
void video(std::byte* frame, const Inst& in, u32 mask) {
  const Video v = Video::unpack(in.sub);
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b);
  const u32* c = in.c == kNoOffset ? nullptr : row<u32>(frame, in.c);
  each<u32>(frame, in.d, mask, [=](u32 l) -> u32 {
    const s64 x = Part32::of(a[l], v.part_a, v.signed_a),
              y = Part32::of(b[l], v.part_b, v.signed_b);
    const u32 z = c ? c[l] : 0;
    if (v.op == VideoOp::kMad) {
      return static_cast<u32>(x) * static_cast<u32>(y) + z;  // the low 32 bits
    }
    s64 r = video_one(v, x, y);
    const u32 width = v.part_d == 0 ? 32 : v.part_d < 5 ? 8 : 16;
    if (v.saturate) r = video_clamp(r, width, v.signed_d);
    if (v.part_d) {  // into a part of c
      const u32 shift = v.part_d < 5 ? (v.part_d - 1) * 8 : (v.part_d - 5) * 16,
                ones = (width == 8 ? 255u : 65535u) << shift;
      return (z & ~ones) | (static_cast<u32>(r) << shift & ones);
    }
    return static_cast<u32>(r) + (v.second == 1 ? z : 0);
  });
}
void video_parts(std::byte* frame, const Inst& in, u32 mask) {
  const Video v = Video::unpack(in.sub);
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b), *c = row<u32>(frame, in.c);
  const u32 parts = v.parts, width = 32 / parts, first = parts == 2 ? 5 : 1,
            ones = parts == 2 ? 65535u : 255u;
  each<u32>(frame, in.d, mask, [=](u32 l) {
    u32 r = 0, sum = c[l];
    for (u32 i = 0; i < parts; ++i) {
      s64 t = video_one(v, Part32::of(a[l], first + i, v.signed_a),
                        Part32::of(b[l], first + i, v.signed_b));
      if (v.saturate) t = video_clamp(t, width, v.signed_d);
      r |= (static_cast<u32>(t) & ones) << (i * width);
      sum += static_cast<u32>(t);
    }
    return v.second == 1 ? sum : r;
  });
}
