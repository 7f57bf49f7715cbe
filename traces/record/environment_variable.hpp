// Environment variables, as text.
#pragma once

#include <cstdlib>
#include <string>

namespace warpmem::record {

// Empty where there is none.
inline std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace warpmem::record
