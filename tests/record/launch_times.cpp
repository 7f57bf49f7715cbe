// What --times writes, and the GPU's clock of which only the low half is known.
#include "traces/record/launch_times.hpp"

#include <fstream>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/record/support.hpp"
#include "traces/record/gpu_clock.hpp"

using namespace warpmem::record;

TEST_CASE("the GPU's clock may run over between the first warp and the last", "[record][times]") {
  GpuClock clock;
  CHECK_FALSE(clock.span());
  clock.note(0xfffffff0u);
  clock.note(0x10u);
  clock.note(0xffffff00u);  // an earlier one, read later
  CHECK(clock.span() == 0x110u);
  GpuClock other;
  other.note(0x20u);
  other.merge(clock);
  CHECK(other.span() == 0x120u);
  other.merge(GpuClock{});
  CHECK(other.span() == 0x120u);
}

TEST_CASE("each launch is a line of the times' file", "[record][times]") {
  TraceFile trace;
  const std::string path = "/tmp/warpmem-times-" + std::to_string(getpid()) + ".csv";
  const auto launch = make_launch(7, 1, 32);
  launch->records = 12;
  launch->bytes = 34;
  launch->gpu_clock.note(1000);
  launch->gpu_clock.note(3500);
  launch->begun = launch->returned = std::chrono::steady_clock::now();
  {
    LaunchTimes times(path, false, trace.output);
    times.add(*launch, "copy<\"a\">(float*, int)");
    launch->read = launch->begun + std::chrono::microseconds(250);
    times.add(*launch, "k");
    CHECK_FALSE(std::ifstream(path));  // it gets its name when it is whole
    times.close();
  }
  std::ifstream file(path);
  std::string header, first, second, end;
  std::getline(file, header);
  std::getline(file, first);
  std::getline(file, second);
  CHECK(header == "launch,kernel,records,bytes,gpu_us,returned_us,read_us,written_us");
  CHECK(first.starts_with("7,\"copy<\"\"a\"\">(float*, int)\",12,34,2.5,0.0,n/a,"));
  CHECK(second.starts_with("7,\"k\",12,34,2.5,0.0,250.0,"));
  CHECK_FALSE(std::getline(file, end));
  std::remove(path.c_str());
}

TEST_CASE("without a name no times are written", "[record][times]") {
  TraceFile trace;
  LaunchTimes times("", false, trace.output);
  times.add(*make_launch(0, 1, 32), "k");
  CHECK(trace.failure.empty());
}

TEST_CASE("times that cannot be written are told in the trace", "[record][times]") {
  TraceFile trace;
  LaunchTimes times("/no/such/folder/times.csv", false, trace.output);
  times.add(*make_launch(0, 1, 32), "k");
  times.add(*make_launch(1, 1, 32), "k");
  const auto reader = trace.read();
  REQUIRE(reader.quality().notes.size() == 1);
  CHECK(reader.quality().notes[0].find("/no/such/folder/times.csv") != std::string::npos);
}
