#include "command/options/memory_limit.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "base/units.hpp"
#include "command/options/number.hpp"

namespace warpmem::command {
namespace {

constexpr std::uint64_t kLeast = std::uint64_t{32} << 20;  // less holds no card's caches

std::uint64_t g_limit = 0;

// What is beyond it is refused by the system, as if there were no more: status 5, with all that was
// finished kept. A lower limit of the shell stays.
void hold(std::uint64_t bytes) {
  rlimit now{};
  if (getrlimit(RLIMIT_DATA, &now) != 0) return;
  if (now.rlim_cur != RLIM_INFINITY && now.rlim_cur <= bytes) return;
  now.rlim_cur = bytes;
  if (setrlimit(RLIMIT_DATA, &now) == 0) g_limit = bytes;
}

}  // namespace

void add_memory_limit_option(CLI::App& verb) {
  // CLI11's own search ends the program where memory ends.
  const bool takes_much = std::ranges::any_of(verb.get_options(), [](const CLI::Option* option) {
    return option->get_name() == "--threads" || option->get_name() == "--partial";
  });
  if (!takes_much) return;
  WholeRange range{kLeast, kNoMost, "bytes"};
  range.sizes = true;
  add_whole_option(verb, "--max-memory", range, hold,
                   "take no more memory than that, and end with status 5 where it does not do")
      ->type_name("BYTES")
      ->default_str("none");
}

std::string memory_limit() {
  return g_limit == 0 ? "" : fmt::format("--max-memory {}", byte_size(g_limit));
}

}  // namespace warpmem::command
