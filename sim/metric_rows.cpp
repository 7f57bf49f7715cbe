// The profiler's name of every counter (Nsight Compute, compute capability 7.0 and later).
#include "sim/metric_rows.hpp"

namespace warpmem::sim {
namespace {

using C = model::LaunchCounters;

#define ROW(name, unit, expression)                                    \
  MetricRow {                                                          \
    name, unit, [](const C& c) -> std::uint64_t { return expression; } \
  }

const MetricRow kRows[] = {
    ROW("smsp__inst_executed_op_global_ld_pred_on_any.sum", "inst", c.inst_global_ld),
    ROW("smsp__inst_executed_op_global_st_pred_on_any.sum", "inst", c.inst_global_st),
    ROW("smsp__inst_executed_op_generic_ld_pred_on_any.sum", "inst", c.inst_generic_ld),
    ROW("smsp__inst_executed_op_generic_st_pred_on_any.sum", "inst", c.inst_generic_st),
    ROW("smsp__inst_executed_op_generic_atom_pred_on_any.sum", "inst", c.inst_atom),
    ROW("smsp__inst_executed_op_global_red_pred_on_any.sum", "inst", c.inst_red),
    ROW("smsp__inst_executed_op_local_ld_pred_on_any.sum", "inst", c.inst_local_ld),
    ROW("smsp__inst_executed_op_local_st_pred_on_any.sum", "inst", c.inst_local_st),
    ROW("smsp__inst_executed_op_shared_ld_pred_on_any.sum", "inst", c.inst_shared_ld),
    ROW("smsp__inst_executed_op_shared_st_pred_on_any.sum", "inst", c.inst_shared_st),
    ROW("smsp__inst_executed_op_shared_atom_pred_on_any.sum", "inst", c.inst_shared_atom),
    ROW("smsp__inst_executed_op_ldsm_pred_on_any.sum", "inst", c.inst_ldsm),
    ROW("smsp__inst_executed_op_shared_stsm_pred_on_any.sum", "inst", c.inst_stsm),
    ROW("smsp__inst_executed_op_ldgsts_pred_on_any.sum", "inst", c.inst_ldgsts),

    ROW("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request", c.global_ld.requests),
    ROW("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "request", c.global_st.requests),
    ROW("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "request", c.global_atom.requests),
    ROW("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "request", c.global_red.requests),
    ROW("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector", c.global_ld.sectors),
    ROW("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sector", c.global_st.sectors),
    ROW("l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "sector", c.global_atom.sectors),
    ROW("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "sector", c.global_red.sectors),
    ROW("l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access.sum", "request",
        c.ldgsts.requests),
    ROW("l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum", "sector",
        c.ldgsts.sectors),
    ROW("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "sector", c.global_ld.hits),
    ROW("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", "sector",
        c.global_ld.sectors - c.global_ld.hits),
    ROW("l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum", "sector", c.global_st.hits),
    ROW("l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "request", c.local_ld.requests),
    ROW("l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "request", c.local_st.requests),
    ROW("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "sector", c.local_ld.sectors),
    ROW("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "sector", c.local_st.sectors),
    ROW("l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum", "sector", c.local_ld.hits),
    ROW("l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_hit.sum", "sector", c.local_st.hits),
    ROW("l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum", "wavefront",
        c.tag_wavefronts_ld),
    ROW("smsp__sass_data_bytes_mem_global_op_ld.sum", "byte", c.global_ld_bytes),
    ROW("smsp__sass_data_bytes_mem_global_op_st.sum", "byte", c.global_st_bytes),
    ROW("smsp__sass_data_bytes_mem_shared_op_ld.sum", "byte", c.shared_ld_bytes),
    ROW("smsp__sass_data_bytes_mem_shared_op_st.sum", "byte", c.shared_st_bytes),
    ROW("memory_l1_tag_requests_global", "request", c.tag_requests),
    ROW("memory_l2_theoretical_sectors_global", "sector", c.theoretical_global),
    ROW("memory_l2_theoretical_sectors_local", "sector", c.theoretical_local),
    ROW("memory_l1_wavefronts_shared", "wavefront", c.shared_wavefronts),
    ROW("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefront",
        c.shared_wavefronts_ld),
    ROW("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "wavefront",
        c.shared_wavefronts_st),
    ROW("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "conflict",
        c.shared_conflicts_ld),
    ROW("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "conflict",
        c.shared_conflicts_st),

    ROW("l1tex__t_requests_pipe_tex_mem_texture.sum", "request", c.texture.requests),
    ROW("l1tex__t_sectors_pipe_tex_mem_texture.sum", "sector", c.texture.sectors),
    ROW("l1tex__t_sectors_pipe_tex_mem_texture_lookup_hit.sum", "sector", c.texture.hits),
    ROW("l1tex__t_requests_pipe_tex_mem_surface_op_ld.sum", "request", c.surface_ld.requests),
    ROW("l1tex__t_sectors_pipe_tex_mem_surface_op_ld.sum", "sector", c.surface_ld.sectors),
    ROW("l1tex__t_sectors_pipe_tex_mem_surface_op_ld_lookup_hit.sum", "sector", c.surface_ld.hits),
    ROW("l1tex__t_requests_pipe_tex_mem_surface_op_st.sum", "request", c.surface_st.requests),
    ROW("l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum", "sector", c.surface_st.sectors),

    ROW("l1tex__m_xbar2l1tex_read_sectors.sum", "sector", c.l1_fill_sectors),
    ROW("l1tex__m_l1tex2xbar_write_sectors.sum", "sector", c.l1_write_sectors),

    ROW("lts__t_requests_srcunit_tex_op_read.sum", "request", c.l2.read_requests),
    ROW("lts__t_requests_srcunit_tex_op_write.sum", "request", c.l2.write_requests),
    ROW("lts__t_requests_srcunit_tex_op_atom.sum", "request", c.l2.atomic_requests),
    ROW("lts__t_requests_srcunit_tex_op_red.sum", "request", c.l2.reduction_requests),
    ROW("lts__t_sectors_srcunit_tex_op_read.sum", "sector", c.l2.read),
    ROW("lts__t_sectors_srcunit_tex_op_write.sum", "sector", c.l2.write),
    ROW("lts__t_sectors_srcunit_tex_op_atom.sum", "sector", c.l2.atomic),
    ROW("lts__t_sectors_srcunit_tex_op_red.sum", "sector", c.l2.reduction),
    ROW("lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", "sector", c.l2.read_hit),
    ROW("lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum", "sector", c.l2.write_hit),
    ROW("lts__t_sectors_srcunit_tex_op_atom_lookup_hit.sum", "sector", c.l2.atomic_hit),
    ROW("lts__t_sectors_srcunit_tex_op_red_lookup_hit.sum", "sector", c.l2.reduction_hit),
    ROW("lts__t_sectors_srcunit_ltcfabric.sum", "sector",
        c.l2.fabric_read + c.l2.fabric_write + c.l2.fabric_atomic + c.l2.fabric_launch),
    ROW("lts__t_sectors_op_read.sum", "sector", c.l2.read + c.l2.fabric_read + c.l2.launch_read),
    ROW("lts__t_sectors_op_write.sum", "sector",
        c.l2.write + c.l2.fabric_write + c.l2.refill_writes),
    ROW("dram__sectors_read.sum", "sector", c.l2.dram_read),
    ROW("dram__sectors_write.sum", "sector", c.l2.dram_write),
};

#undef ROW

#define EARLY(name)                                                     \
  MetricRow {                                                           \
#name, "", [](const C& c) -> std::uint64_t { return c.early.name; } \
  }

const MetricRow kEarlyRows[] = {
    EARLY(gld_request),
    EARLY(gst_request),
    EARLY(gld_requested_bytes),
    EARLY(gst_requested_bytes),
    EARLY(gld_moved_bytes),
    EARLY(gst_moved_bytes),
    EARLY(gld_32b),
    EARLY(gld_64b),
    EARLY(gld_128b),
    EARLY(gst_32b),
    EARLY(gst_64b),
    EARLY(gst_128b),
    EARLY(gld_coherent),
    EARLY(gld_incoherent),
    EARLY(gst_coherent),
    EARLY(gst_incoherent),
    EARLY(gld_transactions),
    EARLY(gst_transactions),
    EARLY(l1_gld_hit),
    EARLY(l1_gld_miss),
    EARLY(l1_local_hit),
    EARLY(l1_local_miss),
    EARLY(l1_local_store_hit),
    EARLY(l1_local_store_miss),
    EARLY(shared_load),
    EARLY(shared_store),
    EARLY(shared_load_transactions),
    EARLY(shared_store_transactions),
    EARLY(shared_load_replays),
    EARLY(shared_store_replays),
    EARLY(warp_serialize),
    EARLY(global_replays),
    EARLY(tex_requests),
    EARLY(tex_hit),
    EARLY(tex_miss),
    EARLY(l2_read_transactions),
    EARLY(l2_write_transactions),
    EARLY(l2_read_hits),
    EARLY(local_load),
    EARLY(local_store),
    EARLY(constant_serialized),
    MetricRow{"shared_load_bytes", "", [](const C& c) { return c.shared_ld_bytes; }},
    MetricRow{"shared_store_bytes", "", [](const C& c) { return c.shared_st_bytes; }},
};

#undef EARLY

}  // namespace

std::span<const MetricRow> early_rows() { return kEarlyRows; }

std::span<const MetricRow> metric_rows() { return kRows; }

}  // namespace warpmem::sim
