// What a replay counted, in the words of a profiler.
#pragma once

#include <cstdint>
#include <vector>

#include "model/card/card.hpp"
#include "results/launch_metrics.hpp"
#include "sim/replay.hpp"

namespace warpmem::metrics {
struct Metric;
enum class Vocabulary : std::uint8_t;
}  // namespace warpmem::metrics

namespace warpmem::sim {

struct NamedMetric {
  const metrics::Metric* metric;
  MetricValue value;
  // It says nothing of this launch: a count of 0, a share of nothing, or a metric of other GPUs.
  bool idle = false;
};

// All metrics of the vocabulary that a replay has a value for, or a reason why not, by name.
std::vector<NamedMetric> metrics_of(const ReplayedLaunch& launch, const model::Card& card,
                                    metrics::Vocabulary vocabulary);

}  // namespace warpmem::sim
