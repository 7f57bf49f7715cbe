#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "views/lanes.hpp"
#include "views/markup.hpp"

namespace warpmem::views {
namespace {

constexpr std::size_t kCell = 22, kLeft = 130, kTop = 64;

// A colour for each lane, so that neighbours differ little.
std::string colour_of(std::uint32_t lanes) {
  return fmt::format("hsl({},65%,75%)", std::countr_zero(lanes) * 360 / 32);
}

std::string cell_svg(const LaneGrid::Cell& cell, std::size_t x, std::size_t y) {
  const std::string fill = cell.lanes ? colour_of(cell.lanes) : cell.moved ? "#e6b8b0" : "none";
  std::string out = fmt::format(
      R"(<rect x="{}" y="{}" width="{}" height="{}" fill="{}" stroke="#888" stroke-width="0.5"/>)",
      x, y, kCell, kCell, fill);
  if (cell.lanes) {
    const std::string text = std::popcount(cell.lanes) > 1
                                 ? fmt::format("{}…", std::countr_zero(cell.lanes))
                                 : fmt::format("{}", std::countr_zero(cell.lanes));
    out += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle" font-size="11">{}</text>)",
                       x + kCell / 2, y + kCell - 7, text);
  }
  return out + "\n";
}

struct Sized {
  LaneGrid grid;
  std::size_t columns = 1, height = 0;
};
Sized sized(const LaneAccess& access) {
  Sized out{lane_grid(access, 32), 1, 0};
  for (const LaneGrid::Row& row : out.grid.rows)
    out.columns = std::max(out.columns, row.cells.size());
  out.height = kTop + out.grid.rows.size() * kCell + 60;
  return out;
}

// One drawing, its upper edge at `top`.
std::string drawing_svg(const LaneDrawing& drawing, const Sized& of, std::size_t top) {
  const LaneGrid& grid = of.grid;
  const std::size_t first = top + kTop;
  std::string out =
      fmt::format("<text x=\"10\" y=\"{}\" font-size=\"15\" font-weight=\"bold\">{}</text>\n",
                  top + 22, escaped(drawing.title));
  for (std::size_t c = 0; c < of.columns; ++c)
    if (drawing.access->shared || c % grid.group == 0)
      out += fmt::format(
          "<text x=\"{}\" y=\"{}\" font-size=\"10\" fill=\"#555\">{}</text>\n",
          kLeft + c * kCell + 4, first - 6,
          drawing.access->shared ? fmt::format("{}", c) : fmt::format("sector {}", c / grid.group));
  for (std::size_t r = 0; r < grid.rows.size(); ++r) {
    const std::size_t y = first + r * kCell;
    out += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"11\" text-anchor=\"end\">{}</text>\n",
                       kLeft - 8, y + kCell - 7, escaped(grid.rows[r].label));
    for (std::size_t c = 0; c < grid.rows[r].cells.size(); ++c)
      out += cell_svg(grid.rows[r].cells[c], kLeft + c * kCell, y);
    if (!grid.group) continue;
    for (std::size_t c = 0; c <= of.columns; c += grid.group)
      out += fmt::format(
          "<line x1=\"{0}\" y1=\"{1}\" x2=\"{0}\" y2=\"{2}\" stroke=\"#222\" "
          "stroke-width=\"1.5\"/>\n",
          kLeft + c * kCell, y, y + kCell);
  }
  const std::size_t below = first + grid.rows.size() * kCell;
  if (grid.left_out > 0)
    out += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"11\">and {} more rows</text>\n", kLeft,
                       below + 16, grid.left_out);
  return out + fmt::format("<text x=\"10\" y=\"{}\" font-size=\"13\">{}</text>\n", below + 36,
                           escaped(lanes_words(*drawing.access)));
}

}  // namespace

std::string lanes_svg(const std::vector<LaneDrawing>& drawings) {
  std::size_t width = 600, height = 10;
  std::string body;
  for (const LaneDrawing& d : drawings) {
    const Sized of = sized(*d.access);
    body += drawing_svg(d, of, height);
    width = std::max(width, kLeft + of.columns * kCell + 20);
    height += of.height;
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
             "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" role=\"img\">\n"
             "<title>the lanes of a warp</title>\n<rect width=\"100%\" height=\"100%\" "
             "fill=\"white\"/>\n",
             width, height) +
         body + "</svg>\n";
}

}  // namespace warpmem::views
