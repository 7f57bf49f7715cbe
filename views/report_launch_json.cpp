#include "views/report_launch_json.hpp"

#include <algorithm>
#include <cmath>

#include "base/json.hpp"
#include "views/explanation.hpp"
#include "views/explanation_parts.hpp"
#include "views/lanes_json.hpp"

namespace warpmem::views {
namespace {

Json known(const std::optional<double>& v) { return v ? Json(*v) : Json(nullptr); }
// Five digits say enough of a share.
double short_share(double v) { return std::round(v * 1e5) / 1e5; }

Json report_site_json(const SiteTraffic& t) {
  Json out{{"pc", t.pc}, {"text", t.instruction}, {"place", place_of(t)}};
  if (t.line != 0) out["file"] = t.file.substr(t.file.rfind('/') + 1), out["line"] = t.line;
  out["space"] = t.space, out["op"] = t.op, out["bytes"] = t.bytes, out["array"] = t.array;
  // What is 0 is left out.
  const auto count = [&out](const char* name, std::uint64_t n) {
    if (n != 0) out[name] = n;
  };
  count("requests", t.requests), count("lanes", t.lanes);
  count("sectors", t.sectors), count("ideal_sectors", t.ideal_sectors);
  count("wavefronts", t.wavefronts), count("ideal_wavefronts", t.ideal_wavefronts);
  count("l1_hits", t.l1_hits), count("l2_reads", t.l2_reads);
  count("l2_read_hits", t.l2_read_hits), count("l2_writes", t.l2_writes);
  out["share"] = short_share(t.share);
  out["pattern"] = name_of(t.pattern), out["sentence"] = t.sentence;
  out["by_size"] = t.by_size;
  out["examples"] = Json::array();
  for (const LaneAccess& a : t.examples) out["examples"].push_back(lanes_json(a));
  return out;
}

Json kind_json(const MemoryChart::Kind& k) {
  return {{"requests", k.requests}, {"sectors", k.sectors}, {"lane_bytes", k.lane_bytes}};
}

Json chart_json(const MemoryChart& c) {
  return {{"cycles", c.cycles},
          {"microseconds", c.microseconds},
          {"clock_mhz", c.clock_mhz},
          {"sms", c.sms},
          {"sms_used", c.sms_used},
          {"has_l1", c.has_l1},
          {"has_l2", c.has_l2},
          {"load", kind_json(c.load)},
          {"store", kind_json(c.store)},
          {"atomic", kind_json(c.atomic)},
          {"local", kind_json(c.local)},
          {"texture", kind_json(c.texture)},
          {"copy", kind_json(c.copy)},
          {"l1_read", c.l1_read},
          {"l1_written", c.l1_written},
          {"dram_read", c.dram_read},
          {"dram_written", c.dram_written},
          {"l1_hits", known(c.l1_hits)},
          {"l2_hits", known(c.l2_hits)},
          {"shared_wavefronts", c.shared_wavefronts},
          {"shared_ideal", c.shared_ideal},
          {"l1_busy", known(c.l1_busy)},
          {"port_in_busy", known(c.port_in_busy)},
          {"port_out_busy", known(c.port_out_busy)},
          {"l2_busy", known(c.l2_busy)},
          {"dram_busy", known(c.dram_busy)},
          {"dram_peak", c.dram_peak},
          {"ctas", c.ctas},
          {"warps", c.warps},
          {"most_warps", c.most_warps},
          {"occupancy_limit", c.occupancy_limit},
          {"average_warps", known(c.average_warps)}};
}

std::string base_36(std::uint64_t n) {
  std::string out;
  do out.insert(out.begin(), "0123456789abcdefghijklmnopqrstuvwxyz"[n % 36]);
  while (n /= 36);
  return out;
}

Json heat_json(const ReportHeat& h) {
  if (h.windows.empty()) return nullptr;
  // A window is a text, as it takes half the room: its numbers in base 36, with a comma between.
  Json windows = Json::array();
  for (const auto& window : h.windows) {
    std::string text;
    for (const std::uint64_t n : window) text += (text.empty() ? "" : ",") + base_36(n);
    windows.push_back(std::move(text));
  }
  return {{"window_cycles", h.window_cycles},
          {"rows", h.read.size()},
          {"at_work", short_share(h.at_work)},
          {"windows", std::move(windows)}};
}

void put_findings(Json& out, const LaunchExplanation& e) {
  out["sites"] = Json::array();
  for (const SiteTraffic& t : e.sites) out["sites"].push_back(report_site_json(t));
  out["arrays"] = arrays_json(e.arrays);
  out["findings"] = Json::array();
  for (const Finding& f : e.findings)
    out["findings"].push_back({{"pattern", name_of(f.pattern)},
                               {"sentence", f.sentence},
                               {"sites", f.sites},
                               {"excess_sectors", f.excess_sectors},
                               {"excess_wavefronts", f.excess_wavefronts},
                               {"changes", changes_json(f.changes)}});
  out["changes"] = changes_json(e.changes);
}

void put_time(Json& out, const ReportLaunch& l) {
  out["places"] = Json::array();
  for (const ReportPlace& p : l.places)
    out["places"].push_back({p.name, short_share(p.share), short_share(p.most), p.element, p.count,
                             json_number(p.bytes), json_number(p.peak)});
  out["waits"] = Json::array();
  for (const auto& [name, cycles] : l.waits) out["waits"].push_back({name, cycles});
  out["warp_cycles"] = l.warp_cycles, out["running"] = l.running;
  out["instructions"] = l.instructions;
}

Json reason_of(const std::string& missing, std::vector<std::string>& reasons) {
  auto at = std::ranges::find(reasons, missing);
  if (at == reasons.end()) at = reasons.insert(at, missing);
  return Json::array({at - reasons.begin()});
}

}  // namespace

Json json_number(double v) {
  if (!std::isfinite(v)) return nullptr;
  if (v == std::floor(v) && std::abs(v) < 9e15) return static_cast<std::int64_t>(v);
  return v;
}

Json report_launch_json(const ReportLaunch& l, std::vector<std::string>& reasons) {
  const LaunchExplanation& e = l.explanation;
  Json out{{"launch", e.launch}, {"kernel", e.kernel}, {"grid", e.grid},
           {"block", e.block},   {"level", l.level},   {"complete", l.complete}};
  out["limit"] = e.limit, out["cost"] = cost_json(e.cost);
  out["accuracy_not_measured"] = l.accuracy_not_measured;
  out["chart"] = chart_json(l.chart);
  // Values in the order of the metrics; where there is none, the number of the reason in a list.
  out["values"] = Json::array();
  for (const MetricValue& v : l.values)
    out["values"].push_back(v.known() ? json_number(v.value) : reason_of(v.missing, reasons));
  put_time(out, l);
  put_findings(out, e);
  out["dram"] = heat_json(l.dram), out["banks"] = heat_json(l.banks);
  out["notes"] = e.notes;
  return out;
}

}  // namespace warpmem::views
