#include "validate/text_table.hpp"

#include <algorithm>

#include "base/printable.hpp"

namespace warpmem::validate {

std::string toned(std::string_view text, Tone tone, bool colour) {
  const char* code = "";
  switch (tone) {
    case Tone::kPlain: break;
    case Tone::kDim: code = "\x1b[2m"; break;
    case Tone::kBold: code = "\x1b[1m"; break;
    case Tone::kGood: code = "\x1b[32m"; break;
    case Tone::kWarn: code = "\x1b[33m"; break;
    case Tone::kBad: code = "\x1b[31m"; break;
  }
  if (!colour || tone == Tone::kPlain || text.empty()) return std::string(text);
  return code + std::string(text) + "\x1b[0m";
}

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string shortened(std::string_view text, std::size_t width) {
  if (text.size() <= width || width < 8) return std::string(text);
  const std::size_t tail = (width - 1) / 3, head = width - 1 - tail;
  return std::string(text.substr(0, head)) + "…" + std::string(text.substr(text.size() - tail));
}

TextTable::TextTable(std::vector<std::string> titles) : titles_(std::move(titles)) {
  for (auto& title : titles_) {
    right_.push_back(title.starts_with('>'));
    if (right_.back()) title.erase(0, 1);
  }
}

void TextTable::row(std::vector<TextCell> cells) {
  cells.resize(titles_.size());
  for (TextCell& cell : cells) cell.text = printable(cell.text);
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(bool colour, std::size_t most) const {
  constexpr std::size_t kLeastName = 24;
  if (rows_.empty()) return "";
  std::vector<std::size_t> width;
  for (const auto& title : titles_) width.push_back(text_width(title));
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      width[i] = std::max(width[i], text_width(row[i].text));
  const auto total = [&](std::size_t columns) {
    std::size_t sum = 2 * (columns - 1);
    for (std::size_t i = 0; i < columns; ++i) sum += width[i];
    return sum;
  };
  std::size_t beside = titles_.size();
  const auto narrow = [&] {
    const std::size_t rest = total(beside) - width[0];
    const std::size_t room = most > rest ? most - rest : 0;
    width[0] = std::min(width[0], std::max(room, kLeastName));
  };
  const std::size_t name = width[0];
  narrow();
  if (total(beside) > most && beside > 2 && !right_.back()) {
    --beside;
    width[0] = name;
    narrow();
  }
  const auto line = [&](const std::vector<TextCell>& cells) {
    std::string out;
    for (std::size_t i = 0; i < beside; ++i) {
      const std::size_t used = text_width(cells[i].text);
      std::string pad(width[i] > used ? width[i] - used : 0, ' ');
      if (i > 0) out += "  ";
      if (right_[i]) out += pad;
      out += toned(cells[i].text, cells[i].tone, colour);
      if (used > width[i]) out += "\n" + std::string(width[i], ' ');  // a name that is too long
      if (!right_[i]) out += pad;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
    if (const TextCell& last = cells.back();
        beside < cells.size() && !last.text.empty() && last.text != titles_.back())
      out += "    " + toned(titles_.back() + ": " + last.text, last.tone, colour) + "\n";
    return out;
  };
  std::vector<TextCell> titles;
  for (const auto& title : titles_) titles.push_back({title, Tone::kBold});
  std::string out = line(titles);
  for (const auto& row : rows_) out += line(row);
  return out;
}

}  // namespace warpmem::validate
