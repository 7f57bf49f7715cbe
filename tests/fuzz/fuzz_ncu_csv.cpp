// libFuzzer target: no text, however broken, may crash the importer or give it a number out of
// nothing. Built with -DWARPMEM_FUZZERS=ON and clang.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "validate/ncu_csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = warpmem::validate::parse_ncu_csv(
      std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!file) return 0;
  if (file->launches.empty()) std::abort();  // no data is an error, never an empty success
  for (const auto& launch : file->launches)
    for (const auto& [name, value] : launch.counted.metrics)
      if (!std::isfinite(value.value)) std::abort();
  return 0;
}
