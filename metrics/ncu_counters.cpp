// Nsight Compute's counters: what the model counts, under the profiler's names.
#include "metrics/tables.hpp"

namespace warpmem::metrics {
namespace {

// A counter's formula is the counter.
constexpr Metric counter(std::string_view name, std::string_view unit, std::string_view meaning) {
  return {name, unit, meaning, {{{70, 0, name}}}};
}

#define COUNTER(name, unit, of, rule, meaning) counter(name, unit, meaning),
constexpr Metric kMetrics[] = {
#include "metrics/ncu_counters.def"
};
#undef COUNTER

}  // namespace

std::span<const Metric> ncu_counters() { return kMetrics; }

}  // namespace warpmem::metrics
