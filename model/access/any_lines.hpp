// What the lanes of a warp access touch, for lines of any length that is a whole number of 32-byte
// sectors, up to four: 32, 64, 96 or 128 bytes.
//
// access.hpp does the same for 128 bytes, faster.
#pragma once

#include "model/access/access.hpp"

namespace warpmem::model {

// Adds `length` bytes from an address on to a list: lines stand in the order in which they are
// first added.
void touch_any(std::uint64_t address, std::uint64_t length, std::uint32_t line_bytes,
               LineList& out);
// Lists the lines of an access, in the order in which the lowest lanes reach them.
void list_any(const WarpAccess& access, std::uint32_t line_bytes, LineList& out);

}  // namespace warpmem::model
