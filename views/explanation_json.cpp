#include <map>
#include <tuple>

#include "base/json.hpp"
#include "views/explanation.hpp"
#include "views/explanation_parts.hpp"

namespace warpmem::views {
namespace {

Json site_json(const SiteTraffic& t) {
  Json out{{"pc", t.pc}, {"instruction", t.instruction}};
  out["file"] = t.file.empty() ? Json(nullptr) : Json(t.file);
  out["line"] = t.line ? Json(t.line) : Json(nullptr);
  out["space"] = t.space, out["op"] = t.op, out["bytes"] = t.bytes;
  out["array"] = t.array.empty() ? Json(nullptr) : Json(t.array);
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

Json finding_json(const LaunchExplanation& l, const Finding& f) {
  Json out{{"pattern", name_of(f.pattern)}, {"sentence", f.sentence}};
  out["instructions"] = Json::array();
  for (const std::size_t s : f.sites) out["instructions"].push_back(l.sites[s].pc);
  out["place"] = place_of(l.sites[f.sites.front()]);
  out["excess_sectors"] = f.excess_sectors, out["excess_wavefronts"] = f.excess_wavefronts;
  out["changes"] = changes_json(f.changes);
  return out;
}

Json lines_json(const LaunchExplanation& l) {
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
  Json out = Json::array();
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

Json needs_json(const ArrayNeeds& needs) {
  if (!needs.missing.empty()) return {{"missing", needs.missing}};
  Json out{{"sets", needs.sets}, {"largest", needs.largest}};
  out["arrays"] = Json::array();
  for (const ArrayNeed& a : needs.arrays)
    out["arrays"].push_back({{"name", a.array},
                             {"bytes", a.bytes},
                             {"sectors", a.sectors},
                             {"hits", a.hits},
                             {"hits_with_largest", a.most_hits}});
  return out;
}

Json launch_json(const LaunchExplanation& l) {
  Json out{{"launch", l.launch}, {"name", l.kernel}, {"grid", l.grid}, {"block", l.block}};
  out["cost"] = cost_json(l.cost);
  out["bottleneck"] = l.limit.empty() ? Json(nullptr) : Json(l.limit);
  out["lines"] = lines_json(l);
  out["instructions"] = Json::array();
  for (const SiteTraffic& t : l.sites) out["instructions"].push_back(site_json(t));
  out["arrays"] = arrays_json(l.arrays);
  out["findings"] = Json::array();
  for (const Finding& f : l.findings) out["findings"].push_back(finding_json(l, f));
  out["changes"] = changes_json(l.changes);
  if (l.needs) out["l1_needs"] = needs_json(*l.needs);
  out["notes"] = l.notes;
  return out;
}

}  // namespace

Json cost_json(const RunCost& c) {
  Json out;
  out["cycles"] = c.cycles ? Json(c.cycles) : Json(nullptr);
  out["sectors"] = c.sectors, out["wavefronts"] = c.wavefronts;
  out["l2_sectors"] = c.l2_sectors, out["dram_sectors"] = c.dram_sectors;
  return out;
}

Json changes_json(const std::vector<Change>& changes) {
  Json out = Json::array();
  for (const Change& c : changes) {
    Json change{{"name", c.name}, {"what", c.what}, {"estimate", c.estimate}};
    change["after"] = c.after ? cost_json(*c.after) : Json(nullptr);
    if (!c.after) change["not_measured"] = c.not_measured;
    out.push_back(std::move(change));
  }
  return out;
}

Json arrays_json(const std::vector<ArrayTraffic>& arrays) {
  Json out = Json::array();
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
  Json out{{"schema", 1}, {"gpu", from.gpu}, {"engine", from.engine}};
  out["trace"] = {{"file", from.file}, {"hash", from.hash}, {"level", from.level}};
  out["caution"] = from.caution.empty() ? Json(nullptr) : Json(from.caution);
  out["kernels"] = Json::array();
  for (const LaunchExplanation& l : launches) out["kernels"].push_back(launch_json(l));
  return out.text(2) + "\n";
}

}  // namespace warpmem::views
