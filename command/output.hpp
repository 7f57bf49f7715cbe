// Where a subcommand's result goes, and in which of the three formats. Data goes to stdout or to
// the file of --output; messages never do.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace CLI {
class App;
}

namespace warpmem::command {

enum class Format { kTable, kJson, kCsv };

// --format table|json|csv.
void add_format_option(CLI::App& app, Format& format);

struct OutputOptions {
  Format format = Format::kTable;
  std::string path;  // empty: stdout
};

// --format and -o,--output.
void add_output_options(CLI::App& app, OutputOptions& options);

// A destination that reports what the operating system refused, at the latest in finish().
// A file is written beside its final name and renamed by finish(), so that it is whole or absent.
class Output {
 public:
  static Result<Output> open(const OutputOptions& options);
  ~Output();  // without finish(): nothing is left behind
  Output(Output&&) noexcept;
  Output& operator=(Output&&) = delete;

  void write(std::string_view text);
  bool failed() const;  // a write was refused: stop producing
  bool colour() const;  // a person with a colour terminal reads this
  Result<void> finish();

 private:
  Output(std::FILE* file, std::string path);
  std::FILE* file_ = nullptr;
  std::string path_;  // empty: stdout
  int first_errno_ = 0;
};

// Opens, writes `text`, finishes; returns the exit status.
int emit(const OutputOptions& options, std::string_view text);

// One CSV cell, quoted when it has to be (RFC 4180).
std::string csv_cell(std::string_view text);

}  // namespace warpmem::command
