// Every instruction that reaches memory, at addresses and offsets where there is nothing of its
// own: it runs, or is refused with a place and a fix. A signal ends this test, and so does none of
// them.
#include <fmt/format.h>

#include <array>
#include <set>

#include "emulate/ptx/program.hpp"
#include "tests/emulate/support.hpp"

using namespace warpmem;
using namespace warpmem::emulate;
using namespace warpmem::emulate::test;

namespace {

// An instruction whose address is {0}: "[%a]", "[%a+4096]", "[p+-8]", "[t+16]" …
using Forms = std::vector<std::string>;

struct Typed {
  const char* name;
  std::uint32_t bytes;
  const char* reg;
};
constexpr Typed kTypes[] = {{"b8", 1, "%h"},  {"u8", 1, "%h"},  {"s8", 1, "%h"},   {"b16", 2, "%h"},
                            {"u16", 2, "%h"}, {"s16", 2, "%h"}, {"b32", 4, "%r"},  {"u32", 4, "%r"},
                            {"s32", 4, "%r"}, {"f32", 4, "%f"}, {"b64", 8, "%d"},  {"u64", 8, "%d"},
                            {"s64", 8, "%d"}, {"f64", 8, "%e"}, {"b128", 16, "%q"}};

std::string registers(const Typed& t, int n) {
  if (n == 1) return fmt::format("{}1", t.reg);
  std::string out = "{";
  for (int i = 1; i <= n; ++i) out += fmt::format("{}{}{}", i > 1 ? ", " : "", t.reg, i);
  return out + "}";
}

// `at` is how the address is written.
void loads_and_stores(const std::string& space, const std::string& at, Forms& out) {
  for (const Typed& t : kTypes)
    for (const int n : {1, 2, 4, 8}) {
      if (t.bytes * static_cast<std::uint32_t>(n) > 32) continue;
      const std::string vector = n > 1 ? fmt::format(".v{}", n) : "";
      out.push_back(fmt::format("ld{}{}.{} {}, {};", space, vector, t.name, registers(t, n), at));
      if (space != ".const" && space != ".param")
        out.push_back(fmt::format("st{}{}.{} {}, {};", space, vector, t.name, at, registers(t, n)));
    }
}

void ordered(const std::string& at, Forms& out) {
  for (const char* space : {"", ".global", ".shared"}) {
    for (const char* how : {".volatile", ".relaxed.gpu", ".acquire.cta", ".relaxed.sys"})
      out.push_back(fmt::format("ld{}{}.u32 %r1, {};", how, space, at));
    for (const char* how : {".volatile", ".relaxed.gpu", ".release.cta"})
      out.push_back(fmt::format("st{}{}.u32 {}, %r1;", how, space, at));
  }
  for (const char* how :
       {".nc", ".ca", ".cg", ".cs", ".cv", ".lu", ".L1::no_allocate", ".L2::256B"})
    out.push_back(fmt::format("ld.global{}.u32 %r1, {};", how, at));
  for (const char* how : {".wb", ".cg", ".cs", ".wt", ".L1::evict_last"})
    out.push_back(fmt::format("st.global{}.u32 {}, %r1;", how, at));
  out.push_back(fmt::format("ldu.global.u32 %r1, {};", at));
}

void atomics(const std::string& at, Forms& out) {
  const std::pair<const char*, std::vector<const char*>> ops[] = {
      {"add", {"u32", "s32", "u64", "f32", "f64", "f16x2", "bf16x2"}},
      {"min", {"u32", "s32", "u64", "s64"}},
      {"max", {"u32", "s32", "u64", "s64"}},
      {"inc", {"u32"}},
      {"dec", {"u32"}},
      {"and", {"b32", "b64"}},
      {"or", {"b32", "b64"}},
      {"xor", {"b32", "b64"}},
      {"exch", {"b32", "b64", "b128"}},
      {"cas", {"b16", "b32", "b64", "b128"}}};
  for (const char* space : {"", ".global", ".shared", ".shared::cluster"})
    for (const auto& [op, types] : ops)
      for (const std::string type : types) {
        const bool cas = std::string(op) == "cas", exch = std::string(op) == "exch";
        const std::string bits = type.find("16x2") != type.npos ? "32" : type.substr(1);
        const std::string reg = type == "f32"   ? "%f"
                                : type == "f64" ? "%e"
                                : bits == "16"  ? "%h"
                                : bits == "32"  ? "%r"
                                : bits == "64"  ? "%d"
                                                : "%q";
        const std::string noftz = type.find("16x2") != type.npos ? ".noftz" : "";
        out.push_back(fmt::format("atom{}.{}{}.{} {}1, {}, {}2{};", space, op, noftz, type, reg, at,
                                  reg, cas ? ", " + reg + "3" : ""));
        if (!cas && !exch)
          out.push_back(fmt::format("red{}.{}{}.{} {}, {}2;", space, op, noftz, type, at, reg));
      }
  out.push_back(fmt::format("atom.global.v2.f32.add {{%f1, %f2}}, {}, {{%f3, %f4}};", at));
  out.push_back(fmt::format("red.global.v4.f32.add {}, {{%f1, %f2, %f3, %f4}};", at));
}

// Copies, matrices, barriers in memory, prefetches, textures by pointer, what calls read.
void others(const std::string& at, Forms& out) {
  for (const int bytes : {4, 8, 16}) {
    out.push_back(fmt::format("cp.async.ca.shared.global {}, [%d7], {};", at, bytes));
    out.push_back(fmt::format("cp.async.ca.shared.global [%r7], {}, {};", at, bytes));
    out.push_back(fmt::format("cp.async.ca.shared.global [%r7], {}, {}, %r6;", at, bytes));
  }
  out.push_back(fmt::format("cp.async.cg.shared.global {}, [%d7], 16, 0;", at));
  for (const char* x : {"x1", "x2", "x4"})
    for (const char* trans : {"", ".trans"}) {
      const std::string list = x[1] == '1'   ? "{%r1}"
                               : x[1] == '2' ? "{%r1, %r2}"
                                             : "{%r1, %r2, %r3, %r4}";
      out.push_back(
          fmt::format("ldmatrix.sync.aligned.m8n8.{}{}.shared.b16 {}, {};", x, trans, list, at));
      out.push_back(
          fmt::format("stmatrix.sync.aligned.m8n8.{}{}.shared.b16 {}, {};", x, trans, at, list));
    }
  for (const char* space : {".global", ".shared", ""})
    for (const char* layout : {"row", "col"}) {
      out.push_back(
          fmt::format("wmma.load.a.sync.aligned.{}.m16n16k16{}.f16 {{%r1, %r2, %r3, %r4, %r5, %r6, "
                      "%r7, %r8}}, {}, %r6;",
                      layout, space, at));
      out.push_back(
          fmt::format("wmma.load.c.sync.aligned.{}.m16n16k16{}.f32 {{%f1, %f2, %f3, %f4, %f5, %f6, "
                      "%f7, %f8}}, {}, %r6;",
                      layout, space, at));
      out.push_back(
          fmt::format("wmma.store.d.sync.aligned.{}.m16n16k16{}.f32 {}, {{%f1, %f2, %f3, %f4, %f5, "
                      "%f6, %f7, %f8}}, %r6;",
                      layout, space, at));
    }
  for (const char* text :
       {"mbarrier.init.shared.b64 {0}, 4;",
        "mbarrier.inval.shared.b64 {0};",
        "mbarrier.arrive.shared.b64 %d1, {0};",
        "mbarrier.arrive.expect_tx.shared.b64 %d1, {0}, 16;",
        "mbarrier.arrive.shared::cluster.b64 _, {0};",
        "mbarrier.expect_tx.relaxed.cta.shared.b64 {0}, 16;",
        "mbarrier.complete_tx.relaxed.cta.shared.b64 {0}, 16;",
        "mbarrier.test_wait.shared.b64 %c, {0}, %d2;",
        "mbarrier.try_wait.parity.shared.b64 %c, {0}, 1;",
        "mbarrier.test_wait.b64 %c, {0}, %d2;",
        "cp.async.mbarrier.arrive.shared.b64 {0};",
        "cp.async.mbarrier.arrive.noinc.b64 {0};",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes {0}, [%d7], 16, [%r7];",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r7], {0}, 16, [%r7];",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r7], [%d7], 16, {0};",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r7], {0}, %r5, [%r7];",
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes {0}, [%r7], 16, "
        "[%r7];",
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r7], {0}, 16, "
        "[%r7];",
        "cp.async.bulk.global.shared::cta.bulk_group {0}, [%r7], 16;",
        "cp.async.bulk.global.shared::cta.bulk_group [%d7], {0}, 16;",
        "cp.async.bulk.global.shared::cta.bulk_group [%d7], {0}, %r5;",
        "cp.async.bulk.global.shared::cta.bulk_group {0}, [%r7], %r5;",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 {0}, [%r7], 16;",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d7], {0}, 16;",
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 "
        "{0}, [%r7], 16, [%r7];",
        "cp.async.bulk.prefetch.L2.global {0}, 16;",
        "cp.async.bulk.prefetch.L2.global {0}, %r5;",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r7], [%a, "
        "{%r1, %r2}], [%r7];",
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%a, {%r1, %r2}], {0};",
        "cp.async.bulk.prefetch.tensor.2d.L2.global [%a, {%r1, %r2}];",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%a, {%r1, %r2}], {0};",
        "tensormap.replace.tile.global_address.global.b1024.b64 {0}, %d1;",
        "tensormap.replace.tile.rank.shared::cta.b1024.b32 {0}, 1;",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 {0}, %r1, [%r7];",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 {0}, {%r1, %r2, %r3, %r4}, "
        "[%r7];",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r7], %r1, {0};",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 {0}, %r1, "
        "[%r7];",
        "prefetch.global.L1 {0};",
        "prefetch.global.L2 {0};",
        "prefetch.local.L1 {0};",
        "prefetchu.L1 {0};",
        "prefetch.L2 {0};",
        "applypriority.global.L2::evict_normal {0}, 128;",
        "discard.global.L2 {0}, 128;"}) {
    std::string form = text;
    for (std::size_t i = form.find("{0}"); i != form.npos; i = form.find("{0}"))
      form.replace(i, 3, at);
    out.push_back(std::move(form));
  }
}

