// What profilers print for people, put into the CSV that they print for programs, line for line: so
// that one reader knows both, and a message's line is the file's.
#pragma once

#include <string>
#include <string_view>

namespace warpmem::validate {

// Nsight Compute's report: a heading for each launch, a table for each section. Empty: there is
// none in it.
std::string csv_of_ncu_report(std::string_view text);
// nvprof's table of metrics or events, the average of each kernel.
std::string csv_of_nvprof_report(std::string_view text);

}  // namespace warpmem::validate
