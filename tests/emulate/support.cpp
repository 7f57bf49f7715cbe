#include "tests/emulate/support.hpp"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <sstream>

#include "emulate/ptx/program.hpp"

namespace warpmem::emulate::test {

Result<void> Gpu::run(const Kernel& kernel, const LaunchShape& shape,
                      const std::string& trace_path) {
  if (trace_path.empty()) return run_launch(kernel, *memory_, shape, options, nullptr, statistics);
  const trace::Program program = describe(kernel);
  trace::Origin origin;
  origin.level = program.level;
  origin.arch = "sm_90";
  auto writer = trace::TraceWriter::create(trace_path, origin, {true, 3});
  if (!writer) return writer.error();
  if (auto number = writer->add_program(program); !number) return number.error();
  trace::Launch l;
  l.grid = shape.grid, l.block = shape.block, l.dynamic_shared = shape.dynamic_shared,
  l.static_shared = kernel.static_shared;
  l.allocations = memory_->allocations();
  if (auto ok = writer->begin_launch(l); !ok) return ok;
  Tracer tracer([&](const trace::EncodedBlock& block) { return writer->append(block); }, 0);
  auto ran = run_launch(kernel, *memory_, shape, options, &tracer, statistics);
  if (!ran) return ran;
  trace::LaunchEnd end;
  end.times = tracer.times(statistics.times);
  if (auto ok = writer->end_launch(0, end); !ok) return ok;
  return writer->seal();
}

Machine::Machine(const std::string& ptx, const std::string& name) : Gpu(std::uint64_t{1} << 34) {
  auto module = parse_ptx(name, ptx);
  if (!module) FAIL(module.error().text());
  auto loaded = LoadedModule::load(std::move(module).value(), *memory_);
  if (!loaded) FAIL(loaded.error().text());
  module_ = std::move(loaded).value();
}

Result<void> Machine::launch(const std::string& entry, Dim3 grid, Dim3 block,
                             std::uint32_t dynamic_shared, const std::string& trace_path) {
  auto kernel = build_kernel(*module_, entry);
  if (!kernel) return kernel.error();
  LaunchShape shape;
  shape.grid = grid, shape.block = block, shape.cluster = cluster,
  shape.dynamic_shared = dynamic_shared;
  shape.cooperative = cooperative;
  shape.sms = sms, shape.sm_ctas = sm_ctas, shape.waits = kH200Waits;
  shape.params = params_;
  memory_->set_heap(heap_bytes);
  return run(**kernel, shape, trace_path);
}

std::string elementwise(const std::string& d, const std::string& a, const std::string& b,
                        const std::string& c, const std::string& body) {
  const auto bytes = [](const std::string& t) { return std::max(1u, size_of(type_named(t))); };
  const auto reg = [](const std::string& t) {
    return t.find("16x2") != t.npos ? "b32"
           : t == "f32" || t == "f64"
               ? t
               : fmt::format("b{}", std::max(16u, size_of(type_named(t)) * 8));
  };
  const auto mem = [&](const std::string& t) {
    return t == "f32" || t == "f64" ? t : (t[0] == 's' ? "s" : "u") + std::to_string(bytes(t) * 8);
  };
  std::string text = kHeader;
  text +=
      ".visible .entry k(.param .u64 d, .param .u64 a, .param .u64 b, .param .u64 c, .param .u32 "
      "n)\n{\n";
  text +=
      "  .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .b16 %h<8>; .reg .f32 %f<8>; "
      ".reg .f64 %fd<8>;\n";
  text +=
      "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, "
      "%r2, %r3;\n";
  text += "  ld.param.u32 %r5, [n]; setp.ge.u32 %p1, %r4, %r5; @%p1 bra DONE;\n";
  const std::pair<const char*, std::string> operands[] = {{"a", a}, {"b", b}, {"c", c}};
  for (const auto& [name, type] : operands) {
    if (type.empty()) continue;
    text += fmt::format(
        "  .reg .{} %{}; ld.param.u64 %rd1, [{}]; mul.wide.u32 %rd2, %r4, {}; add.s64 %rd3, %rd1, "
        "%rd2; ld.global.{} %{}, [%rd3];\n",
        reg(type), name, name, bytes(type), mem(type), name);
  }
  text += fmt::format("  .reg .{} %d;\n  {}\n", reg(d), body);
  text += fmt::format(
      "  ld.param.u64 %rd1, [d]; mul.wide.u32 %rd2, %r4, {}; add.s64 %rd3, %rd1, %rd2; "
      "st.global.{} [%rd3], %d;\nDONE:\n  ret;\n}}\n",
      bytes(d), mem(d));
  return text;
}

std::string shipped(const std::string& name) {
  std::ifstream in(std::string(WARPMEM_TEST_PTX) + "/" + name);
  REQUIRE(in.good());
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace warpmem::emulate::test
