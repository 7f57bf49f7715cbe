// CTAs that see each other while they run: all that fit the GPU are active, and take turns.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>

#include "emulate/executor/crossing.hpp"
#include "tests/emulate/support.hpp"

using namespace warpmem::emulate;
using namespace warpmem::emulate::test;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

const char* const kRegisters =
    ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %x<16>; mov.u32 %r0, %ctaid.x; mov.u32 %r1, "
    "%tid.x;";

// Persistent CTAs: item after item from a queue's head, each with its own number of rounds.
const std::string kQueue = std::string(R"(
.visible .entry k(.param .u64 head, .param .u64 share, .param .u64 rounds, .param .u32 items) {
  .shared .align 4 .u32 item;)") +
                           kRegisters + R"(
  ld.param.u64 %x0, [head]; ld.param.u64 %x1, [share]; ld.param.u64 %x2, [rounds]; ld.param.u32 %r2, [items];
  setp.ne.u32 %p0, %r1, 0; mul.wide.u32 %x3, %r0, 4; add.u64 %x3, %x3, %x1; mov.b32 %r3, 0;
NEXT: @%p0 bra TAKEN; atom.global.add.u32 %r4, [%x0], 1; st.shared.u32 [item], %r4;
TAKEN: bar.sync 0; ld.shared.u32 %r4, [item]; bar.sync 0; setp.ge.u32 %p1, %r4, %r2; @%p1 bra END;
  mul.wide.u32 %x4, %r4, 4; add.u64 %x4, %x4, %x2; ld.global.u32 %r5, [%x4];
WORK: mad.lo.u32 %r6, %r6, 1664525, 1013904223; sub.u32 %r5, %r5, 1; setp.ne.u32 %p2, %r5, 0; @%p2 bra WORK;
  add.u32 %r3, %r3, 1; bra NEXT;
END: @%p0 bra OUT; st.global.u32 [%x3], %r3;
OUT: ret; })";

// Every thread takes a lock of the whole grid, its lanes one after the other.
const std::string kLock = std::string(".visible .entry k(.param .u64 lock) {") + kRegisters + R"(
  ld.param.u64 %x0, [lock];
TRY: atom.global.cas.b32 %r2, [%x0], 0, 1; setp.ne.b32 %p0, %r2, 0; @%p0 bra TRY;
  ld.volatile.global.u32 %r3, [%x0 + 128]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%x0 + 128], %r3;
  atom.global.exch.b32 %r4, [%x0], 0; ret; })";

// One thread a CTA adds to a word ten times, by compare-and-swap; how often it tried goes to the
// CTA's.
const std::string kAdd =
    std::string(".visible .entry k(.param .u64 word, .param .u64 tries) {") + kRegisters + R"(
  ld.param.u64 %x0, [word]; ld.param.u64 %x1, [tries]; mul.wide.u32 %x2, %r0, 4; add.u64 %x1, %x1, %x2;
  setp.ne.u32 %p0, %r1, 0; @%p0 bra OUT; mov.b32 %r5, 0; mov.b32 %r6, 0;
ADD: ld.global.u32 %r2, [%x0];
TRY: add.u32 %r6, %r6, 1; add.u32 %r3, %r2, 1; atom.global.cas.b32 %r4, [%x0], %r2, %r3;
  setp.ne.u32 %p1, %r4, %r2; mov.b32 %r2, %r4; @%p1 bra TRY;
  add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 10; @%p2 bra ADD;
  st.global.u32 [%x1], %r6;
OUT: ret; })";

