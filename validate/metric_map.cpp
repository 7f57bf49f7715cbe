#include "validate/metric_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>

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

constexpr MetricRule exact(Group group, std::string_view name, std::string_view unit,
                           std::string_view counts, std::string_view source = kAddresses) {
  return {name, group, unit, counts, Match::kExact, 0, 0, {}, source};
}

// Executed warp instructions of one kind with at least one active lane.
constexpr MetricRule issued(std::string_view name, std::string_view counts) {
  return exact(G::kInstructions, name, "inst", counts, kIssued);
}

constexpr MetricRule near(Group group, std::string_view name, std::string_view unit,
                          std::string_view counts, double band, double floor,
                          std::string_view source, std::string_view scale = {}) {
  return {name, group, unit, counts, Match::kApproximate, band, floor, scale, source};
}

constexpr MetricRule near(Group group, std::string_view name, std::string_view unit,
                          std::string_view counts, double band, double floor,
                          std::string_view source, Background background) {
  return {name, group, unit, counts, Match::kApproximate, band, floor, {}, source, background};
}

constexpr std::array kRules{
    // What ran
    issued("smsp__inst_executed_op_global_ld_pred_on_any.sum", "loads from global memory (LDG)"),
    issued("smsp__inst_executed_op_global_st_pred_on_any.sum", "stores to global memory (STG)"),
    issued("smsp__inst_executed_op_generic_ld_pred_on_any.sum",
           "generic loads, whose space only the address tells (LD)"),
    issued("smsp__inst_executed_op_generic_st_pred_on_any.sum",
           "generic stores, whose space only the address tells (ST)"),
    issued("smsp__inst_executed_op_generic_atom_pred_on_any.sum",
           "atomics that return a value, global and generic (ATOM, ATOMG)"),
    issued("smsp__inst_executed_op_global_red_pred_on_any.sum",
           "reductions on global memory (RED)"),
    issued("smsp__inst_executed_op_local_ld_pred_on_any.sum", "loads from local memory (LDL)"),
    issued("smsp__inst_executed_op_local_st_pred_on_any.sum", "stores to local memory (STL)"),
    issued("smsp__inst_executed_op_shared_ld_pred_on_any.sum", "loads from shared memory (LDS)"),
    issued("smsp__inst_executed_op_shared_st_pred_on_any.sum", "stores to shared memory (STS)"),
    issued("smsp__inst_executed_op_shared_atom_pred_on_any.sum",
           "atomics on shared memory (ATOMS)"),
    issued("smsp__inst_executed_op_ldsm_pred_on_any.sum", "matrix loads from shared memory (LDSM)"),
    issued("smsp__inst_executed_op_shared_stsm_pred_on_any.sum",
           "matrix stores to shared memory (STSM)"),
    issued("smsp__inst_executed_op_ldgsts_pred_on_any.sum",
           "asynchronous copies from global to shared memory (LDGSTS)"),
    issued("smsp__inst_executed_op_tma_ld_pred_on_any.sum",
           "bulk copies into shared memory (UTMALDG, UBLKCP)"),
    issued("smsp__inst_executed_op_tma_st_pred_on_any.sum",
           "bulk copies and reductions out of shared memory (UTMASTG, UTMAREDG, UBLKCP)"),

    // L1, global memory
    exact(G::kL1, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request",
          "warp-level global loads with at least one active lane"),
    exact(G::kL1, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "request",
          "warp-level global stores with at least one active lane"),
    exact(G::kL1, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "request",
          "warp-level global atomics that return a value"),
    exact(G::kL1, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "request",
          "warp-level global reductions, which return none"),
    exact(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector",
          "distinct 32-byte sectors that global loads touch, added up over requests"),
    exact(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sector",
          "distinct 32-byte sectors that global stores touch, added up over requests"),
    exact(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "sector",
          "sector passes of global atomics: for each sector, the most lanes on one word"),
    exact(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "sector",
          "sector passes of global reductions: for each sector, the most lanes on one word"),
    exact(G::kL1, "l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access.sum", "request",
          "warp-level asynchronous copies that go through the L1 (LDGSTS.ACCESS)"),
    exact(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum", "sector",
          "distinct sectors that those copies touch, added up over requests"),
    exact(G::kL1, "memory_l1_tag_requests_global", "request",
          "distinct 128-byte lines looked up by global accesses", kPatched),
    exact(G::kL1, "memory_l2_theoretical_sectors_global", "sector",
          "sectors that global accesses would ask of the L2 if the L1 had no line", kPatched),

    // L1, local memory
    exact(G::kL1, "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "request",
          "requests of local loads; a wide access takes several"),
    exact(G::kL1, "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "request",
          "requests of local stores; a wide access takes several"),
    exact(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "sector",
          "sectors of local loads, 32-bit words of the lanes lying side by side"),
    exact(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "sector",
          "sectors of local stores, 32-bit words of the lanes lying side by side"),
    exact(G::kL1, "memory_l2_theoretical_sectors_local", "sector",
          "sectors that local accesses would ask of the L2 if the L1 had no line", kPatched),

    // Textures and surfaces
    exact(G::kL1, "l1tex__t_requests_pipe_tex_mem_texture.sum", "request",
          "requests of the texture unit for fetches: four lanes each, eight by number"),
    exact(G::kL1, "l1tex__t_sectors_pipe_tex_mem_texture.sum", "sector",
          "sectors that a request's texels touch, added up over its passes"),
    near(G::kL1, "l1tex__t_sectors_pipe_tex_mem_texture_lookup_hit.sum", "sector",
         "sectors of fetches found in the L1, or asked for already", 0.05, kFloorL1, kL1State),
    exact(G::kL1, "l1tex__t_requests_pipe_tex_mem_surface_op_ld.sum", "request",
          "requests of the texture unit for loads from surfaces"),
    exact(G::kL1, "l1tex__t_sectors_pipe_tex_mem_surface_op_ld.sum", "sector",
          "sectors that loads from surfaces touch, added up over requests"),
    near(G::kL1, "l1tex__t_sectors_pipe_tex_mem_surface_op_ld_lookup_hit.sum", "sector",
         "sectors of loads from surfaces found in the L1", 0.05, kFloorL1, kL1State),
    exact(G::kL1, "l1tex__t_requests_pipe_tex_mem_surface_op_st.sum", "request",
          "requests of the texture unit for stores to surfaces"),
    exact(G::kL1, "l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum", "sector",
          "sectors that stores to surfaces touch, added up over requests"),

    // L1, what depends on its state
    near(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "sector",
         "sectors of global loads found in the L1", 0.05, kFloorL1, kL1State),
    near(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum", "sector",
         "sectors of global stores counted as L1 hits", 0.05, kFloorL1, kL1State),
    near(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum", "sector",
         "sectors of local loads found in the L1", 0.05, kFloorL1, kL1State),
    near(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_hit.sum", "sector",
         "sectors of local stores counted as L1 hits", 0.05, kFloorL1, kL1State),
    near(G::kL1, "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum", "wavefront",
         "passes of global loads through the tag stage", 0.10, kFloorL1, kArbitration),
    near(G::kL1, "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_st.sum", "wavefront",
         "passes of global stores through the tag stage", 0.10, kFloorL1, kArbitration),

    // Shared memory
    exact(G::kShared, "memory_l1_wavefronts_shared", "wavefront",
          "passes that shared accesses need, as the profiler works them out from addresses", kPatched),
    near(G::kShared, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "wavefront",
         "passes of shared stores through the data stage", 0.35, kFloorL1, kArbitration),
    near(G::kShared, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefront",
         "passes of shared loads through the data stage", 0.35, kFloorL1, kArbitration),
    near(G::kShared, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "conflict",
         "passes of shared loads beyond the first of lanes that are served together: those of 16 bytes a "
         "lane take 4 without a conflict, of 8 bytes 2", 0.35, kFloorL1, kArbitration,
         "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
    near(G::kShared, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "conflict",
         "passes of shared stores beyond the first of lanes that are served together: those of 16 bytes a "
         "lane take 4 without a conflict, of 8 bytes 2", 0.35, kFloorL1, kArbitration,
         "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),

    // Between L1 and L2
    near(G::kCrossbar, "l1tex__m_xbar2l1tex_read_sectors.sum", "sector",
         "sectors that the L2 returns to the L1s", 0.05, kFloorL2, kL1State),
    near(G::kCrossbar, "l1tex__m_l1tex2xbar_write_sectors.sum", "sector",
         "sectors that the L1s send to the L2", 0.05, kFloorL2, kL1State),

    // L2, as the SMs see it
    near(G::kL2, "lts__t_requests_srcunit_tex_op_read.sum", "request",
         "reads of up to four sectors of a line that SMs ask of the L2", 0.10, kFloorL2, kL2State),
    near(G::kL2, "lts__t_requests_srcunit_tex_op_write.sum", "request",
         "writes of up to four sectors of a line that SMs send to the L2", 0.10, kFloorL2,
         kL2State),
    near(G::kL2, "lts__t_requests_srcunit_tex_op_atom.sum", "request",
         "atomics that SMs send to the L2, a line each", 0.10, kFloorL2, kL2State),
    near(G::kL2, "lts__t_requests_srcunit_tex_op_red.sum", "request",
         "reductions that SMs send to the L2, a line each", 0.10, kFloorL2, kL2State),
    near(G::kL2, "lts__t_sectors_srcunit_tex_op_read.sum", "sector",
         "sectors that SMs read from the L2", 0.05, kFloorL2, kL2State),
    near(G::kL2, "lts__t_sectors_srcunit_tex_op_write.sum", "sector",
         "sectors that SMs write to the L2", 0.05, kFloorL2, kL2State),
    near(G::kL2, "lts__t_sectors_srcunit_tex_op_atom.sum", "sector",
         "sector passes of atomics at the L2", 0.05, kFloorL2, kL2State),
    near(G::kL2, "lts__t_sectors_srcunit_tex_op_red.sum", "sector",
         "sector passes of reductions at the L2", 0.05, kFloorL2, kL2State),
    near(G::kL2, "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", "sector",
         "sectors that SMs read and their own side of the L2 has", 0.05, kFloorL2, kL2State),
    near(G::kL2, "lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum", "sector",
         "sectors that SMs write and their own side of the L2 has or takes", 0.05, kFloorL2,
         kL2State),
    near(G::kL2, "lts__t_sectors_srcunit_tex_op_atom_lookup_hit.sum", "sector",
         "sector passes of atomics that the L2 has", 0.05, kFloorL2, kL2State),
    near(G::kL2, "lts__t_sectors_srcunit_tex_op_red_lookup_hit.sum", "sector",
         "sector passes of reductions that the L2 has", 0.05, kFloorL2, kL2State),

    // L2, everything that arrives there
    near(G::kL2, "lts__t_sectors_srcunit_ltcfabric.sum", "sector",
         "sectors that cross between the two sides of the L2", 0.10, kFloorL2All, kL2State),
    near(G::kL2, "lts__t_sectors_op_read.sum", "sector",
         "sectors read in the L2 from all sources, the other side included", 0.10, kFloorL2All,
         kL2State, Background::kReads),
    near(G::kL2, "lts__t_sectors_op_write.sum", "sector",
         "sectors written in the L2 from all sources, the other side included", 0.10, kFloorL2All,
         kL2State, Background::kWrites),
    near(G::kL2, "lts__t_tag_requests.sum", "tag", "lookups of a line in the L2 from all sources",
         0.10, kFloorL2All, kL2State),

    // DRAM
    near(G::kDram, "dram__sectors_read.sum", "sector", "sectors read from DRAM, in pairs", 0.10,
         kFloorDram, kDramState),
    near(G::kDram, "dram__sectors_write.sum", "sector",
         "sectors written to DRAM while the kernel runs", 0.10, kFloorDram, kWriteBack,
         "lts__t_sectors_srcunit_tex_op_write.sum"),

    // Time
    near(G::kTime, "sm__cycles_elapsed.max", "cycle",
         "SM clock cycles from the launch's begin to its end", 0.15, kFloorCycles, kClock),
};

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

std::span<const MetricRule> metric_rules() { return kRules; }

const MetricRule* find_rule(std::string_view name) {
  const auto it = std::find_if(kRules.begin(), kRules.end(),
                               [&](const MetricRule& rule) { return rule.name == name; });
  return it == kRules.end() ? nullptr : &*it;
}

std::string metric_list() {
  std::string out;
  for (const auto& rule : kRules) {
    if (!out.empty()) out += ',';
    out += rule.name;
  }
  return out;
}

double symmetric_error(double predicted, double measured, double floor) {
  if (predicted == measured) return 0;
  const double size = std::max((std::abs(predicted) + std::abs(measured)) / 2, floor);
  return (predicted - measured) / size;
}

}  // namespace warpmem::validate
