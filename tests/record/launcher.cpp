// Running a program, without a GPU: what it gets, what comes back, and what is said when it fails.
#include "traces/record/launcher.hpp"

#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/catch.hpp"

using namespace warpmem;
using namespace warpmem::record;

namespace {

RecordReport run(const std::string& script) {
  RecordOptions options;
  options.output = "/tmp/warpmem-test-launcher.wmt";
  options.command = {"/bin/sh", "-c", script};
  auto report = run_recorder(options, {"/no/recorder.so", "/no/sanitizer.so", ""});
  if (!report) FAIL(report.error().text());
  return *report;
}

}  // namespace

TEST_CASE("the program's exit status is the report's", "[record][launcher]") {
  CHECK(run("exit 0").status == 0);
  CHECK(run("exit 7").status == 7);
  const RecordReport killed = run("kill -9 $$");
  CHECK(killed.status == 128 + SIGKILL);
  CHECK(killed.signal == SIGKILL);
}

TEST_CASE("the program finds the recorder in its environment", "[record][launcher]") {
  const RecordReport report =
      run("test \"$CUDA_INJECTION64_PATH\" = /no/recorder.so || exit 1\n"
          "test \"$WARPMEM_SANITIZER_LIBRARY\" = /no/sanitizer.so || exit 2\n"
          "test \"$WARPMEM_RECORD_OUTPUT\" = /tmp/warpmem-test-launcher.wmt || exit 3\n"
          "test -d \"$(dirname \"$WARPMEM_RECORD_STATUS\")\" || exit 4\n");
  CHECK(report.status == 0);
  CHECK_FALSE(report.used_cuda);
  CHECK(report.processes.empty());
}

TEST_CASE("what the recorder reports is understood", "[record][launcher]") {
  const RecordReport report = parse_status(
      "loaded\t11\tt.wmt\t0\t0\t0\t0\t0\n"
      "begin\t11\tt.wmt\t0\t0\t0\t0\t0\n"
      "begin\t12\tt.wmt.12\t0\t0\t0\t0\t0\n"
      "end\t11\tt.wmt\t3\t1000\t2\t500000\t1\n"
      "nonsense\nend\t5\n\n");
  CHECK(report.used_cuda);
  REQUIRE(report.processes.size() == 2);
  CHECK(report.processes[0].ended);
  CHECK(report.processes[0].sealed);
  CHECK(report.processes[0].launches == 3);
  CHECK(report.processes[0].records == 1000);
  CHECK(report.processes[0].lost == 2);
  CHECK(report.processes[0].busy_seconds == Approx(0.5));
  CHECK(report.processes[1].output == "t.wmt.12");
  CHECK_FALSE(report.processes[1].ended);
}

TEST_CASE("a process that never ended is reported with what its partial trace holds",
          "[record][launcher]") {
  const RecordReport report =
      run("printf 'begin\\t42\\t/tmp/warpmem-none.wmt\\t0\\t0\\t0\\t0\\t0\\n' > "
          "$WARPMEM_RECORD_STATUS");
  REQUIRE(report.processes.size() == 1);
  CHECK(report.processes[0].output == "/tmp/warpmem-none.wmt.partial");
  CHECK(report.processes[0].records == 0);
}

TEST_CASE("a program that cannot be run is a usage error", "[record][launcher]") {
  RecordOptions options;
  for (const char* name : {"./no-such-program", "no-such-program-anywhere", "/tmp", "/dev/null"}) {
    options.command = {name};
    const auto checked = check_program(options);
    INFO(name);
    REQUIRE_FALSE(checked.ok());
    CHECK(checked.error().kind == ErrorKind::kUsage);
    CHECK(checked.error().message.find(name) != std::string::npos);
  }
  options.command = {"sh"};
  CHECK(check_program(options).ok());
  options.command = {"/bin/sh"};
  CHECK(check_program(options).ok());
  options.command.clear();
  CHECK_FALSE(check_program(options).ok());
}

TEST_CASE("missing parts are named with what to install", "[record][launcher]") {
  setenv("WARPMEM_RECORDER", "/no/such/recorder.so", 1);
  auto files = find_recorder_files();
  REQUIRE_FALSE(files.ok());
  CHECK(files.error().kind == ErrorKind::kEnvironment);
  setenv("WARPMEM_RECORDER", "/bin/sh", 1);
  setenv("WARPMEM_SANITIZER_DIR", "/no/such/folder", 1);
  files = find_recorder_files();
  REQUIRE_FALSE(files.ok());
  CHECK(files.error().fix.find("nvidia-cuda-sanitizer-api") != std::string::npos);
  unsetenv("WARPMEM_RECORDER");
  unsetenv("WARPMEM_SANITIZER_DIR");
}
