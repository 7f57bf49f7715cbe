// Accesses on their way from the schedulers to the load/store unit, held against what an H200 took
// (cards/gpus/h200/memory_issue.csv): the loops that ptxas made of kernels/micro/memory_issue.cu.
#include <fstream>
#include <map>
#include <sstream>

#include "sim/time/memory_queue.hpp"
#include "tests/catch.hpp"
#include "tests/sim/h200_rows.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

constexpr std::uint64_t kRounds = 64;

// Cycles a round on the GPU, by "case,kind,warps".
const std::map<std::string, double>& measured() {
  static const std::map<std::string, double> all = [] {
    std::map<std::string, double> out;
    std::ifstream file(WARPMEM_H200_DATA "/memory_issue.csv");
    for (std::string line; std::getline(file, line);)
      if (line.rfind("rate,", 0) == 0 || line.rfind("keep,", 0) == 0) {
        const auto comma = line.rfind(',');
        out[line.substr(0, comma)] = std::stod(line.substr(comma + 1));
      }
    return out;
  }();
  return all;
}

double cycles_on_h200(const std::string& name, std::uint32_t warps) {
  return measured().at(name + "," + std::to_string(warps));
}

// A round of `count` accesses, which begin at line `first`, taken kRounds times; `pitch`: bytes
// from lane to lane. Each warp has lines of its own.
Kernel rounds(std::uint32_t warps, const std::vector<Line>& text, std::uint32_t first, Op op,
              Space space, std::uint8_t bytes, std::uint32_t count, std::int32_t pitch) {
  Kernel k = kernel(1, warps * 32);
  k.code = lines(text);
  for (std::uint32_t i = 0; i < count; ++i) k.sites.push_back({16 * (first + i), op, space, bytes});
  k.text.resize(k.sites.size());
  k.launch.static_shared = 8192;
  k.fill = [=](Warp& w) {
    const std::uint64_t at = space == Space::kShared ? 0 : kA + w.warp * 8192;
    for (std::uint64_t n = 0; n < kRounds; ++n)
      for (std::uint32_t i = 0; i < count; ++i)
        w.records.push_back(regular(i, at + std::uint64_t{i} * bytes, pitch));
  };
  return k;
}

double a_round(const Kernel& k, std::size_t records) {
  Kernel once = k;
  once.fill = [=](Warp& w) {
    k.fill(w);
    w.records.resize(records);
  };
  return static_cast<double>(cycles(k) - cycles(once)) / (kRounds - 1);
}

double global_loads(std::uint32_t warps, std::int32_t pitch) {
  std::vector<Line> text = {{"IMAD.SHL.U32 R6, R5, 0x40, RZ ;", control(5)},
                            {"LOP3.LUT R7, R6, 0x40, RZ, 0xc0, !PT ;", control(4)},
                            {"IADD3 R6, P1, R7, R2, RZ ;", control(5)},
                            {"IMAD.X R7, RZ, RZ, R3, P1 ;", control(5)}};
  for (std::uint32_t i = 0; i < 8; ++i)
    text.push_back({"LDG.E.STRONG.SM R9, desc[UR4][R6.64] ;", control(i < 7 ? 4 : 1, 2 + i / 2)});
  text.push_back({"VIADD R5, R5, 0x1 ;", control(5)});
  text.push_back({"ISETP.GE.U32.AND P1, PT, R5, UR6, PT ;", control(2)});
  for (std::uint32_t b = 2; b < 6; ++b)
    text.push_back({"IADD3 R8, R8, R4, R9 ;", control(b < 5 ? 4 : 1, kNone, kNone, 1u << b)});
  text.push_back({"@!P1 BRA 0x0 ;", control(6)});
  text.push_back({"EXIT ;"});
  return a_round(rounds(warps, text, 4, Op::kLoad, Space::kGlobal, 4, 8, pitch), 8);
}

double shared_loads(std::uint32_t warps, std::int32_t pitch) {
  const Kernel k = rounds(warps,
                          {{"USHF.L.U32 UR5, UR4, 0x6, URZ ;", control(2)},
                           {"UIADD3 UR4, UR4, 0x1, URZ ;", control(2)},
                           {"ULOP3.LUT UR5, UR5, 0x40, URZ, 0xc0, !UPT ;", control(2)},
                           {"UISETP.GE.U32.AND UP0, UPT, UR4, UR6, UPT ;", control(6)},
                           {"PLOP3.LUT P1, PT, PT, PT, UP0, 0x80, 0x0 ;", control(1)},
                           {"LDS.128 R8, [R2+UR5] ;", control(4, 0)},
                           {"LDS.128 R4, [R2+UR5+0x10] ;", control(1, 1)},
                           {"IADD3 R8, R9, R12, R8 ;", control(4, kNone, kNone, 1)},
                           {"IADD3 R8, R11, R8, R10 ;", control(4)},
                           {"IADD3 R4, R5, R8, R4 ;", control(4, kNone, kNone, 2)},
                           {"IADD3 R12, R7, R4, R6 ;", control(1)},
                           {"@!P1 BRA 0x0 ;", control(6)},
                           {"EXIT ;"}},
                          5, Op::kLoad, Space::kShared, 16, 2, pitch);
  return a_round(k, 2);
}

