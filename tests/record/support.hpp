// A launch to record into, and a trace in a temporary file to look at afterwards.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

#include "tests/catch.hpp"
#include "traces/format/reader.hpp"
#include "traces/record/launch_state.hpp"
#include "traces/record/output.hpp"

namespace warpmem::record {

constexpr std::uint32_t kCodeStart = 0x10000;  // where the tests' kernel was loaded

inline std::shared_ptr<LaunchState> make_launch(std::uint32_t id, std::uint32_t ctas,
                                                std::uint32_t threads) {
  auto state = std::make_shared<LaunchState>();
  state->launch.id = id;
  state->launch.grid = {ctas, 1, 1};
  state->launch.block = {threads, 1, 1};
  auto code = std::make_shared<CodeMap>();
  code->ranges = {{kCodeStart, 0x1000, 0}};
  code->reductions = {0x40};
  code->frame_offsets = {{0x80, 0x10}};
  state->code = code;
  state->threads_expected = std::uint64_t{ctas} * threads;
  return state;
}

class TraceFile {
 public:
  TraceFile()
      : path_("/tmp/warpmem-test-" + std::to_string(getpid()) + "-" + std::to_string(++count()) +
              ".wmt") {
    output.open(path_, false, {});
    trace::Program program;
    program.name = program.demangled = "kernel";
    program.files = {""};
    output.add_program(program);
  }
  ~TraceFile() {
    std::remove(path_.c_str());
    std::remove((path_ + ".partial").c_str());
  }
  trace::TraceReader read() {
    output.seal();
    auto reader = trace::TraceReader::open(path_);
    if (!reader) FAIL(reader.error().text());
    return std::move(*reader);
  }
  Output output{[this](const Error& error) { failure = error.text(); }};
  std::string failure;

 private:
  static int& count() {
    static int value = 0;
    return value;
  }
  std::string path_;
};

}  // namespace warpmem::record
