#include "tests/catalogue/warp_records.hpp"

namespace warpmem::catalogue {
namespace {

using namespace trace;

constexpr std::uint32_t kLast = static_cast<std::uint32_t>(What::kCount);

const std::vector<Site>& sites() {
  static const std::vector<Site> kSites{
      {0x0, Op::kCtaBegin, Space::kNone, 0},  {0x10, Op::kLoad, Space::kGlobal, 4},
      {0x20, Op::kStore, Space::kGlobal, 4},  {0x30, Op::kLoad, Space::kGlobal, 8},
      {0x40, Op::kStore, Space::kGlobal, 8},  {0x50, Op::kLoad, Space::kGlobal, 16},
      {0x60, Op::kStore, Space::kGlobal, 16}, {0x70, Op::kLoad, Space::kShared, 4},
      {0x80, Op::kStore, Space::kShared, 4},  {0x90, Op::kLoad, Space::kShared, 8},
      {0xa0, Op::kLoad, Space::kShared, 16},  {0xb0, Op::kLoad, Space::kConstant, 4},
      {0xc0, Op::kLoad, Space::kTexture, 4},  {0xd0, Op::kCtaEnd, Space::kNone, 0}};
  return kSites;
}

Thread thread_of(const Grid& grid, std::uint64_t cta, std::uint64_t t) {
  return {cta % grid.x, cta / grid.x, t % grid.bx, t / grid.bx, t};
}

// A warp's access as a record: regular where its lanes are evenly spaced, else listed.
void add_access(const Grid& grid, const Access& access, std::uint64_t cta, std::uint32_t warp,
                std::vector<Record>& records, std::vector<std::uint64_t>& lanes) {
  std::array<std::uint64_t, 32> address{};
  Record record;
  record.mask = 0;
  record.site = 1 + static_cast<std::uint32_t>(access.what);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint64_t t = std::uint64_t{warp} * 32 + lane;
    if (t >= grid.threads()) break;
    const auto at = access.address(thread_of(grid, cta, t));
    if (!at) continue;
    record.mask |= 1u << lane;
    address[lane] = *at;
  }
  if (record.mask == 0) return;
  bool even = record.mask == ~0u;
  const auto stride = static_cast<std::int64_t>(address[1] - address[0]);
  for (std::uint32_t lane = 1; even && lane < 32; ++lane)
    even = static_cast<std::int64_t>(address[lane] - address[lane - 1]) == stride;
  if (even && stride >= 0 && stride < (1 << 20)) {
    record.base = address[0];
    record.stride = static_cast<std::int32_t>(stride);
  } else {
    record.base = 0;
    record.stride = 0;
    record.lanes = static_cast<std::uint32_t>(lanes.size());
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      if (record.mask >> lane & 1) lanes.push_back(address[lane]);
  }
  records.push_back(record);
}

Program program(const std::string& kernel) {
  Program out;
  out.name = kernel;
  out.demangled = kernel + "(float*)";
  out.arch = "sm_90";
  out.registers = 16;
  return out;
}

}  // namespace

Result<void> write_trace(const std::string& path, const std::string& kernel, const Grid& grid,
                         const std::vector<Access>& accesses, const Window& window) {
  Origin origin;
  origin.tool = "warpmem make_kernel";
  origin.gpu = "none";
  origin.arch = "sm_90";
  origin.sms = 132;
  auto writer = TraceWriter::create(path, origin, {.overwrite = true});
  if (!writer) return writer.error();
  if (auto done = writer->add_program(program(kernel)); !done) return done.error();
  Launch launch;
  launch.grid = {grid.x, grid.y, 1};
  launch.block = {grid.bx, grid.by, 1};
  launch.registers = 16;
  launch.set_aside = window.set_aside;
  if (window.bytes) launch.window = {array(0), window.bytes, window.hit_ratio, 2, 1};
  for (unsigned n = 0; n < 4; ++n)
    launch.allocations.push_back({array(n), std::uint64_t{1} << 31, AllocationKind::kDevice});
  if (auto done = writer->begin_launch(launch); !done) return done.error();
  BlockBuilder builder(0);
  std::vector<Record> records;
  std::vector<std::uint64_t> lanes;
  for (std::uint64_t cta = 0; cta < std::uint64_t{grid.x} * grid.y; ++cta) {
    for (std::uint32_t warp = 0; warp < (grid.threads() + 31) / 32; ++warp) {
      records.assign(1, Record{});
      lanes.clear();
      records[0].mask = ~0u;
      records[0].base = cta;
      records[0].site = 0;
      for (const Access& access : accesses) add_access(grid, access, cta, warp, records, lanes);
      Record end;
      end.mask = ~0u;
      end.site = 1 + kLast;
      records.push_back(end);
      builder.add(static_cast<std::uint32_t>(cta), warp, records, sites(), lanes);
    }
    if (!builder.full()) continue;
    if (auto done = writer->append(builder.take(0)); !done) return done.error();
  }
  if (auto done = writer->append(builder.take(0)); !done) return done.error();
  if (auto done = writer->end_launch(0, {}); !done) return done.error();
  if (auto done = writer->seal(); !done) return done.error();
  return {};
}

}  // namespace warpmem::catalogue