// What takes an address as a number: %a.
const Forms kByValue = {
    "isspacep.global %c, %a;",
    "isspacep.shared %c, %a;",
    "isspacep.local %c, %a;",
    "isspacep.const %c, %a;",
    "isspacep.param %c, %a;",
    "mapa.u64 %d1, %a, 3;",
    "mapa.shared::cluster.u32 %r1, %b, 77;",
    "getctarank.u64 %r1, %a;",
    "getctarank.shared::cluster.u32 %r1, %b;",
    "alloca.u64 %d1, %a; st.local.u32 [%d1], %r1;",
    "alloca.u64 %d1, 64; st.local.u32 [%d1+512000], %r1;",
    "stacksave.u64 %d1; stackrestore.u64 %a; alloca.u64 %d1, 16; st.local.u32 [%d1], %r1;",
    "cvta.shared.u64 %d1, %a; ld.u32 %r1, [%d1];",
    "cvta.local.u64 %d1, %a; ld.u32 %r1, [%d1];",
    "cvta.param.u64 %d1, %a; ld.u32 %r1, [%d1];",
    "cvta.to.shared.u64 %d1, %a; ld.shared.u32 %r1, [%d1];",
    "cvta.to.local.u64 %d1, %a; ld.local.u32 %r1, [%d1];",
    "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%a, {%r1, %r2}];",
    "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%a, {%r1}];",
    "suld.b.2d.b32.trap {%r1}, [%a, {%r2, %r3}];",
    "sust.b.2d.b32.trap [%a, {%r2, %r3}], {%r1};",
    "txq.width.b32 %r1, [%a];",
    "{ .param .b64 q; st.param.b64 [q], %a; call g, (q); }",
    "{ .param .b64 q; st.param.b64 [q], %a; call s, (q); }",
    "{ .param .b64 q; .param .b64 z; .param .b32 o; st.param.b64 [q], %a; st.param.b64 [z], %d7; "
    "call (o), vprintf, (q, z); }",
    "{ .param .b64 q; .param .b64 z; .param .b32 o; st.param.b64 [q], %d7; st.param.b64 [z], %a; "
    "call (o), vprintf, (q, z); }",
    "{ .param .b64 q; st.param.b64 [q], %a; call free, (q); }",
    "{ .param .b64 q; .param .b64 z; st.param.b64 [q], %a; call (z), malloc, (q); ld.param.b64 "
    "%d1, [z]; st.u32 [%d1], %r1; }",
    "proto: .callprototype ()_ (); call %a, (), proto;",
    "T: .branchtargets A, B; brx.idx %b, T; A: B:",
    "bar.sync %b;",
    "bar.sync 1, %b;",
    "bar.arrive %b, 64;",
    "bar.red.popc.u32 %r1, %b, 32, %c;",
    "barrier.cluster.arrive; barrier.cluster.wait;",
    "shfl.sync.idx.b32 %r1, %r2, %b, %b, -1;",
    "match.any.sync.b32 %r1, %b, -1;",
    "redux.sync.add.s32 %r1, %b, %b;",
    "mov.u64 %d1, p; ld.param.u64 %d2, [%d1+4096];",
    "mov.u64 %d1, p; add.u64 %d1, %d1, %a; ld.param.u64 %d2, [%d1];",
    "mov.u64 %d1, p; cvta.param.u64 %d2, %d1; ld.u64 %d3, [%d2+32760];",
    "mov.u64 %d1, p; cvta.param.u64 %d2, %d1; st.u64 [%d2], %d3;",
    "mov.u64 %d1, p; cvta.param.u64 %d2, %d1; atom.add.u32 %r1, [%d2], %r2;"};

