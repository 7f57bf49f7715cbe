#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/validate/csv_recipes.hpp"
#include "validate/compare.hpp"

using namespace warpmem;
using namespace warpmem::validate;
using recipes::kDram;
using recipes::kLoads;

namespace {

using Values = std::map<std::string, MetricValue>;

Report hold(const std::vector<Values>& predicted, const std::vector<Values>& measured,
            const std::string& deviations = "") {
  std::vector<LaunchMetrics> model;
  NcuImport file;
  for (const auto& v : predicted) model.push_back({model.size(), "k", {1, 1, 1}, {32, 1, 1}, v});
  for (const auto& v : measured) {
    NcuLaunch n;
    n.counted = {file.launches.size(), "k", {1, 1, 1}, {32, 1, 1}, v};
    n.has_shape = true;
    file.launches.push_back(n);
  }
  const auto matching = match_launches(model, file);
  auto list = DeviationList::parse(deviations, "d.toml");
  REQUIRE(list.ok());
  return finish_report("h200", "counts", compare_launches(model, file, matching, "run"),
                       describe_unmatched(model, file, matching, "run"), *list);
}

Verdict verdict(const Report& r, const std::string& metric, std::size_t launch = 0) {
  const auto& all = r.launches.at(launch).metrics;
  const auto it = std::find_if(all.begin(), all.end(),
                               [&](const Comparison& c) { return c.rule->name == metric; });
  REQUIRE(it != all.end());
  return it->verdict;
}

const MetricSummary& summary(const Report& r, const std::string& metric) {
  const auto it = std::find_if(r.summary.begin(), r.summary.end(),
                               [&](const MetricSummary& s) { return s.rule->name == metric; });
  REQUIRE(it != r.summary.end());
  return *it;
}

MetricValue v(double value) { return {value, ""}; }

const std::string kEntry =
    "[[deviation]]\nid = \"d\"\nkernel = \"k\"\nmetric = \"dram__.*\"\nreason = \"known\"\n";

}  // namespace

TEST_CASE("an exact metric is equal or differs, whatever its size") {
  CHECK(verdict(hold({{{kLoads, v(100)}}}, {{{kLoads, v(100)}}}), kLoads) == Verdict::kEqual);
  const auto r = hold({{{kLoads, v(1e9)}}}, {{{kLoads, v(1e9 + 1)}}});
  CHECK(verdict(r, kLoads) == Verdict::kOff);
  CHECK(r.failed == 1);
  CHECK_FALSE(r.ok());
}

TEST_CASE("an approximate metric stays within its band or leaves it") {
  const double band = find_rule(kDram)->band;
  const auto at = [](double error) { return 1e6 * (1 + error); };
  CHECK(verdict(hold({{{kDram, v(at(band * 0.99))}}}, {{{kDram, v(1e6)}}}), kDram) ==
        Verdict::kWithinBand);
  const auto r = hold({{{kDram, v(at(band * 1.01))}}}, {{{kDram, v(1e6)}}});
  CHECK(verdict(r, kDram) == Verdict::kOff);
  CHECK_FALSE(r.ok());
}

TEST_CASE("what the GPU differs by from itself is its spread, and no error of the model") {
  const double spread = find_rule(kDram)->spread;
  CHECK(verdict(hold({{{kDram, v(1e6 * (1 + spread / 2))}}}, {{{kDram, v(1e6)}}}), kDram) ==
        Verdict::kWithinSpread);
  CHECK(verdict(hold({{{kDram, v(1e6 * (1 + spread * 2))}}}, {{{kDram, v(1e6)}}}), kDram) ==
        Verdict::kWithinBand);
}

