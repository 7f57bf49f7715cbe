// What is asked of metrics that are worked out from counters, nvprof's and Nsight Compute's ratios:
// as much as of those counters.
#include <algorithm>
#include <vector>

#include "metrics/metric.hpp"
#include "validate/metric_map.hpp"

namespace warpmem::validate {
namespace {

constexpr unsigned kLatest =
    70;  // the last capability that nvprof counts on, and the first of Nsight Compute
constexpr double kPrinted = 0.5e-6;            // six decimals are printed
constexpr double kPrintedByNcu = 0.005000001;  // two, on its details page
constexpr double kBand = 0.05, kFloor = 256, kPoint = 1;

constexpr std::string_view kExactly = "worked out from counters that depend on lane addresses only";
constexpr std::string_view kRoughly =
    "worked out from counters that depend on cache state, order or time";
constexpr std::string_view kEarly =
    "counted before compute capability 7.0 alone, of which no band was measured";

constexpr std::string_view kOfTheLaunch = "follows from the launch's shape and the card";

bool is_ratio(const metrics::Metric& m) {
  return m.unit == "%" || m.unit.find('/') != std::string_view::npos;
}

MetricRule rule_of(metrics::Vocabulary words, const metrics::Metric& metric) {
  MetricRule out;
  out.name = metric.name;
  out.match = Match::kExact;
  out.source = kExactly;
  bool any = false;
  for (const std::string& counter : metrics::counters_of(words, metric, kLatest)) {
    if (counter.starts_with("card.")) continue;
    const bool time = counter == "time_us" || counter == "cycles" ||
                      counter == "sm_active_cycles" || counter == "warp_cycles" ||
                      counter == "l1_busy" || counter == "l2_busy";
    const MetricRule* const of = find_rule(time ? "sm__cycles_elapsed.max" : counter);
    if (!of) continue;
    if (!any) out.group = of->group;
    any = true;
    if (of->match == Match::kExact) continue;
    out.match = Match::kApproximate;
    out.source = kRoughly;
    if (of->band >= out.band) out.group = of->group;
    out.band = std::max(out.band, of->band), out.spread = std::max(out.spread, of->spread);
    out.floor = std::max(out.floor, of->floor);
  }
  if (!any) {
    out.match = Match::kApproximate;
    out.band = kBand, out.floor = words == metrics::Vocabulary::kNcu ? kPoint : kFloor;
    out.source = words == metrics::Vocabulary::kNcu ? kOfTheLaunch : kEarly;
  }
  if (is_ratio(metric)) {
    if (out.match == Match::kExact)
      out.resolution = words == metrics::Vocabulary::kNcu ? kPrintedByNcu : kPrinted;
    else out.floor = kPoint;
  }
  return out;
}

}  // namespace

std::span<const MetricRule> nvprof_rules() {
  static const std::vector<MetricRule> kRules = [] {
    std::vector<MetricRule> rules;
    for (const metrics::Metric& m : metrics::metrics_of(metrics::Vocabulary::kNvprof))
      rules.push_back(rule_of(metrics::Vocabulary::kNvprof, m));
    return rules;
  }();
  return kRules;
}

std::span<const MetricRule> ncu_ratio_rules() {
  static const std::vector<MetricRule> kRules = [] {
    std::vector<MetricRule> rules;
    for (const metrics::Metric& m : metrics::metrics_of(metrics::Vocabulary::kNcu))
      if (m.definitions[0].formula != m.name && !find_rule(m.name))
        rules.push_back(rule_of(metrics::Vocabulary::kNcu, m));
    return rules;
  }();
  return kRules;
}

std::span<const MetricRule> all_rules() {
  static const std::vector<MetricRule> kAll = [] {
    std::vector<MetricRule> all(metric_rules().begin(), metric_rules().end());
    all.insert(all.end(), nvprof_rules().begin(), nvprof_rules().end());
    all.insert(all.end(), ncu_ratio_rules().begin(), ncu_ratio_rules().end());
    return all;
  }();
  return kAll;
}

}  // namespace warpmem::validate
