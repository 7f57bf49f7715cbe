// Options survive the way through the environment, and mistakes are named.
#include "traces/record/options.hpp"

#include <cstdlib>

#include "tests/catch.hpp"

using namespace warpmem::record;

namespace {

struct Environment {  // of this process, for one test
  explicit Environment(const RecordOptions& options) : pairs(to_environment(options)) {
    for (const auto& [name, value] : pairs) setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    for (const auto& [name, value] : pairs) unsetenv(name.c_str());
  }
  std::vector<std::pair<std::string, std::string>> pairs;
};

}  // namespace

TEST_CASE("options come out of the environment as they went in", "[record][options]") {
  RecordOptions options;
  options.output = "/tmp/a trace.wmt";
  options.kernel = "copy<.*>";
  options.first_launch = 3;
  options.last_launch = 9;
  options.ctas = 0.125;
  options.max_records = 1000000;
  options.times = "/tmp/the times.csv";
  options.strict = true;
  options.wait = false;
  options.buffer_bytes = 1 << 20;
  options.threads = 5;
  options.command = {"./app", "--size", "7"};
  const Environment environment(options);
  const auto read = from_environment();
  REQUIRE(read.ok());
  CHECK(read->output == options.output);
  CHECK(read->kernel == options.kernel);
  CHECK(read->first_launch == 3);
  CHECK(read->last_launch == 9);
  CHECK(read->ctas == 0.125);
  CHECK(read->max_records == 1000000);
  CHECK(read->times == options.times);
  CHECK(read->strict);
  CHECK_FALSE(read->wait);
  CHECK(read->buffer_bytes == 1 << 20);
  CHECK(read->threads == 5);
  CHECK(read->command == std::vector<std::string>{"./app --size 7"});
}

TEST_CASE("a wrong variable is an error that names it, its value and what to write",
          "[record][options]") {
  const std::pair<const char*, std::vector<const char*>> wrong[] = {
      {"WARPMEM_RECORD_CTAS", {"0", "1.5", "-1", "x", "nan"}},
      {"WARPMEM_RECORD_LAUNCHES", {":", "5:2", "3:3", "a", "-1", "1:2:3"}},
      {"WARPMEM_RECORD_MAX_RECORDS", {"-1", "0", "x", "1e6", "18446744073709551616"}},
      {"WARPMEM_RECORD_BUFFER", {"-1", "0", "2TiB", "x"}},
      {"WARPMEM_RECORD_THREADS", {"-1", "1025", "4294967297", "x"}},
      {"WARPMEM_RECORD_STRICT", {"yes", "2"}},
      {"WARPMEM_RECORD_WAIT", {"no", "-1"}}};
  for (const auto& [name, values] : wrong)
    for (const char* value : values) {
      setenv(name, value, 1);
      const auto read = from_environment();
      unsetenv(name);
      INFO(name << "=" << value);
      REQUIRE_FALSE(read.ok());
      CHECK(read.error().place == name);
      CHECK(read.error().message.find(value) != std::string::npos);
      CHECK_FALSE(read.error().fix.empty());
    }
}
