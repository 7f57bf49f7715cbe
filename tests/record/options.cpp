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

TEST_CASE("launch ranges are half open", "[record][options]") {
  const auto range = [](const char* text) {
    RecordOptions options;
    REQUIRE(parse_launches(text, options).ok());
    return std::pair(options.first_launch, options.last_launch);
  };
  CHECK(range("2:5") == std::pair<std::uint64_t, std::uint64_t>(2, 5));
  CHECK(range("2:") == std::pair<std::uint64_t, std::uint64_t>(2, RecordOptions::kNoLimit));
  CHECK(range(":5") == std::pair<std::uint64_t, std::uint64_t>(0, 5));
  CHECK(range("4") == std::pair<std::uint64_t, std::uint64_t>(4, 5));
  for (const char* wrong : {"", ":", "5:2", "3:3", "a", "1:b", "-1", "1:2:3", " 1"}) {
    RecordOptions options;
    INFO("'" << wrong << "'");
    CHECK_FALSE(parse_launches(wrong, options).ok());
  }
}

TEST_CASE("a wrong variable is an error that shows it", "[record][options]") {
  for (const char* wrong : {"0", "1.5", "-1", "x", "nan"}) {
    setenv("WARPMEM_RECORD_CTAS", wrong, 1);
    const auto read = from_environment();
    unsetenv("WARPMEM_RECORD_CTAS");
    INFO(wrong);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().message.find(wrong) != std::string::npos);
  }
}
