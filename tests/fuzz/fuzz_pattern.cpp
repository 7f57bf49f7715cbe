// Any text as an access pattern: parsed, and run for the first and the last warp of a small grid.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sim/pattern/evaluate.hpp"
#include "sim/pattern/parser.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmem;
  using namespace warpmem::sim::pattern;
  Shape shape{{2, 2, 1}, {40, 2, 1}, {{"n", 64}}};
  shape.most_rounds = 200;
  const auto program = parse(std::string(reinterpret_cast<const char*>(data), size), shape.let);
  if (!program) return 0;
  const TakeAccess take = [&](std::uint32_t access, std::uint32_t part,
                              const model::WarpAccess& a) {
    if (access >= program->accesses.size() || a.mask == 0 || a.bytes == 0) std::abort();
    const Array& array = program->arrays[program->accesses[access].array];
    if (part * array.part >= array.bytes) std::abort();
    for (const std::uint64_t address : a.address)
      if (address % a.bytes != 0 || address >= std::uint64_t{1} << 57) std::abort();
  };
  static_cast<void>(run_warp(*program, shape, 0, 0, take).ok());
  static_cast<void>(run_warp(*program, shape, 3, 2, take).ok());
  return 0;
}
