// The trace being written, shared by the threads of the recorder. The first failure is kept: from
// then on nothing more is written, what was written stays readable as .partial, and the GPU is
// still drained so that the program goes on.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "base/error.hpp"
#include "traces/format/writer.hpp"

namespace warpmem::record {

class Output {
 public:
  // `on_failure` runs once, with the first error.
  explicit Output(std::function<void(const Error&)> on_failure)
      : on_failure_(std::move(on_failure)) {}

  void open(const std::string& path, bool force, const trace::Origin& origin);
  bool is_open() const { return opened_; }
  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  void fail(const Error& error);

  std::uint32_t add_program(const trace::Program& program);
  void begin_launch(const trace::Launch& launch);
  void append(const trace::EncodedBlock& block);
  void end_launch(std::uint32_t id, const trace::LaunchEnd& end);
  void note_missing(const std::string& what);  // once each
  void seal();
  bool sealed() const { return sealed_; }

 private:
  template <class F>
  void write(F&& action);

  std::mutex mutex_;
  std::function<void(const Error&)> on_failure_;
  std::optional<trace::TraceWriter> writer_;
  std::set<std::string> noted_;
  std::atomic<bool> failed_{false};
  bool opened_ = false;
  bool sealed_ = false;
};

}  // namespace warpmem::record