std::string module_of(const std::string& body) {
  return std::string(kHeader) + R"(.global .align 128 .b8 g1[256];
.const .align 16 .b8 c1[64];
.shared .align 128 .b8 t[1024];
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.extern .func free (.param .b64 a);
.extern .func (.param .b64 r) malloc (.param .b64 a);
.func g(.param .b64 a) { .reg .b64 %d<3>; ld.param.b64 %d1, [a]; ld.b64 %d2, [%d1]; ret; }
.func s(.param .b64 a) { .reg .b64 %d<3>; ld.param.b64 %d1, [a]; st.b64 [%d1], %d2; ret; }
.visible .entry k(.param .u64 p, .param .align 8 .b8 m[24], .param .u64 out)
{
.reg .pred %c; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .f64 %e<9>; .reg .b128 %q<9>;
.reg .b64 %a; .reg .b32 %b; .local .align 16 .b8 l1[64];
ld.param.u64 %a, [p]; cvt.u32.u64 %b, %a; ld.param.u64 %d7, [out]; mov.u32 %r7, t; mov.u32 %r6, 16; mov.u32 %r5, 0xfffffff0;
)" + body +
         "\nret;\n}\n";
}

// Addresses, as parameter p.
std::vector<std::uint64_t> wrong(const Memory& memory, std::uint64_t buffer) {
  return {0,
          1,
          16,
          4096,
          ~std::uint64_t{0},
          ~std::uint64_t{3},
          ~std::uint64_t{15},
          std::uint64_t{1} << 63,
          0xffffffff81000000u,
          0x7fffffffffffu,
          0x7ffffffffff0u,
          0x0000555555554000u,
          kMemoryBase,
          kMemoryBase + kMemoryBytes - 16,
          kMemoryBase - 16,
          memory.param_base(),
          memory.param_base() + 16,
          memory.param_base() + 48,
          memory.barrier_base(),
          memory.barrier_base() + kGridBarrierBytes,
          kSharedWindow,
          kSharedWindow + 1024,
          kSharedWindow + kWindowBytes - 8,
          kSharedWindow + (std::uint64_t{5} << kRankShift),
          kLocalWindow,
          kLocalWindow + (512 << 10),
          kLocalWindow + kWindowBytes - 4,
          kCodeWindow,
          kCodeWindow + 16,
          buffer + 252,
          buffer + 256,
          buffer + 3,
          0x7ffffffc,
          0xffffffffu,
          0xfffffff0u,
          std::uint64_t{1} << kRankShift,
          64,
          1024};
}

