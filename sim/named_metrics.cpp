#include "sim/named_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "metrics/metric.hpp"
#include "model/access/rule/access_rule.hpp"
#include "model/interconnect/resource.hpp"
#include "sim/metric_rows.hpp"

namespace warpmem::sim {
namespace {

using metrics::Value;
using metrics::Vocabulary;

constexpr std::string_view kCycles = "sm__cycles_elapsed.max";
constexpr std::string_view kNeedsTime =
    "needs the time engine (replay without --counts, validate --time)";
constexpr unsigned kFirstOfNcu = 70;
constexpr std::string_view kNothing = "nothing to divide by: ";

Value known(double value) { return {value, {}}; }
Value known(std::uint64_t value) { return {static_cast<double>(value), {}}; }

// What a replay says by other names than Nsight Compute's.
class CountersByName {
 public:
  CountersByName(const ReplayedLaunch& launch, const model::Card& card)
      : launch_(launch),
        card_(card),
        early_(card.numbers().access_rule !=
               static_cast<std::uint64_t>(model::AccessRule::kSectors)) {}

  std::optional<Value> operator()(std::string_view name) const {
    if (name.starts_with("card.")) return of_card(name.substr(5));
    if (auto timed = of_time(name)) return timed;
    const auto& counted = launch_.metrics.metrics;
    if (const auto found = counted.find(std::string(name)); found != counted.end())
      return Value{found->second.value, found->second.missing};
    if (early_)
      for (const MetricRow& row : early_rows())
        if (name == row.name) return known(row.value(launch_.counters));
    if (name == "dram_read_sectors") return known(launch_.counters.l2.dram_read);
    if (name == "dram_write_sectors") return known(launch_.counters.l2.dram_write);
    return std::nullopt;
  }

 private:
  std::optional<Value> of_card(std::string_view key) const {
    for (const model::CardEntry& entry : card_.entries())
      if (entry.key == key && entry.kind == model::CardEntry::Kind::kNumber && entry.used)
        return known(entry.numbers.at(0));
    return Value{0, fmt::format("{} does not say {}", card_.name(), key)};
  }

  std::optional<Value> of_time(std::string_view name) const {
    const bool cycles = name == kCycles || name == "cycles", micros = name == "time_us",
               instructions = name == "inst_executed" || name == "inst_issued";
    if (!cycles && !micros && !instructions) return of_use(name);
    if (!launch_.time) return Value{0, std::string(kNeedsTime)};
    if (instructions) return known(launch_.time->instructions);
    const auto elapsed = static_cast<double>(launch_.time->cycles);
    return known(micros ? elapsed / static_cast<double>(card_.numbers().clock_mhz) : elapsed);
  }

  // How much of it was in use, and for how long warps were there.
  std::optional<Value> of_use(std::string_view name) const {
    const bool l1 = name == "l1_busy", l2 = name == "l2_busy", active = name == "sm_active_cycles",
               warps = name == "warp_cycles";
    if (!l1 && !l2 && !active && !warps) return of_residency(name);
    if (!launch_.time) return Value{0, std::string(kNeedsTime)};
    const TimeResult& t = *launch_.time;
    if (warps) return known(t.warp_cycles);
    if (active) {
      const double used =
          t.sms == 0 ? 0 : static_cast<double>(t.sms_used) / static_cast<double>(t.sms);
      return known(used * t.sm_time * static_cast<double>(t.running));
    }
    const model::Resource place = l1 ? model::Resource::kL1 : model::Resource::kSlice;
    for (const TimeResult::Use& use : t.uses)
      if (use.place == place) return known(use.share);
    return known(0.0);
  }

  std::optional<Value> of_residency(std::string_view name) const {
    const Occupancy& o = launch_.occupancy;
    if (name == "resident_ctas") return known(std::uint64_t{o.ctas});
    if (name == "resident_warps") return known(std::uint64_t{o.ctas} * o.warps_per_cta);
    if (name != "launch_ctas") return std::nullopt;
    const Dim3& g = launch_.metrics.grid;
    return known(std::uint64_t{g[0]} * g[1] * g[2]);
  }

  const ReplayedLaunch& launch_;
  const model::Card& card_;
  const bool early_;  // by the rules of a GPU before 7.0
};

bool ratio(const metrics::Metric& metric) {
  return metric.unit == "%" ||
         (metric.unit.find('/') != std::string_view::npos && !metric.unit.ends_with("/s"));
}

bool idle(const metrics::Metric& metric, const Value& value) {
  if (!value.known()) return value.missing.starts_with(kNothing);
  return value.value == 0 && !ratio(metric);
}

}  // namespace

std::vector<NamedMetric> metrics_of(const ReplayedLaunch& launch, const model::Card& card,
                                    Vocabulary vocabulary) {
  const CountersByName counters(launch, card);
  std::vector<NamedMetric> out;
  // Who asks for Nsight Compute's words on an older GPU gets what the model counts there.
  const unsigned capability =
      vocabulary == Vocabulary::kNcu ? std::max(card.capability(), kFirstOfNcu) : card.capability();
  for (const metrics::Metric& metric : metrics::metrics_of(vocabulary)) {
    // A counter of Nsight Compute's that no replay gives is left out, as it is judged only.
    const metrics::Definition* const definition = metrics::definition_of(metric, capability);
    if (definition && definition->formula == metric.name && !counters(metric.name)) continue;
    // So is time where none was kept.
    const Value value = metrics::value_of(vocabulary, metric, capability, counters);
    if (metric.name == kCycles && !value.known()) continue;
    out.push_back({&metric, MetricValue{value.known() ? value.value : 0, value.missing},
                   !definition || idle(metric, value)});
  }
  std::ranges::sort(out, {}, [](const NamedMetric& m) { return m.metric->name; });
  return out;
}

}  // namespace warpmem::sim
