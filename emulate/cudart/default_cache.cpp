#include "emulate/cudart/default_cache.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace warpmem::cudart {
namespace {

// The value of the last of "-dlcm=cg", "--def-load-cache cg", …; empty: none of them is there.
std::string_view value_of(std::string_view options, std::initializer_list<std::string_view> names) {
  std::string_view value;
  std::size_t last = 0;
  for (const std::string_view name : names)
    for (std::size_t at = options.find(name); at != options.npos; at = options.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      const bool begins = at == 0 || options[at - 1] == ' ';
      if (!begins || end >= options.size() || (options[end] != '=' && options[end] != ' '))
        continue;
      const std::size_t first = options.find_first_not_of(" =", end);
      if (first == options.npos || at < last) continue;
      last = at;
      value = options.substr(first, options.find_first_of(" ,", first) - first);
    }
  return value;
}

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

std::string with_default_caches(std::string ptx, std::string_view options) {
  put(ptx, "ld.", value_of(options, {"-dlcm", "--def-load-cache"}));
  put(ptx, "st.", value_of(options, {"-dscm", "--def-store-cache"}));
  return ptx;
}

}  // namespace warpmem::cudart
