// What an SM's copy engine can do, and what accesses to shared memory lose to it, to asynchronous
// copies and to warps that start, held against an H200 (kernels/micro/bulk_rates.cu,
// lost_arbitration.cu).
#include "model/shared/data_ports.hpp"
#include "tests/catch.hpp"
#include "tests/sim/h200_rows.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

double number(const std::map<std::string, std::string>& row, const char* name) {
  return std::stod(row.at(name));
}

// One thread of a CTA an SM stores, or adds, 16 KiB at a time to places of its own.
double cycles_a_line(Op op, std::uint32_t sms, std::uint64_t operations) {
  Kernel k = kernel(sms, 32);
  const auto from = k.site(Op::kBulkRead, Space::kShared, 16384);
  const auto to = k.site(op, Space::kGlobal, 16384);
  k.fill = [=](Warp& w) {
    for (std::uint64_t i = 0; i < operations; ++i) {
      w.records.push_back(listed(w, from, 1, [&](unsigned) { return 0; }));
      w.records.push_back(
          listed(w, to, 1, [&](unsigned) { return kA + (w.cta * 16 + i % 16) * 16384; }));
    }
  };
  const auto whole = timed(k, h200()).time->cycles;
  k.fill = [](Warp&) {};
  return static_cast<double>(whole - timed(k, h200()).time->cycles) /
         static_cast<double>(operations * 128);
}

// Warps that read shared memory where a word of global memory says, in CTAs that come to each SM
// `waves` times.
Kernel readers(std::uint32_t waves) {
  Kernel k = kernel(132 * waves, 1024);
  k.launch.registers = 64;  // one CTA an SM
  const auto where = k.site(Op::kLoad, Space::kGlobal, 4, "LDG.E R2, desc[UR4][R8.64] ;");
  const auto site = k.site(Op::kLoad, Space::kShared, 4, "LDS R4, [R2] ;");
  k.fill = [=](Warp& w) {
    w.records.push_back(regular(where, kA, 4));
    for (int i = 0; i < 64; ++i) w.records.push_back(regular(site, 0, 4));
  };
  return k;
}

}  // namespace

TEST_CASE("bulk stores and additions go at an H200's pace") {
  int rows = 0;
  for (const auto& row : rows_of("bulk_rates.csv")) {
    if (row.at("bytes") != "16384" || row.at("deep") != "4" || row.at("kind") == "load") continue;
    ++rows;
    const Op op = row.at("kind") == "add" ? Op::kBulkReduction : Op::kBulkWrite;
    const double theirs = number(row, "cycles") / number(row, "operations") / 128;
    INFO(row.at("kind") << " on " << row.at("sms") << " SMs");
    CHECK(cycles_a_line(op, static_cast<std::uint32_t>(number(row, "sms")), 128) ==
          Approx(theirs).epsilon(0.13));
  }
  CHECK(rows == 6);
}

TEST_CASE("a wavefront is lost where somebody else has the port, and comes again once") {
  model::DataPorts ports;
  CHECK(ports.lost_reads(100, 8) == 0);
  ports.takes_reads(96, 32'000);  // all of a span
  CHECK(ports.lost_reads(100, 8) == 8);
  CHECK(ports.lost_reads(200, 8) == 0);
  CHECK(ports.lost_writes(100, 8) == 0);
  ports.takes_writes(320, 4'000);  // an eighth of one
  std::uint32_t lost = 0;
  for (int i = 0; i < 64; ++i) lost += ports.lost_writes(320, 1);
  CHECK(lost == 8);
}

TEST_CASE("what is lost to copies and to new warps is what an H200 counted") {
  const model::Card card = h200();
  const model::CardNumbers& n = card.numbers();
  int rows = 0;
  for (const auto& row : rows_of("lost_arbitration.csv")) {
    const std::string& part = row.at("part");
    const std::string& other = row.at("other");
    const std::string& victim = row.at("victim");
    // Accesses at random times, of one warp, whose wavefronts meet nobody else's.
    if (row.at("victim_warps") != "1") continue;
    const double took = number(row, "took"), warps = number(row, "other_warps");
    double taken = 0, lost = 0;
    if (part == "coming" && victim == "load_sometimes" && other != "32") {
      taken = 40 * std::stod(other) / 32 * static_cast<double>(n.shared_warp_start);
      lost = number(row, "conflicts_ld") / number(row, "instructions_ld");
    } else if (part == "beside" && victim == "store_sometimes" &&
               (other == "bulk_load" || other == "async16_32")) {
      taken = other == "bulk_load" ? 512 * 32 * static_cast<double>(n.shared_bulk_write)
                                   : 512 * 16 * warps * static_cast<double>(n.shared_async_write);
      const double own = number(row, "instructions_st") - 32;
      lost = (number(row, "wavefronts_st") - 32 - own) / own;
    } else if (part == "beside" && victim == "load_sometimes" &&
               (other == "bulk_store" || other == "bulk_reduce")) {
      taken = 512 * 32 * static_cast<double>(n.shared_bulk_read);
      // Every fifth load is the one that asks whether the others are done.
      lost = number(row, "conflicts_ld") / (number(row, "instructions_ld") * 4 / 5);
    } else {
      continue;
    }
    ++rows;
    INFO(part << " " << other << " " << warps << " " << victim << ": " << lost << " lost each");
    const double mine = taken / 1000 / took;
    CHECK(mine > lost / 1.7);
    CHECK(mine < lost * 1.7);
  }
  CHECK(rows == 18);
}

TEST_CASE("loads of shared memory lose wavefronts to CTAs that come to their SM, by time alone") {
  const auto once = timed(readers(1), h200());
  CHECK(once.counters.shared_conflicts_ld == 0);
  Kernel two = readers(4);
  two.launch.registers = 32;  // two CTAs an SM: one comes while the other reads
  const auto later = timed(two, h200());
  CHECK(later.counters.shared_conflicts_ld > 0);
  CHECK(later.counters.shared_wavefronts_ld ==
        4 * 132 * 32 * 64 + later.counters.shared_conflicts_ld);
  CHECK(later.counters.shared_conflicts_ld < 4 * 132 * 32 * 64 / 10);
}
