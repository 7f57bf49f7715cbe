#include "command/screen/output.hpp"

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <utility>

#include "base/printable.hpp"
#include "command/command.hpp"
#include "command/screen/terminal.hpp"

namespace warpmem::command {

void add_format_option(CLI::App& app, Format& format) {
  static const std::map<std::string, Format> kNames{
      {"table", Format::kTable}, {"json", Format::kJson}, {"csv", Format::kCsv}};
  app.add_option_function<std::string>(
         "--format", [&format](const std::string& name) { format = kNames.at(name); },
         "table (for reading), json or csv")
      ->type_name("FORMAT")
      ->default_str("table")
      ->check(CLI::IsMember({"table", "json", "csv"}));
}

void add_force_option(CLI::App& app, bool& force) {
  app.add_flag("--force", force, "replace the output when it is there already");
}

void add_output_options(CLI::App& app, OutputOptions& options) {
  add_format_option(app, options.format);
  app.add_option("-o,--output", options.path, "write to this file instead of stdout")
      ->type_name("OUT");
  add_force_option(app, options.force);
}

Result<void> check_output(const OutputOptions& options) {
  if (options.path.empty()) return {};
  auto place = find_output_place(options.path, {.replace = options.force, .direct = true});
  return place ? Result<void>() : Result<void>(place.error());
}

Result<OutputFile> create_output(const std::string& path, bool force) {
  auto file = OutputFile::create(path, {.replace = force, .direct = true});
  if (file && !file->place().note.empty()) note(file->place().note);
  return file;
}

namespace {

views::Terminal terminal_of_stdout() {
  constexpr int kLeast = 60;
  const int width = std::max(kLeast, terminal_width(STDOUT_FILENO));
  return {static_cast<std::size_t>(width), use_colour(STDOUT_FILENO), is_terminal(STDOUT_FILENO)};
}

}  // namespace

views::Terminal terminal_of(const OutputOptions& options) {
  return options.path.empty() ? terminal_of_stdout() : views::Terminal{};
}

Output::Output(std::optional<OutputFile> file, const OutputOptions& options)
    : file_(std::move(file)),
      for_reading_(options.format == Format::kTable && !options.for_program) {}

Result<Output> Output::open(const OutputOptions& options) {
  if (options.path.empty()) return Output(std::nullopt, options);
  auto file = create_output(options.path, options.force);
  if (!file) return file.error();
  return Output(std::move(file).value(), options);
}

void Output::write(std::string_view text) {
  if (refused_) return;
  std::string lines;
  if (const views::Terminal shown = terminal(); shown.person && for_reading_) {
    lines = views::fitted(text, shown.width);
    text = lines;
  }
  if (file_) {
    if (auto written = file_->write(text); !written) refused_ = written.error();
  } else if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    refused_ = output_error("stdout", "write the output", errno);
  }
}

bool Output::failed() const { return refused_.has_value(); }

bool Output::colour() const { return !file_ && use_colour(STDOUT_FILENO); }

views::Terminal Output::terminal() const {
  return file_ ? views::Terminal{} : terminal_of_stdout();
}

Result<void> Output::finish() {
  if (!file_ && std::fflush(stdout) != 0 && !refused_)
    refused_ = output_error("stdout", "write the output", errno);
  if (refused_) return *refused_;
  return file_ ? file_->publish() : Result<void>();
}

int emit(const OutputOptions& options, std::string_view text) {
  auto output = Output::open(options);
  if (!output) return fail(output.error());
  output->write(text);
  if (auto done = output->finish(); !done) return fail(done.error());
  return 0;
}

}  // namespace warpmem::command
