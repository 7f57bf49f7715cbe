// Bodies of the blocks that hold no records: origin, programs, launches and their ends.
// Each parse_… returns nullopt on bytes that put_… cannot have written. `newer`: the file is of a
// newer minor version, whose further fields at the end are skipped.
#pragma once

#include <optional>

#include "traces/format/bytes.hpp"
#include "traces/format/writer.hpp"

namespace warpmem::trace {

Bytes put_origin(const Origin& origin);
std::optional<Origin> parse_origin(ByteSpan bytes, bool newer);

Bytes put_program(const Program& program);
std::optional<Program> parse_program(ByteSpan bytes, bool newer);

Bytes put_launch(const Launch& launch);
std::optional<Launch> parse_launch(ByteSpan bytes, bool newer);

Bytes put_launch_end(const LaunchEnd& end);
std::optional<LaunchEnd> parse_launch_end(ByteSpan bytes, bool newer);

Bytes put_note(const std::string& text);
std::optional<std::string> parse_note(ByteSpan bytes, bool newer);

void put_site(Bytes& out, const Site& site);
Site parse_site(Cursor& in);  // fails the cursor on an unknown op or space

}  // namespace warpmem::trace
