// Traces of programs are made once while points ask for them, whatever the threads.
#include "sweep/trace_set.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/catch.hpp"

using namespace warpmem;
using namespace warpmem::sweep;

namespace {

Changes point(const std::string& block, const std::string& size) {
  return {{"block", block}, {"l1.size", size}};
}

TraceSource source(std::vector<std::string>& made, std::size_t kept) {
  return TraceSource({"block"}, kept,
                     [&made](const Changes& program) -> Result<TraceSource::Traces> {
                       made.push_back(program.at(0).second);
                       if (made.back() == "7")
                         return Error{ErrorKind::kUsage, "no such block", "", ""};
                       return std::make_shared<const TraceSet>(std::vector<trace::TraceReader>{});
                     });
}

}  // namespace

TEST_CASE("points of one program have the same traces") {
  std::vector<std::string> made;
  TraceSource s = source(made, 2);
  const auto a = s.of(point("32", "1")), b = s.of(point("32", "2")), c = s.of(point("64", "1"));
  REQUIRE(a.ok());
  CHECK(*a == *b);
  CHECK(*a != *c);
  CHECK(made == std::vector<std::string>{"32", "64"});
}

TEST_CASE("only the latest programs' traces are kept, and all failures") {
  std::vector<std::string> made;
  TraceSource s = source(made, 2);
  for (const char* block : {"7", "32", "64", "32", "128", "7", "32", "64"})
    CHECK(s.of(point(block, "1")).ok() == (std::string(block) != "7"));
  // 128 pushes out 64, which nobody had asked for since.
  CHECK(made == std::vector<std::string>{"7", "32", "64", "128", "64"});
}

TEST_CASE("threads that want one program wait for who makes it") {
  std::atomic<int> made = 0;
  TraceSource s({"block"}, 1, [&](const Changes&) -> Result<TraceSource::Traces> {
    ++made;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return std::make_shared<const TraceSet>(std::vector<trace::TraceReader>{});
  });
  std::vector<TraceSource::Traces> got(8);
  {
    std::vector<std::jthread> threads;
    for (TraceSource::Traces& g : got)
      threads.emplace_back([&] { g = s.of(point("32", "1")).value(); });
  }
  CHECK(made == 1);
  for (const auto& g : got) CHECK(g == got[0]);
}
