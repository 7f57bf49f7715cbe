// Operand values: the edges of each kind, then seeded random ones.
#include <algorithm>
#include <initializer_list>

#include "tests/emulate/hardware/forms.hpp"

namespace warpmem::emulate::hardware {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

class Random {  // splitmix64: the same everywhere
 public:
  explicit Random(u64 seed) : state_(seed) {}
  u64 next() {
    u64 z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  u64 below(u64 n) { return next() % n; }

 private:
  u64 state_;
};

u64 seed_of(const std::string& name, u32 which) {
  u64 h = 0xcbf29ce484222325u + which;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

const std::vector<u64>& edges_of(const std::string& kind) {
  static const std::vector<u64> k8 = {0,     1,     2,     0x7f,   0x80,   0x81,   0xfe,  0xff,
                                      0x100, 0x17f, 0x180, 0x8000, 0xff80, 0xff7f, 0xffff};
  static const std::vector<u64> k16 = {0,      1,      2,      3,      15,     16,     17,
                                       31,     0x7f,   0x80,   0xff,   0x100,  0x7ffe, 0x7fff,
                                       0x8000, 0x8001, 0xff7f, 0xff80, 0xfffe, 0xffff};
  static const std::vector<u64> k32 = {0,          1,          2,          3,          31,
                                       32,         33,         0x7f,       0x80,       0xff,
                                       0x100,      0x7fff,     0x8000,     0xffff,     0x10000,
                                       0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xffff7fff,
                                       0xffff8000, 0xffffff80, 0xfffffffe, 0xffffffff};
  static const std::vector<u64> k64 = {0,
                                       1,
                                       2,
                                       3,
                                       63,
                                       64,
                                       0x7fffffff,
                                       0x80000000,
                                       0xffffffff,
                                       0x100000000,
                                       0x1fffffffffffff,
                                       0x20000000000001,
                                       0x7fffffffffffffff,
                                       0x8000000000000000,
                                       0x8000000000000001,
                                       0xffffffff7fffffff,
                                       0xffffffff80000000,
                                       0xffffffff00000000,
                                       0xfffffffffffffffe,
                                       0xffffffffffffffff};
  static const std::vector<u64> kShift = {
      0,  1,  2,  7,   8,   15,  16,  17,  31,         32,         33,         47,
      63, 64, 65, 127, 128, 255, 256, 257, 0x7fffffff, 0x80000000, 0xffffffe1, 0xffffffff};
  static const std::vector<u64> kHalf = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x0401,
                                         0x3800, 0x3bff, 0x3c00, 0xbc00, 0x3c01, 0x4000, 0x4248,
                                         0x5bff, 0x6400, 0x6bff, 0x77ff, 0x7800, 0x7bff, 0xfbff,
                                         0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 0xfd55};
  static const std::vector<u64> kBfloat = {0,      0x8000, 1,      0x8001, 0x007f, 0x0080, 0x0081,
                                           0x3f00, 0x3f7f, 0x3f80, 0xbf80, 0x3f81, 0x4000, 0x4049,
                                           0x42fe, 0x4300, 0x4f00, 0x5f00, 0x7eff, 0x7f7f, 0xff7f,
                                           0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f81, 0xffd5};
  static const std::vector<u64> kFloat = {
      0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800001, 0x3f000000,
      0x3f7fffff, 0x3f800000, 0xbf800000, 0x3f800001, 0x40200000, 0x40490fdb, 0x4b000000,
      0x4b7fffff, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
      0x7f800001, 0x5f000000,
      // beyond the 25 that are paired: what only conversions and functions of one operand meet
      0x3effffff, 0x3fc00000, 0xbfc00000, 0x40600000, 0x42fe0000, 0x42ff0000, 0x43000000,
      0xc3000000, 0xc3008000, 0x437f8000, 0x43800000, 0x46fffe00, 0x47000000, 0xc7000000,
      0x477fff00, 0x47800000, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff,
      0x4f800000, 0x5effffff, 0xdf000000, 0x5f7fffff, 0x5f800000, 0x33000000, 0x33000001,
      0x337fffff, 0x33800000, 0x387fc000, 0x387fe000, 0x38800000, 0x477fe000, 0x477fefff,
      0x477ff000, 0x3f801000, 0x3f803000, 0x3f808000, 0x3f818000, 0x7f7f8000, 0x43e80000,
      0x43e00000, 0x43f00000, 0x47600000, 0x47700000, 0x3b000000, 0x3a800000, 0x37800000,
      0x37000000, 0xc2fc0000, 0xc3160000, 0x42b20000, 0x3c000000, 0x47c35000, 0x4f000001};
  static const std::vector<u64> kDouble = {0,
                                           0x8000000000000000,
                                           1,
                                           0x8000000000000001,
                                           0x000fffffffffffff,
                                           0x0010000000000000,
                                           0x0010000000000001,
                                           0x3fe0000000000000,
                                           0x3fefffffffffffff,
                                           0x3ff0000000000000,
                                           0xbff0000000000000,
                                           0x3ff0000000000001,
                                           0x4004000000000000,
                                           0x400921fb54442d18,
                                           0x4330000000000000,
                                           0x7fefffffffffffff,
                                           0xffefffffffffffff,
                                           0x7ff0000000000000,
                                           0xfff0000000000000,
                                           0x7ff8000000000000,
                                           0xfff8123456789abc,
                                           0x7ff0000000000001,
                                           0xfff4567812345678,
                                           0x3fdfffffffffffff,
                                           0x3ff8000000000000,
                                           0xbff8000000000000,
                                           0x41dfffffffc00000,
                                           0x41e0000000000000,
                                           0xc1e0000000000000,
                                           0xc1e0000000200000,
                                           0x41efffffffe00000,
                                           0x41f0000000000000,
                                           0x43dfffffffffffff,
                                           0x43e0000000000000,
                                           0xc3e0000000000000,
                                           0xc3e0000000000001,
                                           0x43efffffffffffff,
                                           0x43f0000000000000,
                                           0x47efffffe0000000,
                                           0x47efffffefffffff,
                                           0x47effffff0000000,
                                           0x380fffffffffffff,
                                           0x3810000000000000,
                                           0x36a0000000000000,
                                           0x3690000000000000,
                                           0x3690000000000001,
                                           0x3ff0000010000000,
                                           0x3ff0000030000000,
                                           0x40effe0000000000,
                                           0x40efffe000000000,
                                           0x3e60000000000000,
                                           0x3e70000000000000,
                                           0x3f10000000000000,
                                           0x405fc00000000000,
                                           0x4060000000000000,
                                           0xc060100000000000,
                                           0x406fe00000000000,
                                           0x406ff00000000000,
                                           0x40dfffc000000000,
                                           0x40e0000000000000};
  static const std::vector<u64> kNone = {0};
  if (kind == "u8" || kind == "s8") return k8;
  if (kind == "shift") return kShift;
  if (kind == "f16" || kind == "f16x2") return kHalf;
  if (kind == "bf16" || kind == "bf16x2") return kBfloat;
  if (kind == "f32") return kFloat;
  if (kind == "f64") return kDouble;
  const u32 bytes = bytes_of(kind);
  return bytes == 2 ? k16 : bytes == 4 ? k32 : bytes == 8 ? k64 : kNone;
}
constexpr std::size_t kPaired = 25;  // edges of a kind that meet each other

u64 around_one(Random& r, int exponent_bits, int mantissa_bits, u32 spread) {
  const u64 bias = (u64{1} << (exponent_bits - 1)) - 1;
  const u64 exponent = bias - spread / 2 + r.below(spread);
  return r.below(2) << (exponent_bits + mantissa_bits) | exponent << mantissa_bits |
         (r.next() & ((u64{1} << mantissa_bits) - 1));
}

u64 random_value(const std::string& kind, Random& r) {
  const u64 bits = r.next();
  const bool near = r.below(3) != 0;
  if (kind == "shift") return near ? bits % 72 : bits & 0xffffffff;
  if (kind == "f32") return near ? around_one(r, 8, 23, 40) : bits & 0xffffffff;
  if (kind == "f64") return near ? around_one(r, 11, 52, 80) : bits;
  if (kind == "f16") return near ? around_one(r, 5, 10, 10) : bits & 0xffff;
  if (kind == "bf16") return near ? around_one(r, 8, 7, 16) : bits & 0xffff;
  if (kind == "f16x2" || kind == "f16x4") {
    u64 v = 0;
    for (int i = 0; i < 4; ++i) v = v << 16 | around_one(r, 5, 10, kind == "f16x4" ? 6 : 12);
    return kind == "f16x4" ? v : v & 0xffffffff;
  }
  if (kind == "bf16x2" || kind == "bf16x4") {
    u64 v = 0;
    for (int i = 0; i < 4; ++i) v = v << 16 | around_one(r, 8, 7, kind == "bf16x4" ? 6 : 12);
    return kind == "bf16x4" ? v : v & 0xffffffff;
  }
  if (kind == "f32x2") return around_one(r, 8, 23, 8) << 32 | around_one(r, 8, 23, 8);
  if (kind == "f64m") return around_one(r, 11, 52, 8);
  if (kind == "e4m3x8" || kind == "e5m2x8") {  // eight 8-bit floats, none a NaN
    u64 v = 0;
    for (int i = 0; i < 8; ++i)
      v = v << 8 | (kind == "e4m3x8" ? around_one(r, 4, 3, 8) : around_one(r, 5, 2, 8));
    return v;
  }
  const u32 bytes = bytes_of(kind);
  u64 v = bits;
  if (near && bytes >= 4) v >>= r.below(bytes * 8);  // of every magnitude
  return bytes == 8 ? v : v & ((u64{1} << bytes * 8) - 1);
}

}  // namespace

u32 bytes_of(const std::string& type) {
  if (type.empty()) return 0;
  for (const char* t : {"f16x4", "bf16x4", "f32x2", "f64m", "e4m3x8", "e5m2x8"})
    if (type == t) return 8;
  if (type == "shift" || type == "f16x2" || type == "bf16x2") return 4;
  if (type == "u8" || type == "s8") return 2;  // in a 16-bit register
  if (type.ends_with("64")) return 8;
  if (type.ends_with("32") || type.ends_with("16x2")) return 4;
  return 2;
}

std::vector<u64> operand(const Form& form, u32 which) {
  std::vector<u64> v(kCases);
  const std::string& kind = form.operands.at(which);
  const std::size_t n = form.operands.size();
  Random random(seed_of(form.name, which)), pick(seed_of(form.name, which + 8));
  const std::vector<u64>& edges = edges_of(kind);
  // Two operands: every edge meets every edge. Three: edges at random.
  const std::size_t mine = std::min(edges.size(), kPaired);
  const std::size_t others =
      n == 2 ? std::min(edges_of(form.operands[1 - which]).size(), kPaired) : 1;
  const std::size_t edge_cases = edges.size() == 1 ? 0
                                 : n == 1          ? edges.size()
                                 : n == 2          ? mine * others
                                                   : 400;
  for (std::size_t i = 0; i < kCases; ++i) {
    if (i >= edge_cases) v[i] = random_value(kind, random);
    else if (n == 1) v[i] = edges[i];
    else if (n == 2) v[i] = edges[which == 0 ? i / others : i % mine];
    else v[i] = edges[pick.below(edges.size())];
    if ((kind == "f16x2" || kind == "bf16x2") && i < 640)
      v[i] = (v[i] & 0xffff) | edges[pick.below(edges.size())] << 16;
  }
  return v;
}

}  // namespace warpmem::emulate::hardware
