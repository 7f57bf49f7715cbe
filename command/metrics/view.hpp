// The list of metrics, and one of them, as people and programs read it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/screen/output.hpp"
#include "metrics/metric.hpp"

namespace warpmem::command {

// One metric, where it was found.
struct FoundMetric {
  metrics::Vocabulary vocabulary;
  const metrics::Metric* metric;
};

// All of them, or those of one vocabulary.
std::string metric_list_view(std::optional<metrics::Vocabulary> only, Format format,
                             const views::Terminal& terminal);
// All that is known of some: what each counts, on which GPUs, its formula, and its counterparts.
std::string metric_view(const std::vector<FoundMetric>& found, Format format);

}  // namespace warpmem::command
