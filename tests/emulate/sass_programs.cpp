// Whole kernels from their machine code (tests/emulate/sass/thin.cu), and what ends one.
#include <cmath>

#include "tests/emulate/machine_code.hpp"
#include "tests/emulate/support.hpp"

using namespace warpmem;
using namespace warpmem::emulate;
using namespace warpmem::emulate::test;

namespace {

MachineCodeRun thin(const std::string& kernel, std::uint32_t shared = 0, std::uint32_t local = 0) {
  return MachineCodeRun(shipped("../sass/thin.sass"), {kernel, 64, shared, local});
}

void runs(MachineCodeRun& m, Dim3 grid, Dim3 block) {
  const auto ok = m.launch(grid, block);
  INFO((ok ? std::string() : ok.error().text()));
  REQUIRE(ok.ok());
}

Error fails(const std::string& lines) {
  MachineCodeRun m(lines);
  m.argument(m.buffer(std::vector<std::uint32_t>(64)));
  const auto ok = m.launch({1, 1, 1}, {32, 1, 1});
  REQUIRE(!ok.ok());
  return ok.error();
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("machine code: a copy") {
  MachineCodeRun m = thin("copy");
  std::vector<float> from(256);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i) * 0.5f;
  const auto to = m.buffer(std::vector<float>(256));
  m.argument(to), m.argument(m.buffer(from));
  runs(m, {4, 1, 1}, {64, 1, 1});
  CHECK(m.read<float>(to, 256) == from);
}

TEST_CASE("machine code: a product of matrices in tiles of shared memory") {
  constexpr std::size_t n = 32;
  std::vector<float> a(n * n), b(n * n), want(n * n);
  for (std::size_t i = 0; i < n * n; ++i)
    a[i] = static_cast<float>(i % 7), b[i] = static_cast<float>(i % 5);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c)
      for (std::size_t k = 0; k < n; ++k) want[r * n + c] += a[r * n + k] * b[k * n + c];
  MachineCodeRun m = thin("product", 512);
  const auto to = m.buffer(want);
  m.argument(to), m.argument(m.buffer(a)), m.argument(m.buffer(b)), m.argument(int{n});
  runs(m, {n / 8, n / 8, 1}, {8, 8, 1});
  CHECK(m.read<float>(to, n * n) == want);
}

TEST_CASE("machine code: a reduction by shuffles and shared memory") {
  std::vector<int> from(512), want(2);
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<int>(i * i % 101), want[i / 256] += from[i];
  MachineCodeRun m = thin("reduction", 32);
  const auto to = m.buffer(std::vector<int>(2));
  m.argument(to), m.argument(m.buffer(from));
  runs(m, {2, 1, 1}, {256, 1, 1});
  CHECK(m.read<int>(to, 2) == want);
}

TEST_CASE("machine code: lanes leave a loop one after the other, and meet behind it") {
  std::vector<int> from(64), want(64);
  for (int i = 0; i < 64; ++i) {
    from[static_cast<std::size_t>(i)] = i + 1;
    int n = i + 1, count = 0;
    for (; n != 1; ++count) n = n % 2 ? 3 * n + 1 : n / 2;
    want[static_cast<std::size_t>(i)] = count + 32;  // all are there again
  }
  MachineCodeRun m = thin("steps");
  const auto to = m.buffer(std::vector<int>(64));
  m.argument(to), m.argument(m.buffer(from));
  runs(m, {1, 1, 1}, {64, 1, 1});
  CHECK(m.read<int>(to, 64) == want);
}

