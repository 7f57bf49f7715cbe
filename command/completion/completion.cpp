// `warpmem completion bash|zsh|fish`: a completion script written from the option tree itself, so
// that it never lags behind the options. Use: source <(warpmem completion bash)
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "command/command.hpp"
#include "command/screen/output.hpp"
#include "model/card/card.hpp"

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

// The words that an option takes: those it is restricted to, the cards, or the numbers of one.
std::string values_of(CLI::Option& option) {
  const std::vector<std::string> names = spellings(option);
  const auto is = [&](const char* name) { return std::ranges::find(names, name) != names.end(); };
  if (is("--gpu") || option.get_type_name() == "CARD") return joined(model::card_names(), " ");
  if (is("--set")) {
    std::vector<std::string> keys;
    if (const auto card = model::load_card("h200"))
      for (const model::CardEntry& entry : card->entries())
        if (entry.kind != model::CardEntry::Kind::kInstruction) keys.push_back(entry.key + "=");
    return joined(keys, " ");
  }
  return choices(option);
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
      const std::string values = values_of(*option);
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

// In single quotes, as zsh and fish take them.
std::string quoted(const std::string& text, bool fish) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += fish ? "\\'" : "'\\''";
    else if (c == '\\' && fish) out += "\\\\";
    else out += c;
  }
  return out + "'";
}

// zsh can run bash's completions; it needs to be told so, and then shows the subcommands' help too.
std::string zsh_script(const CLI::App& app) {
  std::string out =
      "#compdef warpmem\n"
      "# zsh completion for warpmem: put this into a folder of $fpath as _warpmem, or source it\n"
      "_warpmem() {\n  local -a commands\n  commands=(\n";
  for (const Subcommand& row : subcommands())
    out += fmt::format("    {}\n", quoted(fmt::format("{}:{}", row.name, row.help), false));
  out +=
      "  )\n"
      "  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
      "  local before=${words[CURRENT-1]}\n"
      "  case ${words[2]} in\n";
  for (const Subcommand& row : subcommands()) {
    CLI::App* sub = app.get_subcommand(row.name);
    out += fmt::format("    {})\n", row.name);
    for (CLI::Option* option : sub->get_options()) {
      const std::string values = values_of(*option);
      if (values.empty()) continue;
      if (option->get_positional())
        out += fmt::format("      (( CURRENT == 3 )) && compadd -- {}\n", values);
      else
        out += fmt::format("      case $before in ({}) compadd -S '' -- {}; return ;; esac\n",
                           joined(spellings(*option), "|"), values);
    }
    out +=
        fmt::format("      [[ $PREFIX == -* ]] && compadd -- {}\n      ;;\n", option_words(*sub));
  }
  return out +
         "  esac\n  _files\n}\n"
         "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _warpmem \"$@\"; else compdef "
         "_warpmem warpmem; fi\n";
}

std::string fish_script(const CLI::App& app) {
  std::string out =
      "# fish completion for warpmem: put this into ~/.config/fish/completions/warpmem.fish\n";
  for (const Subcommand& row : subcommands())
    out += fmt::format("complete -c warpmem -n __fish_use_subcommand -f -a {} -d {}\n", row.name,
                       quoted(row.help, true));
  for (const Subcommand& row : subcommands()) {
    CLI::App* sub = app.get_subcommand(row.name);
    const std::string seen = fmt::format("-n '__fish_seen_subcommand_from {}'", row.name);
    for (CLI::Option* option : sub->get_options()) {
      const std::string values = values_of(*option);
      if (option->get_positional()) {
        if (!values.empty())
          out += fmt::format("complete -c warpmem {} -f -a {}\n", seen, quoted(values, true));
        continue;
      }
      std::string names;
      for (const std::string& name : option->get_snames()) names += " -s " + name;
      for (const std::string& name : option->get_lnames()) names += " -l " + name;
      const bool takes = option->get_items_expected_max() > 0;
      out += fmt::format("complete -c warpmem {}{}{}{} -d {}\n", seen, names, takes ? " -r" : "",
                         values.empty() ? "" : " -f -a " + quoted(values, true),
                         quoted(option->get_description(), true));
    }
  }
  return out;
}

}  // namespace

Run setup_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  app.add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  const CLI::App* whole = app.get_parent();
  return [whole, shell] {
    return emit({.for_program = true}, *shell == "zsh"    ? zsh_script(*whole)
                                       : *shell == "fish" ? fish_script(*whole)
                                                          : bash_script(*whole));
  };
}

}  // namespace warpmem::command
