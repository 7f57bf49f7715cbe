#include "sim/explain/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>

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

namespace {

using TakeTraffic = std::function<void(std::size_t array, const ArrayAddresses& part)>;

// A line's sectors among its arrays, as its addresses say. Where the two differ (of a copy past the
// L1 its sectors depend on where it goes to as well), each has its share, and the last the rest.
void deal(const SiteTraffic& line, const std::map<std::size_t, ArrayAddresses>& arrays,
          std::size_t outside, const TakeTraffic& to) {
  std::uint64_t all = 0, requests = 0, sectors = line.sectors, ideal = line.ideal_sectors;
  for (const auto& [i, a] : arrays) all += a.sectors, requests += a.requests;
  std::size_t left = arrays.size();
  if (left == 0) return to(outside, {line.requests, sectors, ideal});
  for (const auto& [i, a] : arrays) {
    const std::uint64_t part = line.sectors == all ? a.sectors
                               : all > 0           ? line.sectors * a.sectors / all
                               : requests > 0      ? line.sectors * a.requests / requests
                                                   : 0;
    const bool last = --left == 0;
    const std::uint64_t n = last ? sectors : std::min(sectors, part);
    const std::uint64_t least = last ? std::min(ideal, n) : std::min({ideal, n, a.ideal_sectors});
    to(i, {a.requests, n, least});
    sectors -= n, ideal -= least;
  }
}

}  // namespace

std::vector<ArrayTraffic> array_traffic(const std::vector<SiteTraffic>& lines,
                                        const AddressPass& pass, const trace::Launch& launch,
                                        const std::vector<std::string>& names) {
  std::vector<ArrayTraffic> all;
  for (std::size_t i = 0; i < names.size(); ++i)
    all.push_back({names[i], launch.allocations[i].base, launch.allocations[i].bytes, 0, 0, 0});
  const std::size_t outside = all.size(), local = outside + 1, texture = outside + 2;
  for (const char* name : {"of no allocation", "local memory", "textures and surfaces"})
    all.push_back({name, 0, 0, 0, 0, 0});
  const auto to = [&](std::size_t i, const ArrayAddresses& part) {
    all[i].requests += part.requests, all[i].sectors += part.sectors;
    all[i].ideal_sectors += part.ideal_sectors;
  };
  for (const SiteTraffic& t : lines) {
    const ArrayAddresses whole{t.requests, t.sectors, t.ideal_sectors};
    if (t.sectors == 0) continue;
    if (t.space == "local") to(local, whole);
    else if (t.space == "texture" || t.space == "surface") to(texture, whole);
    else deal(t, pass.sites[t.site].arrays, outside, to);
  }
  std::erase_if(all, [](const ArrayTraffic& a) { return a.sectors == 0; });
  std::stable_sort(all.begin(), all.end(), [](const ArrayTraffic& a, const ArrayTraffic& b) {
    return a.sectors - a.ideal_sectors > b.sectors - b.ideal_sectors;
  });
  return all;
}

}  // namespace warpmem::sim
