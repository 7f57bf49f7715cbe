// mma.sp: a matrix of which half the elements are there, against plain sums. Fragments are laid out
// here as the manual's figures have them.
#include <cstdint>
#include <string>

#include "emulate/executor/half.hpp"
#include "tests/emulate/support.hpp"

using namespace warpmem;
using namespace warpmem::emulate;
using namespace warpmem::emulate::test;
using u32 = std::uint32_t;

namespace {

struct Case {
  std::string shape, types;
  u32 k = 16, bits = 16, selector = 0;
  u32 (*encode)(int);
  bool whole = false;
};

int b_value(u32 column, u32 k) { return static_cast<int>((column * 5 + k * 3) % 7) - 3; }
int a_value(u32 row, u32 kept) { return static_cast<int>((row * 3 + kept * 5) % 7) - 3; }

// Which two of the four neighbours of chunk `chunk` are there, of all six pairs in turn.
void pair(u32 row, u32 chunk, u32& low, u32& high) {
  constexpr u32 kPairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  low = kPairs[(row * 5 + chunk) % 6][0], high = kPairs[(row * 5 + chunk) % 6][1];
}

std::string registers(const std::string& name, u32 count) {
  std::string list;
  for (u32 i = 0; i < count; ++i) list += (i ? ", " : "") + name + std::to_string(i);
  return "{" + list + "}";
}
std::string moves(const std::string& op, const std::string& name, u32 count, u32 first) {
  std::string text;
  for (u32 i = 0; i < count; ++i) {
    const std::string place = "[%rd1 + " + std::to_string(4 * (first + i)) + "]";
    const std::string value = name + std::to_string(i);
    text += "  " + op + " " + (op[0] == 'l' ? value + ", " + place : place + ", " + value) + ";\n";
  }
  return text;
}

void check(const Case& c) {
  const u32 kept = c.k / 2, per = 32 / c.bits;
  const u32 a_count = 16 * kept / per / 32, b_count = c.k * 8 / per / 32;
  // What chunks are made of: elements, pairs of 4-bit ones, or halves of a tf32.
  const u32 chunks = c.bits == 4 ? c.k / 8 : c.bits == 32 ? c.k / 2 : c.k / 4;
  const auto column_of = [&](u32 row, u32 i) {  // of kept element i
    u32 low = 0, high = 0;
    if (c.bits == 32) return pair(row, i, low, high), i * 2 + low % 2;
    pair(row, c.bits == 4 ? i / 4 : i / 2, low, high);
    if (c.bits == 4) return i / 4 * 8 + (i / 2 % 2 ? high : low) * 2 + i % 2;
    return i / 2 * 4 + (i % 2 ? high : low);
  };
  const auto metadata_of = [&](u32 row, u32 chunk) {
    u32 low = 0, high = 0;
    pair(row, chunk, low, high);
    if (c.bits == 32) return low % 2 ? 0b1110u : 0b0100u;
    return low | high << 2;
  };
  const u32 words = a_count + b_count + 1 + 4;  // a thread: A, B, metadata, D
  std::vector<u32> memory(32 * words, 0);
  for (u32 lane = 0; lane < 32; ++lane) {
    const u32 group = lane / 4, t = lane % 4;
    u32* mine = &memory[lane * words];
    for (u32 r = 0; r < a_count; ++r)
      for (u32 e = 0; e < per; ++e) {
        const u32 row = group + r % 2 * 8, i = r / 2 * 4 * per + t * per + e;
        mine[r] |= c.encode(a_value(row, i)) << e * c.bits % 32;
      }
    for (u32 r = 0; r < b_count; ++r)
      for (u32 e = 0; e < per; ++e) {
        const u32 k = r * 4 * per + t * per + e;
        mine[a_count + r] |= c.encode(b_value(group, k)) << e * c.bits % 32;
      }
    u32& metadata = mine[a_count + b_count];
    metadata = 0xdeadbeef;  // of lanes that are not asked
    if (c.bits >= 16) {     // 16 bits of rows g and g + 8
      const u32 lanes = chunks / 4;
      if (t / lanes != c.selector) continue;
      metadata = 0;
      for (u32 i = 0; i < 4; ++i) {
        const u32 chunk = t % lanes * 4 + i;
        metadata |= metadata_of(group, chunk) << 4 * i | metadata_of(group + 8, chunk)
                                                             << (16 + 4 * i);
      }
    } else {  // 32 bits of a row
      if (chunks == 8 && t / 2 != c.selector) continue;
      metadata = 0;
      for (u32 i = 0; i < 8; ++i)
        metadata |= metadata_of(group + t % 2 * 8, (chunks == 8 ? 0 : t / 2 * 8) + i) << 4 * i;
    }
  }
  const std::string d = c.whole ? "%s" : "%f";
  Machine m(std::string(kHeader) +
            ".visible .entry k(.param .u64 p0)\n{\n  .reg .b32 %a<8>, %b<8>, %e<2>, %r<4>;\n"
            "  .reg .s32 %s<4>;\n  .reg .f32 %f<4>;\n  .reg .b64 %rd<4>;\n"
            "  ld.param.u64 %rd1, [p0];\n  mov.u32 %r1, %tid.x;\n  mul.wide.u32 %rd2, %r1, " +
            std::to_string(4 * words) + ";\n  add.s64 %rd1, %rd1, %rd2;\n" +
            moves("ld.global.b32", "%a", a_count, 0) +
            moves("ld.global.b32", "%b", b_count, a_count) +
            moves("ld.global.b32", "%e", 1, a_count + b_count) +
            moves(c.whole ? "ld.global.s32" : "ld.global.f32", d, 4, a_count + b_count + 1) +
            "  mma.sp.sync.aligned." + c.shape + ".row.col." + c.types + " " + registers(d, 4) +
            ", " + registers("%a", a_count) + ", " + registers("%b", b_count) + ", " +
            registers(d, 4) + ", %e0, " + std::to_string(c.selector) + ";\n" +
            moves(c.whole ? "st.global.s32" : "st.global.f32", d, 4, a_count + b_count + 1) +
            "  ret;\n}\n");
  const std::uint64_t at = m.buffer(memory);
  m.argument(at);
  const auto ok = m.launch("k", {1, 1, 1}, {32, 1, 1});
  INFO(c.shape << " " << c.types << " " << (ok ? std::string() : ok.error().text()));
  REQUIRE(ok.ok());
  const std::vector<u32> out = m.read<u32>(at, memory.size());
  int wrong = 0;
  for (u32 lane = 0; lane < 32; ++lane)
    for (u32 i = 0; i < 4; ++i) {
      const u32 row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      int sum = 0;
      for (u32 l = 0; l < kept; ++l) sum += a_value(row, l) * b_value(column, column_of(row, l));
      const u32 bits = out[lane * words + a_count + b_count + 1 + i];
      wrong +=
          c.whole ? static_cast<int>(bits) != sum : bits_as<float>(bits) != static_cast<float>(sum);
    }
  CHECK(wrong == 0);
}

u32 as_half(int v) { return half_of(v); }
u32 as_bfloat(int v) { return bfloat_of(v); }
u32 as_float(int v) { return bits_as<u32>(static_cast<float>(v)); }
u32 as_eight(int v) { return e4m3_of(v); }
u32 as_byte(int v) { return static_cast<u32>(v) & 0xff; }
u32 as_four(int v) { return static_cast<u32>(v) & 0xf; }

}  // namespace

