#include "command/options/program_words.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "command/command.hpp"

namespace warpmem::command {
namespace {

ProgramWords g_words;

// How many words the option at `word` takes, itself included; 0: it is none of ours.
std::size_t own_words(const CLI::App& app, const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return 0;
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const CLI::Option* option = option_named(app, name);
  if (option == nullptr || option->get_positional()) return 0;
  const bool takes_value = option->get_items_expected_max() > 0;
  return takes_value && equals == std::string::npos ? 2 : 1;
}

}  // namespace

void take_program_words(const CLI::App& app, std::vector<std::string>& words) {
  g_words = {};
  if (words.empty() || words[0] != "emulate") return;
  const CLI::App* emulate = app.get_subcommand("emulate");
  std::vector<std::string> own{words[0]};
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--") {
      g_words.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      break;
    }
    std::size_t count = own_words(*emulate, words[i]);
    if (count == 0) {
      g_words.program.push_back(words[i]);
      continue;
    }
    for (; count > 0 && i < words.size(); --count, ++i) own.push_back(words[i]);
    --i;
  }
  if (g_words.program.empty() && !g_words.arguments.empty()) {
    g_words.program.push_back(std::move(g_words.arguments.front()));
    g_words.arguments.erase(g_words.arguments.begin());
    g_words.behind = true;
  }
  words = std::move(own);
}

const ProgramWords& program_words() { return g_words; }

}  // namespace warpmem::command
