#include "command/diff_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/units.hpp"
#include "sim/explain/explain.hpp"
#include "views/explanation.hpp"

namespace warpmem::command {
namespace {

using Counts =
    std::map<std::pair<std::string, std::string>, std::uint64_t>;  // by place and counter

Result<std::vector<LaunchExplanation>> explained(const std::string& path, const model::Card& card) {
  const auto reader = trace::TraceReader::open(path);
  if (!reader) return reader.error();
  sim::ExplainOptions options;
  options.gains = false, options.time = false;
  std::vector<LaunchExplanation> out;
  for (std::uint32_t i = 0; i < reader->launches().size(); ++i) {
    auto one = sim::explain(*reader, i, card, options);
    if (!one) return one.error();
    out.push_back(std::move(*one));
  }
  return out;
}

Counts counts_of(const LaunchExplanation& launch) {
  Counts out;
  for (const SiteTraffic& t : launch.sites) {
    const std::string place = fmt::format("{} {} {}", views::place_of(t), t.space, t.op);
    if (t.sectors) out[{place, "sectors"}] += t.sectors;
    if (t.wavefronts) out[{place, "wavefronts"}] += t.wavefronts;
  }
  return out;
}

}  // namespace

Result<std::vector<LineDifference>> line_differences(const std::string& before,
                                                     const std::string& after,
                                                     const model::Card& card) {
  const auto a = explained(before, card), b = explained(after, card);
  if (!a) return a.error();
  if (!b) return b.error();
  std::vector<LineDifference> out;
  for (std::size_t i = 0; i < std::min(a->size(), b->size()); ++i) {
    const Counts old = counts_of((*a)[i]), now = counts_of((*b)[i]);
    Counts all = old;
    all.insert(now.begin(), now.end());
    for (const auto& [at, any] : all) {
      const auto was = old.find(at), is = now.find(at);
      LineDifference d{(*a)[i].kernel,
                       (*b)[i].kernel,
                       at.first,
                       at.second,
                       was == old.end() ? 0 : was->second,
                       is == now.end() ? 0 : is->second};
      if (d.before != d.after) out.push_back(std::move(d));
    }
  }
  const auto size = [](const LineDifference& d) {
    return d.before > d.after ? d.before - d.after : d.after - d.before;
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const auto& x, const auto& y) { return size(x) > size(y); });
  return out;
}

}  // namespace warpmem::command
