// `warpmem completion bash`: a completion script written from the option tree itself, so that it
// never lags behind the options. Use: source <(warpmem completion bash)
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "command/command.hpp"
#include "command/output.hpp"

namespace warpmem::command {

namespace {

std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  return fmt::format("{}", fmt::join(words, between));
}

std::string option_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : spellings(*option)) words.push_back(name);
  }
  return joined(words, " ");
}

// The words an option is restricted to: CLI11 describes such a check as "{table,json,csv}".
std::string choices(CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto open = type.find('{');
  const auto close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return {};
  std::string words = type.substr(open + 1, close - open - 1);
  for (char& c : words) {
    if (c == ',') c = ' ';
  }
  return words;
}

std::string bash_script(const CLI::App& app) {
  std::string out =
      "# bash completion for warpmem; source this file, or put it into\n"
      "# ~/.local/share/bash-completion/completions/warpmem\n"
      "_warpmem() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local command=${COMP_WORDS[1]} words=\n"
      "  COMPREPLY=()\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then\n";
  std::vector<std::string> names;
  for (const Subcommand& row : subcommands()) names.emplace_back(row.name);
  out += fmt::format("    words=\"{} {}\"\n", joined(names, " "), option_words(app));
  out += "  else\n    case $command in\n";
  for (const std::string& name : names) {
    CLI::App* sub = app.get_subcommand(name);
    out += fmt::format("      {})\n        words=\"{}\"\n", name, option_words(*sub));
    for (CLI::Option* option : sub->get_options()) {
      const std::string values = choices(*option);
      if (values.empty()) continue;
      if (option->get_positional()) {
        out += fmt::format("        words+=\" {}\"\n", values);
        continue;
      }
      out += fmt::format("        case $before in {}) words=\"{}\" ;; esac\n",
                         joined(spellings(*option), "|"), values);
    }
    out += "        ;;\n";
  }
  out +=
      "    esac\n"
      "  fi\n"
      "  # Nothing fits: bash falls back to file names (complete -o default).\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
      "}\n"
      "complete -o default -F _warpmem warpmem\n";
  return out;
}

}  // namespace

Run setup_completion(CLI::App& app) {
  app.add_option("shell", "bash")->required()->check(CLI::IsMember({"bash"}));
  const CLI::App* whole = app.get_parent();
  return [whole] { return emit({}, bash_script(*whole)); };
}

}  // namespace warpmem::command
