// Each kind of artefact, and a reading that looks alike and says that the model is off.
#include <algorithm>

#include "tests/catch.hpp"
#include "validate/artefacts.hpp"
#include "validate/compare.hpp"

using namespace warpmem;
using namespace warpmem::validate;

namespace {

struct Both {
  double model, gpu;
};
using Values = std::map<std::string, Both>;

// The verdict on one metric of a launch with these counters on both sides.
const Comparison& judged(const Values& values, const std::string& metric) {
  static Report report;
  LaunchMetrics model{0, "k", {1, 1, 1}, {32, 1, 1}, {}};
  NcuImport file;
  NcuLaunch counted;
  counted.counted = model, counted.has_shape = true;
  for (const auto& [name, both] : values) {
    model.metrics[name] = {both.model, ""};
    counted.counted.metrics[name] = {both.gpu, ""};
  }
  file.launches.push_back(counted);
  report = finish_report("h200", "time",
                         compare_launches({model}, file, match_launches({model}, file), ""), {},
                         DeviationList());
  const auto& all = report.launches.at(0).metrics;
  const auto at =
      std::ranges::find(all, metric, [](const Comparison& c) { return std::string(c.rule->name); });
  REQUIRE(at != all.end());
  return *at;
}

std::optional<ArtefactKind> kind(const Values& values, const std::string& metric) {
  const Comparison& c = judged(values, metric);
  CHECK((c.verdict == Verdict::kArtefact) == c.artefact.has_value());
  if (!c.artefact) CHECK(c.verdict == Verdict::kOff);
  return c.artefact;
}

constexpr auto kNone = std::optional<ArtefactKind>();
const std::string kConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                  kPasses = "memory_l1_wavefronts_shared", kDram = "dram__sectors_read.sum",
                  kReads = "lts__t_sectors_srcunit_tex_op_read.sum",
                  kHits = "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
                  kCycles = "sm__cycles_elapsed.max", kTime = "gpu__time_duration.sum",
                  kLoads = "smsp__inst_executed_op_global_ld_pred_on_any.sum",
                  kRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                  kSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                  kL1Hits = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
                  kAllReads = "lts__t_sectors_op_read.sum";

}  // namespace

TEST_CASE("lost arbitration: the passes that addresses cause are equal") {
  CHECK(kind({{kConflicts, {0, 3121}}, {kPasses, {0, 0}}}, kConflicts) ==
        ArtefactKind::kLostArbitration);
  // The model has too few passes; the hardware fewer than addresses cause; nothing to hold it
  // against.
  CHECK(kind({{kConflicts, {0, 3121}}, {kPasses, {4096, 7217}}}, kConflicts) == kNone);
  CHECK(kind({{kConflicts, {3121, 0}}, {kPasses, {4096, 4096}}}, kConflicts) == kNone);
  CHECK(kind({{kConflicts, {0, 3121}}}, kConflicts) == kNone);
}

TEST_CASE("caches kept: hits where DRAM should have been read") {
  const Values kept{{kReads, {131072, 131072}}, {kHits, {65536, 130400}}, {kDram, {131160, 1204}}};
  CHECK(kind(kept, kDram) == ArtefactKind::kCachesKept);
  CHECK(kind(kept, kHits) == ArtefactKind::kCachesKept);
  // Fewer reads of DRAM without more hits; a model with a fifth too many misses; hits alone.
  CHECK(kind({{kReads, {131072, 131072}}, {kHits, {65536, 65536}}, {kDram, {131160, 1204}}},
             kDram) == kNone);
  CHECK(kind({{kReads, {131072, 131072}}, {kHits, {10000, 40000}}, {kDram, {131160, 100000}}},
             kDram) == kNone);
  CHECK(kind({{kReads, {131072, 131072}}, {kHits, {65536, 130400}}}, kHits) == kNone);
}

TEST_CASE("clocks: cycles agree and the time does not") {
  CHECK(kind({{kCycles, {18000, 18100}}, {kTime, {9090, 12067}}}, kTime) == ArtefactKind::kClocks);
  CHECK(kind({{kCycles, {18000, 18100}},
              {kTime, {9090, 12067}},
              {"dram__bytes_read.sum.per_second", {400e9, 301e9}}},
             "dram__bytes_read.sum.per_second") == ArtefactKind::kClocks);
  // The cycles are off as well; a rate that the clock does not explain.
  CHECK(kind({{kCycles, {18000, 41000}}, {kTime, {9090, 27333}}}, kTime) == kNone);
  CHECK(kind({{kCycles, {18000, 18100}},
              {kTime, {9090, 12067}},
              {"dram__bytes_read.sum.per_second", {400e9, 150e9}}},
             "dram__bytes_read.sum.per_second") == kNone);
}

TEST_CASE("lanes that are off: what the hardware counts itself is equal") {
  CHECK(kind({{kLoads, {512, 3223}}, {kRequests, {512, 512}}}, kLoads) == ArtefactKind::kLanesOff);
  const std::string copies = "l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
                    copied = "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
                    issued = "smsp__inst_executed_op_ldgsts_pred_on_any.sum";
  CHECK(kind({{kPasses, {16384, 20480}},
              {copies, {4096, 4096}},
              {copied, {16384, 16384}},
              {issued, {4096, 4096}}},
             kPasses) == ArtefactKind::kLanesOff);
  // Requests are off too; fewer than predicted; passes of a kernel without such copies.
  CHECK(kind({{kLoads, {512, 3223}}, {kRequests, {512, 3223}}}, kLoads) == kNone);
  CHECK(kind({{kLoads, {3223, 512}}, {kRequests, {512, 512}}}, kLoads) == kNone);
  CHECK(kind({{kPasses, {16384, 20480}}, {copies, {0, 0}}, {copied, {0, 0}}, {issued, {0, 0}}},
             kPasses) == kNone);
}

TEST_CASE("replay passes: a part is more than the whole") {
  CHECK(kind({{kSectors, {131072, 131072}}, {kL1Hits, {0, 140000}}}, kL1Hits) ==
        ArtefactKind::kReplayPasses);
  CHECK(kind({{kSectors, {131072, 131072}}, {kL1Hits, {0, 90000}}}, kL1Hits) == kNone);
}

TEST_CASE("other traffic: what the SMs read agrees") {
  const Values display{{kReads, {131072, 131072}},
                       {kHits, {65536, 65536}},
                       {kAllReads, {263000, 390000}},
                       {kDram, {131160, 258000}}};
  CHECK(kind(display, kAllReads) == ArtefactKind::kOtherTraffic);
  CHECK(kind(display, kDram) == ArtefactKind::kOtherTraffic);
  // Sectors that stores fill are read behind the L2's lookups, and the SMs' own reads are off.
  CHECK(kind({{kReads, {131072, 131072}},
              {kHits, {65536, 65536}},
              {kAllReads, {263000, 263000}},
              {kDram, {131160, 258000}}},
             kDram) == kNone);
  CHECK(kind({{kReads, {131072, 260000}}, {kAllReads, {263000, 390000}}}, kAllReads) == kNone);
}

TEST_CASE("each kind says why, and how to collect again") {
  CHECK(artefact_texts().size() == 6);
  for (const ArtefactText& text : artefact_texts()) {
    CHECK_FALSE(text.because.empty());
    CHECK_FALSE(text.again.empty());
    CHECK(text_of(text.kind).name == text.name);
  }
}
