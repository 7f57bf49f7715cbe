#include "views/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <vector>

#include "base/printable.hpp"
#include "base/units.hpp"

namespace warpmem::views {
namespace {

constexpr std::uint32_t kAround = 2;  // lines shown before and behind one that counts

struct Sums {
  std::uint64_t requests = 0, sectors = 0, ideal = 0, passes = 0, ideal_passes = 0;
};

std::string cell(std::uint64_t n) { return n ? grouped(n) : "."; }

std::string margin(const Sums* s) {
  if (!s) return std::string(52, ' ');
  return fmt::format("{:>10} {:>10} {:>10} {:>9} {:>9}", cell(s->requests), cell(s->sectors),
                     cell(s->ideal), cell(s->passes), cell(s->ideal_passes));
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

bool same_file(const std::string& path, const std::string& recorded) {
  return name_of(path) == name_of(recorded);
}

std::string source_text(const LaunchExplanation& launch, const std::string& path,
                        const std::string& text, const Terminal& terminal) {
  std::map<std::uint32_t, Sums> lines;
  for (const SiteTraffic& t : launch.sites) {
    if (t.line == 0 || !same_file(path, t.file)) continue;
    Sums& s = lines[t.line];
    s.requests += t.requests, s.sectors += t.sectors, s.ideal += t.ideal_sectors;
    s.passes += t.wavefronts, s.ideal_passes += t.ideal_wavefronts;
  }
  std::vector<std::string> source;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) source.push_back(line);
  std::string out = styled(fmt::format("{:>10} {:>10} {:>10} {:>9} {:>9}  {}\n", "requests",
                                       "sectors", "ideal", "passes", "ideal", printable(path)),
                           Style::kBold, terminal.colour);
  if (!lines.empty() && lines.rbegin()->first > source.size())
    out +=
        fmt::format("the file has {} lines, the trace names line {}: it is not what was compiled\n",
                    source.size(), lines.rbegin()->first);
  const auto near = [&](std::uint32_t n) {
    const auto at = lines.lower_bound(n > kAround ? n - kAround : 1);
    return at != lines.end() && at->first <= n + kAround;
  };
  bool gap = false;
  for (std::uint32_t n = 1; n <= source.size(); ++n) {
    if (!near(n)) {
      gap = true;
      continue;
    }
    if (gap) out += fmt::format("{:>52}  ...\n", "");
    gap = false;
    const auto at = lines.find(n);
    const Sums* sums = at == lines.end() ? nullptr : &at->second;
    const bool hot = sums && (sums->sectors > sums->ideal || sums->passes > sums->ideal_passes);
    const std::string line =
        fmt::format("{}  {:>4}  {}", margin(sums), n, printable_lines(source[n - 1]));
    out += (hot ? styled(line, Style::kYellow, terminal.colour) : line) + "\n";
  }
  return out;
}

}  // namespace warpmem::views
