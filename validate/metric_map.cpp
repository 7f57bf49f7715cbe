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

constexpr MetricRule exact(Group group, std::string_view name,
                           std::string_view source = kAddresses) {
  return {name, group, Match::kExact, 0, 0, {}, source};
}

// Executed warp instructions of one kind with at least one active lane.
constexpr MetricRule issued(std::string_view name) {
  return exact(G::kInstructions, name, kIssued);
}

// By how much two collections of one run differ in nine of ten launches that are not small (validate/reference/h200,
// which was collected twice): arbitration moves more.
constexpr double spread_of(std::string_view source) { return source == kArbitration ? 0.05 : 0.013; }

constexpr MetricRule near(Group group, std::string_view name, double band, double floor,
                          std::string_view source, std::string_view scale = {}) {
  return {name, group, Match::kApproximate, band, floor, scale, source, Background::kNone, 0, spread_of(source)};
}

constexpr MetricRule near(Group group, std::string_view name, double band, double floor,
                          std::string_view source, Background background) {
  return {name, group, Match::kApproximate, band, floor, {}, source, background, 0, spread_of(source)};
}

constexpr std::array kRules{
    // What ran
    issued("smsp__inst_executed_op_global_ld_pred_on_any.sum"),
    issued("smsp__inst_executed_op_global_st_pred_on_any.sum"),
    issued("smsp__inst_executed_op_generic_ld_pred_on_any.sum"),
    issued("smsp__inst_executed_op_generic_st_pred_on_any.sum"),
    issued("smsp__inst_executed_op_generic_atom_pred_on_any.sum"),
    issued("smsp__inst_executed_op_global_red_pred_on_any.sum"),
    issued("smsp__inst_executed_op_local_ld_pred_on_any.sum"),
    issued("smsp__inst_executed_op_local_st_pred_on_any.sum"),
    issued("smsp__inst_executed_op_shared_ld_pred_on_any.sum"),
    issued("smsp__inst_executed_op_shared_st_pred_on_any.sum"),
    issued("smsp__inst_executed_op_shared_atom_pred_on_any.sum"),
    issued("smsp__inst_executed_op_ldsm_pred_on_any.sum"),
    issued("smsp__inst_executed_op_shared_stsm_pred_on_any.sum"),
    issued("smsp__inst_executed_op_ldgsts_pred_on_any.sum"),
    issued("smsp__inst_executed_op_tma_ld_pred_on_any.sum"),
    issued("smsp__inst_executed_op_tma_st_pred_on_any.sum"),

    // L1, global memory
    exact(G::kL1, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"),
    exact(G::kL1, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"),
    exact(G::kL1, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"),
    exact(G::kL1, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"),
    exact(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
    exact(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
    exact(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"),
    exact(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"),
    exact(G::kL1, "l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access.sum"),
    exact(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum"),
    exact(G::kL1, "memory_l1_tag_requests_global", kPatched),
    exact(G::kL1, "memory_l2_theoretical_sectors_global", kPatched),

    // L1, local memory
    exact(G::kL1, "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"),
    exact(G::kL1, "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"),
    exact(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"),
    exact(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"),
    exact(G::kL1, "memory_l2_theoretical_sectors_local", kPatched),

    // Textures and surfaces
    exact(G::kL1, "l1tex__t_requests_pipe_tex_mem_texture.sum"),
    exact(G::kL1, "l1tex__t_sectors_pipe_tex_mem_texture.sum"),
    near(G::kL1, "l1tex__t_sectors_pipe_tex_mem_texture_lookup_hit.sum", 0.05, kFloorL1, kL1State),
    exact(G::kL1, "l1tex__t_requests_pipe_tex_mem_surface_op_ld.sum"),
    exact(G::kL1, "l1tex__t_sectors_pipe_tex_mem_surface_op_ld.sum"),
    near(G::kL1, "l1tex__t_sectors_pipe_tex_mem_surface_op_ld_lookup_hit.sum", 0.05, kFloorL1, kL1State),
    exact(G::kL1, "l1tex__t_requests_pipe_tex_mem_surface_op_st.sum"),
    exact(G::kL1, "l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum"),

    // L1, what depends on its state
    near(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", 0.05, kFloorL1, kL1State),
    near(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum", 0.05, kFloorL1, kL1State),
    near(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum", 0.05, kFloorL1, kL1State),
    near(G::kL1, "l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_hit.sum", 0.05, kFloorL1, kL1State),
    near(G::kL1, "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum", 0.10, kFloorL1, kArbitration),
    near(G::kL1, "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_st.sum", 0.10, kFloorL1, kArbitration),

    // Shared memory
    exact(G::kShared, "memory_l1_wavefronts_shared", kPatched),
    near(G::kShared, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 0.35, kFloorL1, kArbitration),
    near(G::kShared, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 0.35, kFloorL1, kArbitration),
    near(G::kShared, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 0.35, kFloorL1, kArbitration, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
    near(G::kShared, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", 0.35, kFloorL1, kArbitration, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),

    // Between L1 and L2
    near(G::kCrossbar, "l1tex__m_xbar2l1tex_read_sectors.sum", 0.05, kFloorL2, kL1State),
    near(G::kCrossbar, "l1tex__m_l1tex2xbar_write_sectors.sum", 0.05, kFloorL2, kL1State),

    // L2, as the SMs see it
    near(G::kL2, "lts__t_requests_srcunit_tex_op_read.sum", 0.10, kFloorL2, kL2State),
    near(G::kL2, "lts__t_requests_srcunit_tex_op_write.sum", 0.10, kFloorL2, kL2State),
    near(G::kL2, "lts__t_requests_srcunit_tex_op_atom.sum", 0.10, kFloorL2, kL2State),
    near(G::kL2, "lts__t_requests_srcunit_tex_op_red.sum", 0.10, kFloorL2, kL2State),
    near(G::kL2, "lts__t_sectors_srcunit_tex_op_read.sum", 0.05, kFloorL2, kL2State),
    near(G::kL2, "lts__t_sectors_srcunit_tex_op_write.sum", 0.05, kFloorL2, kL2State),
    near(G::kL2, "lts__t_sectors_srcunit_tex_op_atom.sum", 0.05, kFloorL2, kL2State),
    near(G::kL2, "lts__t_sectors_srcunit_tex_op_red.sum", 0.05, kFloorL2, kL2State),
    near(G::kL2, "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", 0.05, kFloorL2, kL2State),
    near(G::kL2, "lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum", 0.05, kFloorL2, kL2State),
    near(G::kL2, "lts__t_sectors_srcunit_tex_op_atom_lookup_hit.sum", 0.05, kFloorL2, kL2State),
    near(G::kL2, "lts__t_sectors_srcunit_tex_op_red_lookup_hit.sum", 0.05, kFloorL2, kL2State),

    // L2, everything that arrives there
    near(G::kL2, "lts__t_sectors_srcunit_ltcfabric.sum", 0.10, kFloorL2All, kL2State),
    near(G::kL2, "lts__t_sectors_op_read.sum", 0.10, kFloorL2All, kL2State, Background::kReads),
    near(G::kL2, "lts__t_sectors_op_write.sum", 0.10, kFloorL2All, kL2State, Background::kWrites),
    near(G::kL2, "lts__t_tag_requests.sum", 0.10, kFloorL2All, kL2State),

    // DRAM
    near(G::kDram, "dram__sectors_read.sum", 0.10, kFloorDram, kDramState),
    near(G::kDram, "dram__sectors_write.sum", 0.10, kFloorDram, kWriteBack, "lts__t_sectors_srcunit_tex_op_write.sum"),

    // Time
    near(G::kTime, "sm__cycles_elapsed.max", 0.15, kFloorCycles, kClock),
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
  return std::abs(error) < 1 ? fmt::format("{:+.1f} %", 100 * error) : fmt::format("{:+.0f} %", 100 * error);
}

}  // namespace warpmem::validate
