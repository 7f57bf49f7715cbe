#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "views/report.hpp"
#include "views/report_launch_json.hpp"
#include "views/words.hpp"

namespace warpmem::views {
namespace {

using nlohmann::ordered_json;

ordered_json card_json(const ReportCard& c) {
  ordered_json out{{"name", c.name},
                   {"full_name", c.full_name},
                   {"capability", c.capability},
                   {"issue_peak", c.issue_peak}};
  out["entries"] = ordered_json::array();
  for (const ReportCard::Entry& e : c.entries)
    out["entries"].push_back({e.key, e.value, e.unit, e.source, e.meaning, e.overridden});
  return out;
}

ordered_json run_json(const ReportRun& r, std::vector<std::string>& reasons) {
  ordered_json out{{"name", r.name}, {"card", r.card}, {"engine", r.engine}};
  out["provenance"] = ordered_json::array();
  for (const auto& [what, text] : r.provenance) out["provenance"].push_back({what, text});
  out["notes"] = r.notes;
  out["launches"] = ordered_json::array();
  for (const ReportLaunch& l : r.launches)
    out["launches"].push_back(report_launch_json(l, reasons));
  return out;
}

ordered_json number(double v) {
  if (v == std::floor(v) && std::abs(v) < 9e15) return static_cast<std::int64_t>(v);
  return v;
}

// Names stand once: a pair is [run, launch, counter, predicted, measured, error, verdict], with the
// numbers of those in its lists.
void put_pairs(const Report& r, ordered_json& out) {
  out["pair_counters"] = ordered_json::array(), out["verdicts"] = ordered_json::array();
  out["pairs"] = ordered_json::array();
  std::map<std::string, std::size_t> counters, verdicts;
  for (const ReportPair& p : r.pairs) {
    const auto [c, new_counter] = counters.try_emplace(p.metric, counters.size());
    if (new_counter) out["pair_counters"].push_back({p.metric, p.unit});
    const auto [v, new_verdict] = verdicts.try_emplace(p.verdict, verdicts.size());
    if (new_verdict) out["verdicts"].push_back(p.verdict);
    out["pairs"].push_back({p.run, p.launch, c->second, number(p.predicted), number(p.measured),
                            std::round(p.error * 1e5) / 1e5, v->second});
  }
}

ordered_json curves_json(const ReportCurves& c) {
  ordered_json out{{"title", c.title}, {"x", c.x}, {"alike", c.alike}};
  out["series"] = ordered_json::array();
  for (const ReportCurves::Series& s : c.series) {
    ordered_json points = ordered_json::array();
    for (const auto& [x, y] : s.points)
      points.push_back({x, std::isfinite(y) ? ordered_json(y) : ordered_json(nullptr)});
    out["series"].push_back({{"name", s.name}, {"points", std::move(points)}});
  }
  return out;
}

}  // namespace

std::string report_json(const Report& r) {
  ordered_json out{{"schema", 1}, {"title", r.title}, {"version", r.version}};
  out["words"] = ordered_json::object();
  out["everyday_words"] = ordered_json::array();
  for (const Word& w : words()) {
    out["words"][std::string(w.word)] = w.meaning;
    if (w.everyday) out["everyday_words"].push_back(w.word);
  }
  out["side_by_side"] = r.side_by_side;
  const auto list = [&out](const char* key, const auto& all, const auto& as_json) {
    out[key] = ordered_json::array();
    for (const auto& one : all) out[key].push_back(as_json(one));
  };
  list("metrics", r.metrics, [](const ReportMetric& m) {
    return ordered_json::array({m.name, m.unit, m.group, m.meaning});
  });
  list("cards", r.cards, card_json);
  list("accuracy", r.accuracy, [](const ReportAccuracy& a) {
    return ordered_json::array(
        {a.card, a.level, a.engine, a.metric, a.launches, a.equal, a.median, a.p90});
  });
  list("accuracy_words", r.accuracy_words, [](const ReportAccuracyWords& a) {
    return ordered_json::array({a.card, a.level, a.engine, a.words});
  });
  std::vector<std::string> reasons;
  list("runs", r.runs, [&](const ReportRun& run) { return run_json(run, reasons); });
  out["reasons"] = reasons;
  put_pairs(r, out);
  list("sources", r.sources, [](const ReportSource& s) {
    return ordered_json{{"file", s.file}, {"lines", s.lines}};
  });
  list("curves", r.curves, curves_json);
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace warpmem::views
