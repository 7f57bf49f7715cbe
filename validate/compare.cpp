#include "validate/compare.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.hpp"
#include "validate/kernel_name.hpp"

namespace warpmem::validate {
namespace {

constexpr const char* kNotCollected = "not collected";

MetricValue value_of(const LaunchMetrics& launch, std::string_view name, const char* absent) {
  const auto it = launch.metrics.find(std::string(name));
  return it == launch.metrics.end() ? MetricValue{0, absent} : it->second;
}

Comparison compare(const MetricRule& rule, const LaunchMetrics& predicted,
                   const LaunchMetrics& measured) {
  Comparison c;
  c.rule = &rule;
  c.predicted = value_of(predicted, rule.name, "not predicted");
  c.measured = value_of(measured, rule.name, kNotCollected);
  if (!c.predicted.known() || !c.measured.known()) {
    c.reason = !c.measured.known() ? c.measured.missing : c.predicted.missing;
    return c;
  }
  double floor = rule.match == Match::kExact ? 0 : rule.floor;
  if (!rule.scale.empty())
    if (const auto scale = value_of(measured, rule.scale, "n/a"); scale.known())
      floor = std::max(floor, scale.value);
  if (rule.background != Background::kNone)
    if (const auto cycles = value_of(measured, "sm__cycles_elapsed.max", "n/a"); cycles.known())
      floor += background_sectors(rule.background, cycles.value) / rule.band;
  const double p = c.predicted.value, m = c.measured.value;
  c.error = relative_error(p, m);
  // Of an exact metric one is the least that there is.
  c.judged =
      p == m ? 0 : (p - m) / std::max(std::abs(m), rule.match == Match::kExact ? 1.0 : floor);
  c.small = std::max(std::abs(p), std::abs(m)) < rule.floor || (p == 0 && m == 0);
  if (p == m || std::abs(p - m) <= rule.resolution) c.verdict = Verdict::kEqual;
  else if (c.off()) c.verdict = Verdict::kOff;
  else
    c.verdict = std::abs(c.judged) <= rule.spread ? Verdict::kWithinSpread : Verdict::kWithinBand;
  if (c.verdict != Verdict::kEqual && floor > std::abs(m) && std::abs(c.error) > rule.band)
    c.reason = fmt::format("{:+.1f} % of {}, which is judged by", 100 * c.judged,
                           number(std::round(floor)));
  return c;
}

// In the summary form one measured row stands for several launches: compare with their average.
LaunchMetrics average(const std::vector<const LaunchMetrics*>& launches) {
  LaunchMetrics out = *launches.front();
  for (auto& [name, value] : out.metrics) {
    double sum = 0;
    for (const auto* l : launches) {
      const auto it = l->metrics.find(name);
      if (it == l->metrics.end() || !it->second.known()) value.missing = "not predicted for all";
      else sum += it->second.value;
    }
    if (value.known()) value.value = sum / static_cast<double>(launches.size());
  }
  return out;
}

std::string describe(const LaunchMetrics& l) {
  return fmt::format("{} grid ({},{},{}) block ({},{},{})", kernel_signature(l.kernel), l.grid[0],
                     l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2]);
}

// Which launches enter a metric's statistics, and why the others do not.
std::string excluded_because(const Comparison& c) {
  if (c.verdict == Verdict::kNotRead) return c.reason;
  if (!c.small) return "";
  if (c.predicted.value == 0 && c.measured.value == 0) return "zero";
  return fmt::format("below {}", grouped(static_cast<std::uint64_t>(c.rule->floor)));
}

}  // namespace

MetricSummary summarise(const MetricRule& rule, const std::vector<LaunchComparison>& launches) {
  MetricSummary s;
  s.rule = &rule;
  std::vector<double> sizes;
  double sum = 0;
  for (const auto& launch : launches) {
    for (const auto& c : launch.metrics) {
      if (c.rule != &rule) continue;
      s.failed += fails(c.verdict);
      s.known += c.verdict == Verdict::kKnownDeviation;
      if (const auto why = excluded_because(c); !why.empty()) {
        ++s.excluded[why];
        continue;
      }
      ++s.n;
      s.equal += c.verdict == Verdict::kEqual;
      sizes.push_back(std::abs(c.judged));
      sum += c.judged;
      if (std::abs(c.judged) > s.worst) {
        s.worst = std::abs(c.judged);
        s.worst_at = launch.run.empty() ? launch.kernel : launch.run + " " + launch.kernel;
      }
    }
  }
  s.median = percentile(sizes, 0.5);
  s.p90 = percentile(sizes, 0.9);
  s.bias = s.n ? sum / static_cast<double>(s.n) : 0;
  return s;
}

bool Comparison::off() const {
  const double p = predicted.value, m = measured.value;
  if (p == m || std::abs(p - m) <= rule->resolution) return false;
  return rule->match == Match::kExact || std::abs(judged) > rule->band;
}

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kEqual: return "equal";
    case Verdict::kWithinSpread: return "within spread";
    case Verdict::kWithinBand: return "within band";
    case Verdict::kKnownDeviation: return "known deviation";
    case Verdict::kOff: return "model off";
    case Verdict::kArtefact: return "artefact";
    case Verdict::kNotRead: return "not read";
  }
  return "";
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

