// What of a GPU and its tools this machine has. Reads files and search paths, and asks tools of the
// toolkit of which there are several for their version: quick, and it works where a driver hangs.
#pragma once

#include <string>
#include <vector>

namespace warpmem::command {

struct Check {
  std::string name;     // "driver"
  std::string purpose;  // what it is needed for: "record"
  bool ok = false;
  std::string found;  // version or place; empty when missing
  std::string fix;    // what to do; empty when ok
  std::string cost;   // what does not work without it, and what does; empty when ok
};

std::vector<Check> check_machine();

// The tool's full path, as all commands find it (binary/disassembly/cuda_tools.hpp); empty when
// there is none.
std::string find_tool(const std::string& name);

}  // namespace warpmem::command
