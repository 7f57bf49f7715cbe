// The views for programs: JSON and CSV. Plain numbers in base units; a missing value is null or
// empty, with its reason beside it.
#include <cmath>

#include <fmt/format.h>

#include "base/json.hpp"
#include "base/printable.hpp"
#include "validate/view.hpp"

namespace warpmem::validate {
namespace {

// Counters are integers; keep them so in the text.
Json plain(double v) {
  if (v == std::floor(v) && std::abs(v) < 9e15) return static_cast<std::int64_t>(v);
  return v;
}

Json value(const MetricValue& v) { return v.known() ? plain(v.value) : Json(nullptr); }

std::string text(const MetricValue& v) {
  if (!v.known()) return "";
  const Json j = plain(v.value);
  return j.text();
}

const char* match_name(Match match) { return match == Match::kExact ? "exact" : "approximate"; }

std::string cell(std::string_view raw) {
  const std::string s = printable(raw);
  if (s.find_first_of(",\"") == std::string::npos) return s;
  std::string out = "\"";
  for (char c : s) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

Json summary_json(const MetricSummary& s) {
  Json j{{"metric", s.rule->name},
         {"unit", unit_of(*s.rule)},
         {"match", match_name(s.rule->match)},
         {"band", s.rule->band},
         {"floor", s.rule->floor},
         {"launches", s.n},
         {"equal", s.equal},
         {"median", s.median},
         {"p90", s.p90},
         {"worst", s.worst},
         {"worst_at", s.worst_at},
         {"bias", s.bias},
         {"known_deviations", s.known},
         {"failed", s.failed},
         {"excluded", s.excluded}};
  if (s.hardware.n > 0)
    j["hardware_repeat"] = {{"launches", s.hardware.n},
                            {"median", s.hardware.median},
                            {"p90", s.hardware.p90},
                            {"worst", s.hardware.worst}};
  return j;
}

}  // namespace

std::string json_view(const Report& report, const ViewOptions& options) {
  Json out{{"schema", 1},
           {"gpu", report.gpu},
           {"engine", report.engine},
           {"ok", report.ok()},
           {"failed", report.failed},
           {"not_read", report.not_read},
           {"not_collected", not_collected(report)},
           {"provenance", options.heading}};
  out["summary"] = Json::array();
  for (const auto& s : report.summary) out["summary"].push_back(summary_json(s));
  out["launches"] = Json::array();
  for (const auto& l : report.launches) {
    Json metrics = Json::object();
    for (const auto& c : l.metrics) {
      Json m{{"predicted", value(c.predicted)},
             {"measured", value(c.measured)},
             {"verdict", verdict_name(c.verdict)}};
      if (c.verdict != Verdict::kNotRead)  // no number of JSON is infinite
        m["error"] = std::isfinite(c.error) ? Json(c.error) : Json(nullptr), m["judged"] = c.judged;
      if (c.artefact) m["artefact"] = text_of(*c.artefact).name;
      if (!c.reason.empty()) m["reason"] = c.reason;
      metrics[std::string(c.rule->name)] = std::move(m);
    }
    out["launches"].push_back({{"run", l.run},
                               {"launch", l.launch},
                               {"level", l.level},
                               {"profiler_id", l.profiler_id},
                               {"name", l.kernel},
                               {"grid", l.grid},
                               {"block", l.block},
                               {"metrics", std::move(metrics)}});
  }
  out["unmatched"] = report.unmatched;
  out["deviations"] = Json::array();
  for (const auto& d : report.deviations) {
    Json entry{{"id", d.id},         {"reason", d.reason}, {"named", d.named},
               {"needed", d.needed}, {"above", d.above},   {"below", d.below}};
    if (options.whole_reference) entry["gone"] = d.gone();
    out["deviations"].push_back(std::move(entry));
  }
  out["notes"] = options.notes;
  // Names come from foreign files: bytes that are no UTF-8 are replaced, not thrown on.
  return out.text(1) + "\n";
}

std::string csv_view(const Report& report) {
  std::string out =
      "run,launch,kernel,metric,unit,match,predicted,measured,error,verdict,reason,"
      "engine,level\n";
  for (const auto& l : report.launches)
    for (const auto& c : l.metrics)
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", cell(l.run), l.launch,
                         cell(l.kernel), c.rule->name, std::string(unit_of(*c.rule)),
                         match_name(c.rule->match), text(c.predicted), text(c.measured),
                         c.verdict == Verdict::kNotRead ? "" : fmt::format("{:.6f}", c.error),
                         verdict_name(c.verdict), cell(c.reason), report.engine, l.level);
  return out;
}

}  // namespace warpmem::validate