TEST_CASE("small counts do not explode, and stay out of the statistics") {
  const auto r = hold({{{kDram, v(0)}}, {{kDram, v(0)}}}, {{{kDram, v(96)}}, {{kDram, v(0)}}});
  CHECK(verdict(r, kDram) == Verdict::kWithinBand);
  const auto& s = summary(r, kDram);
  CHECK(s.n == 0);
  CHECK(s.excluded == std::map<std::string, std::size_t>{{"below 4,096", 1}, {"zero", 1}});
}

TEST_CASE("what others write while a kernel waits is allowed for, by how long it takes") {
  // Kernels that access nothing, counted on an H200 (cards/gpus/h200/l2_background.csv).
  const std::string writes = "lts__t_sectors_op_write.sum", reads = "lts__t_sectors_op_read.sum",
                    cycles = "sm__cycles_elapsed.max";
  const auto of = [&](const std::string& metric, double model, double counted, double elapsed) {
    return verdict(hold({{{metric, v(model)}, {cycles, v(elapsed)}}},
                        {{{metric, v(counted)}, {cycles, v(elapsed)}}}),
                   metric);
  };
  std::ifstream in(WARPMEM_H200_DATA "/l2_background.csv");
  std::string line;
  std::getline(in, line);
  int rows = 0;
  for (; std::getline(in, line); ++rows) {
    std::istringstream cells(line);
    double ctas = 0, asked = 0, elapsed = 0, read = 0, written = 0;
    char comma = 0;
    cells >> ctas >> comma >> asked >> comma >> elapsed >> comma >> read >> comma >> written;
    INFO(line);
    CHECK_FALSE(fails(of(writes, 0, written, elapsed)));
    CHECK_FALSE(fails(of(reads, 870, read, elapsed)));
  }
  CHECK(rows == 22);
  // In a short kernel, or of a kernel that writes much itself, as many are an error.
  CHECK(of(writes, 0, 1600, 5000) == Verdict::kOff);
  CHECK(of(writes, 100000, 120000, 100000) == Verdict::kOff);
}

TEST_CASE("extra work is judged by the work it adds to") {
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
  const std::string passes = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
  const auto r =
      hold({{{conflicts, v(0)}, {passes, v(8192)}}}, {{{conflicts, v(2076)}, {passes, v(10268)}}});
  CHECK(verdict(r, conflicts) == Verdict::kWithinBand);
}

TEST_CASE("a value that one side lacks is not compared, with the reason") {
  const auto r = hold({{{kLoads, v(5)}, {kDram, {0, "needs the time engine"}}}},
                      {{{kLoads, {0, "the profiler printed n/a"}}, {kDram, v(7)}}});
  CHECK(r.ok());
  CHECK(verdict(r, kLoads) == Verdict::kNotRead);
  CHECK(summary(r, kLoads).excluded.at("the profiler printed n/a") == 1);
  CHECK(summary(r, kDram).excluded.at("needs the time engine") == 1);
  CHECK(verdict(hold({{}}, {{{kDram, v(7)}}}), kDram) == Verdict::kNotRead);
}

TEST_CASE("launches that match without one counter on both sides are a failure") {
  const auto none = hold({{{kLoads, v(5)}}}, {{{kDram, v(7)}}});
  REQUIRE_FALSE(check_compared(none, "f.csv").ok());
  CHECK(exit_status(check_compared(none, "f.csv").error().kind) == 3);
  CHECK(check_compared(hold({{{kDram, v(5)}}}, {{{kDram, v(7)}}}), "f.csv").ok());
}

TEST_CASE("median, 90th percentile, worst and bias") {
  CHECK(percentile({}, 0.5) == 0);
  CHECK(percentile({3}, 0.9) == 3);
  CHECK(percentile({4, 1, 2, 3}, 0.5) == 2.5);
  std::vector<Values> model, gpu;
  for (int i = 0; i <= 10; ++i) {
    gpu.push_back({{kDram, v(1e6)}});
    model.push_back({{kDram, v(1e6 - 1e3 * i)}});
  }
  const auto report = hold(model, gpu);
  const auto& s = summary(report, kDram);
  CHECK(s.n == 11);
  CHECK(s.equal == 1);
  CHECK(s.median == Approx(0.005).epsilon(0.01));
  CHECK(s.p90 == Approx(0.009).epsilon(0.01));
  CHECK(s.worst == Approx(0.01).epsilon(0.01));
  CHECK(s.bias == Approx(-0.005).epsilon(0.01));
  CHECK(s.worst_at == "run k");
}

