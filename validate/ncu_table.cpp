#include "validate/ncu_table.hpp"

#include <algorithm>
#include <array>

namespace warpmem::validate {
namespace {

constexpr std::size_t kMoreFields = 64;  // delimiters that text behind a row may hold
constexpr std::array<std::string_view, 26> kIdentity{"ID",
                                                     "Process ID",
                                                     "Process Name",
                                                     "Host Name",
                                                     "Kernel Name",
                                                     "Function Name",
                                                     "Demangled Name",
                                                     "Mangled Name",
                                                     "Kernel Time",
                                                     "Context",
                                                     "Stream",
                                                     "Block Size",
                                                     "Grid Size",
                                                     "Device",
                                                     "CC",
                                                     "Section Name",
                                                     "Metric Name",
                                                     "Metric Unit",
                                                     "Metric Value",
                                                     "Rule Name",
                                                     "Rule Type",
                                                     "Rule Description",
                                                     "Estimated Speedup Type",
                                                     "Estimated Speedup",
                                                     "Invocations",
                                                     "Estimated Savings"};

bool all_digits(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<NcuHeader> as_header(const CsvRecord& record, char delimiter) {
  NcuHeader header;
  header.delimiter = delimiter;
  for (const auto& field : record.fields) {
    header.index.emplace(field, header.columns.size());
    header.columns.push_back(field);
  }
  const auto has = [&](std::string_view name) { return header.find(name).has_value(); };
  if (!has("Kernel Name")) return std::nullopt;
  if (has("Metric Name") && has("Metric Value")) {
    header.shape = NcuShape::kLong;
  } else if (has("Metric Name") && has("Average")) {
    header.shape = NcuShape::kSummary;
  } else if (!has("Metric Name") &&
             std::any_of(header.columns.begin(), header.columns.end(), [](const std::string& c) {
               return !is_identity_column(c) && !c.empty();
             })) {
    header.shape = NcuShape::kWide;
  } else {
    return std::nullopt;
  }
  return header;
}

// A header on this line, even behind the last, unfinished line of the program's output.
std::optional<NcuHeader> header_at(std::string_view text, std::size_t at, std::size_t& end,
                                   bool& prefixed) {
  const std::size_t line_end = next_line(text, at);
  const std::string_view line = text.substr(at, line_end - at);
  if (line.find("Kernel Name") == std::string_view::npos) return std::nullopt;
  for (std::string_view first :
       {"\"ID\"", "\"Process ID\"", "\"Kernel Name\"", "ID", "Process ID", "Kernel Name"}) {
    for (auto p = line.find(first); p != std::string_view::npos; p = line.find(first, p + 1)) {
      const char after = p + first.size() < line.size() ? line[p + first.size()] : '\0';
      if (after != ',' && after != ';' && after != '\t') continue;
      const auto record = read_record(text, at + p, after, {}, end);
      if (!record) continue;
      if (auto header = as_header(*record, after)) {
        prefixed = p > 0;
        return header;
      }
    }
  }
  return std::nullopt;
}

// Does the record say which launch it belongs to, as a row of this header must?
bool plausible(const NcuHeader& header, const CsvRecord& row) {
  const auto id = header.cell(row, "ID"), process = header.cell(row, "Process ID");
  const auto kernel = header.cell(row, "Kernel Name");
  if (header.shape == NcuShape::kWide && id.empty() && process.empty() && kernel.empty())
    return true;  // the row of units
  if (header.find("ID") && !all_digits(id)) return false;
  if (header.find("Process ID") && !process.empty() && !all_digits(process)) return false;
  return !kernel.empty();
}

std::optional<CsvRecord> row_from(std::string_view text, std::size_t at, const NcuHeader& header,
                                  std::size_t& end) {
  RecordLimits limits;
  limits.fields = header.columns.size() + kMoreFields;
  auto record = read_record(text, at, header.delimiter, limits, end);
  // Only where quotes tell a short row from one that was cut off.
  const std::size_t least = text[at] == '"' ? header.least_fields() : header.columns.size();
  if (!record || record->fields.size() < least) return std::nullopt;
  if (record->fields.size() < header.columns.size()) record->fields.resize(header.columns.size());
  if (record->fields.size() > header.columns.size()) {
    // More of the program's output, with a delimiter in it, behind a quoted row.
    if (text[at] != '"' || !record->trailing) return std::nullopt;
    record->fields.resize(header.columns.size());
  }
  if (!plausible(header, *record)) return std::nullopt;
  return record;
}

// The row on this line, at its start or behind other text.
std::optional<CsvRecord> find_row(std::string_view text, std::size_t at, const NcuHeader& header,
                                  std::size_t& end) {
  if (auto row = row_from(text, at, header, end)) return row;
  const std::size_t line_end = next_line(text, at);
  int tries = 0;
  for (auto q = text.find('"', at + 1); q < line_end && tries < 16; q = text.find('"', q + 1)) {
    if (text[q - 1] == header.delimiter) continue;
    ++tries;
    if (auto row = row_from(text, q, header, end)) {
      row->prefixed = true;
      return row;
    }
  }
  return std::nullopt;
}

// Lines of the report that ncu prints for people: a launch's heading, a table's.
bool is_text_report(std::string_view line) {
  const auto has = [&](std::string_view words) { return line.find(words) != line.npos; };
  if (line.find('"') != line.npos) return false;
  return (has(", Context ") && has(", Stream ")) ||
         (has("Metric Name") && has(" Metric Value") && line.find(',') == line.npos) ||
         (has("Section: ") && line.starts_with("  "));
}

bool blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

std::optional<std::size_t> NcuHeader::find(std::string_view column) const {
  const auto it = index.find(column);
  if (it == index.end()) return std::nullopt;
  return it->second;
}

std::size_t NcuHeader::least_fields() const {
  const auto value = find("Metric Value");
  return shape == NcuShape::kLong && value ? *value + 1 : columns.size();
}

std::string_view NcuHeader::cell(const CsvRecord& row, std::string_view column) const {
  const auto i = find(column);
  return i ? std::string_view(row.fields[*i]) : std::string_view();
}

bool is_identity_column(std::string_view column) {
  return std::find(kIdentity.begin(), kIdentity.end(), column) != kIdentity.end();
}

NcuTable find_table(std::string_view text, ImportReport& report) {
  NcuTable table;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = next_line(text, at);
    const std::string_view line = text.substr(at, end - at);
    ++report.lines;
    bool prefixed = false;
    std::size_t header_end = end;
    table.text_report = table.text_report || is_text_report(line);
    if (line.find("ERR_NVGPUCTRPERM") != std::string_view::npos) table.no_permission = true;
    if (line.starts_with("==")) {
      ++report.profiler_lines;
      if (line.starts_with("==ERROR==") || line.starts_with("==WARNING=="))
        table.complaints.emplace_back(line.substr(0, line.find_last_not_of("\r\n") + 1));
    } else if (auto header = header_at(text, at, header_end, prefixed)) {
      ++report.headers;
      if (prefixed) ++report.rescued_rows;
      table.headers.push_back(std::move(*header));
      end = header_end;
    } else if (!table.headers.empty() && !blank(line)) {
      std::size_t row_end = end;
      if (auto row = find_row(text, at, table.headers.back(), row_end)) {
        row->line = report.lines;
        report.lines += row->lines - 1;
        if (row->prefixed || row->trailing) ++report.rescued_rows;
        table.rows.push_back({table.headers.size() - 1, std::move(*row)});
        end = row_end;
      } else if (line.front() == '"') {
        ++report.damaged_rows;
      } else {
        ++report.foreign_lines;
      }
    } else if (!blank(line)) {
      ++report.foreign_lines;
    }
    at = end;
  }
  // What went wrong before what might have.
  std::ranges::stable_partition(table.complaints,
                                [](const std::string& line) { return line.starts_with("==ERROR=="); });
  return table;
}

}  // namespace warpmem::validate
