#include "command/options/named_files.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/run_files.hpp"

namespace warpmem::command {
namespace {

// NAME|FILE is left to who opens it: a card's name may be that of a file that nobody reads.
constexpr std::string_view kReads[] = {"FILE", "FILE|DIR", "TRACE", "TRACE|DIR",
                                       "TOML", "PART",     "A",     "B"};

}  // namespace

void note_named_files(const CLI::App& chosen) {
  for (const CLI::Option* option : chosen.get_options()) {
    if (std::ranges::find(kReads, option->get_type_name()) == std::end(kReads)) continue;
    for (const std::string& word : option->results()) note_input(word);
  }
  for (const CLI::App* sub : chosen.get_subcommands()) note_named_files(*sub);
}

}  // namespace warpmem::command
