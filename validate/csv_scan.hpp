// Splits text that contains a CSV table, among other things, into its records.
//
// A profiler shares stdout with the program it profiles, so the text around and between the
// records is arbitrary, may hold quotes, and may even stand before a record on the same line. The
// scanner therefore never trusts a quote: a record is accepted only when it has the header's
// number of fields, and a line that does not fit is given up alone, never with what follows.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmem::validate {

struct CsvRecord {
  std::vector<std::string> fields;
  std::size_t line = 0;   // of its first character, from 1
  std::size_t lines = 1;  // that it spans (quoted newlines)
  bool prefixed = false;  // other text stood before it on its line
  bool trailing = false;  // other text stood after its last quote
};

// Decodes UTF-16 (PowerShell's redirection) and drops a UTF-8 byte-order mark.
std::string to_plain_utf8(std::string_view bytes);

// Bounds that keep a scan linear in hostile text.
struct RecordLimits {
  std::size_t bytes = std::size_t{1} << 20;
  std::size_t fields = std::size_t{1} << 16;
};

// Reads one record at `at`; nullopt when a quote is not closed, or a limit is met. On return `end`
// is where the next line begins.
std::optional<CsvRecord> read_record(std::string_view text, std::size_t at, char delimiter,
                                     const RecordLimits& limits, std::size_t& end);

// Where the line that holds `at` ends: the first byte of the next line.
std::size_t next_line(std::string_view text, std::size_t at);

}  // namespace warpmem::validate