struct Tried {
  std::size_t instructions = 0, decoded = 0, runs = 0, ran = 0, refused = 0;
  std::set<std::string> not_decoded;
};

class Trial {
 public:
  Trial()
      : memory_(Memory::create(std::uint64_t{1} << 30).value()),
        buffer_(memory_.allocate(256, trace::AllocationKind::kDevice)) {}

  void run(const std::string& body, bool with_addresses) {
    ++tried.instructions;
    auto module = parse_ptx("t.ptx", module_of(body));
    if (!module) return refused(body, module.error());
    auto loaded = LoadedModule::load(std::move(module).value(), memory_);
    if (!loaded) return refused(body, loaded.error());
    auto kernel = build_kernel(**loaded, "k");
    if (!kernel) return refused(body, kernel.error());
    ++tried.decoded;
    const auto all = wrong(memory_, buffer_);
    for (const std::uint64_t address : with_addresses ? all : std::vector<std::uint64_t>{buffer_})
      launch(**kernel, body, address);
  }

  Tried tried;

 private:
  void refused(const std::string& body, const Error& e) {
    tried.not_decoded.insert(body);
    if (e.kind == ErrorKind::kInternal || e.place.empty() || e.message.empty())
      FAIL(body << ": " << e.text());
  }

  void launch(const Kernel& kernel, const std::string& body, std::uint64_t address) {
    LaunchShape shape;
    shape.block = {32, 1, 1};
    shape.sms = kH200Sms, shape.waits = kH200Waits;
    shape.params.resize(kernel.param_bytes);
    std::memcpy(shape.params.data(), &address, 8);
    std::memcpy(shape.params.data() + kernel.param_bytes - 8, &buffer_, 8);
    RunStatistics statistics;
    RunOptions options;
    options.max_instructions = 100000;
    options.print = [](const std::string&) {};
    const auto ran = run_launch(kernel, memory_, shape, options, nullptr, statistics);
    ++tried.runs;
    if (ran) {
      ++tried.ran;
      return;
    }
    ++tried.refused;
    const Error& e = ran.error();
    const bool says_where =
        !e.place.empty() ||
        e.message.find("of the kernel 'k'") != std::string::npos;  // a deadlock has many places
    if (e.kind == ErrorKind::kInternal || !says_where || e.fix.empty())
      FAIL(body << " at " << address << ": " << e.text());
  }

