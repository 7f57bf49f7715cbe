#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "views/explanation.hpp"
#include "views/explanation_parts.hpp"

namespace warpmem::views {
namespace {

using nlohmann::ordered_json;

ordered_json site_json(const SiteTraffic& t) {
  ordered_json out{{"pc", t.pc}, {"instruction", t.instruction}};
  out["file"] = t.file.empty() ? ordered_json(nullptr) : ordered_json(t.file);
  out["line"] = t.line ? ordered_json(t.line) : ordered_json(nullptr);
  out["space"] = t.space, out["op"] = t.op, out["bytes"] = t.bytes;
  out["array"] = t.array.empty() ? ordered_json(nullptr) : ordered_json(t.array);
  out["requests"] = t.requests, out["lanes"] = t.lanes;
  out["sectors"] = t.sectors, out["ideal_sectors"] = t.ideal_sectors;
  out["wavefronts"] = t.wavefronts, out["ideal_wavefronts"] = t.ideal_wavefronts;
  out["addresses"] = t.addresses;
  out["l1_hits"] = t.l1_hits, out["l2_reads"] = t.l2_reads;
  out["l2_read_hits"] = t.l2_read_hits, out["l2_writes"] = t.l2_writes;
  out["cycles_under_way"] = t.cycles_under_way, out["share"] = t.share;
  out["pattern"] = name_of(t.pattern), out["sentence"] = t.sentence;
  return out;
}

ordered_json finding_json(const LaunchExplanation& l, const Finding& f) {
  ordered_json out{{"pattern", name_of(f.pattern)}, {"sentence", f.sentence}};
  out["instructions"] = ordered_json::array();
  for (const std::size_t s : f.sites) out["instructions"].push_back(l.sites[s].pc);
  out["place"] = place_of(l.sites[f.sites.front()]);
  out["excess_sectors"] = f.excess_sectors, out["excess_wavefronts"] = f.excess_wavefronts;
  out["changes"] = changes_json(f.changes);
  return out;
}

ordered_json lines_json(const LaunchExplanation& l) {
  struct Sums {
    std::uint64_t requests = 0, sectors = 0, ideal = 0, wavefronts = 0, ideal_wavefronts = 0;
  };
  std::map<std::pair<std::string, std::uint32_t>, Sums> lines;
  for (const SiteTraffic& t : l.sites) {
    if (t.line == 0) continue;
    Sums& s = lines[{t.file, t.line}];
    s.requests += t.requests, s.sectors += t.sectors, s.ideal += t.ideal_sectors;
    s.wavefronts += t.wavefronts, s.ideal_wavefronts += t.ideal_wavefronts;
  }
  ordered_json out = ordered_json::array();
  for (const auto& [at, s] : lines)
    out.push_back({{"file", at.first},
                   {"line", at.second},
                   {"requests", s.requests},
                   {"sectors", s.sectors},
                   {"ideal_sectors", s.ideal},
                   {"wavefronts", s.wavefronts},
                   {"ideal_wavefronts", s.ideal_wavefronts}});
  return out;
}

ordered_json needs_json(const ArrayNeeds& needs) {
  if (!needs.missing.empty()) return {{"missing", needs.missing}};
  ordered_json out{{"sets", needs.sets}, {"largest", needs.largest}};
  out["arrays"] = ordered_json::array();
  for (const ArrayNeed& a : needs.arrays)
    out["arrays"].push_back({{"name", a.array},
                             {"bytes", a.bytes},
                             {"sectors", a.sectors},
                             {"hits", a.hits},
                             {"hits_with_largest", a.most_hits}});
  return out;
}

ordered_json launch_json(const LaunchExplanation& l) {
  ordered_json out{{"launch", l.launch}, {"name", l.kernel}, {"grid", l.grid}, {"block", l.block}};
  out["cost"] = cost_json(l.cost);
  out["bottleneck"] = l.limit.empty() ? ordered_json(nullptr) : ordered_json(l.limit);
  out["lines"] = lines_json(l);
  out["instructions"] = ordered_json::array();
  for (const SiteTraffic& t : l.sites) out["instructions"].push_back(site_json(t));
  out["arrays"] = arrays_json(l.arrays);
  out["findings"] = ordered_json::array();
  for (const Finding& f : l.findings) out["findings"].push_back(finding_json(l, f));
  out["changes"] = changes_json(l.changes);
  if (l.needs) out["l1_needs"] = needs_json(*l.needs);
  out["notes"] = l.notes;
  return out;
}

}  // namespace

ordered_json cost_json(const RunCost& c) {
  ordered_json out;
  out["cycles"] = c.cycles ? ordered_json(c.cycles) : ordered_json(nullptr);
  out["sectors"] = c.sectors, out["wavefronts"] = c.wavefronts;
  out["l2_sectors"] = c.l2_sectors, out["dram_sectors"] = c.dram_sectors;
  return out;
}

ordered_json changes_json(const std::vector<Change>& changes) {
  ordered_json out = ordered_json::array();
  for (const Change& c : changes) {
    ordered_json change{{"name", c.name}, {"what", c.what}, {"estimate", c.estimate}};
    change["after"] = c.after ? cost_json(*c.after) : ordered_json(nullptr);
    if (!c.after) change["not_measured"] = c.not_measured;
    out.push_back(std::move(change));
  }
  return out;
}

ordered_json arrays_json(const std::vector<ArrayTraffic>& arrays) {
  ordered_json out = ordered_json::array();
  for (const ArrayTraffic& a : arrays)
    out.push_back({{"name", a.name},
                   {"bytes", a.bytes},
                   {"requests", a.requests},
                   {"sectors", a.sectors},
                   {"ideal_sectors", a.ideal_sectors}});
  return out;
}

std::string explanation_json(const std::vector<LaunchExplanation>& launches,
                             const ExplainedTrace& from) {
  ordered_json out{{"schema", 1}, {"gpu", from.gpu}, {"engine", from.engine}};
  out["trace"] = {{"file", from.file}, {"hash", from.hash}, {"level", from.level}};
  out["caution"] = from.caution.empty() ? ordered_json(nullptr) : ordered_json(from.caution);
  out["kernels"] = ordered_json::array();
  for (const LaunchExplanation& l : launches) out["kernels"].push_back(launch_json(l));
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace warpmem::views
