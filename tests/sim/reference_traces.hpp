// The traces of the reference, for tests that go over them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "traces/format/reader.hpp"

namespace warpmem::sim {

// Those of at most so many records, sorted by name.
inline std::vector<std::string> reference_traces(std::uint64_t most_records) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(WARPMEM_REFERENCE)) {
    if (entry.path().extension() != ".wmt") continue;
    const auto reader = trace::TraceReader::open(entry.path().string());
    if (reader && reader->quality().records <= most_records) out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace warpmem::sim
