// `--threads`, alike wherever work is divided: 0 stands for as many as there are CPUs, and no
// result depends on it.
#pragma once

#include <cstddef>
#include <string>

namespace CLI {
class App;
}

namespace warpmem::command {

// `what`: what is done at once, a plural: "launches replayed".
void add_threads_option(CLI::App& app, unsigned& threads, const std::string& what);
constexpr unsigned kMostThreads = 1024;

std::size_t threads_of(unsigned option);

}  // namespace warpmem::command