  Memory memory_;
  std::uint64_t buffer_;
};

}  // namespace

TEST_CASE("no instruction at a wrong address or offset ends in a signal") {
  Trial trial;
  constexpr std::array<std::int64_t, 6> kOffsets = {0, 4, -8, 4096, 268435456, -2147483648};
  for (const std::int64_t offset : kOffsets) {
    Forms forms;
    const std::string at = fmt::format("[%a+{}]", offset);
    for (const char* space :
         {"", ".global", ".shared", ".shared::cluster", ".local", ".const", ".param"})
      loads_and_stores(space, at, forms);
    for (const char* space : {".shared", ".local"})
      loads_and_stores(space, fmt::format("[%b+{}]", offset), forms);
    ordered(at, forms), atomics(at, forms), others(at, forms);
    for (const std::string& form : forms) trial.run(form, true);
    // By the name of a variable or parameter.
    Forms named;
    for (const auto& [space, name] :
         std::initializer_list<std::pair<const char*, const char*>>{{".global", "g1"},
                                                                    {"", "g1"},
                                                                    {".const", "c1"},
                                                                    {".shared", "t"},
                                                                    {".local", "l1"},
                                                                    {".param", "p"},
                                                                    {".param", "m"},
                                                                    {".param", "out"}})
      loads_and_stores(space, fmt::format("[{}+{}]", name, offset), named);
    for (const Typed& t : kTypes)  // parameters of calls
      for (const int n : {1, 2, 4}) {
        if (t.bytes * static_cast<std::uint32_t>(n) > 32) continue;
        const std::string vector = n > 1 ? fmt::format(".v{}", n) : "";
        named.push_back(fmt::format(
            "{{ .param .align 16 .b8 q[32]; st.param{}.{} [q+{}], {}; ld.param{}.{} {}, [q+{}]; }}",
            vector, t.name, offset, registers(t, n), vector, t.name, registers(t, n), offset));
      }
    for (const std::string& form : named) trial.run(form, false);
  }
  for (const std::string& form : kByValue) trial.run(form, true);
  const Tried& t = trial.tried;
  UNSCOPED_INFO(fmt::format("{} instructions, {} decoded, {} runs: {} to their end, {} refused",
                            t.instructions, t.decoded, t.runs, t.ran, t.refused));
  if (std::getenv("WARPMEM_SHOW")) {
    WARN(fmt::format("{} instructions, {} decoded, {} runs: {} to their end, {} refused",
                     t.instructions, t.decoded, t.runs, t.ran, t.refused));
    for (const std::string& form : t.not_decoded) WARN(form);
  }
  CHECK(t.instructions > 11000);
  CHECK(t.decoded > 10000);  // the others are outside a variable or parameter, and said to be
  CHECK(t.ran > 15000);
  CHECK(t.refused > 200000);
}

