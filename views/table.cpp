#include "views/table.hpp"

#include <algorithm>
#include <utility>

#include "base/printable.hpp"
#include "views/style.hpp"

namespace warpmem::views {

namespace {

constexpr const char* kGap = "  ";

std::string padded(const std::string& text, std::size_t width, Align align, bool last) {
  const std::size_t used = display_width(text);
  const std::string fill(width > used ? width - used : 0, ' ');
  if (align == Align::kRight) return fill + text;
  return last ? text : text + fill;  // no blanks at the end of a line
}

}  // namespace

std::string csv_cell(std::string_view cell) {
  const std::string text = printable(cell);
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  styled_row(std::move(cells));
}

void Table::styled_row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

void Table::rule() { rows_.emplace_back(); }

std::string Table::text(bool colour) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = display_width(columns_[c].title);
    for (const auto& cells : rows_) {
      if (!cells.empty()) width = std::max(width, display_width(cells[c]));
    }
    widths.push_back(width);
  }
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (c > 0) text += kGap;
      text += padded(cells[c], widths[c], columns_[c].align, c + 1 == columns_.size());
    }
    const auto end = text.find_last_not_of(' ');
    return text.substr(0, end == std::string::npos ? 0 : end + 1);
  };
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  out += styled(line(titles), Style::kBold, colour) + "\n";
  std::size_t total = 0;
  for (const std::size_t width : widths) total += width;
  total += 2 * (widths.empty() ? 0 : widths.size() - 1);
  for (const auto& cells : rows_) {
    out += cells.empty() ? styled(std::string(total, '-'), Style::kDim, colour) : line(cells);
    out += "\n";
  }
  return out;
}

std::string Table::csv() const {
  std::string out;
  const auto line = [&](const auto& cells, auto text_of) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) out += ",";
      out += csv_cell(text_of(cells[c]));
    }
    out += "\n";
  };
  line(columns_, [](const Column& column) { return column.title; });
  for (const auto& cells : rows_) {
    if (!cells.empty()) line(cells, [](const std::string& cell) { return cell; });
  }
  return out;
}

}  // namespace warpmem::views
