// Aligned columns of text. Cells are formatted by the caller; colours do not count as width.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpmem::validate {

enum class Tone { kPlain, kDim, kBold, kGood, kWarn, kBad };

struct TextCell {
  std::string text;
  Tone tone = Tone::kPlain;
};

class TextTable {
 public:
  // A title that starts with ">" makes its column right-aligned.
  explicit TextTable(std::vector<std::string> titles);
  void row(std::vector<TextCell> cells);
  // "" when it has no row. In so many columns where that is possible: a long name in the first
  // column has a line of its own, and the last column, if it is words, stands below its row.
  std::string text(bool colour, std::size_t most) const;

 private:
  std::vector<std::string> titles_;
  std::vector<bool> right_;
  std::vector<std::vector<TextCell>> rows_;
};

std::string toned(std::string_view text, Tone tone, bool colour);
// Columns on a terminal: code points, as none of the texts here uses wide ones.
std::size_t text_width(std::string_view text);
// At most `width` columns, the middle left out.
std::string shortened(std::string_view text, std::size_t width);

}  // namespace warpmem::validate
