// Thread instructions a second of the emulator on one core: arithmetic, and with every access
// traced.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <memory>
#include <string>

#include "emulate/executor/executor.hpp"
#include "emulate/ptx/parser.hpp"
#include "emulate/ptx/program.hpp"

namespace {

using namespace warpmem;
using namespace warpmem::emulate;

constexpr const char* kText = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry arithmetic(.param .u64 out)
{
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<5>;
  mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, 0f3F800000; mov.b32 %r2, 0;
LOOP: fma.rn.f32 %f2, %f2, %f1, %f2; fma.rn.f32 %f1, %f1, %f2, %f1; mul.f32 %f3, %f1, %f2; add.f32 %f2, %f3, %f1;
  mad.lo.s32 %r3, %r2, %r1, %r3; xor.b32 %r4, %r3, %r1; shl.b32 %r5, %r4, 3; add.s32 %r3, %r5, %r4;
  add.s32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 4096; @%p1 bra LOOP;
  ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; cvt.rn.f32.u32 %f4, %r3; add.f32 %f4, %f4, %f2; st.global.f32 [%rd3], %f4;
  ret;
}
.visible .entry copy(.param .u64 out)
{
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<5>;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r4, %r2, %r3, %r1; mov.b32 %r5, 0;
  ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;
LOOP: ld.global.u32 %r6, [%rd3]; st.global.u32 [%rd3+4194304], %r6; add.s32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 64; @%p1 bra LOOP;
  ret;
}
)";

void run(benchmark::State& state, const char* entry, bool traced) {
  auto memory = Memory::create(std::uint64_t{1} << 34);
  auto module = parse_ptx("bench.ptx", kText);
  if (!memory || !module) return state.SkipWithError("setup failed");
  auto loaded = LoadedModule::load(std::move(module).value(), *memory);
  auto kernel = build_kernel(**loaded, entry);
  if (!kernel) return state.SkipWithError(kernel.error().text().c_str());
  LaunchShape shape;
  shape.grid = {64, 1, 1}, shape.block = {256, 1, 1};
  const std::uint64_t out = memory->allocate(8u << 20, trace::AllocationKind::kDevice);
  shape.params.resize(8);
  *reinterpret_cast<std::uint64_t*>(shape.params.data()) = out;
  const std::string path =
      (std::filesystem::temp_directory_path() / "warpmem-bench-emulate.wmt").string();
  RunStatistics total;
  for (auto unused : state) {
    static_cast<void>(unused);
    if (!traced) {
      if (!run_launch(**kernel, *memory, shape, {}, nullptr, total))
        state.SkipWithError("the kernel failed");
      continue;
    }
    auto writer = trace::TraceWriter::create(path, {}, {true, 3});
    static_cast<void>(writer->add_program(describe(**kernel)));
    trace::Launch launch;
    launch.grid = shape.grid, launch.block = shape.block;
    static_cast<void>(writer->begin_launch(launch));
    Tracer tracer([&](const trace::EncodedBlock& block) { return writer->append(block); }, 0);
    if (!run_launch(**kernel, *memory, shape, {}, &tracer, total))
      state.SkipWithError("the kernel failed");
  }
  state.counters["thread_instructions"] = benchmark::Counter(
      static_cast<double>(total.thread_instructions), benchmark::Counter::kIsRate);
  std::filesystem::remove(path + ".partial");
}

BENCHMARK_CAPTURE(run, emulate / arithmetic, "arithmetic", false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, emulate / copy, "copy", false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, emulate / copy_traced, "copy", true)->Unit(benchmark::kMillisecond);

}  // namespace
