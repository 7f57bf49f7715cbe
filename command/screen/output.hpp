// Where a subcommand's result goes, and in which of the three formats. Data goes to stdout or to
// the file of --output; messages never do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "command/command.hpp"
#include "views/style.hpp"
#include "views/table.hpp"

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
  bool force = false;
  bool for_program = false;  // a script or a graph: its lines stay as they are, also on a terminal
};

// --format, -o,--output and --force.
void add_output_options(CLI::App& app, OutputOptions& options);
// --force alone, in the same words everywhere.
void add_force_option(CLI::App& app, bool& force);

// Refuses now what Output::open() would refuse after the work.
Result<void> check_output(const OutputOptions& options);

// A file that the run writes (base/output_file.hpp); what is worth saying of its place is said on
// stderr.
Result<OutputFile> create_output(const std::string& path, bool force);

// A destination that reports what the operating system refused, at the latest in finish(). A file
// gets its name there, so that it is whole or absent. What a person reads is broken at the width
// of the terminal, whatever its tables and views have not broken.
class Output {
 public:
  static Result<Output> open(const OutputOptions& options);

  void write(std::string_view text);
  bool failed() const;               // a write was refused: stop producing
  bool colour() const;               // a person with a colour terminal reads this
  views::Terminal terminal() const;  // … and how wide it is
  Result<void> finish();
  const OutputFile* file() const { return file_ ? &*file_ : nullptr; }  // nullptr: stdout

 private:
  Output(std::optional<OutputFile> file, const OutputOptions& options);
  std::optional<OutputFile> file_;
  bool for_reading_;
  std::optional<Error> refused_;
};

// What a table of these options is shown on.
views::Terminal terminal_of(const OutputOptions& options);

// Opens, writes `text`, finishes; returns the exit status.
int emit(const OutputOptions& options, std::string_view text);
// Writes what one of the three makes, by the format, and ends the output: the exit status.
template <class Table, class Json, class Csv>
int emit(Output& output, Format format, Table&& table, Json&& json, Csv&& csv) {
  switch (format) {
    case Format::kTable: output.write(table()); break;
    case Format::kJson: output.write(json()); break;
    case Format::kCsv: output.write(csv()); break;
  }
  if (auto done = output.finish(); !done) return fail(done.error());
  return 0;
}

using views::csv_cell;

}  // namespace warpmem::command
