// wgmma: tiles laid out in shared memory as its descriptors say, against plain sums.
#include <cstdint>
#include <functional>

#include "emulate/executor/half.hpp"
#include "tests/emulate/support.hpp"

using namespace warpmem;
using namespace warpmem::emulate;
using namespace warpmem::emulate::test;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

constexpr u32 kB = 32768, kBytes = 65536;  // B's place in shared memory, and all of it

int a_value(u32 row, u32 k) { return static_cast<int>((row * 7 + k * 3) % 11) - 5; }
int b_value(u32 column, u32 k) { return static_cast<int>((column * 5 + k * 9) % 13) - 6; }

u64 descriptor(u32 start, u32 leading, u32 stride, u64 swizzle) {
  return start >> 4 | static_cast<u64>(leading >> 4) << 16 | static_cast<u64>(stride >> 4) << 32 |
         swizzle << 62;
}

struct Case {
  std::string shape, types, operand_a, tail;
  u32 columns = 16, k = 16;
  u64 a = 0, b = 0;
  bool sparse = false;  // of each four elements of A the first and the third are there
};

// One product of a warpgroup over `image`; D as rows of columns. Registers hold 10 before.
std::vector<float> product(const Case& c, const std::vector<unsigned char>& image,
                           bool whole = false) {
  const u32 registers = c.columns / 2;
  std::string d, set, put;
  for (u32 i = 0; i < registers; ++i) {
    const std::string name = (whole ? "%s" : "%f") + std::to_string(i);
    d += (i ? ", " : "") + name;
    set += (whole ? "mov.b32 " : "mov.f32 ") + name + (whole ? ", 10;\n" : ", 0f41200000;\n");
    put += std::string("st.global.") + (whole ? "u32" : "f32") + " [%rd5+" + std::to_string(4 * i) +
           "], " + name + ";\n";
  }
  Machine m(std::string(kHeader) + R"(
.extern .shared .align 1024 .b8 tiles[];
.visible .entry k(.param .u64 image, .param .u64 out, .param .u64 da, .param .u64 db)
{
  .reg .pred %p, %keep; .reg .b32 %r<20>, %s<128>; .reg .f32 %f<128>; .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [image]; ld.param.u64 %rd2, [out]; ld.param.u64 %rd3, [da]; ld.param.u64 %rd4, [db];
  mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, tiles; add.s32 %r3, %r3, %r2; cvt.u64.u32 %rd6, %r2; add.s64 %rd6, %rd1, %rd6;
COPY: ld.global.u32 %r4, [%rd6]; st.shared.u32 [%r3], %r4; add.s32 %r3, %r3, 512; add.s64 %rd6, %rd6, 512;
  add.s32 %r2, %r2, 512; setp.lt.u32 %p, %r2, 65536; @%p bra COPY;
  bar.sync 0;
  // A of this warp in registers: rows of 32 bytes from the image's beginning
  shr.u32 %r5, %r1, 5; and.b32 %r6, %r1, 31; shr.u32 %r7, %r6, 2; mad.lo.s32 %r7, %r5, 16, %r7; and.b32 %r8, %r6, 3;
  mov.u32 %r3, tiles; mad.lo.s32 %r9, %r7, 32, %r3; mad.lo.s32 %r9, %r8, 4, %r9;
  ld.shared.u32 %r10, [%r9]; ld.shared.u32 %r11, [%r9+256]; ld.shared.u32 %r12, [%r9+16]; ld.shared.u32 %r13, [%r9+272];
)" + set + R"(
  setp.ne.b32 %keep, %r1, -1; mov.b32 %r14, 0x88888888;
  wgmma.fence.sync.aligned;
  wgmma.mma_async)" +
            std::string(c.sparse ? ".sp" : "") + ".sync.aligned." + c.shape + "." + c.types + " {" +
            d + "}, " + c.operand_a + ", %rd4, " + c.tail + R"(;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  mul.wide.u32 %rd5, %r1, )" +
            std::to_string(4 * registers) + R"(; add.s64 %rd5, %rd2, %rd5;
)" + put + "ret;\n}\n");
  const u64 out = m.buffer(std::vector<u32>(128 * registers));
  m.argument(m.buffer(image)), m.argument(out), m.argument(c.a), m.argument(c.b);
  const auto ok = m.launch("k", {1, 1, 1}, {128, 1, 1}, kBytes);
  INFO((ok ? std::string() : ok.error().text()));
  REQUIRE(ok.ok());
  const auto raw = m.read<u32>(out, 128 * registers);
  std::vector<float> result(64 * c.columns);
  for (u32 t = 0; t < 128; ++t)
    for (u32 r = 0; r < registers; ++r) {
      const u32 row = t / 32 * 16 + t % 32 / 4 + r / 2 % 2 * 8,
                column = r / 4 * 8 + t % 4 * 2 + r % 2;
      float v;
      std::memcpy(&v, &raw[t * registers + r], 4);
      result[row * c.columns + column] =
          whole ? static_cast<float>(static_cast<std::int32_t>(raw[t * registers + r])) : v;
    }
  return result;
}

