#include "emulate/cudart/session.hpp"

#include "emulate/cudart/registry.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/printable.hpp"
#include "emulate/cudart/tell_command.hpp"

namespace warpmem::cudart {
namespace {

std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

struct Busy {
  explicit Busy(volatile bool& flag) : flag_(flag) { flag_ = true; }
  ~Busy() { flag_ = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  volatile bool& flag_;
};

}  // namespace

Session::Session(SessionOptions options) : options_(std::move(options)) {
  if (!options_.kernel.empty())
    kernel_.emplace(options_.kernel, std::regex::ECMAScript | std::regex::optimize);
  tell("loaded");
}

bool Session::wanted(std::uint32_t launch, const std::string& kernel) {
  if (closed_ || options_.output.empty() || launch < options_.first_launch ||
      launch >= options_.last_launch)
    return false;
  if (records_ >= options_.max_records) {
    if (!noted_limit_ && writer_) {
      noted_limit_ = true;
      const Busy busy(busy_);
      if (auto ok = writer_->note_missing(
              fmt::format("launches from {} on: --max-records was reached", launch));
          !ok)
        fail(ok.error());
    }
    return false;
  }
  return !kernel_ || std::regex_search(kernel, *kernel_);
}

void Session::repeat(bool as_many) {
  ++repeats_.ran, ++repeated_;
  if (!as_many) ++repeats_.otherwise, ++other_repeats_;
}

// What is known now of the last launch in the trace: another one follows, or nothing.
void Session::write_repeats() {
  const trace::Repeats last = std::exchange(repeats_, {});
  if (last.ran == 1 || !writer_) return;
  if (auto ok = writer_->note_missing(trace::repeats_note(last)); !ok) fail(ok.error());
}

void Session::note_step(const host::Operation& step) {
  if (closed_ || options_.output.empty()) return;
  constexpr std::size_t kBodyBytes = 256 << 10;
  if (steps_.empty() || steps_.back().size() >= kBodyBytes)
    trace::put_varint(steps_.emplace_back(), step_);
  trace::put_step(steps_.back(), step, step_++);
  if (steps_.size() < 2 || !writer_) return;
  const Busy busy(busy_);
  trace::Bytes last = std::move(steps_.back());
  steps_.pop_back();
  write_steps();
  steps_.push_back(std::move(last));
}

void Session::write_steps() {
  for (const trace::Bytes& body : std::exchange(steps_, {}))
    if (writer_)
      if (auto ok = writer_->add_steps(body); !ok) fail(ok.error());
}

bool Session::open(const std::string& arch, trace::Level level, const std::string& stand_in) {
  if (opened_) return writer_.has_value();
  opened_ = true;
  if (!options_.status
           .empty()) {  // the first process gets the output's own name, its children theirs
    const int file =
        ::open((options_.status + ".claim").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) options_.output += "." + std::to_string(getpid());
    else ::close(file);
  }
  trace::Origin origin;
  origin.level = level;
  origin.tool = options_.tool, origin.command = options_.command;
  origin.gpu = options_.device.name + " (emulated)", origin.arch = arch;
  origin.sms = static_cast<std::uint32_t>(options_.device.sms);
  if (level == trace::Level::kPtx)
    origin.missing = {
        "what ptxas merges, drops or adds (registers spilled to local memory): the trace is of "
        "PTX"};
  if (!stand_in.empty()) origin.missing.push_back(stand_in);
  auto made = trace::TraceWriter::create(options_.output, origin, {options_.force, 3});
  if (!made) {
    fail(made.error());
    return false;
  }
  writer_.emplace(std::move(*made));
  tell("begin");
  return true;
}

std::int64_t Session::write_program(const emulate::Kernel& kernel,
                                    const emulate::Resources* resources,
                                    const std::string& why_ptx) {
  trace::Program program = emulate::describe(kernel);
  if (resources) {
    program.registers = resources->registers;
    program.static_shared = resources->static_shared;
    program.local_bytes = resources->local_bytes;
  }
  auto number = writer_->add_program(program);
  if (!number) return fail(number.error()), -1;
  if (!why_ptx.empty() && told_.insert(why_ptx).second)
    note(fmt::format("{} runs as PTX: {}", program.demangled, why_ptx));
  return *number;
}

// The command says it at the end, where somebody wants to read it.
void Session::note(const std::string& text) {
  if (!options_.status.empty()) return tell_line(fmt::format("note\t{}\n", printable(text)));
  std::fflush(stdout);
  std::fputs(fmt::format("warpmem: note: {}\n", printable(text)).c_str(), stderr);
}

emulate::Tracer* Session::begin(trace::Launch launch, const emulate::Kernel& kernel,
                                const emulate::Resources* resources, const std::string& why_ptx,
                                Function& function, bool unless_equal) {
  const Busy busy(busy_);
  begun_ns_ = now_ns();
  const std::string& arch = kernel.module->module().target;
  const trace::Level level = kernel.machine ? trace::Level::kSass : trace::Level::kPtx;
  if (!open(arch, level, function.module->stand_in)) return nullptr;
  if (function.program < 0) function.program = write_program(kernel, resources, why_ptx);
  if (!writer_) return nullptr;
  launch.program = static_cast<std::uint32_t>(function.program);
  current_ = launch.id;
  blocks_.emplace(*writer_, std::move(launch));
  if (unless_equal) blocks_->hold();
  if (auto ok = blocks_->begin(); !ok) return fail(ok.error()), nullptr;
  tracer_.emplace([this](trace::EncodedBlock block) { return blocks_->append(std::move(block)); },
                  current_);
  if (options_.ctas < 1) tracer_->keep_fraction(options_.ctas);
  if (options_.max_records != SessionOptions::kNoLimit)
    tracer_->stop_after(options_.max_records - records_);
  return &*tracer_;
}

Traced Session::end(const emulate::RunStatistics& statistics, const Error* failure) {
  const Busy busy(busy_);
  thread_instructions_ += statistics.thread_instructions;
  seconds_ += static_cast<double>(now_ns() - begun_ns_) * 1e-9;
  if (!writer_ || !tracer_) return Traced::kOther;
  const std::uint64_t hash = blocks_->hash() ^ statistics.thread_instructions;
  const bool same = !failure && !tracer_->stopped() && hash == last_hash_;
  if (same && blocks_->held()) {
    tracer_.reset(), blocks_.reset();
    repeat(true);
    return Traced::kLeftOut;
  }
  if (auto ok = blocks_->release(); !ok) return fail(ok.error()), Traced::kOther;
  write_repeats();
  if (closed_) return Traced::kOther;  // the trace cannot be written
  last_hash_ = hash, repeats_.launch = current_;
  records_ += tracer_->records(), ++launches_;
  const Traced traced = same ? Traced::kSame : Traced::kOther;
  trace::LaunchEnd end;
  end.truncated = failure != nullptr || tracer_->stopped();
  end.skipped_ctas = tracer_->skipped();
  end.times = tracer_->times(statistics.times);
  tracer_.reset(), blocks_.reset();
  if (auto ok = writer_->end_launch(current_, end); !ok) return fail(ok.error()), traced;
  if (!failure) return traced;
  cut_ = true;
  const std::string what = failure->message.substr(0, failure->message.find('\n'));
  if (auto ok = writer_->note_missing(fmt::format("launch {} did not end: {}", current_, what));
      !ok)
    fail(ok.error());
  return traced;
}

void Session::count(const emulate::RunStatistics& statistics) {
  thread_instructions_ += statistics.thread_instructions;
}

void Session::note_once(const std::string& text) {
  const std::lock_guard lock(warning_);
  if (warned_.insert(text).second) note(text);
}

// Once for each place in the code.
void Session::note_warning(const Error& error) {
  const std::lock_guard lock(warning_);
  if (!warned_.insert(error.place).second) return;
  std::fflush(stdout);
  std::fputs(fmt::format("warpmem: warning: {}\n", error.text()).c_str(), stderr);
}

void Session::note_hazard(const std::string& text) {
  std::fflush(stdout);
  std::fputs(fmt::format("warpmem: {}\n", printable(text)).c_str(), stderr);
  tell_line("hazard\n");
}

void Session::note_error(const Error& error) {
  std::fflush(stdout);
  std::fputs(fmt::format("warpmem: error: {}\n", error.text()).c_str(), stderr);
  tell_line(fmt::format("refused\t{}\n", exit_status(error.kind)));
}

// The trace cannot be written: what is there stays, and the program goes on untraced.
void Session::fail(const Error& error) {
  if (closed_) return;
  note_error(error);
  closed_ = true;
  tracer_.reset(), blocks_.reset();
  writer_.reset();
  tell("end");
}

void Session::seal() {
  if (closed_) return;
  const Busy busy(busy_);
  write_repeats();
  write_steps();
  if (closed_) return;
  closed_ = true;
  if (tracer_ && writer_) {  // the process ends while a kernel runs
    auto written = tracer_->finish();
    if (written) written = blocks_->release();
    if (!written) note_error(written.error());
    trace::LaunchEnd end;
    end.truncated = true;
    records_ += tracer_->records(), ++launches_;
    end.skipped_ctas = tracer_->skipped();
    tracer_.reset(), blocks_.reset();
    cut_ = true;
    if (writer_->end_launch(current_, end))
      static_cast<void>(
          writer_->note_missing(fmt::format("launch {} did not end: the process ended", current_))
              .ok());
  }
  if (writer_) {
    auto closed = cut_ ? writer_->seal_incomplete() : writer_->seal();
    if (!closed) note_error(closed.error());
    sealed_ = closed && !cut_;
  }
  writer_.reset();
  tell("end");
}

void Session::forget() {
  closed_ = true;
  if (writer_)
    new trace::TraceWriter(std::move(*writer_));  // its destructor would touch the parent's file
  writer_.reset();
}

// Lines that record::parse_status reads, and those for the command (emulate_program.cpp,
// parse_told).
void Session::tell(const char* event) {
  const bool loaded = std::string_view(event) == "loaded";
  const bool end = std::string_view(event) == "end";
  std::string line = "loaded\n";
  if (!loaded && opened_)
    line =
        fmt::format("{}\t{}\t{}\t{}\t{}\t0\t{}\t{}\n", event, getpid(), options_.output, launches_,
                    records_, static_cast<std::uint64_t>(seconds_ * 1e6), sealed_ ? 1 : 0);
  if (end)
    line += fmt::format("ran\t{}\t{}\nrepeats\t{}\t{}\n", thread_instructions_, next_launch_,
                        repeated_, other_repeats_);
  tell_line(line);
}

void Session::tell_line(const std::string& line) { tell_command(options_.status, line); }

}  // namespace warpmem::cudart
