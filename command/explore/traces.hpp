// Where the traces of a sweep come from: files, the same files with other block sizes, or a command
// that makes one for each program.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "command/explore/options.hpp"
#include "sweep/store.hpp"
#include "sweep/trace_set.hpp"

namespace warpmem::command {

struct ExploreTraces {
  std::shared_ptr<sweep::TraceSource> traces;
  std::vector<std::string> names;  // of the traces of a point
  sweep::Identity identity;        // what their content depends on
};

// `keys`: those of the axes that change the program. `only`: launches that are replayed. Options
// live as long as what comes back.
Result<ExploreTraces> trace_source(const ExploreOptions& options,
                                   const std::vector<std::string>& keys,
                                   const std::vector<SweepAxis>& axes,
                                   const sweep::TraceSet::Wanted& only);

// FNV-1a: of a text, to know it again.
std::uint64_t hash_of(const std::string& text);

}  // namespace warpmem::command
