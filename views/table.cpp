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
// `least` is left. False where that does not do.
bool fit(std::size_t most, const std::vector<std::size_t>& least,
         std::vector<std::size_t>& widths) {
  while (width_of(widths) > most) {
    std::size_t widest = widths.size();
    for (std::size_t c = 0; c < widths.size(); ++c)
      if (widths[c] > least[c] && (widest == widths.size() || widths[c] > widths[widest]))
        widest = c;
    if (widest == widths.size()) return false;
    --widths[widest];
  }
  return true;
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

// Which columns stand beside each other, and how wide they are. The others stand below their row.
struct Table::Layout {
  std::vector<std::size_t> beside, below, widths;
};

std::size_t Table::widest_cell(std::size_t c) const {
  std::size_t width = 0;
  for (const auto& cells : rows_)
    if (!cells.empty()) width = std::max(width, display_width(cells[c]));
  return width;
}

// Numbers stay whole, and so do words; a name in the first column may have a line of its own.
std::size_t Table::least_width(std::size_t c) const {
  constexpr std::size_t kNameBeside = 30;
  const std::size_t title = longest_word(columns_[c].title);
  if (columns_[c].align == Align::kRight) return std::max(title, widest_cell(c));
  std::size_t word = 0;
  for (const auto& cells : rows_)
    if (!cells.empty()) word = std::max(word, longest_word(cells[c]));
  return std::max(title, c == 0 ? std::min(word, kNameBeside) : word);
}

Table::Layout Table::layout(std::size_t most) const {
  constexpr std::size_t kLines = 3;  // a cell that takes more is easier to read below its row
  Layout out;
  for (std::size_t c = 0; c < columns_.size(); ++c) out.beside.push_back(c);
  while (true) {
    std::vector<std::size_t> least;
    out.widths.clear();
    for (const std::size_t c : out.beside) {
      out.widths.push_back(std::max(display_width(columns_[c].title), widest_cell(c)));
      least.push_back(least_width(c));
    }
    // Titles are broken before cells.
    for (std::size_t k = 0; k < out.beside.size() && width_of(out.widths) > most; ++k)
      out.widths[k] = std::max(least[k], widest_cell(out.beside[k]));
    bool good = fit(most, least, out.widths);
    std::size_t worst = 0;  // the widest text but the first column, else the last number
    for (std::size_t k = 1; k < out.beside.size(); ++k) {
      const std::size_t c = out.beside[k];
      if (columns_[c].align == Align::kRight) continue;
      if (widest_cell(c) > kLines * out.widths[k]) good = false;
      if (worst == 0 || widest_cell(c) > widest_cell(out.beside[worst])) worst = k;
    }
    if (good || out.beside.size() < 2) return out;
    if (worst == 0) worst = out.beside.size() - 1;
    out.below.insert(std::ranges::lower_bound(out.below, out.beside[worst]), out.beside[worst]);
    out.beside.erase(out.beside.begin() + static_cast<std::ptrdiff_t>(worst));
  }
}

std::string Table::line(const std::vector<std::string>& cells, const Layout& at) const {
  std::vector<std::vector<std::string>> lines;
  std::size_t height = 1;
  std::string all;
  for (std::size_t k = 0; k < at.beside.size(); ++k) {
    std::string cell = cells[at.beside[k]];
    if (k == 0 && longest_word(cell) > at.widths[k] && cell.find('\x1b') == cell.npos) {
      all = cell + "\n";  // on a line of its own, so that it can be copied
      cell.clear();
    }
    lines.push_back(broken(cell, at.widths[k]));
    height = std::max(height, lines[k].size());
  }
  for (std::size_t row = 0; row < height; ++row) {
    std::string text;
    for (std::size_t k = 0; k < at.beside.size(); ++k) {
      if (k > 0) text += kGap;
      text += padded(row < lines[k].size() ? lines[k][row] : "", at.widths[k],
                     columns_[at.beside[k]].align, k + 1 == at.beside.size());
    }
    const auto end = text.find_last_not_of(' ');
    all += (row > 0 ? "\n" : "") + text.substr(0, end == std::string::npos ? 0 : end + 1);
  }
  return all;
}

// "    validated: 5 published times" of each column that has no room beside the others.
std::string Table::below(const std::vector<std::string>& cells, const Layout& at,
                         std::size_t most) const {
  constexpr std::size_t kIndent = 4;
  std::string out;
  for (const std::size_t c : at.below) {
    if (cells[c].empty() || cells[c] == "-") continue;
    const std::string text = columns_[c].title + ": " + cells[c];
    out += std::string(kIndent, ' ') + wrapped(text, most - kIndent, kIndent + 2);
  }
  return out;
}

std::string Table::text(bool colour, std::size_t most) const {
  const Layout at = layout(most);
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::string out = styled(line(titles, at), Style::kBold, colour) + "\n";
  const std::string rule(width_of(at.widths), '-');
  for (const auto& cells : rows_) {
    if (cells.empty()) {
      out += styled(rule, Style::kDim, colour) + "\n";
    } else {
      out += line(cells, at) + "\n" + below(cells, at, most);
    }
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
