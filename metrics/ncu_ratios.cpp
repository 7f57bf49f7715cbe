// Nsight Compute's ratios, percentages and bytes: worked out from its counters.
#include "metrics/l1_hit_rate.hpp"
#include "metrics/tables.hpp"

namespace warpmem::metrics {
namespace {

// clang-format off: a metric a row
constexpr Metric kMetrics[] = {
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio",
     "byte/sector",
     "bytes that lanes ask for in each sector that global loads touch; above 32 where lanes "
     "share words",
     {{{70, 0,
        "smsp__sass_data_bytes_mem_global_op_ld.sum / "
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}}}},
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
     "%",
     "the same of the 32 bytes that a sector has: how much of what is moved was asked for",
     {{{70, 0,
        "100 * smsp__sass_data_bytes_mem_global_op_ld.sum / (32 * "
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum)"}}}},
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio",
     "byte/sector",
     "bytes that lanes write in each sector that global stores touch",
     {{{70, 0,
        "smsp__sass_data_bytes_mem_global_op_st.sum / "
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}}}},
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
     "%",
     "the same of the 32 bytes that a sector has",
     {{{70, 0,
        "100 * smsp__sass_data_bytes_mem_global_op_st.sum / (32 * "
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum)"}}}},
    {"smsp__sass_average_data_bytes_per_sector_mem_global.ratio",
     "byte/sector",
     "bytes that lanes ask for or write in each sector that global loads and stores touch",
     {{{70, 0,
        "(smsp__sass_data_bytes_mem_global_op_ld.sum + "
        "smsp__sass_data_bytes_mem_global_op_st.sum) / "
        "(l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum + "
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum)"}}}},
    {"smsp__sass_average_data_bytes_per_sector_mem_global.pct",
     "%",
     "the same of the 32 bytes that a sector has",
     {{{70, 0,
        "100 * (smsp__sass_data_bytes_mem_global_op_ld.sum + "
        "smsp__sass_data_bytes_mem_global_op_st.sum) / (32 * "
        "(l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum + "
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum))"}}}},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
     "sector/request",
     "sectors that a global load touches on average: 4 for 32 words side by side",
     {{{70, 0,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum / "
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"}}}},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
     "sector/request",
     "sectors that a global store touches on average",
     {{{70, 0,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum / "
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"}}}},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_atom.ratio",
     "sector/request",
     "sector passes of a global atomic on average",
     {{{70, 0,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum / "
        "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"}}}},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_red.ratio",
     "sector/request",
     "sector passes of a global reduction on average",
     {{{70, 0,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum / "
        "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"}}}},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_local_op_ld.ratio",
     "sector/request",
     "sectors of a request of local loads on average",
     {{{70, 0,
        "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum / "
        "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"}}}},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_local_op_st.ratio",
     "sector/request",
     "sectors of a request of local stores on average",
     {{{70, 0,
        "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum / "
        "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"}}}},
    {"l1tex__average_t_sectors_per_request_pipe_tex_mem_texture.ratio",
     "sector/request",
     "sectors of a request of the texture unit on average",
     {{{70, 0,
        "l1tex__t_sectors_pipe_tex_mem_texture.sum / "
        "l1tex__t_requests_pipe_tex_mem_texture.sum"}}}},
    {"l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct",
     "%",
     "sectors of global loads that the L1 has",
     {{{70, 0,
        "100 * l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum / "
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}}}},
    {"l1tex__t_sector_pipe_lsu_mem_global_op_st_hit_rate.pct",
     "%",
     "sectors of global stores that count as hits; all of them go to the L2 nevertheless",
     {{{70, 0,
        "100 * l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum / "
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}}}},
    {"l1tex__t_sector_pipe_lsu_mem_local_op_ld_hit_rate.pct",
     "%",
     "sectors of local loads that the L1 has",
     {{{70, 0,
        "100 * l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum / "
        "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"}}}},
    {"l1tex__t_sector_hit_rate.pct",
     "%",
     "sectors of all accesses that the L1 has: global, local, textures and surfaces",
     {{{70, 0, kL1HitRate}}}},
    {"l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum",
     "byte",
     "bytes of the sectors that global loads touch",
     {{{70, 0, "32 * l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}}}},
    {"l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum",
     "byte",
     "bytes of the sectors that global stores touch",
     {{{70, 0, "32 * l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}}}},
    {"l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum.per_second",
     "byte/s",
     "the same in a second",
     {{{70, 0,
        "1000000000 * l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum / gpu__time_duration.sum"}}}},
    {"l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum.per_second",
     "byte/s",
     "the same in a second",
     {{{70, 0,
        "1000000000 * l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum / gpu__time_duration.sum"}}}},
    {"smsp__sass_average_data_bytes_per_wavefront_mem_shared_op_ld.ratio",
     "byte/wavefront",
     "bytes that lanes ask for in each pass of shared loads: 128 without conflicts",
     {{{70, 0,
        "smsp__sass_data_bytes_mem_shared_op_ld.sum / "
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"}}}},
    {"smsp__sass_average_data_bytes_per_wavefront_mem_shared_op_st.ratio",
     "byte/wavefront",
     "bytes that lanes write in each pass of shared stores",
     {{{70, 0,
        "smsp__sass_data_bytes_mem_shared_op_st.sum / "
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}}}},
    {"smsp__sass_average_data_bytes_per_wavefront_mem_shared.ratio",
     "byte/wavefront",
     "bytes that lanes ask for or write in each pass of shared loads and stores",
     {{{70, 0,
        "(smsp__sass_data_bytes_mem_shared_op_ld.sum + "
        "smsp__sass_data_bytes_mem_shared_op_st.sum) / "
        "(l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum + "
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum)"}}}},
    {"smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct",
     "%",
     "the same of the bytes that all banks give in a pass",
     {{{70, 0,
        "100 * (smsp__sass_data_bytes_mem_shared_op_ld.sum + "
        "smsp__sass_data_bytes_mem_shared_op_st.sum) / (card.shared.banks * "
        "card.shared.bank_bytes * (l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum + "
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum))"}}}},
    {"derived__memory_l1_conflicts_shared_nway",
     "wavefront/inst",
     "passes that a shared load or store takes on average: n for n-way conflicts",
     {{{70, 0,
        "memory_l1_wavefronts_shared / (smsp__inst_executed_op_shared_ld_pred_on_any.sum + "
        "smsp__inst_executed_op_shared_st_pred_on_any.sum + "
        "smsp__inst_executed_op_shared_atom_pred_on_any.sum + "
        "smsp__inst_executed_op_ldsm_pred_on_any.sum + "
        "smsp__inst_executed_op_shared_stsm_pred_on_any.sum)"}}}},
    {"lts__t_sector_op_read_hit_rate.pct",
     "%",
     "sectors that SMs read and the L2 has; where the L2 has two sides the profiler adds "
     "lookups of the other side",
     {{{70, 0,
        "100 * lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum / "
        "lts__t_sectors_srcunit_tex_op_read.sum"}}}},
    {"lts__t_sector_op_write_hit_rate.pct",
     "%",
     "sectors that SMs write and the L2 has or takes; where the L2 has two sides the "
     "profiler adds lookups of the other side",
     {{{70, 0,
        "100 * lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum / "
        "lts__t_sectors_srcunit_tex_op_write.sum"}}}},
    {"lts__t_sector_hit_rate.pct",
     "%",
     "sectors of all accesses of SMs that the L2 has; where the L2 has two sides the "
     "profiler adds lookups of the other side",
     {{{70, 0,
        "100 * (lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum + "
        "lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum + "
        "lts__t_sectors_srcunit_tex_op_atom_lookup_hit.sum + "
        "lts__t_sectors_srcunit_tex_op_red_lookup_hit.sum) / "
        "(lts__t_sectors_srcunit_tex_op_read.sum + lts__t_sectors_srcunit_tex_op_write.sum "
        "+ lts__t_sectors_srcunit_tex_op_atom.sum + lts__t_sectors_srcunit_tex_op_red.sum)"}}}},
    {"lts__t_bytes_equiv_l1sectormiss_pipe_lsu_mem_global_op_ld.sum",
     "byte",
     "bytes of the sectors of global loads that the L1 has not",
     {{{70, 0,
        "32 * (l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum - "
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum)"}}}},
    {"dram__bytes_read.sum",
     "byte",
     "bytes read from DRAM",
     {{{70, 0, "32 * dram__sectors_read.sum"}}}},
    {"dram__bytes_write.sum",
     "byte",
     "bytes written to DRAM while the kernel runs",
     {{{70, 0, "32 * dram__sectors_write.sum"}}}},
    {"dram__bytes_read.sum.per_second",
     "byte/s",
     "the bytes read in a second",
     {{{70, 0, "1000000000 * dram__bytes_read.sum / gpu__time_duration.sum"}}}},
    {"dram__bytes_write.sum.per_second",
     "byte/s",
     "the bytes written in a second",
     {{{70, 0, "1000000000 * dram__bytes_write.sum / gpu__time_duration.sum"}}}},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed",
     "%",
     "what DRAM moves, of what its pins could",
     {{{70, 0,
        "100 * 8000 * (dram__bytes_read.sum + dram__bytes_write.sum) / "
        "gpu__time_duration.sum / (card.dram.channels * card.dram.width_bits * "
        "card.dram.rate_mbps)"}}}},
    {"dram__bytes.sum",
     "byte",
     "bytes read from DRAM and written to it",
     {{{70, 0, "dram__bytes_read.sum + dram__bytes_write.sum"}}}},
    {"dram__bytes.sum.per_second",
     "byte/s",
     "the same in a second: the details page's Memory Throughput",
     {{{70, 0, "1000000000 * dram__bytes.sum / gpu__time_duration.sum"}}}},
    {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
     "%",
     "the same of what DRAM's pins could",
     {{{70, 0, "dram__throughput.avg.pct_of_peak_sustained_elapsed"}}}},
    {"l1tex__throughput.avg.pct_of_peak_sustained_active",
     "%",
     "how much of the time that SMs had work the busiest part of the L1 was in use, all SMs "
     "together",
     {{{70, 0, "100 * l1_busy * sm__cycles_elapsed.max / sm_active_cycles"}}}},
    {"lts__throughput.avg.pct_of_peak_sustained_elapsed",
     "%",
     "how much of the time the L2's slices were in use, all together",
     {{{70, 0, "100 * l2_busy"}}}},
    {"sm__warps_active.avg.pct_of_peak_sustained_active",
     "%",
     "achieved occupancy: warps that were on an SM while it had any, of those it can hold",
     {{{70, 0, "100 * warp_cycles / (sm_active_cycles * card.sm.count * card.sm.warps)"}}}},
    {"sm__maximum_warps_per_active_cycle_pct",
     "%",
     "theoretical occupancy: warps that fit an SM at once, of those it can hold",
     {{{70, 0, "100 * resident_warps / card.sm.warps"}}}},
    {"launch__waves_per_multiprocessor",
     "wave",
     "how often the launch's CTAs fill the GPU; what is behind the point is the tail",
     {{{70, 0, "launch_ctas / (resident_ctas * card.sm.count)"}}}},
    {"smsp__inst_executed.sum",
     "inst",
     "instructions that warps executed, of all kinds",
     {{{70, 0, "inst_executed"}}}},
    {"gpc__cycles_elapsed.max",
     "cycle",
     "the same cycles as the GPCs count them: the details page's Elapsed Cycles",
     {{{70, 0, "sm__cycles_elapsed.max"}}}},
    {"sm__cycles_active.avg",
     "cycle",
     "cycles in which an SM had a warp, on average: the details page's SM Active Cycles",
     {{{70, 0, "sm_active_cycles"}}}},
    {"smsp__cycles_elapsed.avg.per_second",
     "hz",
     "the SMs' clock: the details page's SM Frequency",
     {{{70, 0, "1000000 * card.sm.clock_mhz"}}}},
    {"gpu__time_duration.sum",
     "ns",
     "time of the launch, at the clock that the card gives",
     {{{70, 0, "1000 * sm__cycles_elapsed.max / card.sm.clock_mhz"}}}},
};
// clang-format on

}  // namespace

std::span<const Metric> ncu_ratios() { return kMetrics; }

// Counters first. One list, as those who look for a name do not care which it is.
std::span<const Metric> ncu_metrics() {
  static const std::vector<Metric> kAll = [] {
    std::vector<Metric> all(ncu_counters().begin(), ncu_counters().end());
    all.insert(all.end(), std::begin(kMetrics), std::end(kMetrics));
    return all;
  }();
  return kAll;
}

}  // namespace warpmem::metrics
