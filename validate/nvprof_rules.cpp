// What is asked of nvprof's metrics: as much as of the counters that they are worked out from.
#include <algorithm>
#include <vector>

#include "metrics/metric.hpp"
#include "validate/metric_map.hpp"

namespace warpmem::validate {
namespace {

constexpr unsigned kLatest = 70;     // the last capability that nvprof counts on
constexpr double kPrinted = 0.5e-6;  // six decimals are printed
constexpr double kBand = 0.05, kFloor = 256, kPoint = 1;

constexpr std::string_view kExactly = "worked out from counters that depend on lane addresses only";
constexpr std::string_view kRoughly =
    "worked out from counters that depend on cache state, order or time";
constexpr std::string_view kEarly =
    "counted before compute capability 7.0 alone, of which no band was measured";

bool is_ratio(const metrics::Metric& m) {
  return m.unit == "%" || m.unit.find('/') != std::string_view::npos;
}

MetricRule rule_of(const metrics::Metric& metric) {
  MetricRule out;
  out.name = metric.name;
  out.match = Match::kExact;
  out.source = kExactly;
  bool any = false;
  for (const std::string& counter :
       metrics::counters_of(metrics::Vocabulary::kNvprof, metric, kLatest)) {
    if (counter.starts_with("card.")) continue;
    const bool time = counter == "time_us" || counter == "cycles";
    const MetricRule* const of = find_rule(time ? "sm__cycles_elapsed.max" : counter);
    if (!of) continue;
    if (!any) out.group = of->group;
    any = true;
    if (of->match == Match::kExact) continue;
    out.match = Match::kApproximate;
    out.source = kRoughly;
    if (of->band >= out.band) out.group = of->group;
    out.band = std::max(out.band, of->band);
    out.floor = std::max(out.floor, of->floor);
  }
  if (!any) {
    out.match = Match::kApproximate;
    out.band = kBand, out.floor = kFloor;
    out.source = kEarly;
  }
  if (is_ratio(metric)) {
    if (out.match == Match::kExact) out.resolution = kPrinted;
    else out.floor = kPoint;
  }
  return out;
}

}  // namespace

std::span<const MetricRule> nvprof_rules() {
  static const std::vector<MetricRule> kRules = [] {
    std::vector<MetricRule> rules;
    for (const metrics::Metric& m : metrics::metrics_of(metrics::Vocabulary::kNvprof))
      rules.push_back(rule_of(m));
    return rules;
  }();
  return kRules;
}

std::span<const MetricRule> all_rules() {
  static const std::vector<MetricRule> kAll = [] {
    std::vector<MetricRule> all(metric_rules().begin(), metric_rules().end());
    all.insert(all.end(), nvprof_rules().begin(), nvprof_rules().end());
    return all;
  }();
  return kAll;
}

}  // namespace warpmem::validate
