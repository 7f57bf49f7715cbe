// Aligned columns for a terminal, or the same rows as CSV. A cell is text; numbers are formatted
// by the caller (base/units.hpp) and right-aligned by the column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "views/style.hpp"

namespace warpmem::views {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns);

  void row(std::vector<std::string> cells);         // from outside: made printable
  void styled_row(std::vector<std::string> cells);  // as they are: printable, perhaps coloured
  void rule();  // a line between two groups of rows; cells of a row that are missing are empty
  bool empty() const { return rows_.empty(); }

  // As wide as it comes, or on a person's terminal no wider than that. There cells are broken
  // between words; a column of sentences that has no room stands below its row, with its title; a
  // long name in the first column has a line of its own.
  std::string text(const Terminal& terminal) const {
    return text(terminal.colour, terminal.table_width());
  }
  std::string text(bool colour, std::size_t width) const;
  std::string csv() const;

 private:
  struct Layout;
  std::size_t widest_cell(std::size_t column) const;
  std::size_t least_width(std::size_t column) const;
  Layout layout(std::size_t most) const;
  std::string line(const std::vector<std::string>& cells, const Layout& at) const;
  std::string below(const std::vector<std::string>& cells, const Layout& at,
                    std::size_t most) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a rule
};

// One CSV cell, printable (base/printable.hpp), and quoted when it has to be (RFC 4180).
std::string csv_cell(std::string_view text);

}  // namespace warpmem::views
