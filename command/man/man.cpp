// `warpmem man`: the manual page, written from the option tree as completion is.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <sstream>
#include <string>

#include "command/command.hpp"
#include "command/examples.hpp"
#include "command/screen/output.hpp"
#include "command/version.hpp"

namespace warpmem::command {
namespace {

// As troff takes it: a backslash, a hyphen and a full stop at the start of a line are letters.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      out += std::string("\\&") + c;
    else out += c;
  }
  return out;
}

std::string options_text(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name(option->get_positional(), true);
    const std::string type = option->get_type_name();
    out += fmt::format(".TP\n\\fB{}\\fR {}\n{}\n", roff(name),
                       roff(type == "" || type == "BOOLEAN" ? "" : type),
                       roff(option->get_description()));
  }
  return out;
}

// A subcommand's options, and then those of its own subcommands.
std::string subcommand_text(const CLI::App& app, const std::string& name) {
  std::string out = options_text(app);
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    out += fmt::format(".SH \"WARPMEM {}\"\n{}\n{}", name + " " + sub->get_name(),
                       roff(sub->get_description()),
                       subcommand_text(*sub, name + " " + sub->get_name()));
  return out;
}

std::string man_page(const CLI::App& app) {
  std::string out =
      fmt::format(".TH WARPMEM 1 \"\" \"warpmem {}\" \"User Commands\"\n.SH NAME\nwarpmem \\- {}\n",
                  kVersion, "what a CUDA kernel does to a GPU\\(aqs memory system");
  out += ".SH SYNOPSIS\n\\fBwarpmem\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH COMMANDS\n";
  for (const Subcommand& row : subcommands())
    out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", row.name, roff(row.help));
  for (const Subcommand& row : subcommands()) {
    out += fmt::format(".SH \"WARPMEM {}\"\n{}\n", row.name, roff(row.help));
    std::istringstream examples(examples_of(row.name));
    std::string lines;
    for (std::string line; std::getline(examples, line);)
      if (line.starts_with("  ")) lines += roff(line.substr(2)) + "\n";
    if (!lines.empty()) out += ".PP\n.nf\n" + lines + ".fi\n";
    out += subcommand_text(*app.get_subcommand(row.name), row.name);
  }
  return out +
         ".SH \"EXIT STATUS\"\n0 fine, 1 a check failed, 2 usage or configuration, 3 malformed "
         "input, 4 incomplete input, 5 out of "
         "memory, disk or time, 6 environment missing, 70 a bug of warpmem, 130 interrupted.\n"
         ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nno colours, when it is set and not empty\n";
}

}  // namespace

Run setup_man(CLI::App& app) {
  auto options = std::make_shared<OutputOptions>();
  options->for_program = true;
  app.add_option("-o,--output", options->path, "write to this file instead of stdout")
      ->type_name("OUT");
  add_force_option(app, options->force);
  const CLI::App* whole = app.get_parent();
  return [whole, options] { return emit(*options, man_page(*whole)); };
}

}  // namespace warpmem::command
