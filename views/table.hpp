// Aligned columns for a terminal, or the same rows as CSV. A cell is text; numbers are formatted
// by the caller (base/units.hpp) and right-aligned by the column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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

  std::string text(bool colour) const { return text(colour, ~std::size_t{0}); }
  // In so many columns where that is possible: the widest cells of words are broken into lines.
  std::string text(bool colour, std::size_t width) const;
  std::string csv() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a rule
};

// One CSV cell, printable (base/printable.hpp), and quoted when it has to be (RFC 4180).
std::string csv_cell(std::string_view text);

}  // namespace warpmem::views
