// A source file with what its lines moved in the margin.
#pragma once

#include <string>

#include "results/explanation.hpp"
#include "views/style.hpp"

namespace warpmem::views {

// Whether `path` can be what the trace calls `recorded`: they end alike.
bool same_file(const std::string& path, const std::string& recorded);

// `text`: of the file. Lines that moved something, and a few around them.
std::string source_text(const LaunchExplanation& launch, const std::string& path,
                        const std::string& text, const Terminal& terminal);

}  // namespace warpmem::views
