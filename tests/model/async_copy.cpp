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
    CHECK(copy.wavefronts == copy.count);
    requests += static_cast<std::uint64_t>(copy.count) == row.at("memory_l1_wavefronts_shared");
    ++cases;
  }
  CHECK(cases == 304);
  CHECK(requests >= 301);
}

TEST_CASE("copies through the L1 take as many wavefronts of shared memory as on an H200") {
  int cases = 0;
  for (const auto& row : testing::hardware_rows("async_shapes.csv")) {
    const Copy c = parse(row.label);
    if (c.past) continue;
    INFO(row.label);
    CHECK(model::copy_wavefronts(c.from, c.to) ==
          static_cast<int>(row.at("memory_l1_wavefronts_shared")));
    ++cases;
  }
  CHECK(cases == 304);
}

// "through 16 ffffffff 0000ff00 000001… 000002…": the second mask are the lanes that are filled
// with zeros.
TEST_CASE("transposed, drawn and filled copies take as many wavefronts as on an H200") {
  int through = 0, past = 0, past_equal = 0, all_filled = 0;
  for (const auto& row : testing::hardware_rows("async_passes.csv")) {
    const auto part = testing::split(row.label, ' ');
    Copy c = parse(part[0] + ' ' + part[1] + ' ' + part[2] + ' ' + part[4] + ' ' + part[5]);
    c.from.mask &= ~static_cast<std::uint32_t>(std::stoul(part[3], nullptr, 16));
    const int counted = static_cast<int>(row.at("memory_l1_wavefronts_shared"));
    INFO(row.label);
    if (c.past) {
      ++past;
      const int n = model::copy_past_l1(c.from, c.to).wavefronts;
      past_equal += n == counted;
      if (c.from.mask == 0) CHECK(n == counted);
    } else {
      ++through;
      CHECK(model::copy_wavefronts(c.from, c.to) == counted);
    }
    all_filled += c.from.mask == 0;
  }
  CHECK(through == 339);
  CHECK(past == 60);
  CHECK(past_equal >= 57);
  CHECK(all_filled == 36);
}

// Eight words of a row of global memory to a column of shared memory, four rows a warp: CUTLASS's
// cutlass_80_simt_sgemm_256x128_8x4_nn copies one of its operands so. An H100 counted 2,699,931
// wavefronts of a launch with 65,536 such copies, 131,072 of a wavefront each, and 1,847,296 of
// other accesses: 11.01 a copy.
TEST_CASE("copies that write four rows transposed take eleven wavefronts each") {
  WarpAccess from, to;
  from.mask = to.mask = ~0u;
  for (std::uint64_t l = 0; l < 32; ++l) {
    from.address[l] = l / 8 * 16384 + l % 8 * 4;
    to.address[l] = l % 8 * 512 + l / 8 * 4;
  }
  CHECK(model::copy_wavefronts(from, to) == 11);
}

TEST_CASE("bytes that no copy has do no harm") {
  for (const std::uint32_t bytes : {0u, 1u, 2u, 128u, 4096u}) {
    WarpAccess side;
    side.mask = ~0u, side.bytes = bytes;
    for (std::uint64_t l = 0; l < 32; ++l) side.address[l] = l * bytes;
    CHECK(model::copy_wavefronts(side, side) >= 1);
  }
}
