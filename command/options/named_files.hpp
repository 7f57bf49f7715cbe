// Files that the options of a command line name. An option's type says whether it reads or writes:
// one that writes a file is an OUT, all others of kReads are read (tests/e2e/test_nothing_lost.py
// walks both, and knows no third kind).
#pragma once

namespace CLI {
class App;
}

namespace warpmem::command {

// Before anything is opened: what the options name belongs to what the run reads
// (base/run_files.hpp), so that an output of that name is refused before the work.
void note_named_files(const CLI::App& chosen);

}  // namespace warpmem::command
