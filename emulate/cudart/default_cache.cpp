#include "emulate/cudart/default_cache.hpp"

#include <initializer_list>
#include <utility>

#include "isa/ptx/default_operators.hpp"

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

}  // namespace

std::string with_default_caches(std::string ptx, std::string_view options) {
  return ptx::with_default_operators(std::move(ptx),
                                     value_of(options, {"-dlcm", "--def-load-cache"}),
                                     value_of(options, {"-dscm", "--def-store-cache"}));
}

}  // namespace warpmem::cudart