TEST_CASE("a known deviation covers an error up to its bound") {
  const std::vector<Values> model{{{kDram, v(8e5)}}}, gpu{{{kDram, v(1e6)}}};
  const auto covered = hold(model, gpu, kEntry + "max_error = 0.3\n");
  CHECK(verdict(covered, kDram) == Verdict::kKnownDeviation);
  CHECK(covered.ok());
  CHECK(summary(covered, kDram).known == 1);
  REQUIRE(covered.deviations.size() == 1);
  CHECK(covered.deviations[0].below == Approx(0.2).epsilon(0.01));
  CHECK(covered.deviations[0].above == 0);
  CHECK_FALSE(covered.deviations[0].gone());

  const auto beyond = hold(model, gpu, kEntry + "max_error = 0.19\n");
  CHECK(verdict(beyond, kDram) == Verdict::kOff);
  CHECK(verdict(hold(model, gpu, kEntry + "max_error = 3\nmax_below = 0.19\n"), kDram) ==
        Verdict::kOff);
  CHECK_FALSE(beyond.ok());
}

TEST_CASE("a deviation that nothing needs any more is reported as gone") {
  const auto r = hold({{{kDram, v(1e6)}}}, {{{kDram, v(1e6)}}}, kEntry + "max_error = 0.3\n");
  REQUIRE(r.deviations.size() == 1);
  CHECK(r.deviations[0].gone());
  CHECK(r.ok());
  CHECK(hold({{{kLoads, v(1)}}}, {{{kLoads, v(1)}}}, kEntry + "max_error = 0.3\n")
            .deviations.empty());
}

TEST_CASE("launches of one side only are told, and fail unless they were expected") {
  auto r = hold({{{kLoads, v(1)}}, {{kLoads, v(1)}}}, {{{kLoads, v(1)}}});
  REQUIRE(r.unmatched.size() == 1);
  CHECK(r.unmatched[0] == "run: launch 1 only in the trace: k grid (1,1,1) block (32,1,1)");
  CHECK(r.failed == 0);
  CHECK_FALSE(r.ok());
  r.unmatched_allowed = true;
  CHECK(r.ok());
}

TEST_CASE("a summary row is held against the average of its launches") {
  std::vector<LaunchMetrics> model{{0, "k", {1, 1, 1}, {32, 1, 1}, {{kLoads, v(10)}}},
                                   {1, "k", {1, 1, 1}, {32, 1, 1}, {{kLoads, v(20)}}}};
  NcuImport file;
  file.shape = NcuShape::kSummary;
  NcuLaunch row;
  row.counted = {0, "k", {1, 1, 1}, {32, 1, 1}, {{kLoads, v(15)}}};
  row.has_shape = true;
  file.launches.push_back(row);
  const auto compared = compare_launches(model, file, match_launches(model, file), "");
  REQUIRE(compared.size() == 1);
  CHECK(compared[0].metrics.at(0).verdict == Verdict::kEqual);
}

TEST_CASE("the spread of the hardware is taken from a repeated collection") {
  auto report = hold({{{kDram, v(1e6)}}}, {{{kDram, v(1e6)}}});
  const auto repeat = hold({{{kDram, v(1.01e6)}}}, {{{kDram, v(1e6)}}});
  attach_repeat(report, repeat);
  CHECK(summary(report, kDram).hardware.n == 1);
  CHECK(summary(report, kDram).hardware.median == Approx(0.01).epsilon(0.01));
}
