// What a C or CUDA source includes by a name in quotes: files of the user's own, which a run that
// compiles the source reads.
#pragma once

#include <string>
#include <vector>

namespace warpmem {

// The files that `source` includes, and those that these include, each once; they exist. As a
// compiler does, a name is looked for beside the file that has it, then in `folders`. Conditions
// are not asked: a file that the compiler leaves out may be named too.
std::vector<std::string> included_files(const std::string& source,
                                        const std::vector<std::string>& folders);

// The folders of -I, -isystem, -iquote and --include-path among a compiler's words.
std::vector<std::string> include_folders(const std::vector<std::string>& words);

// Whether a name is that of a C or CUDA source or header.
bool is_code(const std::string& path);

}  // namespace warpmem
