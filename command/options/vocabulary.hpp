// The option that names a vocabulary of metrics.
#pragma once

#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpmem::command {

// ncu, nvprof or visual-profiler.
CLI::Option* add_vocabulary_option(CLI::App& app, const std::string& option, std::string& chosen,
                                   const std::string& help);

}  // namespace warpmem::command
