// The places in code that the text of an instruction names, and how they change when its section is
// laid out elsewhere.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace warpmem::trace {

// An instruction whose section begins `by` bytes further on: the places in its section that it
// names (BRA 0x310) move along.
std::string moved(std::string text, std::uint32_t by);

// A call by name, CALL.ABS.NOINC `(_Z1fv), of a function that is laid out at a known place: the
// name becomes the place. What a register is counted from, CALL.REL.NOINC R4 `(_Z1kv), stays.
std::string with_place(std::string text, const std::map<std::string, std::uint32_t>& starts);

// `(.L_x_12) becomes 0x310, and so do a function within the kernel, `($kernel$function), and the
// places that a branch through a register may go to: (*"BRANCH_TARGETS .L_x_1,.L_x_2"*).
void resolve_labels(std::string& text, const std::map<std::string, std::uint32_t>& labels);

}  // namespace warpmem::trace
