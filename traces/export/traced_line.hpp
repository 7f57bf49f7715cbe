// One line of Accel-Sim's text form.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "isa/sass/instruction.hpp"
#include "traces/format/record.hpp"

namespace warpmem::exports {

// Opcode and registers as the tracer tells them: of each operand the first register.
struct LineText {
  std::string before;      // "1 R4 LDG.E 1 R2"
  bool two_sides = false;  // an asynchronous copy, which has two lines
};
LineText text_of(const trace::SassInstruction& in);
// Of an access that has no machine code: what it would be there.
LineText text_of(const trace::Site& site);

// "mode addresses" of a record: base and distance where lanes that are on are neighbours, else the
// base and a distance each. `lanes`: of listed records. `offset` is added.
std::string addresses_of(const trace::Record& record, std::span<const std::uint64_t> lanes,
                         std::uint64_t offset);

}  // namespace warpmem::exports
