// What the lanes of a warp access touch: bytes, and by these sectors and lines.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tests/twin/spec.hpp"
#include "traces/format/record.hpp"

namespace warpmem::twin {

struct Lane {
  std::uint32_t number = 0;
  std::uint64_t address = 0;
};

// The active lanes, lowest first.
struct Access {
  std::vector<Lane> lanes;
  std::uint32_t bytes = 0;  // of a lane
};

Access access_of(const trace::Record& r, std::uint32_t bytes, const std::uint64_t* lane_table);

using Sectors = std::uint32_t;  // bit s: sector s of a line

inline std::uint64_t count(Sectors sectors) {
  std::uint64_t n = 0;
  for (; sectors; sectors /= 2) n += sectors % 2;
  return n;
}

// A line, and which bytes of it are touched: by sector, bit b: its byte b.
struct Touch {
  static constexpr std::size_t kMostSectors = 8;  // of 32 bytes at most
  std::uint64_t line = 0;
  std::array<std::uint32_t, kMostSectors> bytes{};

  Sectors sectors() const;                                // of which any byte is touched
  Sectors full(const TwinSpec& spec) const;               // of which all are
  Touch whole_sectors() const;                            // all bytes of each touched sector
  void add(std::uint64_t address, const TwinSpec& spec);  // a byte of this line
};

// Lines in the order in which the lowest lanes reach them.
class Touches {
 public:
  explicit Touches(const TwinSpec& spec) : spec_(spec) {}
  void add(std::uint64_t address, std::uint64_t bytes);
  const std::vector<Touch>& lines() const { return lines_; }
  std::uint64_t sectors() const;  // of all lines

 private:
  const TwinSpec& spec_;
  std::vector<Touch> lines_;
  std::size_t latest_ = 0;
};

Touches touches_of(const Access& access, const TwinSpec& spec);

}  // namespace warpmem::twin
