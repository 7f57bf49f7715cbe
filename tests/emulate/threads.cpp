// CTAs on several threads: the same results and the same trace as in order.
#include <fstream>
#include <iterator>

#include "tests/emulate/support.hpp"

using namespace warpmem::emulate;
using namespace warpmem::emulate::test;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

// Thread i: rounds of arithmetic on in[i], out[i] = the result, out[n + i] = in[i ^ 1].
const char* const kAlone = R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<12>; .reg .b64 %x<8>; .shared .align 4 .b8 s[1024];
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r0, %r1, %r2;
  ld.param.u64 %x0, [in]; mul.wide.u32 %x1, %r3, 4; add.u64 %x2, %x0, %x1; ld.global.u32 %r4, [%x2];
  mov.u32 %r5, 0; mov.u32 %r6, s; mad.lo.u32 %r6, %r2, 4, %r6;
LOOP:
  mad.lo.u32 %r4, %r4, 1664525, 1013904223; st.shared.u32 [%r6], %r4; bar.sync 0;
  add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 400; @%p bra LOOP;
  ld.param.u64 %x3, [out]; add.u64 %x4, %x3, %x1; st.global.u32 [%x4], %r4;
  xor.b32 %r7, %r3, 1; mul.wide.u32 %x5, %r7, 4; add.u64 %x6, %x0, %x5; ld.global.u32 %r8, [%x6];
  ld.param.u32 %r9, [n]; mul.wide.u32 %x7, %r9, 4; add.u64 %x4, %x4, %x7; st.global.u32 [%x4], %r8;
  ret;
})";
// CTA c: data[c] = data[c - 1] + 1, after long arithmetic that keeps several of them busy.
const char* const kChain = R"(
.visible .entry k(.param .u64 data, .param .u64 unused, .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<12>; .reg .b64 %x<8>;
  mov.u32 %r0, %ctaid.x; mov.u32 %r2, %tid.x; mov.u32 %r5, 0;
LOOP:
  mad.lo.u32 %r4, %r5, 1664525, 1013904223;
  add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 2000; @%p bra LOOP;
  ld.param.u64 %x0, [data]; mul.wide.u32 %x1, %r0, 4; add.u64 %x2, %x0, %x1; ld.global.u32 %r6, [%x2];
  add.u32 %r6, %r6, 1; st.global.u32 [%x2 + 4], %r6;
  ret;
})";

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Ran {
  std::vector<u32> out;
  std::string trace;
  RunStatistics statistics;
};
Ran run(const std::string& kernel, u32 threads, u32 ctas, u32 block, std::size_t words) {
  Machine m(std::string(kHeader) + kernel);
  m.options.threads = threads;
  std::vector<u32> in(words);
  for (std::size_t i = 0; i < words; ++i) in[i] = static_cast<u32>(i * 2654435761u);
  std::fill(in.begin() + static_cast<std::ptrdiff_t>(words / 2), in.end(), 0);
  const u64 a = m.buffer(in), b = m.buffer(std::vector<u32>(words));
  m.argument(a), m.argument(b), m.argument(static_cast<u32>(words / 2));
  const std::string path = "threads_" + std::to_string(threads) + ".wmt";
  const auto ok = m.launch("k", {ctas, 1, 1}, {block, 1, 1}, 0, path);
  INFO((ok ? std::string() : ok.error().text()));
  REQUIRE(ok.ok());
  Ran r{m.read<u32>(b, words), read_file(path), m.statistics};
  const auto changed = m.read<u32>(a, words);
  r.out.insert(r.out.end(), changed.begin(), changed.end());
  std::remove(path.c_str());
  return r;
}

}  // namespace

TEST_CASE("CTAs that keep to themselves give the same bytes on any number of threads") {
  const u32 ctas = 300, block = 256;
  const Ran one = run(kAlone, 1, ctas, block, std::size_t{ctas} * block * 2);
  CHECK(one.out[ctas * block] == 2654435761u);  // in[1]
  for (const u32 threads : {2u, 3u, 8u}) {
    const Ran many = run(kAlone, threads, ctas, block, std::size_t{ctas} * block * 2);
    CHECK(many.out == one.out);
    CHECK(many.trace == one.trace);
    CHECK(many.statistics.warp_instructions == one.statistics.warp_instructions);
    CHECK(many.statistics.thread_instructions == one.statistics.thread_instructions);
    CHECK(many.statistics.memory_records == one.statistics.memory_records);
  }
}

TEST_CASE("CTAs that read what others write are run in order") {
  const Ran one = run(kChain, 1, 1000, 32, 2048);
  CHECK(one.out[2048 + 1000] == 1000);
  for (const u32 threads : {2u, 8u}) {
    const Ran many = run(kChain, threads, 1000, 32, 2048);
    CHECK(many.out == one.out);
    CHECK(many.trace == one.trace);
  }
}

TEST_CASE("a fault on several threads is the one that comes first in order") {
  std::string first;
  for (const u32 threads : {1u, 4u}) {
    Machine m(std::string(kHeader) + kAlone);
    m.options.threads = threads;
    const u32 words = 200 * 256;  // CTA 200 reads beyond its end
    const u64 b = m.buffer(std::vector<u32>(std::size_t{300} * 256 * 2)),
              a = m.buffer(std::vector<u32>(words));  // nothing behind a
    m.argument(a), m.argument(b), m.argument(u32{300 * 256});
    const auto ok = m.launch("k", {300, 1, 1}, {256, 1, 1});
    REQUIRE(!ok.ok());
    CHECK(ok.error().text().find("CTA (200,0,0)") != std::string::npos);
    if (first.empty()) first = ok.error().text();
    CHECK(ok.error().text() == first);
  }
}
