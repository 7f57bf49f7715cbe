#include "validate/ncu_details.hpp"

#include <array>

namespace warpmem::validate {
namespace {

struct Label {
  std::string_view text, unit, metric;  // no unit: any
};
// Sections SpeedOfLight, MemoryWorkloadAnalysis, Occupancy, LaunchStats and InstructionStats, as
// Nsight Compute 2020 to 2025 print them.
constexpr std::array kLabels{
    Label{"Elapsed Cycles", "", "gpc__cycles_elapsed.max"},
    Label{"SM Active Cycles", "", "sm__cycles_active.avg"},
    Label{"Duration", "", "gpu__time_duration.sum"},
    Label{"SM Frequency", "", "smsp__cycles_elapsed.avg.per_second"},
    Label{"L1/TEX Hit Rate", "", "l1tex__t_sector_hit_rate.pct"},
    Label{"L2 Hit Rate", "", "lts__t_sector_hit_rate.pct"},
    Label{"DRAM Throughput", "%", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    Label{"Memory Throughput", "byte", "dram__bytes.sum.per_second"},
    Label{"L1/TEX Cache Throughput", "", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
    Label{"L2 Cache Throughput", "", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    Label{"Theoretical Occupancy", "", "sm__maximum_warps_per_active_cycle_pct"},
    Label{"Achieved Occupancy", "", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    Label{"Waves Per SM", "", "launch__waves_per_multiprocessor"},
    Label{"Executed Instructions", "", "smsp__inst_executed.sum"}};

}  // namespace

std::string metric_of_label(std::string_view label, std::string_view unit) {
  for (const Label& l : kLabels)
    if (label == l.text && (l.unit.empty() || unit.find(l.unit) != unit.npos))
      return std::string(l.metric);
  return std::string(label);
}

}  // namespace warpmem::validate
