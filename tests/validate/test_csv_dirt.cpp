// Every shape and every dirt that a profiler's CSV has been seen with still gives the counters.
#include "tests/catch.hpp"
#include "tests/validate/csv_recipes.hpp"

using namespace warpmem;
using namespace warpmem::validate;
using namespace warpmem::validate::recipes;

namespace {

NcuImport read(const std::string& text) {
  auto file = parse_ncu_csv(text, "f.csv");
  INFO((file ? std::string() : file.error().text()));
  REQUIRE(file.ok());
  return std::move(file).value();
}

// The two launches of wide_table(), whatever stands around them.
void check_wide(const NcuImport& file) {
  REQUIRE(file.launches.size() == 2);
  CHECK(value(file, 0, kDram) == 524376);
  CHECK(value(file, 0, kLoads) == 524288);
  CHECK(value(file, 1, kDram) == 96);
  CHECK(value(file, 1, kLoads) == 131072);
  CHECK(file.launches[0].counted.grid == Dim3{4096, 1, 1});
  CHECK(file.launches[0].counted.block == Dim3{256, 1, 1});
  CHECK(file.launches[1].counted.kernel == "void scale<float, (int)4>(T1 *, int)");
  CHECK(file.compute_capability == "9.0");
}

std::string utf16(const std::string& ascii, bool little) {
  std::string out = little ? "\xFF\xFE" : "\xFE\xFF";
  for (char c : ascii) {
    if (little) out += {c, '\0'};
    else out += {'\0', c};
  }
  return out;
}

std::string replace(std::string s, const std::string& from, const std::string& to) {
  for (auto p = s.find(from); p != std::string::npos; p = s.find(from, p + to.size()))
    s.replace(p, from.size(), to);
  return s;
}

}  // namespace

TEST_CASE("the wide form: a row of units, then a row a launch") {
  const auto file = read(wide_table());
  check_wide(file);
  CHECK(file.shape == NcuShape::kWide);
  CHECK(file.device == "NVIDIA H200");
  CHECK(file.launches[0].units.at(kDram) == "sector");
}

TEST_CASE("the long form: a row for each metric of a launch") {
  const auto file =
      read(long_header() + long_row("0", kLoads, "sector", "1,024") +
           long_row("0", kDram, "sector", "2,048") + long_row("1", kLoads, "sector", "7"));
  CHECK(file.shape == NcuShape::kLong);
  REQUIRE(file.launches.size() == 2);
  CHECK(value(file, 0, kDram) == 2048);
  CHECK(value(file, 1, kLoads) == 7);
  CHECK(file.launches[1].id == "1");
}

TEST_CASE("the summary form: the average, and whether launches differ") {
  const std::string header =
      quoted_row({"Process ID", "Process Name", "Host Name", "Kernel Name", "Block Size",
                  "Grid Size", "Device", "CC", "Invocations", "Section Name", "Metric Name",
                  "Metric Unit", "Minimum", "Maximum", "Average"});
  const auto row = [](const char* metric, const char* low, const char* high, const char* mean) {
    return quoted_row({"4711", "app", "h", "copy(float *)", "(256, 1, 1)", "(16, 1, 1)", "0", "9.0",
                       "14", "Command line profiler metrics", metric, "sector", low, high, mean});
  };
  const auto file = read(header + row(kLoads.c_str(), "8", "8", "8.00") +
                         row(kDram.c_str(), "1,000", "1,200", "1,100.00"));
  CHECK(file.shape == NcuShape::kSummary);
  REQUIRE(file.launches.size() == 1);
  CHECK(file.launches[0].invocations == 14);
  CHECK(file.launches[0].varies);
  CHECK(value(file, 0, kDram) == 1100);
}

