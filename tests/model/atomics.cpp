// Atomics and reductions on their way from L1 to L2: every case that an H200 was asked, and the
// slow twin.
#include "model/atomics/atomics.hpp"

#include <random>

#include <bit>
#include <tuple>

#include "tests/catch.hpp"
#include "tests/model/hardware_rows.hpp"
#include "tests/model/reference/atomics.hpp"

using namespace warpmem;
using model::WarpAccess;

namespace {

// "atomics,red.u64 lanes=8 step=16": lane l works at l % lanes * step.
WarpAccess access_of(const testing::HardwareRow& row) {
  WarpAccess a;
  a.mask = ~0u;
  a.bytes = row.label.find("64") != std::string::npos      ? 8
            : row.label.find("v4f32") != std::string::npos ? 16
                                                           : 4;
  for (std::size_t l = 0; l < 32; ++l) a.address[l] = l % row.number("lanes") * row.number("step");
  return a;
}

bool returns(const testing::HardwareRow& row) {
  return row.starts("atomics,atom") || row.starts("atomics,cas") || row.starts("atomics,exch");
}

}  // namespace

TEST_CASE("global atomics leave the L1 as an H200 counted them") {
  int cases = 0;
  for (const auto& row : testing::hardware_rows("instructions.csv")) {
    if (!row.starts("atomics,")) continue;
    ++cases;
    const auto t = model::atomic_traffic(access_of(row), row.starts("atomics,cas"));
    const bool value = returns(row);
    // A kernel that gets a value back stores it: one request of one line, four sectors.
    const std::uint64_t own_lines = value ? 1 : 0, own_sectors = value ? 4 : 0;
    INFO(row.label);
    const std::string op = value ? "atom" : "red";
    CHECK(static_cast<std::uint64_t>(t.sectors) ==
          row.at("l1tex__t_sectors_pipe_lsu_mem_global_op_" + op + ".sum"));
    CHECK(static_cast<std::uint64_t>(t.sectors) ==
          row.at("lts__t_sectors_srcunit_tex_op_" + op + ".sum"));
    CHECK(static_cast<std::uint64_t>(t.requests) ==
          row.at("lts__t_requests_srcunit_tex_op_" + op + ".sum"));
    CHECK(static_cast<std::uint64_t>(t.sectors) + own_sectors ==
          row.at("l1tex__m_l1tex2xbar_write_sectors.sum"));
    CHECK((value ? static_cast<std::uint64_t>(t.sectors) : 0) ==
          row.at("l1tex__m_xbar2l1tex_read_sectors.sum"));
    CHECK(static_cast<std::uint64_t>(t.lines) + own_lines ==
          row.at("memory_l1_tag_requests_global"));
    CHECK(static_cast<std::uint64_t>(t.distinct) + own_sectors ==
          row.at("memory_l2_theoretical_sectors_global"));
  }
  CHECK(cases == 128);
}

TEST_CASE("atomic traffic equals the slow twin's in all patterns of four lanes") {
  // Words of two lines: 64 places for the first two lanes, 16 for the others.
  for (unsigned code = 0; code < 64u * 64 * 16 * 16; ++code) {
    WarpAccess a;
    a.bytes = 4;
    a.mask = 0xf;
    a.address[0] = (code & 63) * 4;
    a.address[1] = (code >> 6 & 63) * 4;
    a.address[2] = (code >> 12 & 15) * 16;
    a.address[3] = (code >> 16 & 15) * 16;
    if (code % 7) continue;  // a seventh of a million is plenty; 7 shares no factor with the places
    for (bool cas : {false, true}) {
      const auto fast = model::atomic_traffic(a, cas), slow = reference::atomic_traffic(a, cas);
      if (fast.sectors != slow.sectors || fast.requests != slow.requests ||
          fast.lines != slow.lines || fast.distinct != slow.distinct)
        FAIL("code " << code << ", cas " << cas << ": " << fast.requests << " requests instead of "
                     << slow.requests << ", " << fast.sectors << " sectors instead of "
                     << slow.sectors);
    }
  }
  SUCCEED();
}

TEST_CASE("atomic traffic equals the slow twin's for random warps") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 20000; ++round) {
    WarpAccess a;
    a.bytes = random() % 2 ? 4 : 8;
    a.mask = random() % 4 ? static_cast<std::uint32_t>(random()) : ~0u;
    const std::uint64_t places = 1 + random() % (random() % 2 ? 24 : 4096);
    for (auto& address : a.address) address = random() % places * a.bytes;
    const bool cas = random() % 2;
    const auto fast = model::atomic_traffic(a, cas), slow = reference::atomic_traffic(a, cas);
    INFO("round " << round);
    CHECK(fast.sectors == slow.sectors);
    CHECK(fast.requests == slow.requests);
    CHECK(fast.lines == slow.lines);
    CHECK(fast.distinct == slow.distinct);
    int sum = 0;
    for (int i = 0; i < fast.distinct; ++i) sum += fast.passes[static_cast<std::size_t>(i)];
    CHECK(sum == fast.sectors);
  }
}

namespace {

std::uint32_t hash(std::uint32_t x) {
  x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
  return x ^ x >> 16;
}

}  // namespace

TEST_CASE("reductions on 32 random words of 4 KiB go as an H200 counted them") {
  // 32,768 warps, word hash(i) & 0x3ff; driver 580.159.04, CUDA 13.0, 2026-11-21: 954,262 sectors,
  // 704,551 requests; & 0x1f: 338,414 and 115,957.
  for (const auto& [mask, sectors, requests] :
       {std::tuple{0x3ffu, 954262, 704551}, {0x1fu, 338414, 115957}}) {
    int s = 0, r = 0;
    for (std::uint32_t warp = 0; warp < 32768; ++warp) {
      WarpAccess a;
      a.mask = ~0u;
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        a.address[lane] = 0x7f0000000000ull + (hash(warp * 32 + lane) & mask) * 4ull;
      const auto t = model::atomic_traffic(a, false);
      s += t.sectors;
      r += t.requests;
    }
    CHECK(s == sectors);
    CHECK(r == requests);
  }
}

TEST_CASE("lanes whose words meet across lines go as an H200 counted them") {
  // "lanes 20:51:23": the words of as many lanes; "random u64 511 3": mask and seed.
  int cases = 0;
  for (const std::string& row : testing::hardware_lines("reduction_places.csv")) {
    if (row.rfind("case", 0) == 0) continue;
    const std::vector<std::string> cells = testing::split(row, ','),
                                   words = testing::split(cells[0], ' ');
    WarpAccess a;
    a.bytes = words[1] == "u64" ? 8 : 4;
    if (words[0] == "lanes") {
      for (const std::string& word : testing::split(words[1], ':')) {
        a.address[static_cast<std::size_t>(std::popcount(a.mask))] = std::stoull(word) * 4;
        a.mask = a.mask << 1 | 1;
      }
    } else {
      const auto mask = static_cast<std::uint32_t>(std::stoul(words[2])),
                 seed = static_cast<std::uint32_t>(std::stoul(words[3]));
      a.mask = ~0u;
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        a.address[lane] = (hash(seed * 32 + lane) & mask) * std::uint64_t{a.bytes};
    }
    const auto t = model::atomic_traffic(a, false);
    INFO(row);
    CHECK(t.sectors == std::stoi(cells[1]));
    CHECK(t.requests == std::stoi(cells[2]));
    ++cases;
  }
  CHECK(cases == 1200);
}
