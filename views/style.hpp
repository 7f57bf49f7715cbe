// Text on a terminal: its styles, how wide it is, and how it is broken into lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpmem::views {

enum class Style { kBold, kDim, kRed, kYellow, kGreen };

// How a view is shown.
struct Terminal {
  std::size_t width = 80;  // columns
  bool colour = false;
  bool person = false;  // somebody reads it there: sentences and tables are broken at its width
  std::size_t table_width() const { return person ? width : ~std::size_t{0}; }
};

// `text` in `style` when `colour`, else `text` as it is.
std::string styled(std::string_view text, Style style, bool colour);

// Columns that text occupies on a terminal (UTF-8 aware, escape codes do not count).
std::size_t display_width(const std::string& text);

// Broken between words into lines of at most `width` columns; those behind the first begin with
// `indent` blanks. Each ends with a line end.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

// The lines of `text`, those that are too wide broken between words. What stands in two columns
// ("level     sass") goes on below the second.
std::string fitted(std::string_view text, std::size_t width);

// No wider than `width`: the end gives way to "…".
std::string shortened(const std::string& text, std::size_t width);

// "12.3 %", or "-" where there is none.
std::string percent(double share);

}  // namespace warpmem::views
