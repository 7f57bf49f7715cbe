// What a replay of a part of a trace says of the whole, as text.
#pragma once

#include <string>

#include "results/sampled.hpp"
#include "views/style.hpp"

namespace warpmem::views {

// `all`: metrics that are zero, too.
std::string sampled_text(const SampleResult& result, const Terminal& terminal, bool all);
std::string sampled_csv(const SampleResult& result);
std::string sampled_json(const SampleResult& result);

}  // namespace warpmem::views
