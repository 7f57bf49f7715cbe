// A program's steps over time: as text, as rows, and as events of a Chrome trace.
#pragma once

#include <string>

#include "results/program_timeline.hpp"
#include "views/style.hpp"

namespace warpmem::views {

// A row for each engine and stream over the width of the terminal, what the time went into, and
// what would change it.
std::string program_timeline_text(const ProgramTimeline& program, const Terminal& terminal);
// What the time went into, and the change that would help most, in two sentences at most.
std::string program_summary(const ProgramTimeline& program);
std::string program_timeline_csv(const ProgramTimeline& program);
std::string program_timeline_json(const ProgramTimeline& program);
// Events between brackets, without them: a process an engine, a thread a stream. Processes count
// from `first_process` on. Times are microseconds.
std::string program_timeline_events(const ProgramTimeline& program, int first_process);

}  // namespace warpmem::views
