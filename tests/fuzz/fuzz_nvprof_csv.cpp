// Any text as nvprof's CSV. What is taken for one gives launches, and numbers that are some.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "validate/nvprof_csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmem::validate;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(is_nvprof_csv(text));
  const auto file = parse_nvprof_csv(text, "fuzz");
  if (!file) return 0;
  if (file->launches.empty()) std::abort();
  for (const NcuLaunch& launch : file->launches) {
    if (launch.invocations == 0) std::abort();
    for (const auto& [name, value] : launch.counted.metrics)
      if (!std::isfinite(value.value)) std::abort();
  }
  return 0;
}