// Scan with decoupled look-back: tiles in the order of tickets; a tile's state is its sum and 1, or
// the sum up to it and 2. Thread i of tile t adds t % 7 + i.
const std::string kScan = std::string(R"(
.visible .entry k(.param .u64 ticket, .param .u64 states, .param .u64 out, .param .u64 looks) {
  .shared .align 4 .u32 tile; .shared .align 4 .u32 before;)") +
                          kRegisters + R"(
  ld.param.u64 %x0, [ticket]; ld.param.u64 %x1, [states]; ld.param.u64 %x2, [out]; ld.param.u64 %x3, [looks];
  setp.ne.u32 %p0, %r1, 0; @%p0 bra HAVE; atom.global.add.u32 %r2, [%x0], 1; st.shared.u32 [tile], %r2;
HAVE: bar.sync 0; ld.shared.u32 %r2, [tile]; rem.u32 %r3, %r2, 7; mul.wide.u32 %x4, %r2, 8; add.u64 %x4, %x4, %x1;
  @%p0 bra SEE;
  mul.lo.u32 %r4, %r3, 64; add.u32 %r4, %r4, 2016; mov.b64 %x5, {%r4, 1}; st.volatile.global.u64 [%x4], %x5;
  mov.b32 %r5, 0; mov.b32 %r6, 0; mov.u64 %x6, %x4; setp.eq.u32 %p1, %r2, 0; @%p1 bra FOUND;
BACK: sub.u64 %x6, %x6, 8;
LOOK: add.u32 %r6, %r6, 1; ld.volatile.global.u64 %x7, [%x6]; mov.b64 {%r7, %r8}, %x7; setp.eq.u32 %p2, %r8, 0; @%p2 bra LOOK;
  add.u32 %r5, %r5, %r7; setp.eq.u32 %p2, %r8, 1; @%p2 bra BACK;
FOUND: st.shared.u32 [before], %r5; add.u32 %r4, %r4, %r5; mov.b64 %x5, {%r4, 2}; st.volatile.global.u64 [%x4], %x5;
  mul.wide.u32 %x8, %r2, 4; add.u64 %x8, %x8, %x3; st.global.u32 [%x8], %r6;
SEE: bar.sync 0; ld.shared.u32 %r5, [before]; add.u32 %r9, %r1, 1; mad.lo.u32 %r5, %r3, %r9, %r5;
  mul.lo.u32 %r10, %r9, %r1; shr.u32 %r10, %r10, 1; add.u32 %r5, %r5, %r10;
  mad.lo.u32 %r11, %r2, 64, %r1; mul.wide.u32 %x9, %r11, 4; add.u64 %x9, %x9, %x2; st.global.u32 [%x9], %r5; ret; })";

// How many CTAs are there at once, and in which order they start: arithmetic in between.
const std::string kPresent =
    std::string(".visible .entry k(.param .u64 count, .param .u64 tickets) {") + kRegisters + R"(
  ld.param.u64 %x0, [count]; ld.param.u64 %x1, [tickets]; setp.ne.u32 %p0, %r1, 0; @%p0 bra OUT;
  atom.global.add.u32 %r2, [%x0 + 8], 1; mul.wide.u32 %x2, %r0, 4; add.u64 %x2, %x2, %x1; st.global.u32 [%x2], %r2;
  atom.global.add.u32 %r3, [%x0], 1; add.u32 %r3, %r3, 1; red.global.max.u32 [%x0 + 4], %r3; mov.b32 %r4, 0;
WORK: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 2000; @%p1 bra WORK;
  red.global.add.u32 [%x0], -1;
OUT: ret; })";

// CTA 0 waits for the last one.
const std::string kFlag =
    std::string(".visible .entry k(.param .u64 flag, .param .u32 last) {") + kRegisters + R"(
  ld.param.u64 %x0, [flag]; ld.param.u32 %r2, [last]; setp.eq.u32 %p0, %r0, %r2; @%p0 bra SET; setp.ne.u32 %p0, %r0, 0; @%p0 bra OUT;
WAIT: ld.acquire.gpu.global.u32 %r3, [%x0]; setp.eq.u32 %p1, %r3, 0; @%p1 bra WAIT;
  st.global.u32 [%x0 + 4], %r3; bra OUT;
SET: st.release.gpu.global.u32 [%x0], 5;
OUT: ret; })";

