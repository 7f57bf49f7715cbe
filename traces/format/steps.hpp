// What the traced program asked of the GPU, in the order in which it asked: copies, fills,
// launches, events and waits, as bodies of blocks of their own among those of the launches.
#pragma once

#include <vector>

#include "host/timeline/operation.hpp"
#include "traces/format/bytes.hpp"

namespace warpmem::trace {

// Adds one step; `number`: how many there are before it in the file. A body is such steps, one
// after the other, behind the number of the first.
void put_step(Bytes& out, const host::Operation& step, std::uint32_t number);

// Adds a body's steps to those of the bodies before it. False: put_step cannot have written it.
bool parse_steps(ByteSpan bytes, std::vector<host::Operation>& out);

}  // namespace warpmem::trace
