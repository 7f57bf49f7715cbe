#include "sim/explain/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/units.hpp"

namespace warpmem::sim {

std::vector<std::string> argument_types(const std::string& demangled) {
  std::vector<std::string> out;
  if (demangled.empty() || demangled.back() != ')') return out;
  int depth = 0;
  std::size_t open = std::string::npos;
  for (std::size_t i = demangled.size(); i-- > 0;) {
    if (demangled[i] == ')') ++depth;
    if (demangled[i] == '(' && --depth == 0) {
      open = i;
      break;
    }
  }
  if (open == std::string::npos) return out;
  std::string word;
  depth = 0;
  const auto take = [&] {
    const std::size_t first = word.find_first_not_of(' ');
    if (first != std::string::npos) out.push_back(word.substr(first));
    word.clear();
  };
  for (std::size_t i = open + 1; i + 1 < demangled.size(); ++i) {
    const char c = demangled[i];
    if (c == '(' || c == '<' || c == '[') ++depth;
    if (c == ')' || c == '>' || c == ']') --depth;
    if (c == ',' && depth == 0) take();
    else word += c;
  }
  take();
  return out;
}

std::vector<std::string> array_names(const trace::Launch& launch, const trace::Program& program) {
  std::vector<std::string> names(launch.allocations.size());
  const std::vector<std::string> types = argument_types(program.demangled);
  std::vector<std::size_t> pointers;  // arguments that are
  for (std::size_t i = 0; i < types.size(); ++i)
    if (types[i].ends_with('*')) pointers.push_back(i);
  std::vector<std::size_t> into;  // allocations, by word of the parameters that points into one
  for (std::size_t at = 0; at + 8 <= launch.parameters.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, launch.parameters.data() + at, sizeof word);
    const std::size_t a = allocation_of(launch, word);
    if (a < names.size()) into.push_back(a);
  }
  if (into.size() == pointers.size())
    for (std::size_t i = 0; i < into.size(); ++i) {
      std::string& name = names[into[i]];
      if (name.empty()) name = fmt::format("argument {} ({})", pointers[i] + 1, types[pointers[i]]);
      else name += fmt::format(", argument {}", pointers[i] + 1);
    }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].empty())
      names[i] = fmt::format("allocation {} of {}", i + 1, byte_size(launch.allocations[i].bytes));
  return names;
}

std::vector<SharedArray> shared_arrays(const std::vector<AccessPlan>& plans,
                                       const AddressPass& pass) {
  std::vector<std::uint32_t> sites;
  for (std::uint32_t s = 0; s < pass.sites.size(); ++s)
    if ((plans[s].action == Action::kShared || plans[s].action == Action::kAsyncWrite) &&
        pass.sites[s].requests > 0)
      sites.push_back(s);
  std::sort(sites.begin(), sites.end(), [&](std::uint32_t a, std::uint32_t b) {
    return pass.sites[a].low < pass.sites[b].low;
  });
  std::vector<SharedArray> out;
  for (const std::uint32_t s : sites) {
    const SiteAddresses& a = pass.sites[s];
    if (out.empty() || a.low >= out.back().high) out.push_back({a.low, a.high, {}});
    out.back().high = std::max(out.back().high, a.high);
    out.back().sites.push_back(s);
  }
  for (SharedArray& a : out) std::sort(a.sites.begin(), a.sites.end());
  return out;
}

}  // namespace warpmem::sim
