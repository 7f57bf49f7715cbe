// One record of a trace as a line of text, of JSON, or of CSV.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>

#include "traces/format/record.hpp"

namespace warpmem::command {

// A record with all that it refers to.
struct RecordView {
  std::uint64_t launch = 0;
  std::uint64_t cta = 0;
  std::uint32_t warp = 0;
  trace::Record record;
  trace::Site site;
  std::span<const std::uint64_t> lanes;  // of active lanes; empty for a regular record
  std::string_view instruction;          // as disassembled; empty when not known
};

constexpr const char* kRecordCsvHeader = "launch,cta,warp,pc,op,space,bytes,mask,addresses\n";

void append_text(fmt::memory_buffer& out, const RecordView& view);
void append_json(fmt::memory_buffer& out, const RecordView& view);  // one line
void append_csv(fmt::memory_buffer& out, const RecordView& view);

// The address of each active lane, lowest lane first; `out` has room for 32. Returns how many.
int lane_addresses(const RecordView& view, std::uint64_t* out);

}  // namespace warpmem::command
