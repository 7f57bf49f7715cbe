#include "validate/metric_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/units.hpp"
#include "metrics/metric.hpp"

namespace warpmem::validate {
namespace {

// Why a metric is exact.
constexpr std::string_view kAddresses =
    "depends on lane addresses only; equal on an H200 in repeated runs of 124 launches";
constexpr std::string_view kPatched =
    "counted by patched code, from lane addresses only: no cache state and no arbitration in it";
constexpr std::string_view kIssued =
    "counts executed instructions; _pred_on_any leaves out those with no active lane, as the trace "
    "does";
// Where a band comes from.
constexpr std::string_view kL1State =
    "depends on which warp comes first to a line: hardware moves by up to 1.3 % from run to run";
constexpr std::string_view kL2State =
    "depends on order and on which side of the L2 a line lives; repeated runs differ by 0 to 1.3 % "
    "in the median";
constexpr std::string_view kDramState =
    "includes the driver's own traffic (about 100 to 600 sectors in an empty kernel) and the "
    "moment "
    "of write-back";
constexpr std::string_view kArbitration =
    "includes lost arbitration for the data stage, so it moves from run to run";
constexpr std::string_view kWriteBack =
    "what of the written sectors leaves the L2 before the kernel ends, judged by all that were "
    "written; up to 74,700 more are the profiler's own";
constexpr std::string_view kClock = "needs the time engine; repeated runs differ by about 1.3 %";

// Below these a relative error says nothing: the background of an empty kernel on an H200.
constexpr double kFloorL1 = 256, kFloorL2 = 1024, kFloorL2All = 4096, kFloorDram = 4096;
constexpr double kFloorCycles = 5000;

using G = Group;

constexpr MetricRule exact(Group group, std::string_view source) {
  return {{}, group, Match::kExact, 0, 0, {}, source};
}

// By how much two collections of one run differ in nine of ten launches that are not small
// (validate/reference/h200, which was collected twice): arbitration moves more.
constexpr double spread_of(std::string_view source) {
  return source == kArbitration ? 0.05 : 0.013;
}

constexpr MetricRule near(Group group, double band, double floor, std::string_view source,
                          std::string_view scale = {}) {
  return {{},    group,  Match::kApproximate, band, floor,
          scale, source, Background::kNone,   0,    spread_of(source)};
}

constexpr MetricRule near(Group group, double band, double floor, std::string_view source,
                          Background background) {
  return {{}, group,  Match::kApproximate, band, floor,
          {}, source, background,          0,    spread_of(source)};
}

constexpr MetricRule named(std::string_view name, MetricRule rule) {
  rule.name = name;
  return rule;
}

// Executed warp instructions of one kind with at least one active lane.
#define ISSUED exact(G::kInstructions, kIssued)
#define EXACT(group, why) exact(G::group, why)
#define NEAR(group, ...) near(G::group, __VA_ARGS__)
#define RULE(name, ...) __VA_OPT__(named(name, __VA_ARGS__), )
#define COUNTER(name, unit, of, rule, meaning) RULE(name, rule)
constexpr std::array kRules{
#include "metrics/ncu_counters.def"
};
#undef COUNTER
#undef RULE
#undef NEAR
#undef EXACT
#undef ISSUED

constexpr bool names_are_unique() {
  for (std::size_t i = 0; i < kRules.size(); ++i)
    for (std::size_t j = i + 1; j < kRules.size(); ++j)
      if (kRules[i].name == kRules[j].name) return false;
  return true;
}
static_assert(names_are_unique(), "a metric stands twice in the map");

}  // namespace

double background_sectors(Background background, double cycles) {
  // Some 1,600 written within 80,000 cycles, then 8,192 at a time, a few times in 70,000,000.
  constexpr double kSoon = 2000, kPiece = 8192, kPieceFrom = 1e6, kPieceEvery = 2e7;
  switch (background) {
    case Background::kNone: return 0;
    case Background::kReads: return 0.006 * cycles;
    case Background::kWrites:
      return std::min(cycles / 25, kSoon) +
             (cycles < kPieceFrom ? 0 : kPiece * (1 + cycles / kPieceEvery));
  }
  return 0;
}

const char* group_name(Group group) {
  switch (group) {
    case Group::kInstructions: return "instructions";
    case Group::kL1: return "L1";
    case Group::kShared: return "shared memory";
    case Group::kCrossbar: return "L1 to L2";
    case Group::kL2: return "L2";
    case Group::kDram: return "DRAM";
    case Group::kTime: return "time";
  }
  return "";
}

std::string_view unit_of(const MetricRule& rule) {
  for (const metrics::Vocabulary v : metrics::kVocabularies)
    if (const metrics::Metric* const metric = metrics::find(v, rule.name)) return metric->unit;
  return {};
}

std::span<const MetricRule> metric_rules() { return kRules; }

const MetricRule* find_rule(std::string_view name) {
  const auto it = std::find_if(kRules.begin(), kRules.end(),
                               [&](const MetricRule& rule) { return rule.name == name; });
  return it == kRules.end() ? nullptr : &*it;
}

const MetricRule* find_any_rule(std::string_view name) {
  const auto all = all_rules();
  const auto it = std::ranges::find(all, name, &MetricRule::name);
  return it == all.end() ? nullptr : &*it;
}

std::string metric_list() {
  std::string out;
  for (const auto& rule : kRules) {
    if (!out.empty()) out += ',';
    out += rule.name;
  }
  return out;
}

double relative_error(double model, double gpu) {
  if (model == gpu) return 0;
  if (gpu == 0) return std::copysign(std::numeric_limits<double>::infinity(), model);
  return (model - gpu) / std::abs(gpu);
}

std::string error_text(double error) {
  if (error == 0) return "=";
  if (std::isinf(error)) return "from 0";
  if (error >= 9) return fmt::format("{} times", number(std::round(1 + error)));
  return std::abs(error) < 1 ? fmt::format("{:+.1f} %", 100 * error)
                             : fmt::format("{:+.0f} %", 100 * error);
}

}  // namespace warpmem::validate
