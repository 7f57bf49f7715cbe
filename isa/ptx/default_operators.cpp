#include "isa/ptx/default_operators.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace warpmem::ptx {
namespace {

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Where the operator belongs in "ld.global.f32", from the beginning of the word; npos: it takes
// none.
std::size_t place_in(std::string_view instruction) {
  std::size_t place = std::min(instruction.find('.'), instruction.size());
  for (std::size_t at = place; at < instruction.size();) {
    const std::size_t end = std::min(instruction.find('.', at + 1), instruction.size());
    const std::string_view word = instruction.substr(at + 1, end - at - 1);
    if (word == "weak" || word == "global") place = end;
    else if (one_of(word, {"nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "volatile", "relaxed",
                           "acquire", "release", "mmio", "shared", "local", "const", "param"}) ||
             word.find("::") != word.npos)
      return instruction.npos;
    at = end;
  }
  return place;
}

void put(std::string& ptx, std::string_view opcode, std::string_view operation) {
  if (operation.empty()) return;
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = ptx.find(opcode); at != ptx.npos; at = ptx.find(opcode, at + 1)) {
    const char before = at == 0 ? ' ' : ptx[at - 1];
    if (std::string_view(" \t\n\r;{}").find(before) == std::string_view::npos) continue;
    const std::size_t end = std::min(ptx.find_first_of(" \t\n", at), ptx.size());
    const std::size_t place = place_in(std::string_view(ptx).substr(at, end - at));
    if (place == ptx.npos) continue;
    out.append(ptx, copied, at + place - copied);
    (out += '.') += operation;
    copied = at + place;
  }
  ptx = copied == 0 ? std::move(ptx) : out.append(ptx, copied);
}

}  // namespace

std::string with_default_operators(std::string ptx, std::string_view load, std::string_view store) {
  put(ptx, "ld.", load);
  put(ptx, "st.", store);
  return ptx;
}

}  // namespace warpmem::ptx
