// The instruction forms that are held against hardware: one small kernel a form, and the operands
// it is fed. The recorder (on a GPU) and the test (on the emulator) make both from here, so that
// only results have to be kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmem::emulate::hardware {

constexpr std::uint32_t kCases = 1024;  // operand sets of a form: edges first, then random ones
constexpr std::uint32_t kBlock = 256;   // threads of a CTA; a case is a thread

// How far an approximation may be from hardware's. The larger of the two bounds holds; NaN and
// infinities must be equal.
struct Band {
  double ulp = 0;  // units in the last place of hardware's result
  double absolute = 0;
  bool exact() const { return ulp == 0 && absolute == 0; }
};

struct Form {
  std::string name;                   // unique; the instruction, and what tells variants apart
  std::string body;                   // PTX: %a, %b, %c to %d; %out is the address of the result
  std::string result;                 // PTX type of %d
  std::vector<std::string> operands;  // types, or kinds of value, of %a, %b, %c
  Band band;
  bool whole_warp = false;  // lanes read each other: what matters is the group of 32
  bool refused = false;     // the emulator has none of it, and must say so
};

const std::vector<Form>& forms();

// 8 bytes a case; narrower operands lie in the low ones.
std::vector<std::uint64_t> operand(const Form& form, std::uint32_t which);

// PTX of a form: the kernel "k0", "k1" … by number, each k(d, a, b, c), 8 bytes a case.
std::string kernel_of(std::uint32_t number);
// … of the forms [first, last), with what a file of PTX begins with.
std::string module_of(std::uint32_t first, std::uint32_t last);

std::uint32_t bytes_of(const std::string& type);  // of an operand kind or a result

}  // namespace warpmem::emulate::hardware
