// An instruction's text as nvdisasm would print it, of which a tracer has said the opcode and the
// registers: enough for isa/ to say what it does. Immediates, constants and predicates are not
// there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmem::imports {

struct TracedText {
  std::string_view opcode;  // "LDG.E.128"
  std::vector<std::string_view> destinations, sources;
  bool conditional = false;             // a branch or an exit that warps also passed
  std::optional<std::uint32_t> target;  // where a branch leads
};
std::string sass_text(const TracedText& traced);

}  // namespace warpmem::imports
