#include "command/usage.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.hpp"
#include "command/command.hpp"

namespace warpmem::command {

CLI::Option* option_named(CLI::App& app, const std::string& name) {
  for (CLI::Option* option : app.get_options())
    if (option->check_name(name)) return option;
  return nullptr;
}

const CLI::Option* option_named(const CLI::App& app, const std::string& name) {
  for (const CLI::Option* option : app.get_options())
    if (option->check_name(name)) return option;
  return nullptr;
}

namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

std::string did_you_mean(const std::string& typed, const std::vector<std::string>& known,
                         const std::string& otherwise) {
  const std::string guess = nearest(typed, known);
  return guess.empty() ? otherwise : fmt::format("did you mean '{}'?", guess);
}

// An option of the parsed subcommand that does not exist: the first one on the command line.
std::string unknown_option(const CLI::App& app, int argc, const char* const* argv) {
  const std::vector<std::string> known = option_names(app);
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") break;
    std::string name = word.substr(0, word.find('='));
    if (word.starts_with("--") && std::find(known.begin(), known.end(), name) == known.end()) {
      return name;
    }
  }
  return {};
}

}  // namespace

Error usage_error(const CLI::App& app, const CLI::ParseError& error, int argc,
                  const char* const* argv) {
  if (const auto* value = dynamic_cast<const RefusedValue*>(&error)) return value->refused;
  Error out{ErrorKind::kUsage, error.what(), "", "see warpmem --help"};
  const auto parsed = app.get_subcommands();
  if (parsed.empty()) {
    const std::string first = argc > 1 ? argv[1] : "";
    if (first.empty()) {
      out.message = "no subcommand given";
    } else if (first.starts_with("-")) {
      out.message = fmt::format("unknown option '{}'", first);
      out.fix = did_you_mean(first, option_names(app), out.fix);
    } else {
      out.message = fmt::format("unknown subcommand '{}'", first);
      out.fix = did_you_mean(first, subcommand_names(app), out.fix);
    }
    return out;
  }
  const CLI::App& sub = *parsed.front();
  out.place = sub.get_name();
  out.fix = fmt::format("see warpmem {} --help", sub.get_name());
  if (const std::string option = unknown_option(sub, argc, argv);
      !option.empty() && dynamic_cast<const CLI::ExtrasError*>(&error)) {
    out.message = fmt::format("unknown option '{}'", option);
    out.fix = did_you_mean(option, option_names(sub), out.fix);
  }
  return out;
}

}  // namespace warpmem::command
