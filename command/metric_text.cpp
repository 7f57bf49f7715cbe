#include "command/metric_text.hpp"

#include <fmt/format.h>

namespace warpmem::command {

std::string accuracy(const validate::MetricRule* rule) {
  if (!rule) return {};
  if (rule->match == validate::Match::kExact) return "exact";
  return fmt::format("within {:.3g} %", 100 * rule->band);
}

}  // namespace warpmem::command
