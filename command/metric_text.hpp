// A metric's unit and accuracy in words, from validation's metric map.
#pragma once

#include <string>

#include "validate/metric_map.hpp"

namespace warpmem::command {

// "exact", or the band within which validation accepts the model: "within 5 %". Empty for nullptr.
std::string accuracy(const validate::MetricRule* rule);

}  // namespace warpmem::command
