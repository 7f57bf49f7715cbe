#include "command/metrics/view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "command/counters/metric_text.hpp"
#include "command/screen/table.hpp"
#include "validate/accuracy.hpp"
#include "validate/metric_map.hpp"

namespace warpmem::command {
namespace {

using metrics::Vocabulary;

constexpr unsigned kJudgedOn = 90;  // the capability whose counters have rules

// What validation asks of a metric, or of the counters that it is worked out from.
struct Judged {
  bool known = false, exact = true;
  double band = 0;
  std::string level, source;
};

Judged judged(Vocabulary vocabulary, const metrics::Metric& metric) {
  Judged out;
  for (const std::string& counter : metrics::counters_of(vocabulary, metric, kJudgedOn)) {
    if (counter.starts_with("card.")) continue;
    const validate::MetricRule* const rule = validate::find_rule(counter);
    if (!rule) return {};
    out.known = true;
    out.exact &= rule->match == validate::Match::kExact;
    if (rule->band >= out.band)
      out.band = rule->band, out.level = validate::group_name(rule->group),
      out.source = rule->source;
  }
  return out;
}

std::string accepted_text(Vocabulary vocabulary, const metrics::Metric& metric) {
  const Judged j = judged(vocabulary, metric);
  if (!j.known) return "";
  return j.exact ? "equal" : fmt::format("within {:.3g} %", 100 * j.band);
}

Table list_table(Vocabulary vocabulary) {
  Table table({{"metric"}, {"unit"}, {"compute capability"}, {"accepted"}, {"counts"}});
  for (const metrics::Metric& m : metrics::metrics_of(vocabulary))
    table.row({std::string(m.name), std::string(m.unit), metrics::capabilities_of(m),
               accepted_text(vocabulary, m), std::string(m.meaning)});
  return table;
}

std::string counterparts_text(Vocabulary vocabulary, const metrics::Metric& metric) {
  std::string out;
  for (const metrics::Counterpart& c : metrics::counterparts_of(vocabulary, metric))
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", c.metric->name,
                       metrics::name_of(c.vocabulary));
  return out;
}

Json metric_json(Vocabulary vocabulary, const metrics::Metric& metric) {
  const Judged j = judged(vocabulary, metric);
  Json out{{"name", metric.name},
           {"vocabulary", metrics::name_of(vocabulary)},
           {"unit", metric.unit},
           {"counts", metric.meaning},
           {"compute_capability", metrics::capabilities_of(metric)}};
  out["definitions"] = Json::array();
  for (const metrics::Definition& d : metric.definitions) {
    if (d.since == 0) continue;
    Json one{{"since", fmt::format("{}.{}", d.since / 10, d.since % 10)}, {"until", nullptr}};
    if (d.until != 0) one["until"] = fmt::format("{}.{}", d.until / 10, d.until % 10);
    if (d.formula.empty()) one["not_available"] = d.missing;
    else one["formula"] = d.formula;
    out["definitions"].push_back(std::move(one));
  }
  out["counterparts"] = Json::array();
  for (const metrics::Counterpart& c : metrics::counterparts_of(vocabulary, metric))
    out["counterparts"].push_back(
        {{"vocabulary", metrics::name_of(c.vocabulary)}, {"name", c.metric->name}});
  out["level"] = j.known ? Json(j.level) : Json(nullptr);
  out["exact"] = j.known && j.exact;
  out["band"] = j.known ? Json(j.band) : Json(nullptr);
  out["source"] = j.source;
  return out;
}

// A formula of a counter is the counter: nothing to show.
std::string formula_text(const metrics::Metric& metric, const metrics::Definition& d) {
  if (d.formula.empty()) return fmt::format("n/a: {}", d.missing);
  if (d.formula == metric.name) return "counted as such";
  return std::string(d.formula);
}

// How close it came to hardware's, a line for each card and engine that was measured.
std::string accuracy_lines(const FoundMetric& found) {
  const auto counters = metrics::counters_of(found.vocabulary, *found.metric, kJudgedOn);
  std::string out;
  for (const validate::Accuracy& a : validate::measured_accuracy())
    if (std::ranges::find(counters, a.metric) != counters.end())
      out += fmt::format("  {:<20}{}{}, traces of level {}, {} engine: {}\n",
                         out.empty() ? "accuracy" : "", counters.size() > 1 ? a.metric + ", " : "",
                         a.gpu, a.level, a.engine, validate::accuracy_text(a));
  return out.empty() ? fmt::format("  {:<20}not measured\n", "accuracy") : out;
}

std::string one_text(const FoundMetric& found) {
  const metrics::Metric& m = *found.metric;
  std::string out = fmt::format("{}: {}, in the words of {}\n  {}\n", m.name, m.unit,
                                metrics::full_name_of(found.vocabulary), m.meaning);
  for (const metrics::Definition& d : m.definitions)
    if (d.since != 0)
      out += fmt::format("  {:<20}{}\n", metrics::capabilities_of(d), formula_text(m, d));
  if (const std::string elsewhere = counterparts_text(found.vocabulary, m); !elsewhere.empty())
    out += fmt::format("  {:<20}{}\n", "elsewhere", elsewhere);
  if (const std::string accepted = accepted_text(found.vocabulary, m); !accepted.empty())
    out += fmt::format("  {:<20}{}\n", "validation accepts", accepted);
  return out + accuracy_lines(found);
}

std::string as_csv(const std::vector<FoundMetric>& all) {
  Table table({{"vocabulary"},
               {"metric"},
               {"unit"},
               {"compute_capability"},
               {"formula"},
               {"counterparts"},
               {"accepted"},
               {"counts"}});
  for (const auto& [vocabulary, m] : all)
    for (const metrics::Definition& d : m->definitions)
      if (d.since != 0)
        table.row({std::string(metrics::name_of(vocabulary)), std::string(m->name),
                   std::string(m->unit), metrics::capabilities_of(d), formula_text(*m, d),
                   counterparts_text(vocabulary, *m), accepted_text(vocabulary, *m),
                   std::string(m->meaning)});
  return table.csv();
}

std::string as_json(const std::vector<FoundMetric>& all) {
  Json out{{"schema", 1}};
  out["metrics"] = Json::array();
  for (const auto& [vocabulary, metric] : all)
    out["metrics"].push_back(metric_json(vocabulary, *metric));
  return out.text(2) + "\n";
}

}  // namespace

std::string metric_list_view(std::optional<Vocabulary> only, Format format,
                             const views::Terminal& terminal) {
  std::vector<FoundMetric> all;
  std::string tables;
  for (const Vocabulary v : metrics::kVocabularies) {
    if (only && *only != v) continue;
    for (const metrics::Metric& m : metrics::metrics_of(v)) all.push_back({v, &m});
    tables += fmt::format("{}In the words of {}\n{}", tables.empty() ? "" : "\n",
                          metrics::full_name_of(v), list_table(v).text(terminal));
  }
  switch (format) {
    case Format::kTable: return tables + "\nAll that is known of one: warpmem metrics NAME\n";
    case Format::kJson: return as_json(all);
    case Format::kCsv: return as_csv(all);
  }
  return {};
}

std::string metric_view(const std::vector<FoundMetric>& found, Format format) {
  if (format == Format::kJson) return as_json(found);
  if (format == Format::kCsv) return as_csv(found);
  std::string out;
  for (const FoundMetric& one : found) out += (out.empty() ? "" : "\n") + one_text(one);
  return out;
}

}  // namespace warpmem::command
