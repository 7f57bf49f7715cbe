// Small traces in memory and on disk, for the tests of the format.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/traces/patterns.hpp"
#include "traces/format/reader.hpp"
#include "traces/format/sink.hpp"
#include "traces/format/writer.hpp"

namespace warpmem::trace::testing {

// A folder that is removed at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

Bytes read_file(const std::string& path);
void write_file(const std::string& path, ByteSpan bytes);

// What a MemorySink has seen; outlives the writer that owns the sink.
struct MemoryFile {
  Bytes bytes;
  bool synced = false;
  bool published = false;
  bool discarded = false;
  int calls = 0;
  int fail_at = 0;         // the n-th call fails (0: none) …
  bool for_ever = false;   // … and all after it
  int code = 28;           // ENOSPC
  std::size_t partly = 0;  // bytes of a failed write that arrive all the same
};
std::unique_ptr<Sink> memory_sink(std::shared_ptr<MemoryFile> file);

// Two programs, two launches, all patterns; a few KiB. Level 0 stores blocks as they are.
Origin small_origin();
Program small_program();
Program small_program_with_control();  // of its first two instructions
Launch small_launch(std::uint32_t id);
std::vector<patterns::Warp> small_warps(const patterns::Pattern& pattern);
// Writes it; the first error stops it and is returned.
Result<void> write_small(TraceWriter& writer, int zstd_level = 3,
                         const Program& code = small_program());
Bytes small_trace(int zstd_level = 3, const Program& code = small_program());
// With what came with 1.2: a launch's parameters, and loops' rounds.
Bytes small_trace_with_pieces();
Bytes small_trace_with_limits();
// A copy, a launch that follows it, an event and a wait for it.
Bytes small_trace_with_steps();
Bytes small_trace_with_texels();
Bytes small_trace_with_products();
Bytes small_trace_with_rounds(const std::vector<TimesRun>& times = {});

// Everything a reader gives, as text; or the error's text, from opening or from decoding.
struct Dump {
  std::string text;
  std::uint64_t records = 0;
  std::optional<Error> error;
};
Dump dump(const std::string& path, bool allow_partial);
std::string describe(const DecodedBlock& block, std::span<const Site> sites);

}  // namespace warpmem::trace::testing
