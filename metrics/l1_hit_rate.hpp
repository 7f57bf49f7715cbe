// The formula of the L1's hit rate, which two vocabularies share.
#pragma once

namespace warpmem::metrics {

// Of compute capability 7.0 and later: sectors of all accesses that the L1 has, per cent.
inline constexpr const char* kL1HitRate =
    "100 * (l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum + "
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum + "
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum + "
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_hit.sum + "
    "l1tex__t_sectors_pipe_tex_mem_texture_lookup_hit.sum + "
    "l1tex__t_sectors_pipe_tex_mem_surface_op_ld_lookup_hit.sum) / "
    "(l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum + "
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum + "
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum + "
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum + "
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum + "
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum + "
    "l1tex__t_sectors_pipe_tex_mem_texture.sum + "
    "l1tex__t_sectors_pipe_tex_mem_surface_op_ld.sum + "
    "l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum)";

}  // namespace warpmem::metrics