TEST_CASE("profiler lines and the program's output before, inside and after") {
  const std::string rows = wide_row("0", "524,376", "524,288");
  const auto file = read("==PROF== Connected to process 4711 (/tmp/app)\nstep 1\nstep 2, done\n\n" +
                         wide_header() + wide_units() + "elapsed: 3 ms\n" + rows +
                         "a \"quoted\" remark\n==WARNING== slow\n" +
                         wide_row("1", "96", "131,072", "void scale<float, (int)4>(T1 *, int)") +
                         "Result = PASS\n==PROF== Disconnected from process 4711\n");
  check_wide(file);
  CHECK(file.report.profiler_lines == 3);
  CHECK(file.report.foreign_lines == 5);
  CHECK(file.report.notes.front() == "==WARNING== slow");
}

TEST_CASE("the header behind an unfinished line of the program") {
  const auto file = read("Sum of 3, 4 = 7 " + wide_table());
  check_wide(file);
  CHECK(file.report.rescued_rows == 1);
}

TEST_CASE("a row behind, or before, the program's output") {
  const std::string second = wide_row("1", "96", "131,072", "void scale<float, (int)4>(T1 *, int)");
  SECTION("behind") {
    const auto file = read(wide_header() + wide_units() + "progress 10 %" +
                           wide_row("0", "524,376", "524,288") + "\"odd\" " + second);
    check_wide(file);
    CHECK(file.report.rescued_rows == 2);
  }
  SECTION("before, even with commas in it") {
    std::string first = wide_row("0", "524,376", "524,288");
    first.pop_back();
    const auto file = read(wide_header() + wide_units() + first + "ok, 3 of 5, \n" + second);
    check_wide(file);
    CHECK(file.report.rescued_rows == 1);
  }
}

TEST_CASE("an unclosed quote in the program's output costs its own line only") {
  const auto file =
      read(wide_header() + wide_units() + "\"never closed\n" + wide_row("0", "524,376", "524,288") +
           "say \"hi\n" + wide_row("1", "96", "131,072", "void scale<float, (int)4>(T1 *, int)"));
  check_wide(file);
  CHECK(file.report.damaged_rows == 1);
  CHECK(file.report.foreign_lines == 1);
}

TEST_CASE("byte-order marks, UTF-16, CRLF") {
  SECTION("UTF-8 mark") { check_wide(read("\xEF\xBB\xBF" + wide_table())); }
  SECTION("UTF-16, little") { check_wide(read(utf16(wide_table(), true))); }
  SECTION("UTF-16, big") { check_wide(read(utf16(wide_table(), false))); }
  SECTION("CRLF") { check_wide(read(replace(wide_table(), "\n", "\r\n"))); }
  SECTION("no newline at the end") {
    std::string text = wide_table();
    text.pop_back();
    check_wide(read(text));
  }
}

TEST_CASE("a spreadsheet's semicolons and tabs, without quotes") {
  for (const std::string mark : {";", "\t"}) {
    std::string text = replace(replace(wide_table(), "\",\"", "\x01"), "\"", "");
    check_wide(read(replace(text, "\x01", mark)));
  }
}

TEST_CASE("quoted fields with newlines and doubled quotes") {
  const auto file =
      read(wide_header() + wide_units() + wide_row("0", "524,376", "524,288", "copy(\n  float *)") +
           wide_row("1", "1", "2", "k<\"\"x\"\">()"));
  REQUIRE(file.launches.size() == 2);
  CHECK(file.launches[0].counted.kernel == "copy(\n  float *)");
  CHECK(file.launches[1].counted.kernel == "k<\"x\">()");
}

TEST_CASE("n/a, nan and empty cells are reasons, not zeros") {
  const auto file = read(wide_header() + wide_units() + wide_row("0", "n/a", "(!) nan") +
                         wide_row("1", "", "12"));
  const auto& m = file.launches[0].counted.metrics;
  CHECK(m.at(kDram).missing == "the profiler printed n/a");
  CHECK(m.at(kLoads).missing == "the profiler printed nan");
  CHECK(file.launches[1].counted.metrics.at(kDram).missing == "empty cell");
  CHECK(file.report.without_value == 3);
}

