// Values that nothing in the machine code was made of: ptxas drops a load whose value nothing needs,
// in debug code too (a pointer that is held against null before a deallocation that does nothing).
#pragma once

#include <vector>

#include "emulate/mapping/code_pair.hpp"

namespace warpmem::emulate {

class IdleValues {
 public:
  explicit IdleValues(const CodePair& pair);

  // Of a load of the kernel's own that has no instruction: no statement that its value gets to has
  // one either. A branch that it decides has two ways between which there is no difference.
  bool idle(std::uint32_t load) const;

 private:
  // The first statement from here on of which there is machine code; those passed by are added to
  // `passed`. kNowhere: not known.
  std::uint32_t first_with_code(std::uint32_t from, std::vector<std::uint32_t>& passed) const;

  const CodePair& p_;
  std::vector<bool> has_code_;                        // by statement
  std::vector<std::vector<std::uint32_t>> readers_;   // statements, by register
};

}  // namespace warpmem::emulate
