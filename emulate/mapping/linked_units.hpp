// Machine code that was linked from several objects (-rdc=true): which statement of its object's
// PTX each instruction comes from. The object is assembled once more with a source line
// for each statement (tagged_ptx.hpp); its code must be the linked code, but for the words
// that a linker fills in.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "emulate/toolkit/toolkit.hpp"

namespace warpmem::emulate {

class LinkedUnits {
 public:
  struct Origin {
    std::string function;         // mangled; empty: the instruction comes from no statement
    std::uint32_t statement = 0;  // of that function
  };
  LinkedUnits(std::vector<DeviceObject> units, Toolkit toolkit, std::string arch);
  ~LinkedUnits();

  // What they are linked to, where a program does not carry it for this GPU: on one, the driver would link it.
  Result<Cubin> link() const;

  // Of each instruction of a kernel, or of a function that has a section of its own, whose linked
  // code is `code`.
  Result<std::vector<Origin>> origins(const std::string& function,
                                      std::span<const unsigned char> code);

 private:
  struct Unit;
  std::vector<std::unique_ptr<Unit>> units_;
  Toolkit toolkit_;
  std::string arch_;
};

}  // namespace warpmem::emulate
