#include "command/output.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "command/command.hpp"
#include "command/terminal.hpp"

namespace warpmem::command {

namespace {

Error write_error(const std::string& path, int code) {
  const bool full = code == ENOSPC || code == EDQUOT || code == EIO || code == EFBIG;
  return {full ? ErrorKind::kResources : ErrorKind::kUsage,
          fmt::format("cannot write the output: {}", std::strerror(code)),
          path.empty() ? "stdout" : path,
          full ? "free some space there or write elsewhere with --output"
               : "choose another place with --output"};
}

// A device or pipe must be written directly: renaming a file over /dev/null would replace it.
bool is_special_file(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

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

void add_output_options(CLI::App& app, OutputOptions& options) {
  add_format_option(app, options.format);
  app.add_option("-o,--output", options.path, "write to this file instead of stdout")
      ->type_name("FILE");
}

Output::Output(std::FILE* file, std::string path) : file_(file), path_(std::move(path)) {}

Output::Output(Output&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)),
      path_(std::move(other.path_)),
      first_errno_(other.first_errno_) {}

Result<Output> Output::open(const OutputOptions& options) {
  if (options.path.empty()) return Output(stdout, "");
  const bool direct = is_special_file(options.path);
  std::FILE* file = std::fopen((options.path + (direct ? "" : ".partial")).c_str(), "wb");
  if (!file) return write_error(options.path, errno);
  return Output(file, options.path);
}

Output::~Output() {
  if (!file_ || path_.empty()) return;
  std::fclose(file_);
  if (!is_special_file(path_)) unlink((path_ + ".partial").c_str());
}

void Output::write(std::string_view text) {
  if (first_errno_ != 0) return;
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) first_errno_ = errno;
}

bool Output::failed() const { return first_errno_ != 0; }

bool Output::colour() const { return path_.empty() && use_colour(STDOUT_FILENO); }

Result<void> Output::finish() {
  if (std::fflush(file_) != 0 && first_errno_ == 0) first_errno_ = errno;
  if (first_errno_ != 0) return write_error(path_, first_errno_);
  if (path_.empty()) return {};
  std::FILE* file = std::exchange(file_, nullptr);
  if (std::fclose(file) != 0) return write_error(path_, errno);
  if (is_special_file(path_)) return {};
  if (std::rename((path_ + ".partial").c_str(), path_.c_str()) != 0) {
    return write_error(path_, errno);
  }
  return {};
}

int emit(const OutputOptions& options, std::string_view text) {
  auto output = Output::open(options);
  if (!output) return fail(output.error());
  output->write(text);
  if (auto done = output->finish(); !done) return fail(done.error());
  return 0;
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace warpmem::command
