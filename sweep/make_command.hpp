// A command that makes the trace of each program of a sweep: in it, {key} stands for a value and
// {trace} for the file that is to be left. Other braces, and ${…}, stay as they are. A value stands
// as it is, several words if it has blanks; the file's name is one word, whatever is in it.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "results/sweep.hpp"
#include "sweep/machine.hpp"

namespace warpmem::sweep {

// Whether {name} stands in the command.
bool has_place(const std::string& command, const std::string& name);
// Each place is filled once: what a value brings in is no place.
std::string filled(const std::string& command, const Changes& values);
// The same with {trace} as a shell has to see a file's name there, within quotes or without.
std::string filled(const std::string& command, const Changes& values, const std::string& trace);

// Runs it in a shell. kUsage, with the last line that it printed, when it fails or leaves no trace:
// there may be no such program. kEnvironment: no shell could be started.
Result<void> make_trace(const std::string& command, const Changes& program,
                        const std::string& trace);

// Files that stand in the command, for any of the values: it may read each of them.
std::vector<std::string> files_in(const std::string& command, const std::vector<SweepAxis>& axes);
// Sources that stand in the command, for any of the values, known by their endings (.cu, .py, .wmt,
// …): what it makes depends on them. Other files may be what it writes.
std::vector<std::string> sources_in(const std::string& command, const std::vector<SweepAxis>& axes);

}  // namespace warpmem::sweep