// Levels of a grid of 24 x 24 rows, each a thread that waits for the rows above and to the left:
// lanes wait for lanes of their own warp, and for those of other CTAs.
const std::string kLevels =
    std::string(".visible .entry k(.param .u64 ticket, .param .u64 done, .param .u64 levels) {") +
    kRegisters + R"(
  ld.param.u64 %x0, [ticket]; ld.param.u64 %x1, [done]; ld.param.u64 %x2, [levels];
  atom.global.add.u32 %r2, [%x0], 1; rem.u32 %r3, %r2, 24; mov.b32 %r4, 0; mov.b32 %r5, 24;
NEXT: setp.eq.u32 %p0, %r5, 24; setp.lt.u32 %p1, %r2, 24; and.pred %p1, %p1, %p0; @%p1 bra LEFT;
  setp.ne.u32 %p0, %r5, 24; setp.eq.u32 %p1, %r3, 0; and.pred %p1, %p1, %p0; @%p1 bra LEFT;
  sub.u32 %r6, %r2, %r5; mul.wide.u32 %x3, %r6, 4; add.u64 %x4, %x3, %x1;
SPIN: ld.volatile.global.u32 %r7, [%x4]; setp.eq.u32 %p2, %r7, 0; @%p2 bra SPIN;
  add.u64 %x5, %x3, %x2; ld.volatile.global.u32 %r8, [%x5]; add.u32 %r8, %r8, 1; max.u32 %r4, %r4, %r8;
LEFT: setp.eq.u32 %p3, %r5, 1; mov.b32 %r5, 1; @!%p3 bra NEXT;
  mul.wide.u32 %x3, %r2, 4; add.u64 %x5, %x3, %x2; add.u64 %x4, %x3, %x1;
  st.volatile.global.u32 [%x5], %r4; membar.gl; st.volatile.global.u32 [%x4], 1; ret; })";

// Every thread doubles its word, then the grid's first one adds up all of them: nothing makes it
// wait for the other CTAs, which on a GPU are done long before.
const std::string kSum =
    std::string(".visible .entry k(.param .u64 words, .param .u64 sum, .param .u32 many) {") +
    kRegisters + R"(
  ld.param.u64 %x0, [words]; ld.param.u64 %x1, [sum]; ld.param.u32 %r2, [many]; mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r0, %r3, %r1; mul.wide.u32 %x2, %r4, 4; add.u64 %x2, %x0, %x2;
  ld.global.u32 %r5, [%x2]; add.u32 %r5, %r5, %r5; st.global.u32 [%x2], %r5; bar.sync 0;
  setp.ne.u32 %p0, %r4, 0; @%p0 bra OUT; mov.b32 %r6, 0; mov.b32 %r7, 0;
NEXT: mul.wide.u32 %x3, %r6, 4; add.u64 %x3, %x0, %x3; ld.global.u32 %r8, [%x3]; add.u32 %r7, %r7, %r8;
  add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r2; @%p1 bra NEXT; st.global.u32 [%x1], %r7;
OUT: ret; })";

bool across(const std::string& ptx) {
  const auto module = parse_ptx("k.ptx", kHeader + ptx);
  REQUIRE(module.ok());
  return reads_across(module->functions.front());
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void ran(const warpmem::Result<void>& ok) {
  INFO((ok ? std::string() : ok.error().text()));
  REQUIRE(ok.ok());
}

}  // namespace

TEST_CASE("a thread that adds up what all CTAs have just written finds it written") {
  for (const u32 threads : {1u, 4u}) {
    const u32 ctas = 6, each = 128;
    Machine m(std::string(kHeader) + kSum);
    m.options.threads = threads;
    std::vector<u32> words(ctas * each);
    std::iota(words.begin(), words.end(), 1);
    const u64 at = m.buffer(words), sum = m.buffer(std::vector<u32>(1));
    m.argument(at), m.argument(sum), m.argument(ctas * each);
    ran(m.launch("k", {ctas, 1, 1}, {each, 1, 1}));
    CHECK(m.read<u32>(sum, 1)[0] == ctas * each * (ctas * each + 1));
  }
}