void check(const std::vector<float>& d, u32 columns, u32 k, float before, int sign,
           u32 first_k = 0) {
  int wrong = 0;
  for (u32 row = 0; row < 64; ++row)
    for (u32 column = 0; column < columns; ++column) {
      int sum = 0;
      for (u32 i = first_k; i < first_k + k; ++i) sum += a_value(row, i) * b_value(column, i);
      if (d[row * columns + column] != before + static_cast<float>(sign * sum)) ++wrong;
    }
  CHECK(wrong == 0);
}

// Writes element (row, k) of a tile at the byte that `place` names.
template <class T>
void lay(std::vector<unsigned char>& image, u32 rows, u32 k, int (*value)(u32, u32),
         const std::function<T(int)>& as, const std::function<u32(u32, u32)>& place) {
  for (u32 r = 0; r < rows; ++r)
    for (u32 i = 0; i < k; ++i) {
      const T v = as(value(r, i));
      std::memcpy(&image[place(r, i)], &v, sizeof v);
    }
}
u16 half(int v) { return half_of(v); }

}  // namespace

TEST_CASE("wgmma: both tiles along k in 128-byte swizzles, the second slice of k") {
  std::vector<unsigned char> image(kBytes);
  const auto at =
      [](u32 base) {  // rows of 64 halves; 16-byte pieces change places within eight rows
        return [base](u32 row, u32 k) {
          return base + row * 128 + ((k / 8) ^ (row % 8)) * 16 + k % 8 * 2;
        };
      };
  lay<u16>(image, 64, 64, a_value, half, at(0));
  lay<u16>(image, 16, 64, b_value, half, at(kB));
  const Case c{"m64n16k16",
               "f32.f16.f16",
               "%rd3",
               "%keep, 1, 1, 0, 0",
               16,
               16,
               descriptor(32, 16, 1024, 1),
               descriptor(kB + 32, 16, 1024, 1)};
  check(product(c, image), 16, 16, 10, 1, 16);
}

TEST_CASE("wgmma: A from registers, B along n in 64-byte swizzles, the product subtracted") {
  std::vector<unsigned char> image(kBytes);
  lay<u16>(image, 64, 16, a_value, half, [](u32 row, u32 k) { return row * 32 + k * 2; });
  lay<u16>(image, 64, 16, b_value, half,
           [](u32 n, u32 k) {  // two blocks of 32 n; a row of 64 bytes a k
             const u32 row = k % 8 + k / 8 * 8;
             return kB + n / 32 * 1024 + row * 64 + ((n % 32 / 8) ^ (row / 2 % 4)) * 16 + n % 8 * 2;
           });
  const Case c{"m64n64k16",
               "f32.f16.f16",
               "{%r10, %r11, %r12, %r13}",
               "%keep, 1, -1, 1",
               64,
               16,
               0,
               descriptor(kB, 1024, 512, 2)};
  check(product(c, image), 64, 16, 10, -1);
}

