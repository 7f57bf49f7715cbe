#include "views/table.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
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

std::size_t width_of(const std::vector<std::size_t>& widths) {
  std::size_t total = widths.empty() ? 0 : 2 * (widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  return total;
}

// The longest piece without a blank.
std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0, begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    longest = std::max(longest, display_width(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return longest;
}

// Takes from the widest column, again and again, what a line is too long by; but no less than
// `least` is left.
void fit(std::size_t most, const std::vector<std::size_t>& least,
         std::vector<std::size_t>& widths) {
  while (width_of(widths) > most) {
    std::size_t widest = widths.size();
    for (std::size_t c = 0; c < widths.size(); ++c)
      if (widths[c] > least[c] && (widest == widths.size() || widths[c] > widths[widest]))
        widest = c;
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

// A cell's lines: broken at blanks, else behind a '_' or '.', or where it has to be. Coloured ones
// are left whole.
std::vector<std::string> broken(std::string text, std::size_t width) {
  std::vector<std::string> lines;
  while (display_width(text) > width && text.find('\x1b') == text.npos) {
    std::size_t end = text.rfind(' ', width);
    if (end == text.npos || end == 0) {
      end = text.find_last_of("_./", width - 1);
      end = end == text.npos || end == 0 ? width : end + 1;
      while (end < text.size() && (text[end] & 0xc0) == 0x80) ++end;  // no character is cut
    }
    lines.push_back(text.substr(0, end));
    text.erase(0, end + (end < text.size() && text[end] == ' ' ? 1 : 0));
  }
  lines.push_back(std::move(text));
  return lines;
}

}  // namespace

namespace {

// A spreadsheet takes a text that begins so for a formula, and runs it.
bool is_formula(const std::string& text) {
  if (text.size() < 2 || std::string_view("=+-@").find(text[0]) == std::string_view::npos)
    return false;
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return text[0] == '=' || text[0] == '@' || *end != 0;  // -3.5 is a number
}

}  // namespace

std::string csv_cell(std::string_view cell) {
  std::string text = printable(cell);
  if (is_formula(text)) text.insert(text.begin(), '\'');
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

std::string Table::text(bool colour, std::size_t most) const {
  constexpr std::size_t kLeast = 8;  // of words; numbers stay whole
  std::vector<std::size_t> widths, least;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const bool number = columns_[c].align == Align::kRight;
    std::size_t width = display_width(columns_[c].title),
                word = number ? longest_word(columns_[c].title) : kLeast;
    for (const auto& cells : rows_) {
      if (cells.empty()) continue;
      width = std::max(width, display_width(cells[c]));
      if (number && most < ~std::size_t{0}) word = std::max(word, longest_word(cells[c]));
    }
    widths.push_back(width);
    least.push_back(word);
  }
  fit(most, least, widths);
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::vector<std::vector<std::string>> lines;
    std::size_t height = 1;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      lines.push_back(broken(cells[c], widths[c]));
      height = std::max(height, lines[c].size());
    }
    std::string all;
    for (std::size_t k = 0; k < height; ++k) {
      std::string text;
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (c > 0) text += kGap;
        text += padded(k < lines[c].size() ? lines[c][k] : "", widths[c], columns_[c].align,
                       c + 1 == columns_.size());
      }
      const auto end = text.find_last_not_of(' ');
      all += (k > 0 ? "\n" : "") + text.substr(0, end == std::string::npos ? 0 : end + 1);
    }
    return all;
  };
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  out += styled(line(titles), Style::kBold, colour) + "\n";
  const std::size_t total = width_of(widths);
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
