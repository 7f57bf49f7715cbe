#include <stdexcept>
#include <string>

#include "tests/catch.hpp"
#include "validate/metric_map.hpp"
#include "validate/nvprof_csv.hpp"
#include "validate/nvprof_names.hpp"

using namespace warpmem;
using namespace warpmem::validate;

namespace {

NcuImport import(const std::string& text) {
  REQUIRE(is_nvprof_csv(text));
  auto file = parse_nvprof_csv(text, "profile.csv");
  REQUIRE(file);
  return *std::move(file);
}

const std::string kHead =
    "==20858== NVPROF is profiling process 20858, command: ./test\n"
    "==20858== Warning: Some kernel(s) will be replayed on device 0 in order to collect all "
    "events/metrics.\n"
    "==20858== Profiling application: ./test\n"
    "==20858== Profiling result:\n"
    "==20858== Metric result:\n";
const std::string kSummary =
    "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric "
    "Description\",\"Min\",\"Max\",\"Avg\"\n";

}  // namespace

TEST_CASE("nvprof: a summary has a row a kernel and metric, with minimum, maximum and average") {
  const auto file =
      import(kHead + kSummary +
             "\"Tesla K20c (0)\",\"copy(float*, int)\",3,\"gld_transactions\",\"Global Load "
             "Transactions\",19998022,19998030,19998026\n"
             "\"Tesla K20c (0)\",\"copy(float*, int)\",3,\"gst_efficiency\",\"Global Memory Store "
             "Efficiency\",25.000000%,25.000000%,25.000000%\n"
             "the program says, \"hello\", 3 times\n"
             "\"Tesla K20c (0)\",\"sum(float*)\",1,\"gld_throughput\",\"Global Load "
             "Throughput\",512.000000MB/s,512.000000MB/s,512.000000MB/s\n");
  CHECK(file.words == metrics::Vocabulary::kNvprof);
  CHECK(file.shape == NcuShape::kSummary);
  REQUIRE(file.launches.size() == 2);
  const NcuLaunch& copy = file.launches[0];
  CHECK(copy.counted.kernel == "copy(float*, int)");
  CHECK(copy.device == "Tesla K20c (0)");
  CHECK(copy.invocations == 3);
  CHECK(copy.varies);
  CHECK(copy.counted.metrics.at("gld_transactions").value == 19998026);
  CHECK(copy.counted.metrics.at("gst_efficiency").value == 25);
  // Throughputs are in GB/s.
  CHECK(file.launches[1].counted.metrics.at("gld_throughput").value == Approx(0.512));
  CHECK(file.report.profiler_lines == 5);
  CHECK(file.report.foreign_lines == 1);
}

TEST_CASE("nvprof: a trace has a row a launch, its units in a row below the header") {
  const auto file = import(
      "==1== NVPROF is profiling process 1, command: ./test\n"
      "\"Start\",\"Duration\",\"Grid Size\",\"Block Size\",\"Device\",\"Context\",\"Stream\","
      "\"Kernel\",\"Global Load Transactions\",\"gst_efficiency\",\"dram_read_throughput\"\n"
      "s,us,,,,,,,,%,MB/s\n"
      "0.1,2.5,\"(8 2 1)\",\"(128 1 1)\",\"Tesla K40c (0)\",1,7,\"copy(float*) [95]\",32,12.5,500\n"
      "0.2,2.5,,,\"Tesla K40c (0)\",1,7,\"[CUDA memcpy DtoH]\",,,\n"
      "0.3,2.5,\"(8 2 1)\",\"(128 1 1)\",\"Tesla K40c (0)\",1,7,\"copy(float*) [99]\",34,,1e3\n");
  REQUIRE(file.launches.size() == 2);
  CHECK(file.launches[0].counted.kernel == "copy(float*)");
  CHECK(file.launches[0].has_shape);
  CHECK(file.launches[0].counted.grid == Dim3{8, 2, 1});
  CHECK(file.launches[0].counted.metrics.at("gld_transactions").value == 32);
  CHECK(file.launches[0].counted.metrics.at("gst_efficiency").value == 12.5);
  CHECK(file.launches[0].counted.metrics.at("dram_read_throughput").value == Approx(0.5));
  CHECK_FALSE(file.launches[1].counted.metrics.at("gst_efficiency").known());
}