// A store, and a change of the register that it reads, as ptxas schedules that loop.
double stores(std::uint32_t warps, Space space, std::int32_t pitch) {
  const char* const store =
      space == Space::kShared ? "STS [R2], R7 ;" : "STG.E desc[UR4][R2.64], R7 ;";
  const Kernel k = rounds(warps,
                          {{store, control(2, kNone, 1)},
                           {"IMAD.IADD R7, R4, 0x1, R7 ;", control(2, kNone, kNone, 2)},
                           {"VIADD R4, R4, 0x1 ;", control(5)},
                           {"ISETP.GE.U32.AND P0, PT, R4, R8, PT ;", control(13)},
                           {"@!P0 BRA 0x0 ;", control(5)},
                           {"EXIT ;"}},
                          0, Op::kStore, space, 4, 1, pitch);
  return a_round(k, 1);
}

// Reductions of 16 warps of one SM, lanes so many bytes apart, one behind the other.
double reductions(std::int32_t pitch) {
  const Kernel k = rounds(16,
                          {{"RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R7 ;", control(2, kNone, 1)},
                           {"VIADD R4, R4, 0x1 ;", control(5)},
                           {"ISETP.GE.U32.AND P0, PT, R4, R8, PT ;", control(13)},
                           {"@!P0 BRA 0x0 ;", control(5)},
                           {"EXIT ;"}},
                          0, Op::kReduction, Space::kGlobal, 4, 1, pitch);
  return a_round(k, 1) / 16;
}

}  // namespace

TEST_CASE("time: reductions leave their SM with a header a request, single words in it") {
  std::map<int, double> hardware;  // by lines, each lane in a sector of its own
  for (auto& row : rows_of("scatter_rate.csv"))
    if (row["kind"] == "red" && row["lines"] != "0" &&
        std::stoi(row["lines"]) * std::stoi(row["sectors"]) == 32)
      hardware[std::stoi(row["lines"])] = std::stod(row["cycles"]);
  REQUIRE(hardware.size() == 3);
  // A fence is in the measured times once, 550 cycles of 16 x 64 accesses.
  for (const auto& [lines, each] : hardware) {
    INFO(lines << " lines");
    CHECK(reductions(128 * lines / 32) == Approx(each - 0.5).epsilon(0.03));
  }
  // memory_issue.csv, issue red_1: eight warps come by every 40 cycles.
  CHECK(reductions(4) == Approx(5).epsilon(0.1));
}

TEST_CASE("time: one scheduler gets half of what shared memory can do, two get all") {
  for (const std::uint32_t warps : {1u, 2u, 4u, 8u, 16u}) {
    INFO(warps << " warps");
    CHECK(shared_loads(warps, 128) ==
          Approx(cycles_on_h200("rate,shared_load_32", warps)).epsilon(0.05));
    CHECK(shared_loads(warps, 32) ==
          Approx(cycles_on_h200("rate,shared_load_8", warps)).epsilon(0.06));
  }
}

TEST_CASE("time: one scheduler gets half of what the L1 can do, all four get all") {
  for (const std::uint32_t warps : {1u, 8u, 16u}) {
    INFO(warps << " warps");
    CHECK(global_loads(warps, 128) == Approx(cycles_on_h200("rate,load_32", warps)).epsilon(0.05));
    CHECK(global_loads(warps, 16) == Approx(cycles_on_h200("rate,load_4", warps)).epsilon(0.08));
  }
}

TEST_CASE("time: what a store reads may be changed when it has been read, or when there is room") {
  for (const std::uint32_t warps : {1u, 4u, 8u}) {
    INFO(warps << " warps");
    CHECK(stores(warps, Space::kGlobal, 4) ==
          Approx(cycles_on_h200("keep,store_1", warps)).epsilon(0.05));
    CHECK(stores(warps, Space::kShared, 4) ==
          Approx(cycles_on_h200("keep,shared_store_1", warps)).epsilon(0.02));
    // 32 sectors in part each: the SM's port, two cycles for one of them.
    CHECK(stores(warps, Space::kGlobal, 128) ==
          Approx(cycles_on_h200("keep,store_32", warps)).epsilon(0.04));
  }
}

TEST_CASE("time: a scheduler's accesses are served one after the other") {
  sim::MemoryQueue queue;
  CHECK(queue.free() == 0);
  CHECK(queue.served(0) == 0);
  CHECK(queue.serve(100, 100, 16, 8) == 116);
  // Ready before the first is through: 16 cycles behind it, though the unit would be free.
  CHECK(queue.serve(104, 116, 16, 8) == 132);
  // The unit's other work is what counts when that is more.
  CHECK(queue.serve(120, 400, 16, 8) == 408);
  CHECK(queue.served(0) == 400);
  CHECK(queue.served(2) == 100);
  CHECK(queue.served(3) == 0);
}