TEST_CASE("text in a counter's cell is reported, text elsewhere is kept") {
  const auto file = read(wide_header() + wide_units() + wide_row("0", "many", "12"));
  CHECK(file.report.unread.size() == 1);
  CHECK_FALSE(file.launches[0].counted.metrics.at(kDram).known());
  CHECK(file.launches[0].text.at("device__attribute_display_name") == "NVIDIA H200");
}

TEST_CASE("scaled units become base units, and are known to be rounded") {
  const auto file =
      read(long_header() + long_row("0", "dram__bytes_read.sum", "Mbyte", "16.78") +
           long_row("0", "gpu__time_duration.sum", "usecond", "4.61") +
           long_row("0", "sm__throughput.pct", "%", "65.5") +
           long_row("0", kDram, "Ksector", "1.5") + long_row("0", "a__b.sum", "furlong", "3"));
  CHECK(value(file, 0, "dram__bytes_read.sum") == Approx(16780000));
  CHECK(value(file, 0, "gpu__time_duration.sum") == Approx(4610));
  CHECK(value(file, 0, "sm__throughput.pct") == 65.5);
  CHECK(value(file, 0, kDram) == 1500);
  CHECK(value(file, 0, "a__b.sum") == 3);
  CHECK(file.launches[0].units.at("gpu__time_duration.sum") == "ns");
  CHECK(file.report.unknown_units == std::vector<std::string>{"furlong"});
  CHECK(file.report.notes.size() == 1);
}

TEST_CASE("a locale that writes 1.234,5 is noticed from the whole file") {
  const auto file =
      read(long_header() + long_row("0", kLoads, "sector", "27.595.520") +
           long_row("0", kDram, "sector", "117.344") + long_row("0", "x__pct.pct", "%", "65,77"));
  CHECK(file.style == NumberStyle::kComma);
  CHECK(value(file, 0, kDram) == 117344);
  CHECK(value(file, 0, "x__pct.pct") == Approx(65.77));
}

TEST_CASE("the profiler's advice is no counter") {
  const std::string header = quoted_row({"ID", "Process ID", "Kernel Name", "Metric Name",
                                         "Metric Unit", "Metric Value", "Rule Name", "Rule Type"});
  const auto file = read(header + quoted_row({"0", "1", "k()", kDram, "sector", "5", "", ""}) +
                         quoted_row({"0", "1", "k()", "", "", "", "Bottleneck", "OPT"}));
  CHECK(file.launches.size() == 1);
  CHECK(file.report.rule_rows == 1);
  CHECK_FALSE(file.launches[0].has_shape);
}

// The details page as ncu writes it: rows of metrics end behind the value and a comma, and only
// those of rules fill the header's columns.
static std::string details_page() {
  const std::vector<std::string> launch{
      "0",           "7",          "app", "127.0.0.1", "scale(float *, int)", "1", "7",
      "(128, 1, 1)", "(64, 1, 1)", "0",   "9.0"};
  const auto row = [](std::vector<std::string> cells, std::initializer_list<std::string> more,
                      const std::string& end) {
    cells.insert(cells.end(), more);
    std::string out;
    for (const auto& cell : cells) out += (out.empty() ? "\"" : ",\"") + cell + "\"";
    return out + end;
  };
  return row({"ID",
              "Process ID",
              "Process Name",
              "Host Name",
              "Kernel Name",
              "Context",
              "Stream",
              "Block Size",
              "Grid Size",
              "Device",
              "CC",
              "Section Name",
              "Metric Name",
              "Metric Unit",
              "Metric Value",
              "Rule Name",
              "Rule Type",
              "Rule Description",
              "Estimated Speedup Type",
              "Estimated Speedup"},
             {}, "\n") +
         row(launch, {"GPU Speed Of Light Throughput", "Elapsed Cycles", "cycle", "4,096"}, ",\n") +
         row(launch, {"Command line profiler metrics", kDram, "sector", "12,288"}, ",\n") +
         row(launch,
             {"SourceCounters", "", "", "", "UncoalescedGlobalAccess", "OPT",
              "12288 sectors, of which", "global", "62.5"},
             "\n") +
         row(launch, {"Command line profiler metrics", kLoads, "sector", "16,384"}, "\n");
}