TEST_CASE("nvprof: a trace of times, as public profiles of an RTX 2080 Ti have it") {
  // --print-gpu-trace --csv: a column for each of the grid's and the block's sides, units below.
  const auto file = import(
      "======== Warning: 376746 records have invalid timestamps.\n"
      "======== Profiling result:\n"
      "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\","
      "\"Registers Per Thread\",\"Static SMem\",\"Dynamic SMem\",\"Size\",\"Throughput\","
      "\"SrcMemType\",\"DstMemType\",\"Device\",\"Context\",\"Stream\",\"Name\",\"Correlation_"
      "ID\"\n"
      "us,us,,,,,,,,KB,KB,KB,GB/s,,,,,,,\n"
      "0.000000,1.888000,,,,,,,,,,1.003906,0.507097,\"Device\",,\"GeForce RTX 2080 Ti (0)\",\"1\","
      "\"7\",\"[CUDA memset]\",272\n"
      "12.5,3.2,8,2,1,128,1,1,16,0,0,,,,,\"GeForce RTX 2080 Ti (0)\",\"1\",\"7\",\"copy(float*) "
      "[95]\",280\n");
  REQUIRE(file.launches.size() == 1);
  CHECK(file.launches[0].counted.kernel == "copy(float*)");
  CHECK(file.launches[0].device == "GeForce RTX 2080 Ti (0)");
  CHECK(file.launches[0].id == "280");
  REQUIRE(file.launches[0].has_shape);
  CHECK(file.launches[0].counted.grid == Dim3{8, 2, 1});
  CHECK(file.launches[0].counted.block == Dim3{128, 1, 1});
  CHECK(file.report.profiler_lines == 2);
  CHECK(file.report.foreign_lines == 0);
}

TEST_CASE("nvprof: what is no number says what was printed") {
  const auto file =
      import(kHead + kSummary +
             "\"T4\",\"copy()\",1,\"gld_transactions\",\"\",<OVERFLOW>,<OVERFLOW>,<OVERFLOW>\n"
             "\"T4\",\"copy()\",1,\"l2_utilization\",\"L2\",\"Low (2)\",\"Low (2)\",\"Low (2)\"\n");
  REQUIRE(file.launches.size() == 1);
  CHECK_THAT(file.launches[0].counted.metrics.at("gld_transactions").missing,
             Catch::Matchers::ContainsSubstring("overflow"));
  CHECK(file.launches[0].text.at("l2_utilization") == "Low (2)");
}

TEST_CASE("nvprof: a number that nothing can have counted is none") {
  const auto file = import(kHead + kSummary +
                           "\"T4\",\"copy()\",1e300,\"gld_throughput\",\"\",1GB/s,1GB/s,1e300TB/s\n"
                           "\"T4\",\"copy()\",1e300,\"gld_transactions\",\"\",1,1,1e18\n");
  REQUIRE(file.launches.size() == 1);
  const auto& metrics = file.launches[0].counted.metrics;
  CHECK(file.launches[0].invocations == 1);
  CHECK_THAT(metrics.at("gld_throughput").missing, Catch::Matchers::ContainsSubstring("1e300TB/s"));
  CHECK(metrics.at("gld_transactions").value == 1e18);
}

TEST_CASE("nvprof: a file without a table of kernels is refused") {
  for (const std::string& text : {kHead, kHead + kSummary, kHead + "No kernels were profiled.\n"}) {
    const auto file = parse_nvprof_csv(text, "profile.csv");
    REQUIRE_FALSE(file);
    CHECK(file.error().kind == ErrorKind::kMalformed);
    CHECK_THAT(file.error().fix, Catch::Matchers::ContainsSubstring("nvprof --csv"));
  }
}

TEST_CASE("nvprof: Nsight Compute's file is not taken for one") {
  CHECK_FALSE(
      is_nvprof_csv("==PROF== Connected to process 1\n\"ID\",\"Kernel Name\",\"Device\"\n"));
  CHECK_FALSE(is_nvprof_csv("\"ID\",\"Kernel Name\",\"Block Size\",\"Device\",\"CC\"\n"));
  CHECK_FALSE(is_nvprof_csv(""));
}

TEST_CASE("nvprof: columns are called by name or by what nvprof says of the metric") {
  CHECK(nvprof_metric_of_column("gld_efficiency") == "gld_efficiency");
  CHECK(nvprof_metric_of_column("Global Memory Load Efficiency") == "gld_efficiency");
  CHECK(nvprof_metric_of_column("Duration").empty());
}

TEST_CASE("nvprof: a metric is judged as the counters that it is worked out from") {
  const auto rule = [](std::string_view name) -> const MetricRule& {
    for (const MetricRule& r : nvprof_rules())
      if (r.name == name) return r;
    throw std::runtime_error("no rule");
  };
  CHECK(rule("gld_transactions").match == Match::kExact);
  CHECK(rule("gst_efficiency").match == Match::kExact);
  CHECK(rule("gst_efficiency").resolution == 0.5e-6);  // six decimals
  CHECK(rule("dram_read_transactions").match == Match::kApproximate);
  CHECK(rule("dram_read_transactions").band == find_rule("dram__sectors_read.sum")->band);
  CHECK(rule("gld_throughput").band == find_rule("sm__cycles_elapsed.max")->band);
  CHECK(all_rules().size() ==
        metric_rules().size() + nvprof_rules().size() + ncu_ratio_rules().size());
}
