#include <cmath>
#include <map>

#include "base/json.hpp"
#include "views/report.hpp"
#include "views/report_launch_json.hpp"
#include "views/words.hpp"

namespace warpmem::views {
namespace {

Json card_json(const ReportCard& c) {
  Json out{{"name", c.name},
           {"full_name", c.full_name},
           {"capability", c.capability},
           {"issue_peak", c.issue_peak}};
  out["entries"] = Json::array();
  for (const ReportCard::Entry& e : c.entries)
    out["entries"].push_back({e.key, e.value, e.unit, e.source, e.meaning, e.overridden});
  return out;
}

Json run_json(const ReportRun& r, std::vector<std::string>& reasons) {
  Json out{{"name", r.name}, {"card", r.card}, {"engine", r.engine}};
  out["provenance"] = Json::array();
  for (const auto& [what, text] : r.provenance) out["provenance"].push_back({what, text});
  out["notes"] = r.notes;
  out["launches"] = Json::array();
  for (const ReportLaunch& l : r.launches)
    out["launches"].push_back(report_launch_json(l, reasons));
  return out;
}

// Names stand once: a pair is [run, launch, counter, predicted, measured, error, verdict], with the
// numbers of those in its lists.
void put_pairs(const Report& r, Json& out) {
  out["pair_counters"] = Json::array(), out["verdicts"] = Json::array();
  out["pairs"] = Json::array();
  std::map<std::string, std::size_t> counters, verdicts;
  for (const ReportPair& p : r.pairs) {
    const auto [c, new_counter] = counters.try_emplace(p.metric, counters.size());
    if (new_counter) out["pair_counters"].push_back({p.metric, p.unit});
    const auto [v, new_verdict] = verdicts.try_emplace(p.verdict, verdicts.size());
    if (new_verdict) out["verdicts"].push_back(p.verdict);
    out["pairs"].push_back({p.run, p.launch, c->second, json_number(p.predicted),
                            json_number(p.measured), std::round(p.error * 1e5) / 1e5, v->second});
  }
}

Json curves_json(const ReportCurves& c) {
  Json out{{"title", c.title}, {"x", c.x}, {"alike", c.alike}};
  out["series"] = Json::array();
  for (const ReportCurves::Series& s : c.series) {
    Json points = Json::array();
    for (const auto& [x, y] : s.points)
      points.push_back({x, std::isfinite(y) ? Json(y) : Json(nullptr)});
    out["series"].push_back({{"name", s.name}, {"points", std::move(points)}});
  }
  return out;
}

}  // namespace

std::string report_json(const Report& r) {
  Json out{{"schema", 1}, {"title", r.title}, {"version", r.version}};
  out["words"] = Json::object();
  out["everyday_words"] = Json::array();
  for (const Word& w : words()) {
    out["words"][std::string(w.word)] = w.meaning;
    if (w.everyday) out["everyday_words"].push_back(w.word);
  }
  out["side_by_side"] = r.side_by_side;
  const auto list = [&out](const char* key, const auto& all, const auto& as_json) {
    out[key] = Json::array();
    for (const auto& one : all) out[key].push_back(as_json(one));
  };
  list("metrics", r.metrics, [](const ReportMetric& m) {
    return Json::array({m.name, m.unit, m.group, m.meaning});
  });
  list("cards", r.cards, card_json);
  list("accuracy", r.accuracy, [](const ReportAccuracy& a) {
    return Json::array({a.card, a.level, a.engine, a.metric, a.launches, a.equal, a.median, a.p90});
  });
  list("accuracy_words", r.accuracy_words, [](const ReportAccuracyWords& a) {
    return Json::array({a.card, a.level, a.engine, a.words});
  });
  std::vector<std::string> reasons;
  list("runs", r.runs, [&](const ReportRun& run) { return run_json(run, reasons); });
  out["reasons"] = reasons;
  put_pairs(r, out);
  list("sources", r.sources, [](const ReportSource& s) {
    return Json{{"file", s.file}, {"lines", s.lines}};
  });
  list("curves", r.curves, curves_json);
  return out.text();
}

}  // namespace warpmem::views
