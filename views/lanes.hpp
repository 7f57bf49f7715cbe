// The lanes of one warp's access, drawn over the lines and sectors or the banks that they are in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "results/lane_access.hpp"
#include "views/style.hpp"

namespace warpmem::views {

// A row a line of memory, or a pass over the banks; a column a word. A lane is a letter of the 32:
// 0 to 9 and a to v; "*": several of them.
std::string lanes_text(const LaneAccess& access, const Terminal& terminal);

// In words, which lanes are in each other's way, or how many sectors they take and why:
// "lanes 0, 8, 16, 24 share bank 0: 4 passes, 3 too many".
std::string lanes_words(const LaneAccess& access);

// The same drawings as a picture, one below the other: a document of its own.
struct LaneDrawing {
  const LaneAccess* access;
  std::string title;
};
std::string lanes_svg(const std::vector<LaneDrawing>& drawings);

// What the drawings are made of.
struct LaneGrid {
  struct Cell {
    std::uint32_t lanes = 0;  // bit l: lane l touches the word
    bool moved = false;       // the word is in a sector that is moved
  };
  struct Row {
    std::string label;
    std::vector<Cell> cells;
  };
  std::vector<Row> rows;
  std::size_t left_out = 0;  // rows
  std::size_t group = 8;     // cells of a sector; 0: no groups
};
LaneGrid lane_grid(const LaneAccess& access, std::size_t most_rows);

}  // namespace warpmem::views
