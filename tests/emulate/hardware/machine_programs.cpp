#include "tests/emulate/hardware/machine_programs.hpp"

#include <fmt/format.h>

#include <cstring>

#include "binary/disassembly/disassembly.hpp"
#include "emulate/executor/tensor_map.hpp"
#include "emulate/ptx/parser.hpp"
#include "emulate/ptx/program.hpp"
#include "emulate/sass/machine_kernel.hpp"
#include "tests/emulate/h200.hpp"

namespace warpmem::emulate::hardware {
namespace {

constexpr std::uint32_t kSharedBytes = 48 << 10;

// Words that are finite as floats, as halves and bfloats, and as floats of eight bits.
std::vector<std::uint32_t> numbers() {
  std::vector<std::uint32_t> v(kProgramBytes / 4);
  std::uint32_t x = 12345;
  const auto half = [&] {
    x = x * 1664525 + 1013904223;
    return (x >> 31) << 15 | 0x3800 | (x >> 12 & 0x3f) | (x >> 20 & 3) << 8;
  };
  for (std::uint32_t& word : v) word = half(), word |= half() << 16;
  return v;
}

// A tensor of 64 x 64 words of `in`, of which copies take boxes of 32 x 32; and 16 x 16 x 16 words,
// of boxes of 8 x 8 x 8: at the start of `in`, 128 bytes each.
void put_maps(std::byte* in, std::uint64_t address, std::uint64_t out_address) {
  TensorMap flat;
  flat.type = 2, flat.rank = 2, flat.stride[0] = 256, flat.last = {63, 63}, flat.box = {32, 32},
  flat.element_stride = {1, 1};
  flat.base = address + 4096;
  flat.seal = flat.sum();
  std::memcpy(in, &flat, sizeof flat);
  flat.base = out_address + 16384, flat.seal = flat.sum();
  std::memcpy(in + 128, &flat, sizeof flat);
  TensorMap image;
  image.type = 2, image.rank = 4, image.im2col = 1, image.base = address + 4096;
  image.stride = {32, 256, 2048}, image.last = {7, 7, 7, 3};
  image.element_stride = {1, 1, 1, 1}, image.channels = 8, image.pixels = 32;
  image.lower = {0, 0, 0}, image.upper = {-2, -2, 0};
  image.seal = image.sum();
  std::memcpy(in + 256, &image, sizeof image);
}

Result<ProgramResult> run_kernel(const MachineProgram& program, const Kernel& kernel,
                                 Memory& memory) {
  LaunchShape shape;
  shape.sms = test::kH200Sms, shape.waits = test::kH200Waits;
  shape.grid = {program.ctas, 1, 1}, shape.block = {program.threads, 1, 1};
  shape.cluster = {program.cluster, 1, 1};
  shape.dynamic_shared = kSharedBytes;
  const std::uint64_t out = memory.allocate(kProgramBytes, trace::AllocationKind::kDevice),
                      in = memory.allocate(kProgramBytes, trace::AllocationKind::kDevice);
  const auto values = numbers();
  std::memcpy(memory.host(in), values.data(), kProgramBytes);
  std::memset(memory.host(out), 0, kProgramBytes);
  put_maps(memory.host(in), in, out);
  shape.params.resize(16);
  std::memcpy(shape.params.data(), &out, 8), std::memcpy(shape.params.data() + 8, &in, 8);
  RunStatistics statistics;
  RunOptions options;
  options.max_instructions = 10'000'000;
  if (auto ran = run_launch(kernel, memory, shape, options, nullptr, statistics); !ran) {
    Error why = ran.error();
    why.message = program.name + ": " + why.message;
    return why;
  }
  ProgramResult result;
  result.out.resize(kProgramBytes / 4);
  std::memcpy(result.out.data(), memory.host(out), kProgramBytes);
  (void)memory.free(out), (void)memory.free(in);
  return result;
}

}  // namespace

std::string module_text(const std::vector<MachineProgram>& programs, const std::string& target) {
  std::string text = fmt::format(
      ".version 8.7\n.target {}\n.address_size 64\n"
      ".extern .shared .align 1024 .b8 tiles[];\n",
      target);
  for (const MachineProgram& p : programs)
    text += fmt::format(
        ".visible .entry {}(.param .u64 out, .param .u64 in)\n{{\n"
        " .reg .b32 %t, %s, %i, %w; .reg .b64 %out, %in, %at; .reg .pred %more;\n"
        " ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; mov.u32 %t, %tid.x; mov.u32 %s, "
        "tiles;\n"
        " shl.b32 %i, %t, 2;\n"
        "FILL: cvt.u64.u32 %at, %i; add.s64 %at, %at, %in; ld.global.u32 %w, [%at]; add.s32 %w, "
        "%w, 0;\n"
        " {{ .reg .b32 %to; add.s32 %to, %s, %i; st.shared.u32 [%to], %w; }}\n"
        " add.s32 %i, %i, {}; setp.lt.u32 %more, %i, {}; @%more bra FILL;\n"
        " {}bar.sync 0;\n{}\n ret;\n}}\n",
        p.name, 4 * p.threads, kSharedBytes,
        target >= "sm_90" || target.starts_with("sm_1") ? "fence.proxy.async; " : "", p.body);
  return text;
}

Result<std::vector<ProgramResult>> run_from_ptx(const std::vector<MachineProgram>& programs,
                                                const std::string& target) {
  auto module = parse_ptx("programs.ptx", module_text(programs, target));
  if (!module) return module.error();
  auto memory = Memory::create(std::uint64_t{1} << 30);
  if (!memory) return memory.error();
  auto loaded = LoadedModule::load(std::move(module).value(), *memory);
  if (!loaded) return loaded.error();
  std::vector<ProgramResult> out;
  for (const MachineProgram& p : programs) {
    auto kernel = build_kernel(**loaded, p.name);
    if (!kernel) return kernel.error();
    auto result = run_kernel(p, **kernel, *memory);
    if (!result) return result.error();
    out.push_back(std::move(*result));
  }
  return out;
}

Result<std::vector<ProgramResult>> run_from_machine_code(
    const Toolkit& toolkit, const std::vector<MachineProgram>& programs,
    const std::string& target) {
  auto image = assemble(toolkit.ptxas, module_text(programs, target), target, {});
  if (!image) return image.error();
  auto contents = read_cubin(*image, "programs.cubin");
  if (!contents) return contents.error();
  auto memory = Memory::create(std::uint64_t{1} << 30);
  if (!memory) return memory.error();
  auto loaded = LoadedModule::load(emulate::module_of(*contents, "programs.cubin"), *memory);
  if (!loaded) return loaded.error();
  std::vector<std::uint32_t> symbols;
  for (const record::CubinFunction& f : contents->cubin.functions)
    if (f.kernel) symbols.push_back(f.symbol);
  auto listing = record::disassemble(toolkit.nvdisasm, *image, symbols);
  if (!listing) return listing.error();
  std::vector<ProgramResult> out;
  for (const MachineProgram& p : programs) {
    auto kernel = build_machine_kernel(**loaded, *contents, *image, p.name, *listing);
    if (!kernel) return kernel.error();
    auto result = run_kernel(p, **kernel, *memory);
    if (!result) return result.error();
    result->unknown = (*kernel)->machine->unknown;
    out.push_back(std::move(*result));
  }
  return out;
}

}  // namespace warpmem::emulate::hardware
