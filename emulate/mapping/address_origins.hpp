// Where the addresses of a kernel's PTX accesses come from: two with the same origin lie as far
// apart as their constants do, in every thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulate/mapping/code_pair.hpp"

namespace warpmem::emulate {

class AddressOrigins {
 public:
  explicit AddressOrigins(const CodePair& pair);  // which must outlive it

  // What it is computed from, and a constant.
  using Origin = std::pair<std::string, std::int64_t>;
  // Of the address that a statement of the kernel itself reads or writes; none: it has none.
  std::optional<Origin> of(std::uint32_t statement) const;

 private:
  // A register as what it is computed from, and a constant: "%r5 = %r3 + 4" is that of %r3, and 4.
  // Two that are the same are equal, as long as nothing that they come from is written twice.
  Origin origin(const Operand& o, int depth) const;

  const CodePair& p_;
  // Of each register the only statement that writes it; kNowhere: none, or several.
  std::vector<std::uint32_t> written_;
};

}  // namespace warpmem::emulate
