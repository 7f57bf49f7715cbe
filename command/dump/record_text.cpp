#include "command/dump/record_text.hpp"

#include <algorithm>
#include <iterator>

#include "base/printable.hpp"
#include "command/inputs/trace_input.hpp"

namespace warpmem::command {

namespace {

using trace::Op;

bool has_addresses(Op op) {
  return op != Op::kBarrier && op != Op::kCtaBegin && op != Op::kCtaEnd && op != Op::kRounds;
}

// Listed addresses as runs of equal steps, "0x1000 +4 x16 0x2000 +4 x16": what a person looks for.
void append_runs(fmt::memory_buffer& out, std::span<const std::uint64_t> lanes) {
  const auto to = std::back_inserter(out);
  for (std::size_t i = 0; i < lanes.size();) {
    std::size_t end = i + 1;
    const auto step = end < lanes.size() ? static_cast<std::int64_t>(lanes[end] - lanes[i]) : 0;
    while (end < lanes.size() && static_cast<std::int64_t>(lanes[end] - lanes[end - 1]) == step) {
      ++end;
    }
    if (i > 0) out.push_back(' ');
    if (end - i < 3) {  // two addresses always have an equal step: that says nothing
      fmt::format_to(to, "{:#x}", lanes[i]);
      ++i;
      continue;
    }
    fmt::format_to(to, "{:#x} {:+} x{}", lanes[i], step, end - i);
    i = end;
  }
}

}  // namespace

int lane_addresses(const RecordView& view, std::uint64_t* out) {
  if (!view.record.regular()) {
    std::copy(view.lanes.begin(), view.lanes.end(), out);
    return static_cast<int>(view.lanes.size());
  }
  int count = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if (!(view.record.mask >> lane & 1)) continue;
    const auto offset = static_cast<std::uint64_t>(std::int64_t{view.record.stride} * lane);
    out[count++] = view.record.base + offset;
  }
  return count;
}

void append_text(fmt::memory_buffer& out, const RecordView& view) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "{:>8} {:>4}  {:#06x}  {:<14} {:<13} {:>4}  {:08x}  ", view.cta, view.warp,
                 view.site.pc, op_name(view.site.op), space_name(view.site.space), view.site.bytes,
                 view.record.mask);
  const trace::Record& record = view.record;
  if (view.site.op == Op::kBarrier) {
    fmt::format_to(to, "barrier {}", record.base);
    if (record.stride != 0) fmt::format_to(to, ", {} threads", record.stride);
  } else if (view.site.op == Op::kRounds) {
    fmt::format_to(to, "{} round{} without an access", record.base, record.base == 1 ? "" : "s");
  } else if (view.site.op == Op::kCtaBegin) {
    if (record.base == trace::kUnknownSm) fmt::format_to(to, "SM n/a (not recorded)");
    else fmt::format_to(to, "SM {}", record.base);
  } else if (record.regular() && has_addresses(view.site.op)) {
    // From the first lane that takes part: lane 0's would be an address that nobody uses.
    std::uint64_t addresses[32] = {record.base};
    lane_addresses(view, addresses);
    if (record.active() == 1 || record.stride == 0) fmt::format_to(to, "{:#x}", addresses[0]);
    else fmt::format_to(to, "{:#x} {:+} a lane", addresses[0], record.stride);
  } else {
    append_runs(out, view.lanes);
  }
  if ((has_addresses(view.site.op) || view.site.op == Op::kRounds) && !view.instruction.empty())
    fmt::format_to(to, "  ; {}", printable(view.instruction));
  out.push_back('\n');
}

void append_json(fmt::memory_buffer& out, const RecordView& view) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, R"({{"launch":{},"cta":{},"warp":{},"pc":{},"op":"{}")", view.launch, view.cta,
                 view.warp, view.site.pc, op_name(view.site.op));
  if (view.site.op == Op::kCtaBegin) {
    if (view.record.base == trace::kUnknownSm) fmt::format_to(to, R"(,"sm":null)");
    else fmt::format_to(to, R"(,"sm":{})", view.record.base);
  } else if (view.site.op == Op::kBarrier) {
    fmt::format_to(to, R"(,"barrier":{},"threads":{})", view.record.base, view.record.stride);
  } else if (view.site.op == Op::kRounds) {
    fmt::format_to(to, R"(,"rounds":{})", view.record.base);
  } else if (has_addresses(view.site.op)) {
    std::uint64_t addresses[32];
    const int count = lane_addresses(view, addresses);
    fmt::format_to(to, R"(,"space":"{}","bytes":{},"mask":"{:08x}","addresses":[{}])",
                   space_name(view.site.space), view.site.bytes, view.record.mask,
                   fmt::join(addresses, addresses + count, ","));
  }
  fmt::format_to(to, "}}\n");
}

void append_csv(fmt::memory_buffer& out, const RecordView& view) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "{},{},{},{},{},{},{},{:08x},", view.launch, view.cta, view.warp, view.site.pc,
                 op_name(view.site.op), space_name(view.site.space), view.site.bytes,
                 view.record.mask);
  if (has_addresses(view.site.op)) {
    std::uint64_t addresses[32];
    const int count = lane_addresses(view, addresses);
    fmt::format_to(to, "{}", fmt::join(addresses, addresses + count, " "));
  }
  out.push_back('\n');
}

}  // namespace warpmem::command
