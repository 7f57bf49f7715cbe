// known_rows CAPABILITY < LISTING: of machine code as `nvdisasm -c` prints it, how many
// instructions have a row that executes them, by opcode. Of those without one an example. Addresses
// that a loader fills in, of functions and variables, are taken as filled in.
#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "binary/disassembly/disassembly.hpp"
#include "emulate/sass/decoder.hpp"

using namespace warpmem;
using namespace warpmem::emulate;

namespace {

struct Count {
  std::uint64_t all = 0, unknown = 0;
  std::string example;
};

// What such an instruction is once its address is there: the place of a function that is called;
// and where words of the code that MOV puts into a register stand.
std::vector<trace::Instruction> filled_in(std::vector<trace::Instruction> code,
                                          std::map<std::uint32_t, std::int64_t>& words) {
  for (trace::Instruction& in : code) {
    if (in.text.find("32@") != in.text.npos) words[in.pc] = 0;
    const std::size_t open = in.text.find("`("), close = in.text.find(')', open);
    if (in.text.find("CALL.") != in.text.npos && open != in.text.npos && close != in.text.npos &&
        in.text.find(" R", in.text.find("CALL.")) > open)
      in.text.replace(open, close + 1 - open, "0x0");
  }
  return code;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    fmt::print(stderr, "known_rows: give a compute capability, such as 90\n");
    return 2;
  }
  const auto cc = static_cast<std::uint32_t>(std::strtoul(words[1], nullptr, 10));
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  std::map<std::string, Count> by_opcode;
  Count all;
  for (const record::CodeSection& section : record::parse_disassembly(text).sections) {
    // Without parameters, so that nothing in bank 0 lies before them.
    MachineDecoder::Request request{nullptr, cc, 0, 0, {}};
    const auto filled = filled_in(section.code, request.relocated);
    const Code code = MachineDecoder(std::move(request)).run(filled);
    std::map<std::uint32_t, std::string> refused;
    for (const Inst& in : code.code)
      if (in.kind == Kind::kRefused && !in.hidden) refused[in.statement] = code.refusals[in.extra];
    for (std::uint32_t i = 0; i < section.code.size(); ++i) {
      const auto line = take_apart(section.code[i]);
      Count& one = by_opcode[line ? line->opcode : "(damaged)"];
      ++one.all, ++all.all;
      const auto why = refused.find(i);
      if (why == refused.end()) continue;
      ++one.unknown, ++all.unknown;
      if (one.example.empty()) one.example = why->second;
    }
  }
  fmt::print("opcode,instructions,without a row,example\n");
  for (const auto& [opcode, one] : by_opcode)
    fmt::print("{},{},{},\"{}\"\n", opcode, one.all, one.unknown, one.example);
  fmt::print("all,{},{},\n", all.all, all.unknown);
  return 0;
}
