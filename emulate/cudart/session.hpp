// One emulated process: what it was asked to trace, and the trace it leaves. The command passes the
// options in environment variables, and the GPU among them: a card says what that is.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "emulate/cudart/device.hpp"
#include "emulate/cudart/launch_blocks.hpp"
#include "emulate/executor/executor.hpp"
#include "emulate/toolkit/code_level.hpp"
#include "emulate/toolkit/toolkit.hpp"
#include "traces/format/repeats.hpp"
#include "traces/format/steps.hpp"
#include "traces/format/writer.hpp"

namespace warpmem::cudart {

struct Function;

// What became of a launch that was to be traced.
enum class Traced {
  kOther,    // it is in the trace
  kSame,     // it is, and did what the launch before it in the trace did
  kLeftOut,  // it did the same, and is not in the trace
};

struct SessionOptions {
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  std::string output;              // empty: no trace
  bool force = false;              // an output that is there already may be replaced
  std::string kernel;              // regular expression on the demangled name; empty: all
  std::uint64_t first_launch = 0;  // launches [first, last) of the process, from 0
  std::uint64_t last_launch = kNoLimit;
  double ctas = 1;  // fraction of each launch's CTAs that is traced, (0, 1]
  std::uint64_t max_records = kNoLimit;
  std::uint64_t repeats = 1;           // of equal launches in a row so many are traced; 0: all
  bool check = false;                  // report uninitialised reads and hazards in shared memory
  std::uint64_t threads = 0;           // 0: one a core
  std::uint64_t max_instructions = 0;  // warp instructions a kernel; 0: no limit
  bool strict = false;                 // every access out of bounds is a fault
  emulate::CodeLevel level = emulate::CodeLevel::kBest;  // which code programs run
  std::string tool = "warpmem emulate";
  std::string command;  // for the trace's origin
  std::string status;   // file for the command's eyes; empty: none
  Device device;
};

// (name, value) pairs, one for each option that differs from its default, and back.
std::vector<std::pair<std::string, std::string>> to_environment(const SessionOptions& options);
Result<SessionOptions> options_from_environment();

class Session {
 public:
  explicit Session(SessionOptions options);
  const SessionOptions& options() const { return options_; }

  // A launch's number, whether or not it is traced.
  std::uint32_t next_launch() { return next_launch_++; }
  bool wanted(std::uint32_t launch, const std::string& kernel);

  // Between begin and end the launch's records go to the tracer. Null: it is not traced.
  // `resources` may be null: they are not known. `why_ptx`: the reason to say, once, where PTX
  // runs. `unless_equal`: it is left out if it does what the launch before it in the trace did.
  emulate::Tracer* begin(trace::Launch launch, const emulate::Kernel& kernel,
                         const emulate::Resources* resources, const std::string& why_ptx,
                         Function& function, bool unless_equal);
  Traced end(const emulate::RunStatistics& statistics, const Error* failure);
  // A launch that is not traced, as it is equal to the last one in the trace. `as_many`:
  // instructions that it ran.
  void repeat(bool as_many);
  void count(const emulate::RunStatistics& statistics);  // of a launch that is not traced

  // What the program asked of the GPU, its launches among the rest, in that order.
  void note_step(const host::Operation& step);

  void note_once(
      const std::string& text);           // what is worth knowing where all is well; the first time
  void note_warning(const Error& error);  // prints it; may be called by several threads
  void note_error(const Error& error);    // prints it, and tells the command which kind
  void note_hazard(const std::string& text);  // what --check found
  // Nothing is traced afterwards. The trace gets its name, unless a launch did not end: then it
  // stays a .partial.
  void seal();
  void forget();                       // in a forked child: the trace is the parent's
  bool busy() const { return busy_; }  // inside the writer: sealing from a signal would break it

 private:
  bool open(const std::string& arch, trace::Level level, const std::string& stand_in);
  std::int64_t write_program(const emulate::Kernel& kernel, const emulate::Resources* resources,
                             const std::string& why_ptx);
  void write_repeats();
  void write_steps();
  void note(const std::string& text);
  void fail(const Error& error);
  void tell(const char* event);
  void tell_line(const std::string& line);

  SessionOptions options_;
  std::optional<std::regex> kernel_;
  std::optional<trace::TraceWriter> writer_;
  std::optional<emulate::Tracer> tracer_;
  std::uint32_t next_launch_ = 0, current_ = 0;
  std::optional<LaunchBlocks> blocks_;              // of the launch that runs
  trace::Repeats repeats_;                          // of the last launch in the trace
  std::uint64_t last_hash_ = 0;                     // of its records
  std::vector<trace::Bytes> steps_;                 // bodies of those that are not in the trace yet
  std::uint32_t step_ = 0;                          // how many there are
  std::uint64_t repeated_ = 0, other_repeats_ = 0;  // of all launches
  std::set<std::string> told_;                      // reasons why kernels are traced as PTX
  std::uint64_t launches_ = 0, records_ = 0, thread_instructions_ = 0;
  double seconds_ = 0;
  std::int64_t begun_ns_ = 0;
  bool closed_ = false, sealed_ = false, opened_ = false, noted_limit_ = false;
  bool cut_ = false;  // a launch did not end
  std::mutex warning_;
  std::set<std::string> warned_;
  volatile bool busy_ = false;
};

}  // namespace warpmem::cudart