TEST_CASE("mma.sp multiplies the elements that its metadata name") {
  for (u32 s = 0; s < 4; ++s) check({"m16n8k16", "f32.f16.f16.f32", 16, 16, s, as_half});
  for (u32 s = 0; s < 4; ++s) check({"m16n8k8", "f32.tf32.tf32.f32", 8, 32, s, as_float});
  for (u32 s = 0; s < 2; ++s) {
    check({"m16n8k32", "f32.f16.f16.f32", 32, 16, s, as_half});
    check({"m16n8k32", "f32.bf16.bf16.f32", 32, 16, s, as_bfloat});
    check({"m16n8k16", "f32.tf32.tf32.f32", 16, 32, s, as_float});
    check({"m16n8k32", "s32.s8.s8.s32", 32, 8, s, as_byte, true});
    check({"m16n8k64", "s32.s4.s4.s32", 64, 4, s, as_four, true});
  }
  check({"m16n8k64", "s32.s8.s8.s32", 64, 8, 0, as_byte, true});
  check({"m16n8k64", "f32.e4m3.e4m3.f32", 64, 8, 0, as_eight});
  check({"m16n8k128", "s32.s4.s4.s32", 128, 4, 0, as_four, true});
}

TEST_CASE("mma.sp with a selector that no lane answers to is refused") {
  Machine m(std::string(kHeader) + R"(.visible .entry k()
{
  .reg .b32 %a<4>, %b<4>, %e;
  .reg .f32 %f<4>;
  mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%a0, %a1, %a2, %a3}, {%b0, %b1, %b2, %b3}, {%f0, %f1, %f2, %f3}, %e, 2;
  ret;
}
)");
  const auto ok = m.launch("k", {1, 1, 1}, {32, 1, 1});
  REQUIRE(!ok.ok());
  CHECK(ok.error().text().find("selector") != std::string::npos);
}
