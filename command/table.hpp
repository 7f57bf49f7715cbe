// Aligned columns for a terminal, or the same rows as CSV. A cell is text; numbers are formatted
// by the caller (base/units.hpp) and right-aligned by the column.
#pragma once

#include <string>
#include <vector>

namespace warpmem::command {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns);

  void row(std::vector<std::string> cells);         // from outside: made printable
  void styled_row(std::vector<std::string> cells);  // as they are: printable, perhaps coloured  // as many as columns; fewer are filled up
  void rule();                               // a line between two groups of rows
  bool empty() const { return rows_.empty(); }

  std::string text(bool colour) const;
  std::string csv() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a rule
};

// Columns that text occupies on a terminal (UTF-8 aware, escape codes do not count).
std::size_t display_width(const std::string& text);

}  // namespace warpmem::command