TEST_CASE("which kernels read what their other CTAs write, their PTX says") {
  CHECK(across(kSum));
  const auto kernel = [](const std::string& body) {
    return ".visible .entry k(.param .u64 a, .param .u64 b) {" + std::string(kRegisters) +
           "ld.param.u64 %x0, [a]; ld.param.u64 %x1, [b]; mul.wide.u32 %x2, %r0, 4; mul.wide.u32 "
           "%x3, %r1, 4; add.u64 %x4, %x0, %x2; " +
           body + " ret; }";
  };
  // Its own word; words of another array; words that nobody stores before; places that were loaded;
  // shared memory.
  CHECK(!across(kernel("st.global.u32 [%x4], %r1; ld.global.u32 %r2, [%x4];")));
  CHECK(!across(
      kernel("st.global.u32 [%x4], %r1; add.u64 %x5, %x1, %x3; ld.global.u32 %r2, [%x5];")));
  CHECK(!across(
      kernel("add.u64 %x5, %x0, %x3; ld.global.u32 %r2, [%x5]; st.global.u32 [%x4], %r2;")));
  CHECK(
      !across(kernel("st.global.u32 [%x4], %r1; ld.global.u32 %r2, [%x1]; mul.wide.u32 %x6, %r2, "
                     "4; add.u64 %x5, %x0, %x6; ld.global.u32 %r3, [%x5];")));
  CHECK(!across(kernel("st.global.u32 [%x0], %r1; ld.global.u32 %r2, [%x0];")));
  CHECK(
      across(kernel("st.global.u32 [%x4], %r1; add.u64 %x5, %x0, %x3; ld.global.u32 %r2, [%x5];")));
  CHECK(across(kernel("st.u32 [%x4], %r1; mov.u64 %x5, %x0; ld.u32 %r2, [%x5+4];")));
}

TEST_CASE(
    "persistent CTAs get about the same share of a queue, and the same one on any number of "
    "threads") {
  const u32 ctas = 40, each = 25;
  std::string first;
  for (const u32 threads : {1u, 4u, 1u}) {
    Machine m(std::string(kHeader) + kQueue);
    m.options.threads = threads;
    std::vector<u32> rounds(ctas * each);
    for (u32 i = 0; i < rounds.size(); ++i) rounds[i] = 50 + i * 2654435761u % 200;
    const u64 head = m.buffer(std::vector<u32>(1)), share = m.buffer(std::vector<u32>(ctas)),
              work = m.buffer(rounds);
    m.argument(head), m.argument(share), m.argument(work), m.argument(ctas * each);
    const std::string path = "turns.wmt";
    ran(m.launch("k", {ctas, 1, 1}, {64, 1, 1}, 0, path));
    const auto got = m.read<u32>(share, ctas);
    CHECK(std::accumulate(got.begin(), got.end(), 0u) == ctas * each);
    for (const u32 n : got) {
      CHECK(n >= each * 3 / 4);
      CHECK(n <= each * 4 / 3);
    }
    const std::string trace = read_file(path);
    std::remove(path.c_str());
    if (first.empty()) first = trace;
    CHECK(trace == first);
  }
}

TEST_CASE("a short queue too is shared out: no CTA takes two items before each has had one") {
  const u32 ctas = 40;
  Machine m(std::string(kHeader) + kQueue);
  const u64 head = m.buffer(std::vector<u32>(1)), share = m.buffer(std::vector<u32>(ctas)),
            work = m.buffer(std::vector<u32>(ctas, 1));
  m.argument(head), m.argument(share), m.argument(work), m.argument(ctas);
  ran(m.launch("k", {ctas, 1, 1}, {64, 1, 1}));
  CHECK(m.read<u32>(share, ctas) == std::vector<u32>(ctas, 1));
}

TEST_CASE(
    "a lock of the whole grid: every thread has it once, also where a lane that waits is parted "
    "from the one that has it") {
  for (const u32 ctas : {2u, 8u, 30u}) {
    Machine m(std::string(kHeader) + kLock);
    m.sms = 16;
    const u64 lock = m.buffer(std::vector<u32>(64));
    m.argument(lock);
    ran(m.launch("k", {ctas, 1, 1}, {64, 1, 1}));
    CHECK(m.read<u32>(lock, 64)[32] == ctas * 64);
  }
}