TEST_CASE("wgmma: A along m, B along k without a swizzle, nothing kept of D") {
  std::vector<unsigned char> image(kBytes);
  lay<u16>(image, 64, 16, a_value, half,
           [](u32 m, u32 k) { return k * 128 + ((m / 8) ^ (k % 8)) * 16 + m % 8 * 2; });
  lay<u16>(image, 8, 16, b_value, half,
           [](u32 n, u32 k) { return kB + k / 8 * 128 + n * 16 + k % 8 * 2; });
  const Case c{"m64n8k16",
               "f32.f16.f16",
               "%rd3",
               "!%keep, -1, 1, 1, 0",
               8,
               16,
               descriptor(0, 4096, 1024, 1),
               descriptor(kB, 128, 256, 0)};
  check(product(c, image), 8, 16, 0, -1);
}

TEST_CASE("wgmma: bytes in 32-byte swizzles, and tf32") {
  std::vector<unsigned char> image(kBytes);
  const auto byte = [](int v) { return static_cast<unsigned char>(v); };
  const auto at = [](u32 base) {
    return [base](u32 row, u32 k) {
      return base + row * 32 + ((k / 16) ^ (row / 4 % 2)) * 16 + k % 16;
    };
  };
  lay<unsigned char>(image, 64, 32, a_value, byte, at(0));
  lay<unsigned char>(image, 24, 32, b_value, byte, at(kB));
  const Case c{"m64n24k32",
               "s32.s8.s8",
               "%rd3",
               "%keep",
               24,
               32,
               descriptor(0, 16, 256, 3),
               descriptor(kB, 16, 256, 3)};
  check(product(c, image, true), 24, 32, 10, 1);
  const auto whole = [](int v) { return static_cast<float>(v); };
  const auto of_floats = [](u32 base) {
    return [base](u32 row, u32 k) {
      return base + row * 32 + ((k / 4) ^ (row / 4 % 2)) * 16 + k % 4 * 4;
    };
  };
  lay<float>(image, 64, 8, a_value, whole, of_floats(0));
  lay<float>(image, 16, 8, b_value, whole, of_floats(kB));
  const Case f{"m64n16k8",
               "f32.tf32.tf32",
               "%rd3",
               "%keep, 1, 1",
               16,
               8,
               descriptor(0, 16, 256, 3),
               descriptor(kB, 16, 256, 3)};
  check(product(f, image), 16, 8, 10, 1);
}

TEST_CASE("wgmma.sp: the elements of A that the metadata name") {
  std::vector<unsigned char> image(kBytes);
  lay<u16>(image, 64, 16, a_value, half, [](u32 row, u32 k) {  // 32 elements a row, 16 of them kept
    return row * 32 + ((k / 8) ^ (row / 4 % 2)) * 16 + k % 8 * 2;
  });
  lay<u16>(image, 16, 32, b_value, half, [](u32 row, u32 k) {
    return kB + row * 64 + ((k / 8) ^ (row / 2 % 4)) * 16 + k % 8 * 2;
  });
  const Case c{"m64n16k32",
               "f32.f16.f16",
               "%rd3",
               "%r14, 0, %keep, 1, 1, 0, 0",
               16,
               32,
               descriptor(0, 16, 256, 3),
               descriptor(kB, 16, 512, 2),
               true};
  const auto d = product(c, image);
  int wrong = 0;
  for (u32 row = 0; row < 64; ++row)
    for (u32 column = 0; column < 16; ++column) {
      int sum = 10;
      for (u32 i = 0; i < 16; ++i) sum += a_value(row, i) * b_value(column, i / 2 * 4 + i % 2 * 2);
      wrong += d[row * 16 + column] != static_cast<float>(sum);
    }
  CHECK(wrong == 0);
}
