// PTX of any kind: parsed, its variables placed, every kernel in it decoded. Nothing runs.
#include <cstdint>
#include <string>

#include "emulate/ptx/parser.hpp"
#include "emulate/ptx/program.hpp"

using namespace warpmem::emulate;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto module = parse_ptx("fuzz.ptx", std::string(reinterpret_cast<const char*>(data), size));
  if (!module) return 0;
  for (const Variable& v : module->variables)
    if (v.bytes > (1u << 20)) return 0;  // a large variable is no mistake, only slow
  auto memory = Memory::create(std::uint64_t{1} << 30);
  if (!memory) __builtin_trap();
  auto loaded = LoadedModule::load(std::move(module).value(), *memory);
  if (!loaded) return 0;
  for (const Function& f : (*loaded)->module().functions) {
    if (!f.is_entry) continue;
    const auto kernel = build_kernel(**loaded, std::string(f.name));
    if (kernel) static_cast<void>(describe(**kernel));
  }
  return 0;
}