TEST_CASE("an access outside a kernel's parameter is refused where it stands") {
  const auto error = [](const std::string& body) {
    auto module = parse_ptx("t.ptx", module_of(body));
    if (!module) FAIL(module.error().text());
    auto memory = Memory::create(std::uint64_t{1} << 30);
    auto loaded = LoadedModule::load(std::move(module).value(), *memory);
    auto kernel = build_kernel(**loaded, "k");
    REQUIRE(!kernel.ok());
    return kernel.error();
  };
  for (const char* body :
       {"ld.param.u64 %d2, [p+268435456];", "ld.param.u64 %d2, [p+-8];",
        "ld.param.u64 %d2, [p+4096];", "ld.param.u32 %r1, [p+38];",
        "ld.param.v4.u32 {%r1, %r2, %r3, %r4}, [m+20];", "ld.param.v2.f64 {%e1, %e2}, [out];",
        "ld.param.u8 %h1, [out+-33];", "ld.param.u64 %d2, [p+9223372036854775807];",
        "{ .param .b64 q; ld.param.b64 %d2, [q+8]; }",
        "{ .param .b64 q; st.param.b64 [q+-1], %d2; }"}) {
    const Error e = error(body);
    INFO(body << ": " << e.text());
    CHECK(e.kind == ErrorKind::kMalformed);
    CHECK((e.message.find("outside the kernel's parameters") != std::string::npos ||
           e.message.find("outside the parameter:") != std::string::npos));
    CHECK(e.place.starts_with("t.ptx:"));
    CHECK_FALSE(e.fix.empty());
  }
}

TEST_CASE("computed addresses reach a kernel's parameters and nothing behind them") {
  const auto launch = [](const std::string& body) {
    Machine m(module_of(body));
    m.argument(std::uint64_t{0x1122334455667788}), m.argument(std::uint64_t{1}),
        m.argument(std::uint64_t{2}), m.argument(std::uint64_t{3});
    m.argument(m.buffer(std::vector<std::uint64_t>(4)));
    return m.launch("k", {1, 1, 1}, {32, 1, 1});
  };
  CHECK(launch("ld.param.u64 %d2, [p+8]; ld.param.u64 %d2, [out+-32];").ok());  // as ptxas takes it
  CHECK(launch("mov.u64 %d1, p; ld.param.u64 %d2, [%d1+32];").ok());
  CHECK(launch("mov.u64 %d1, p; cvta.param.u64 %d2, %d1; ld.u64 %d3, [%d2+32];").ok());
  for (const char* body :
       {"mov.u64 %d1, p; ld.param.u64 %d2, [%d1+40];",
        "mov.u64 %d1, p; ld.param.v2.u64 {%d2, %d3}, [%d1+32];",
        "mov.u64 %d1, p; cvta.param.u64 %d2, %d1; ld.u64 %d3, [%d2+40];",
        "mov.u64 %d1, p; ld.param.u64 %d2, [%d1+-8];",
        "mov.u64 %d1, p; cvta.param.u64 %d2, %d1; st.u64 [%d2], %d3;",
        "mov.u64 %d1, p; cvta.param.u64 %d2, %d1; atom.add.u32 %r1, [%d2], %r2;"}) {
    const auto ran = launch(body);
    INFO(body);
    REQUIRE(!ran.ok());
    CHECK((ran.error().message.find("kernel's parameters") != std::string::npos ||
           ran.error().message.starts_with("out-of-bounds global load")));
  }
}
