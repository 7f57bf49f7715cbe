// What depends on addresses alone is counted alike by both engines, on traces of real kernels.
#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

// The same whatever the order of accesses.
constexpr const char* kExact[] = {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                                  "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                                  "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
                                  "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
                                  "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
                                  "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
                                  "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                  "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                                  "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
                                  "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
                                  "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
                                  "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
                                  "lts__t_sectors_srcunit_tex_op_atom.sum",
                                  "lts__t_sectors_srcunit_tex_op_red.sum",
                                  "memory_l1_tag_requests_global",
                                  "memory_l1_wavefronts_shared",
                                  "memory_l2_theoretical_sectors_global",
                                  "memory_l2_theoretical_sectors_local"};

}  // namespace

TEST_CASE("time: requests and sectors are those of the counts engine") {
  const auto card = h200();
  for (const char* name :
       {"vector_copy_b8", "transpose_shared_unpadded", "reduction_shuffle", "histogram_global",
        "atomics_add_return", "strided_store_3", "spmv_scalar", "scatter_random", "stencil2d_tiled",
        "local_memory_array_registers"}) {
    INFO(name);
    const auto reader = open(std::string(WARPMEM_REFERENCE) + "/" + name + ".wmt");
    const auto counts = must(sim::replay(reader, card)).details;
    sim::ReplayOptions with_time;
    with_time.time = true;
    const auto time = must(sim::replay(reader, card, with_time)).details;
    REQUIRE(counts.size() == time.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      CHECK(counts[i].counters.records == time[i].counters.records);
      CHECK(counts[i].counters.records > 0);
      CHECK_FALSE(counts[i].time.has_value());
      REQUIRE(time[i].time.has_value());
      CHECK(time[i].time->cycles > card.numbers().time_launch_cycles);
      CHECK(time[i].time->instructions >= time[i].counters.records / 2);
      for (const char* metric : kExact) {
        INFO(metric);
        CHECK(counts[i].metrics.metrics.at(metric).value ==
              time[i].metrics.metrics.at(metric).value);
      }
    }
  }
}
