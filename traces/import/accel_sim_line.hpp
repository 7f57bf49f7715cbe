// The text of Accel-Sim's tracer: the heading of a .traceg, and one line of a warp.
//
//   [cta_x cta_y cta_z warp] [line] PC mask n [destinations] OPCODE n [sources] width
//       [mode addresses] [immediates]
//
// CTA and warp stand in the line before tracer version 3, the source's line from 4 on if the
// heading says so, immediates from 5 on. Addresses (width is not 0): mode 0 one of each lane that
// is on, 1 base and stride, 2 base and a distance to each further lane. What stands behind them is
// not read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dim3.hpp"
#include "base/error.hpp"

namespace warpmem::imports {

constexpr std::uint32_t kNewestTracer = 6;

struct AccelSimHeading {
  std::string kernel;
  std::uint32_t id = 0;
  std::uint32_t version = 1;
  bool lines = false;  // each instruction has its source's line
  Dim3 grid{0, 0, 0}, block{0, 0, 0};
  std::uint32_t shared = 0, registers = 0, binary = 0;
  std::uint64_t stream = 0, shared_base = 0, local_base = 0;
  std::string nvbit;
};
// Takes "-kernel id = 3" into the heading; what it does not know it leaves. Errors have no place.
Result<void> read_heading(std::string_view line, AccelSimHeading& heading);

struct AccelSimLine {
  std::optional<std::uint64_t> cta[3];  // before version 3
  std::uint32_t warp = 0;               // … likewise
  std::uint32_t source_line = 0, pc = 0, mask = 0;
  std::string_view opcode;  // of the text it was read from
  std::vector<std::string_view> destinations, sources;
  bool memory = false;  // it has addresses
  std::uint32_t mode = 0;
  std::vector<std::uint64_t> addresses;  // of the lanes that are on, lowest first
  std::optional<std::uint64_t> immediate;
};
// Errors have no place.
Result<void> read_line(std::string_view text, const AccelSimHeading& heading, AccelSimLine& out);

}  // namespace warpmem::imports