TEST_CASE("machine code: divisions, which call a function where numbers are hard") {
  const std::vector<float> x{1, -7, 1e-40f, 3e38f, 0, INFINITY, 1e-38f, 5},
      y{3, 0.3f, 3, 1e-3f, 0, 2, 1e20f, 1e-42f};
  std::vector<int> a(32), b(32), quotient(32);
  std::vector<float> p(32), q(32);
  for (std::size_t i = 0; i < 32; ++i) {
    a[i] = static_cast<int>(i) * 123457 - 1000000, b[i] = i % 2 ? 17 : -1 - static_cast<int>(i);
    quotient[i] = a[i] / b[i];
    p[i] = x[i % 8], q[i] = y[i % 8];
  }
  MachineCodeRun m = thin("divisions");
  const auto whole = m.buffer(std::vector<int>(32)), real = m.buffer(std::vector<float>(32));
  m.argument(whole), m.argument(real), m.argument(m.buffer(a)), m.argument(m.buffer(b));
  m.argument(m.buffer(p)), m.argument(m.buffer(q));
  runs(m, {1, 1, 1}, {32, 1, 1});
  CHECK(m.read<int>(whole, 32) == quotient);
  const auto r = m.read<float>(real, 32);
  for (std::size_t i = 0; i < 8; ++i) {
    INFO(i);
    if (std::isnan(p[i] / q[i])) CHECK(std::isnan(r[i]));
    else CHECK(r[i] == p[i] / q[i]);
  }
}

TEST_CASE("machine code: printf") {
  MachineCodeRun m = thin("says", 0, 8);
  m.argument(int{7});
  runs(m, {1, 1, 1}, {32, 1, 1});
  CHECK(m.printed == "thread 3 of 7\n");
}

TEST_CASE("machine code: what has no row ends the launch, where a lane comes to it") {
  const Error e = fails("S2R R0, SR_TID.X ;\nFROB.X R1, R0 ;\nEXIT ;");
  CHECK(says(e.text(), "'FROB.X R1, R0' is not executed: its opcode is not known"));
  CHECK(says(e.text(), "0x0010"));
  CHECK(says(e.text(), "--level ptx"));
  CHECK(says(fails("IADD3.FROB R1, R0, R2, RZ ;\nEXIT ;").message,
             "its modifier .FROB is not known"));
  CHECK(says(fails("IADD3 R1, |R0|, R2, RZ ;\nEXIT ;").message, "has a modifier"));
  CHECK(says(fails("IADD3 R1, R0 ;\nEXIT ;").message, "operand is missing"));
  CHECK(says(fails("LDC R1, c[0x0][0x38] ;\nEXIT ;").message, "is not known"));
}

TEST_CASE("machine code: an unknown instruction that no lane comes to is none") {
  MachineCodeRun m("BRA `(.L_end) ;\nFROB R1 ;\n.L_end:\nEXIT ;");
  runs(m, {1, 1, 1}, {32, 1, 1});
}

TEST_CASE("machine code: jumps out of the kernel, and its end, are errors") {
  CHECK(says(fails("MOV R4, 0x12340 ;\nRET.REL.NODEC R4 `(k) ;").message,
             "outside the kernel's code"));
  CHECK(says(fails("MOV R4, 0x8 ;\nRET.REL.NODEC R4 `(k) ;").message, "outside the kernel's code"));
  CHECK(says(fails("BRA 0x12340 ;").message, "goes out of the kernel"));
  CHECK(says(fails("NOP ;").message, "runs over the end"));
}

TEST_CASE("machine code: damaged text is an error") {
  for (const char* line : {"LDG.E R0, desc[UR4][R2.64 ;", "MOV R0, |R1 ;", "LDG R0, [R2+@] ;",
                           "@ ;", "@R2 EXIT ;", "MOV R0, c[ ;"})
    CHECK(!fails(std::string(line) + "\nEXIT ;").message.empty());
}

TEST_CASE("machine code: an address outside memory names the instruction") {
  const Error e = fails("MOV R2, 0x10 ;\nMOV R3, RZ ;\nLDG.E R4, desc[UR4][R2.64] ;\nEXIT ;");
  CHECK(says(e.text(), "out-of-bounds global load of 4 bytes at 0x10"));
  CHECK(says(e.text(), "LDG.E R4, desc[UR4][R2.64]"));
  CHECK(
      says(fails("MOV R2, 0x4000 ;\nLDS R4, [R2] ;\nEXIT ;").message, "out-of-bounds shared load"));
}

TEST_CASE("machine code: a cubin that is cut short is an error") {
  std::vector<unsigned char> bytes(200, 0);
  std::memcpy(bytes.data(),
              "\x7f"
              "ELF\x02\x01",
              6);
  for (std::size_t n = 0; n < bytes.size(); n += 7) {
    const auto contents = read_cubin(std::span(bytes).first(n), "cut.cubin");
    if (n < 64) CHECK(!contents.ok());
  }
}
