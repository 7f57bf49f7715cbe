// What the lanes of a warp access touch, for lines of any length that is a whole number of 32-byte
// sectors, up to four: 32, 64, 96 or 128 bytes.
//
// access.hpp does the same for 128 bytes, faster.
#pragma once

#include <vector>

#include "model/access/access.hpp"

namespace warpmem::model {

// Lines in the order in which the lowest lanes reach them.
class TouchedLines {
 public:
  explicit TouchedLines(std::uint32_t line_bytes) : line_bytes_(line_bytes) {}

  void clear() { lines_.clear(); }
  // `length` bytes from an address on.
  void add(std::uint64_t address, std::uint64_t length);
  void add(const WarpAccess& access);

  const std::vector<LineTouch>& lines() const { return lines_; }
  std::uint64_t sectors() const;  // of all lines

 private:
  LineTouch& line(std::uint64_t number);

  std::uint32_t line_bytes_;
  std::vector<LineTouch> lines_;
};

}  // namespace warpmem::model
