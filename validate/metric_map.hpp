// Which hardware metric each of our counters must match, how closely, and why. Of Nsight Compute's
// counters that is a column of the list of them (metrics/ncu_counters.def): the profiler's full
// name is also the name our counters carry.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace warpmem::validate {

enum class Match {
  kExact,        // depends on addresses only: equal to the unit
  kApproximate,  // depends on cache state, order or arbitration: within a band
};

enum class Group { kInstructions, kL1, kShared, kCrossbar, kL2, kDram, kTime };
const char* group_name(Group group);

enum class Background : std::uint8_t { kNone, kReads, kWrites };

struct MetricRule {
  std::string_view name;  // of Nsight Compute, with its rollup: "dram__sectors_read.sum"
  Group group = Group::kL1;
  Match match = Match::kExact;
  // Largest error that passes, as Comparison::judged; 0 for exact metrics.
  double band = 0;
  // A count below which a relative error says nothing: errors are taken relative to at least this.
  double floor = 0;
  // When not empty, the metric whose measured value takes the floor's place if larger: a count of
  // extra work is judged by the work it adds to.
  std::string_view scale = {};
  std::string_view source;  // where the rule comes from
  // What the host, the driver and the profiler add to it while a kernel runs: the longer, the more.
  Background background = Background::kNone;
  double resolution = 0;  // of an exact metric: what the profiler prints no more
  double spread = 0;      // by how much the GPU differs from itself when it counts again
};

// Sectors that others read or write in the L2 during so many SM clock cycles, at most. Measured
// with kernels that only wait (kernels/micro/l2_background.cu, cards/gpus/h200/l2_background.csv),
// and the same in public programs that run for long and access next to nothing.
double background_sectors(Background background, double cycles);

std::span<const MetricRule> metric_rules();  // of Nsight Compute's
std::span<const MetricRule> nvprof_rules();  // worked out from those
std::span<const MetricRule>
ncu_ratio_rules();                        // Nsight Compute's percentages, rates and times: the same
std::span<const MetricRule> all_rules();  // one list of all
// The rule of a full name of Nsight Compute's; nullptr when warpmem does not predict it.
const MetricRule* find_rule(std::string_view name);
const MetricRule* find_any_rule(std::string_view name);  // of all of them
// The base unit of a rule's metric.
std::string_view unit_of(const MetricRule& rule);
// All names, as `ncu --metrics` takes them.
std::string metric_list();

// The one error of all comparisons: (model - GPU) / GPU, so -0.5 is half of what the GPU counted
// and 108 is 109 times as much. Infinite where the GPU counted none.
double relative_error(double model, double gpu);
// "=", "-12.3 %", "+250 %", "109 times", "GPU has 0".
std::string error_text(double error);

}  // namespace warpmem::validate
