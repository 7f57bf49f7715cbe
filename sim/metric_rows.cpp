// The profiler's name of every counter: of Nsight Compute by the list of its counters, before 7.0
// by nvprof's events.
#include "sim/metric_rows.hpp"

namespace warpmem::sim {
namespace {

using C = model::LaunchCounters;

#define ROW(name, unit, ...) \
  __VA_OPT__(MetricRow{name, unit, [](const C& c) -> std::uint64_t { return __VA_ARGS__; }}, )
#define COUNTER(name, unit, of, rule, meaning) ROW(name, unit, of)

const MetricRow kRows[] = {
#include "metrics/ncu_counters.def"
};

#undef COUNTER
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