TEST_CASE("the details page: its rows of metrics are shorter than the header") {
  const auto file = parse_ncu_csv(details_page(), "f.csv");
  REQUIRE(file);
  REQUIRE(file->launches.size() == 1);
  CHECK(value(*file, 0, kDram) == 12288);
  CHECK(value(*file, 0, kLoads) == 16384);
  CHECK(file->launches[0].counted.grid == Dim3{64, 1, 1});
  CHECK(file->report.rule_rows == 1);
  CHECK(file->report.damaged_rows == 0);
}

TEST_CASE("the details page, cut at any byte, never invents a counter") {
  const std::string whole = details_page();
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const auto file = parse_ncu_csv(whole.substr(0, bytes), "f.csv");
    if (!file) continue;
    for (const auto& [name, read] : file->launches[0].counted.metrics) {
      INFO(bytes << " bytes: " << name);
      CHECK((!read.known() || read.value == (name == kDram    ? 12288
                                             : name == kLoads ? 16384
                                                              : 4096)));
    }
  }
}

TEST_CASE("files one after the other: the same ID again is another launch") {
  const std::string one = long_header() + long_row("0", kDram, "sector", "5");
  const auto file = read(one + "==PROF== Connected to process 2\n" + one);
  REQUIRE(file.launches.size() == 2);
  CHECK(file.report.headers == 2);
  CHECK(file.launches[1].counted.launch == 1);
}

TEST_CASE("a metric that stands in two sections counts once") {
  const auto file = read(long_header() + long_row("0", kDram, "sector", "5") +
                         long_row("0", kDram, "sector", "5"));
  CHECK(value(file, 0, kDram) == 5);
  CHECK(file.report.repeated == 1);
}

TEST_CASE("rows that do not fit the header are counted") {
  const auto file = read(long_header() + long_row("0", kDram, "sector", "5") +
                         quoted_row({"1", "2", "cut"}) + "\"3\",\"47");
  CHECK(file.launches.size() == 1);
  CHECK(file.report.damaged_rows == 2);
}

TEST_CASE("the shape comes from the launch metrics when its columns are not there") {
  const std::string header = quoted_row(
      {"ID", "Kernel Name", "launch__grid_dim_x", "launch__grid_dim_y", "launch__grid_dim_z",
       "launch__block_dim_x", "launch__block_dim_y", "launch__block_dim_z", kDram});
  const auto file = read(header + quoted_row({"", "", "", "", "", "", "", "", "sector"}) +
                         quoted_row({"0", "k", "12", "3", "1", "32", "8", "1", "9"}));
  REQUIRE(file.launches.size() == 1);
  CHECK(file.launches[0].has_shape);
  CHECK(file.launches[0].counted.grid == Dim3{12, 3, 1});
  CHECK(file.launches[0].counted.block == Dim3{32, 8, 1});
}

TEST_CASE("cutting a file at any byte never invents a counter") {
  const std::string whole = "noise\n" + wide_table();
  const auto full = read(whole);
  for (std::size_t n = 0; n <= whole.size(); ++n) {
    const auto cut = parse_ncu_csv(whole.substr(0, n), "f.csv");
    if (!cut) continue;
    REQUIRE(cut->launches.size() <= full.launches.size());
    for (std::size_t i = 0; i + 1 < cut->launches.size(); ++i)
      REQUIRE(value(*cut, i, kDram) == value(full, i, kDram));
  }
}