TEST_CASE("a compare-and-swap finds that others came first, and all get their turn") {
  const u32 ctas = 20;
  Machine m(std::string(kHeader) + kAdd);
  const u64 word = m.buffer(std::vector<u32>(1)), tries = m.buffer(std::vector<u32>(ctas));
  m.argument(word), m.argument(tries);
  ran(m.launch("k", {ctas, 1, 1}, {32, 1, 1}));
  CHECK(m.read<u32>(word, 1)[0] == ctas * 10);
  for (const u32 n : m.read<u32>(tries, ctas))
    CHECK(n > 10);  // as many as adds where nobody comes between
}

TEST_CASE("a scan with decoupled look-back: right, and it has to look back as on a GPU") {
  const u32 tiles = 500;
  Machine m(std::string(kHeader) + kScan);
  const u64 ticket = m.buffer(std::vector<u32>(1)), states = m.buffer(std::vector<u64>(tiles)),
            out = m.buffer(std::vector<u32>(tiles * 64)), looks = m.buffer(std::vector<u32>(tiles));
  m.argument(ticket), m.argument(states), m.argument(out), m.argument(looks);
  ran(m.launch("k", {tiles, 1, 1}, {64, 1, 1}));
  const auto got = m.read<u32>(out, tiles * 64);
  u32 sum = 0, wrong = 0;
  for (u32 t = 0; t < tiles; ++t)
    for (u32 i = 0; i < 64; ++i) wrong += got[t * 64 + i] != (sum += t % 7 + i);
  CHECK(wrong == 0);
  const auto n = m.read<u32>(looks, tiles);
  CHECK(std::accumulate(n.begin(), n.end(), 0u) > 2 * tiles);  // one after the other: once each
}

TEST_CASE(
    "as many CTAs are there at once as fit the SMs; they start in order, one where another has "
    "ended") {
  for (const u32 sm_ctas : {1u, 3u}) {
    Machine m(std::string(kHeader) + kPresent);
    m.sms = 4, m.sm_ctas = sm_ctas;
    const u64 count = m.buffer(std::vector<u32>(4)), tickets = m.buffer(std::vector<u32>(50));
    m.argument(count), m.argument(tickets);
    ran(m.launch("k", {50, 1, 1}, {32, 1, 1}));
    CHECK(m.read<u32>(count, 2) == std::vector<u32>{0, 4 * sm_ctas});
    std::vector<u32> in_order(50);
    std::iota(in_order.begin(), in_order.end(), 0u);
    CHECK(m.read<u32>(tickets, 50) == in_order);
  }
}

TEST_CASE(
    "lanes that wait for others of their warp and of other CTAs, row after row, soon get them") {
  const u32 rows = 24 * 24;
  Machine m(std::string(kHeader) + kLevels);
  m.options.max_instructions = 400'000;  // an H200 asks ten times for each row of such a grid
  const u64 ticket = m.buffer(std::vector<u32>(1)), done = m.buffer(std::vector<u32>(rows)),
            levels = m.buffer(std::vector<u32>(rows));
  m.argument(ticket), m.argument(done), m.argument(levels);
  ran(m.launch("k", {3, 1, 1}, {192, 1, 1}));
  const auto got = m.read<u32>(levels, rows);
  for (u32 i = 0; i < rows; ++i) CHECK(got[i] == i / 24 + i % 24);
}

TEST_CASE("a CTA that waits for one beyond those that fit gets it all the same") {
  Machine m(std::string(kHeader) + kFlag);
  m.sms = 2;
  const u64 flag = m.buffer(std::vector<u32>(2));
  m.argument(flag), m.argument(u32{1999});
  ran(m.launch("k", {2000, 1, 1}, {32, 1, 1}));
  CHECK(m.read<u32>(flag, 2)[1] == 5);
}
