#include "command/options/threads.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <thread>

#include "command/options/number.hpp"

namespace warpmem::command {

void add_threads_option(CLI::App& app, unsigned& threads, const std::string& what) {
  add_whole_option(
      app, "--threads", {0, kMostThreads, "threads"},
      [&threads](std::uint64_t n) { threads = static_cast<unsigned>(n); },
      what + " at once (0: as many as there are CPUs); the result is the same")
      ->default_str("0");
}

std::size_t threads_of(unsigned option) {
  return option > 0 ? option : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace warpmem::command
