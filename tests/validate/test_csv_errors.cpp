// A file that cannot be used says why, what to do, and ends with the right status.
#include "tests/catch.hpp"
#include "tests/validate/csv_recipes.hpp"

using namespace warpmem;
using namespace warpmem::validate;
using namespace warpmem::validate::recipes;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Recipe {
  const char* name;
  std::string text;
  ErrorKind kind;
  const char* says;
};

const std::string kPermission =
    "==PROF== Connected to process 4711 (/tmp/app)\n"
    "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
    "Performance Counters on the target device 0.\nPASS\n";

const std::string kText =
    "==PROF== Connected to process 7 (/tmp/app)\n"
    "[7] app@127.0.0.1\n"
    "  scale(float *, int) (64, 1, 1)x(128, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n"
    "    Section: Command line profiler metrics\n"
    "    ------------------------ ----------- ------------\n"
    "    Metric Name              Metric Unit Metric Value\n"
    "    ------------------------ ----------- ------------\n"
    "    dram__sectors_read.sum        sector       12,288\n";

}  // namespace

TEST_CASE("ncu's text output is read, and says that CSV has more") {
  const auto file = parse_ncu_csv(kText, "f.txt");
  REQUIRE(file);
  REQUIRE(file->launches.size() == 1);
  const NcuLaunch& launch = file->launches.front();
  CHECK(launch.counted.kernel == "scale(float *, int)");
  CHECK(launch.counted.grid == Dim3{64, 1, 1});
  CHECK(launch.counted.block == Dim3{128, 1, 1});
  CHECK(launch.compute_capability == "9.0");
  CHECK(launch.counted.metrics.at(kDram).value == 12288);
  CHECK_THAT(file->report.notes.back(), ContainsSubstring("--csv"));
}

TEST_CASE("ncu's text of a launch that failed: the fix says how to get CSV of the same report") {
  const auto file = parse_ncu_csv("==ERROR== LaunchFailed\n" + kText, "f.txt");
  REQUIRE_FALSE(file);
  CHECK_THAT(file.error().fix, ContainsSubstring("ncu --import") && ContainsSubstring("--csv"));
}

TEST_CASE("files without a launch: one message, its kind, its fix") {
  const Recipe recipes[] = {
      {"empty file", "", ErrorKind::kMalformed, "the file is empty"},
      {"some other text", "hello\nworld\n", ErrorKind::kMalformed, "no Nsight Compute table"},
      {"another program's CSV", "Time,Name\n1,2\n", ErrorKind::kMalformed,
       "no Nsight Compute table"},
      {"binary",
       std::string("\x7f"
                   "ELF\0\0\1\2\"\"\n\0",
                   12),
       ErrorKind::kMalformed, "no Nsight Compute table"},
      {"a profiler that saw no kernel", "==WARNING== No kernels were profiled.\n",
       ErrorKind::kMalformed, "No kernels were profiled"},
      {"an error behind a warning", "==WARNING== clocks cannot be locked\n==ERROR== LaunchFailed\n",
       ErrorKind::kMalformed, "the profiler said: ==ERROR== LaunchFailed"},
      {"output for people of a program that failed", "==ERROR== LaunchFailed\n" + kText,
       ErrorKind::kMalformed, "the profiler said: ==ERROR== LaunchFailed"},
      {"header only", long_header(), ErrorKind::kMalformed, "a table with no launches"},
      {"units only", wide_header() + wide_units(), ErrorKind::kMalformed, "no launches"},
      {"rows that do not fit", long_header() + "\"0\",\"1\"\n", ErrorKind::kMalformed,
       "1 rows that do not fit"},
      {"no permission", kPermission, ErrorKind::kEnvironment, "ERR_NVGPUCTRPERM"},
      {"no permission, header", kPermission + long_header(), ErrorKind::kEnvironment,
       "not allowed to read the GPU's counters"},
  };
  for (const auto& recipe : recipes) {
    INFO(recipe.name);
    const auto file = parse_ncu_csv(recipe.text, "f.csv");
    REQUIRE_FALSE(file.ok());
    CHECK(file.error().kind == recipe.kind);
    CHECK_THAT(file.error().message, ContainsSubstring(recipe.says));
    CHECK(file.error().place == "f.csv");
    CHECK_FALSE(file.error().fix.empty());
  }
}

TEST_CASE("no permission: the fix names the setting, its meaning and the way without counters") {
  const auto file = parse_ncu_csv(kPermission, "f.csv");
  CHECK(exit_status(file.error().kind) == 6);
  CHECK_THAT(file.error().fix, ContainsSubstring("administrator"));
  CHECK_THAT(file.error().fix, ContainsSubstring("developer.nvidia.com/ERR_NVGPUCTRPERM"));
  CHECK_THAT(file.error().fix, ContainsSubstring("warpmem emulate"));
}

TEST_CASE("no permission for some launches only is a note") {
  const auto file = parse_ncu_csv(wide_table() + kPermission, "f.csv");
  REQUIRE(file.ok());
  CHECK(file->launches.size() == 2);
  CHECK(file->report.notes.size() == 2);
}

TEST_CASE("a file that is not there") {
  const auto file = read_ncu_csv("/nonexistent/f.csv");
  REQUIRE_FALSE(file.ok());
  CHECK(exit_status(file.error().kind) == 2);
  CHECK_FALSE(read_ncu_csv("/").ok());
}

TEST_CASE("counted on another GPU") {
  const auto file =
      parse_ncu_csv(wide_header() + wide_units() + wide_row("0", "1", "2", "k()", "8.0"), "f.csv");
  CHECK(check_same_gpu(*file, "8.0", "a100", "f.csv").ok());
  const auto same = check_same_gpu(*file, "9.0", "h200", "f.csv");
  REQUIRE_FALSE(same.ok());
  CHECK(exit_status(same.error().kind) == 2);
  CHECK(same.error().message ==
        "counted on another GPU: compute capability 8.0, while card h200 has 9.0");
}

TEST_CASE("launches without any counter that warpmem predicts") {
  const auto file = parse_ncu_csv(
      long_header() + long_row("0", "Registers Per Thread", "register/thread", "5"), "f.csv");
  REQUIRE(file.ok());
  const auto has = check_has_counters(*file, "f.csv");
  REQUIRE_FALSE(has.ok());
  CHECK(exit_status(has.error().kind) == 3);
  CHECK_THAT(has.error().fix, ContainsSubstring("--list-metrics"));
  const auto na = parse_ncu_csv(long_header() + long_row("0", kDram, "sector", "n/a"), "f.csv");
  CHECK_FALSE(check_has_counters(*na, "f.csv").ok());
}
