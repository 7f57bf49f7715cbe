#include "traces/record/output.hpp"

namespace warpmem::record {

void Output::fail(const Error& error) {
  if (!failed_.exchange(true)) on_failure_(error);
}

template <class F>
void Output::write(F&& action) {
  const std::lock_guard lock(mutex_);
  if (failed() || !writer_) return;
  if (Result<void> result = action(*writer_); !result) fail(result.error());
}

void Output::open(const std::string& path, bool force, const trace::Origin& origin) {
  const std::lock_guard lock(mutex_);
  opened_ = true;
  trace::WriterOptions options;
  options.overwrite = force;
  auto writer = trace::TraceWriter::create(path, origin, options);
  if (!writer) {
    fail(writer.error());
    return;
  }
  writer_.emplace(std::move(*writer));
}

std::uint32_t Output::add_program(const trace::Program& program) {
  std::uint32_t index = 0;
  write([&](trace::TraceWriter& writer) -> Result<void> {
    auto added = writer.add_program(program);
    if (!added) return added.error();
    index = *added;
    return {};
  });
  return index;
}

void Output::begin_launch(const trace::Launch& launch) {
  write([&](trace::TraceWriter& writer) { return writer.begin_launch(launch); });
}

void Output::append(const trace::EncodedBlock& block) {
  write([&](trace::TraceWriter& writer) { return writer.append(block); });
}

void Output::end_launch(std::uint32_t id, const trace::LaunchEnd& end) {
  write([&](trace::TraceWriter& writer) { return writer.end_launch(id, end); });
}

void Output::note_missing(const std::string& what) {
  write([&](trace::TraceWriter& writer) -> Result<void> {
    if (!noted_.insert(what).second) return {};
    return writer.note_missing(what);
  });
}

void Output::seal() {
  write([&](trace::TraceWriter& writer) -> Result<void> {
    auto done = writer.seal();
    sealed_ = done.ok();
    return done;
  });
  const std::lock_guard lock(mutex_);
  writer_.reset();
}

}  // namespace warpmem::record
