// The memories that an instruction can name.
#pragma once

#include <cstdint>

namespace warpmem::trace {

// Which memory the addresses belong to. Shared addresses are byte offsets in the CTA's window;
// local ones byte offsets in the thread's own frame; all others the program's virtual addresses.
enum class Space : std::uint8_t {
  kNone,
  kGlobal,
  kShared,
  kLocal,
  kRemoteShared,
  kConstant,
  kTexture,
  kSurface,
  kCount
};

}  // namespace warpmem::trace
