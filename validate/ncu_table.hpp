// Finds the table in a profiler's output: the header, and the rows that fit it. Knows nothing of
// counters; ncu_csv gives the cells their meaning.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "validate/csv_scan.hpp"
#include "validate/ncu_csv.hpp"

namespace warpmem::validate {

struct NcuHeader {
  NcuShape shape = NcuShape::kLong;
  char delimiter = ',';
  std::vector<std::string> columns;
  std::map<std::string, std::size_t, std::less<>> index;

  std::optional<std::size_t> find(std::string_view column) const;
  // The cell of that column, or "" when the header has no such column.
  std::string_view cell(const CsvRecord& row, std::string_view column) const;
  // A row has at least so many. In ncu's details page with its advice, the rows of metrics end
  // behind the value, before the columns of rules.
  std::size_t least_fields() const;
};

// Columns that say which launch a row is about, or how a metric is presented.
bool is_identity_column(std::string_view column);

struct NcuTable {
  struct Row {
    std::size_t header = 0;  // index into `headers`
    CsvRecord record;
  };
  std::vector<NcuHeader> headers;
  std::vector<Row> rows;
  std::vector<std::string> complaints;  // ==ERROR== lines, then ==WARNING== lines
  bool text_report = false;             // lines of ncu's output for people were seen
  bool no_permission = false;           // ERR_NVGPUCTRPERM was seen
};

NcuTable find_table(std::string_view text, ImportReport& report);

}  // namespace warpmem::validate
