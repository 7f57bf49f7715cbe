// Any bytes as a file of results. One that is taken is written again, and read as the same.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sweep/packed.hpp"
#include "sweep/store_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmem::sweep;
  const auto plan = sweep_of({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!plan) return 0;
  const auto again = file_of(*plan, plan->empty.points, "fuzz");
  if (!again) std::abort();
  const auto read = sweep_of(*again, "fuzz");
  if (!read || hash_of_sweep(*read, read->empty.points) != hash_of_sweep(*plan, plan->empty.points))
    std::abort();
  return 0;
}