std::vector<LaunchComparison> compare_launches(const std::vector<LaunchMetrics>& predicted,
                                               const NcuImport& measured, const Matching& matching,
                                               const std::string& run) {
  // Predicted launches of each measured one; more than one only in the summary form.
  std::map<std::size_t, std::vector<const LaunchMetrics*>> sharing;
  for (const auto& [p, m] : matching.pairs) sharing[m].push_back(&predicted[p]);
  std::vector<LaunchComparison> out;
  for (const auto& [p, m] : matching.pairs) {
    if (sharing[m].front() != &predicted[p]) continue;
    const LaunchMetrics model = sharing[m].size() == 1 ? predicted[p] : average(sharing[m]);
    const NcuLaunch& counted = measured.launches[m];
    LaunchComparison launch{
        run, kernel_signature(model.kernel), model.grid, model.block, model.launch, counted.id, {},
        {}};
    for (const auto& rule : all_rules()) {
      const std::string name(rule.name);
      if (!model.metrics.contains(name) && !counted.counted.metrics.contains(name)) continue;
      launch.metrics.push_back(compare(rule, model, counted.counted));
    }
    out.push_back(std::move(launch));
  }
  return out;
}

std::vector<std::string> describe_unmatched(const std::vector<LaunchMetrics>& predicted,
                                            const NcuImport& measured, const Matching& matching,
                                            const std::string& run) {
  const std::string prefix = run.empty() ? "" : run + ": ";
  std::vector<std::string> out;
  for (std::size_t i : matching.unmatched_predicted)
    out.push_back(fmt::format("{}launch {} only in the trace: {}", prefix, predicted[i].launch,
                              describe(predicted[i])));
  for (std::size_t j : matching.unmatched_measured)
    out.push_back(fmt::format("{}launch {} only in the profiler's file: {}", prefix,
                              measured.launches[j].id.empty()
                                  ? std::to_string(measured.launches[j].counted.launch)
                                  : measured.launches[j].id,
                              describe(measured.launches[j].counted)));
  return out;
}

namespace {

// The error as a share of another metric of the launch; of the metric itself where none is named,
// or counted.
double share_of(const std::string& other, const LaunchComparison& launch, const Comparison& c) {
  for (const Comparison& whole : launch.metrics)
    if (!other.empty() && whole.rule->name == other && whole.measured.known() &&
        whole.measured.value > 0)
      return (c.predicted.value - c.measured.value) / whole.measured.value;
  return c.judged;
}

// What is off is a listed deviation within its bound, or an artefact that the launch's other
// counters prove; or else the model is off.
void judge(const LaunchComparison& launch, std::optional<std::size_t> listed,
           const DeviationList& deviations, std::vector<DeviationUse>& uses, Comparison& c) {
  if (listed) ++uses[*listed].named;
  if (!fails(c.verdict)) return;
  const double error = listed ? share_of(deviations.entries()[*listed].of, launch, c) : 0;
  if (listed && deviations.entries()[*listed].covers(error)) {
    DeviationUse& use = uses[*listed];
    ++use.needed;
    use.above = std::max(use.above, error), use.below = std::max(use.below, -error);
    c.verdict = Verdict::kKnownDeviation;
    c.reason = use.reason;
    return;
  }
  c.artefact = artefact_of(c, launch);
  if (c.artefact) {
    const ArtefactText& text = text_of(*c.artefact);
    c.verdict = Verdict::kArtefact;
    c.reason = fmt::format("{}: {}; {}", text.name, text.because, text.again);
  } else if (listed) {
    ++uses[*listed].needed;
    c.reason = fmt::format("beyond the bound of the listed deviation {}", uses[*listed].id);
  }
}

}  // namespace

Report finish_report(std::string gpu, std::string engine, std::vector<LaunchComparison> launches,
                     std::vector<std::string> unmatched, const DeviationList& deviations) {
  Report report;
  report.gpu = std::move(gpu), report.engine = std::move(engine);
  report.launches = std::move(launches), report.unmatched = std::move(unmatched);
  std::vector<DeviationUse> uses;
  for (const auto& d : deviations.entries()) uses.push_back({d.id, d.reason, 0, 0, 0, 0});
  for (auto& launch : report.launches) {
    for (auto& c : launch.metrics) {
      if (c.verdict == Verdict::kNotRead) continue;
      judge(launch, deviations.find(report.gpu, launch.run, launch.kernel, c.rule->name),
            deviations, uses, c);
      report.failed += fails(c.verdict);
    }
  }
  for (auto& use : uses)
    if (use.named > 0) report.deviations.push_back(std::move(use));
  for (const auto& rule : all_rules()) {
    MetricSummary s = summarise(rule, report.launches);
    if (s.n > 0 || !s.excluded.empty()) report.summary.push_back(std::move(s));
  }
  return report;
}

std::vector<std::string_view> not_collected(const Report& report) {
  std::vector<std::string_view> out;
  for (const auto& rule : all_rules()) {
    bool predicted = false, collected = false;
    for (const auto& launch : report.launches)
      for (const auto& c : launch.metrics) {
        if (c.rule != &rule) continue;
        predicted = predicted || c.predicted.known();
        collected = collected || c.measured.missing != kNotCollected;
      }
    if (predicted && !collected) out.push_back(rule.name);
  }
  return out;
}

Result<void> check_compared(const Report& report, const std::string& place) {
  for (const auto& launch : report.launches)
    for (const auto& c : launch.metrics)
      if (c.verdict != Verdict::kNotRead) return {};
  return Error{ErrorKind::kMalformed,
               fmt::format("{} launches match, but no counter has a value on both sides",
                           report.launches.size()),
               place, "see `--format csv` for the reasons, and collect the missing counters"};
}

void attach_repeat(Report& report, const Report& repeat) {
  for (auto& s : report.summary)
    for (const auto& r : repeat.summary)
      if (r.rule == s.rule) s.hardware = {r.n, r.median, r.p90, r.worst};
}

}  // namespace warpmem::validate
