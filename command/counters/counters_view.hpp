// A launch's counters by the level of memory that they count.
#pragma once

#include <string>
#include <string_view>

namespace warpmem::command {

// Groups in the order in which they are shown.
enum class CounterGroup {
  kTime,
  kInstructions,
  kGlobal,
  kLocal,
  kShared,
  kTexture,
  kPorts,
  kL2,
  kDram,
  kOther
};

CounterGroup group_of(std::string_view metric);
const char* name_of(CounterGroup group);

}  // namespace warpmem::command
