#include "command/threads_option.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <thread>

namespace warpmem::command {

void add_threads_option(CLI::App& app, unsigned& threads, const std::string& what) {
  app.add_option("--threads", threads,
                 what + " at once (0: as many as there are CPUs); the result is the same")
      ->capture_default_str();
}

std::size_t threads_of(unsigned option) {
  return option > 0 ? option : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace warpmem::command
