// A folder of reference data: NAME.wmt (the trace) and NAME.csv (what the hardware counted when the
// same program ran), perhaps NAME.repeat.csv (counted once more), and provenance.toml, which says
// where all of it comes from. Its `traces` names another folder where the traces are those of
// another GPU of the same machine code.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpmem::validate {

struct SuiteEntry {
  std::string name;
  std::string trace, counters;  // paths
  std::string repeat;           // path; empty when there is none
};

struct Suite {
  std::string folder;
  std::vector<SuiteEntry> entries;   // sorted by name
  std::string gpu;                   // that it was counted on; empty: nothing says so
  std::vector<std::string> heading;  // provenance in a few lines, for the top of a table
  std::vector<std::string> notes;    // traces without counters, and the reverse
};

// kUsage when the folder cannot be read, kMalformed when it holds no pair or its provenance.toml
// is broken.
Result<Suite> open_suite(const std::string& folder);

// The reference of a card that ships with warpmem: beside the working directory, the program, or in
// its share/ folder. Empty when there is none.
std::string shipped_suite(const std::string& card);

}  // namespace warpmem::validate
