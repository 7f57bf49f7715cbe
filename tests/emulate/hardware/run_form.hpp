// One form on the emulator.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "emulate/executor/executor.hpp"
#include "tests/emulate/hardware/forms.hpp"

namespace warpmem::emulate::hardware {

// A form's kernel, of whatever code, with its operands.
Result<std::vector<std::uint64_t>> launch_form(const Form& form, const Kernel& kernel,
                                               Memory& memory);
Result<std::vector<std::uint64_t>> run_form(std::uint32_t number);

// Is `got` what hardware gave, or within the form's band of it? Pairs of 16-bit floats are two
// values.
bool agrees(const Form& form, std::uint64_t got, std::uint64_t hardware);

}  // namespace warpmem::emulate::hardware
