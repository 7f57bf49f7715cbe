// What asynchronous copies make of their two sides, as an H200 counted it.
#include "model/sm/async_copy.hpp"

#include "tests/catch.hpp"
#include "tests/model/hardware_rows.hpp"

using namespace warpmem;
using model::WarpAccess;

namespace {

// "past 16 ffffffff 000001… 000002…"
struct Copy {
  bool past = false;
  WarpAccess from, to;
};

Copy parse(const std::string& label) {
  const auto part = testing::split(label, ' ');
  Copy c;
  c.past = part[0] == "past";
  for (WarpAccess* side : {&c.from, &c.to}) {
    side->bytes = static_cast<std::uint32_t>(std::stoul(part[1]));
    side->mask = static_cast<std::uint32_t>(std::stoul(part[2], nullptr, 16));
    const std::string& places = part[side == &c.from ? 3 : 4];
    for (std::size_t l = 0; l < 32; ++l)
      side->address[l] = std::stoull(places.substr(3 * l, 3), nullptr, 16) * side->bytes +
                         (side == &c.from ? 1u << 21 : 0);
  }
  return c;
}

}  // namespace

TEST_CASE("copies past the L1 ask for as much as on an H200") {
  int cases = 0, requests = 0;
  for (const auto& row : testing::hardware_rows("async_shapes.csv")) {
    const Copy c = parse(row.label);
    if (!c.past) continue;
    const model::PastL1 copy = model::copy_past_l1(c.from, c.to);
    INFO(row.label);
    std::uint64_t moved = 0;
    for (int i = 0; i < copy.count; ++i)
      moved += static_cast<std::uint64_t>(
          std::popcount(copy.request[static_cast<std::size_t>(i)].sectors));
    CHECK(moved == row.at("l1tex__m_xbar2l1tex_read_sectors.sum"));
    CHECK(static_cast<std::uint64_t>(copy.sectors) ==
          row.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"));
    CHECK(static_cast<std::uint64_t>(copy.output_wavefronts) ==
          row.at("l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum"));
    requests += static_cast<std::uint64_t>(copy.count) == row.at("memory_l1_wavefronts_shared");
    ++cases;
  }
  CHECK(cases == 304);
  CHECK(requests >= 301);
}

TEST_CASE("copies through the L1 take about as many wavefronts of shared memory as on an H200") {
  int cases = 0, equal = 0, near = 0;
  for (const auto& row : testing::hardware_rows("async_shapes.csv")) {
    const Copy c = parse(row.label);
    if (c.past) continue;
    const int n = model::copy_wavefronts(c.from, c.to),
              counted = static_cast<int>(row.at("memory_l1_wavefronts_shared"));
    INFO(row.label);
    equal += n == counted;
    near += std::abs(n - counted) <= 2;
    ++cases;
  }
  CHECK(cases == 304);
  CHECK(equal >= 270);
  CHECK(near >= 296);
}
