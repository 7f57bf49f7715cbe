#include "tests/emulate/machine_input.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "binary/disassembly/disassembly.hpp"
#include "emulate/sass/machine_kernel.hpp"
#include "tests/emulate/h200.hpp"

namespace warpmem::emulate::test {
namespace {

constexpr std::uint64_t kMostInstructions = 20'000;  // of a warp
constexpr std::uint64_t kBufferBytes = 4096;

Memory* memory() {
  static const std::unique_ptr<Memory> kOne = [] {
    auto made = Memory::create(std::uint64_t{1} << 30);
    return made ? std::make_unique<Memory>(std::move(*made)) : nullptr;
  }();
  return kOne.get();
}

// Two warps, of which the second is not whole; every parameter is a buffer's address.
std::string run(const Kernel& kernel, Memory& memory, std::uint32_t param_bytes) {
  const std::uint64_t buffer = memory.allocate(kBufferBytes, trace::AllocationKind::kDevice);
  LaunchShape shape;
  shape.block = {40, 1, 1}, shape.dynamic_shared = 2048;
  shape.sms = kH200Sms, shape.waits = kH200Waits;
  for (std::uint32_t at = 0; at < param_bytes; ++at)
    shape.params.push_back(static_cast<std::byte>(buffer >> at % 8 * 8));
  RunOptions options;
  options.max_instructions = kMostInstructions;
  options.print = [](const std::string&) {};
  RunStatistics statistics;
  const auto ok = run_launch(kernel, memory, shape, options, nullptr, statistics);
  (void)memory.free(buffer);
  return ok ? "" : ok.error().text();
}

std::string run_kernels(const CubinContents& contents, std::span<const unsigned char> image,
                        const record::Disassembly& listing) {
  Memory* const m = memory();
  if (!m) return "no memory";
  auto module = LoadedModule::load(module_of(contents, "any.cubin"), *m);
  if (!module) return module.error().text();
  std::string said;
  for (const record::CubinFunction& f : contents.cubin.functions) {
    if (!f.kernel) continue;
    auto kernel = build_machine_kernel(**module, contents, image, f.name, listing);
    said += kernel ? run(**kernel, *m, std::min(f.parameters.bytes, 256u)) : kernel.error().text();
  }
  for (const Variable& v : (*module)->module().variables) (void)m->free((*module)->address_of(&v));
  return said;
}

}  // namespace

std::string run_any_listing(const std::string& text, std::uint32_t cc) {
  const record::Disassembly listing = record::parse_disassembly(text);
  CubinContents contents;
  contents.cubin.arch = "sm_" + std::to_string(cc);
  contents.cc = cc, contents.reserved_shared = cc >= 90 ? 1024 : 0;
  const record::CodeSection* section = listing.find(".text.k");
  record::CubinFunction f;
  f.name = "k", f.kernel = true, f.registers = 32, f.local_bytes = 64;
  f.size = f.code_bytes = 16 * (section ? section->code.size() : 1);
  f.parameters.at = cc >= 100 ? 0x380 : cc >= 90 ? 0x210 : 0x160, f.parameters.bytes = 64;
  contents.cubin.functions.push_back(f);
  CubinVariable v;
  v.name = "table", v.bytes = 64, v.constant = true;
  contents.variables.push_back(v);
  contents.banks.push_back({3, "", std::vector<std::byte>(64), {}});
  contents.banks.push_back({4, "", std::vector<std::byte>(16), {{8, 2, 0, "table"}}});
  return run_kernels(contents, {}, listing);
}

std::string load_any_cubin(std::span<const unsigned char> image, const std::string& listing) {
  const auto contents = read_cubin(image, "any.cubin");
  if (!contents) return contents.error().text();
  return run_kernels(*contents, image, record::parse_disassembly(listing));
}

}  // namespace warpmem::emulate::test
