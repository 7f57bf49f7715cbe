#include "command/explore/traces.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/read_number.hpp"
#include "base/run_files.hpp"
#include "base/scratch_folder.hpp"
#include "command/command.hpp"
#include "command/inputs/trace_card.hpp"
#include "command/options/threads.hpp"
#include "sim/reblock.hpp"
#include "sweep/make_command.hpp"

namespace warpmem::command {
namespace {

using sweep::Changes;
using sweep::TraceSet;
using sweep::TraceSource;

constexpr std::uint64_t kMostCtaThreads = 1024;  // of a CTA, in CUDA

std::shared_ptr<const TraceSet> set_of(std::vector<trace::TraceReader> readers) {
  return std::make_shared<const TraceSet>(std::move(readers));
}

Result<std::vector<trace::TraceReader>> open_all(const ExploreOptions& options) {
  std::vector<trace::TraceReader> out;
  for (const std::string& path : options.traces) {
    auto reader = open_wanted({path, options.partial}, options.launches);
    if (!reader) return reader.error();
    if (const std::string caution = level_caution(*reader, options.launches); !caution.empty())
      warn(fmt::format("{}: {}", path, caution));
    out.push_back(std::move(*reader));
  }
  return out;
}

// Traces stay open, so that their files may go.
Result<TraceSource::Traces> with_blocks(const ExploreOptions& options, const TraceSet& recorded,
                                        const Changes& program, const TraceSet::Wanted& only) {
  const auto threads = read_whole(program.at(0).second, {1, kMostCtaThreads, "threads"}, "block");
  if (!threads) return threads.error();
  const auto folder = ScratchFolder::create();
  if (!folder) return folder.error();
  std::vector<trace::TraceReader> out;
  for (std::size_t t = 0; t < recorded.size(); ++t) {
    const std::string path = folder->file(fmt::format("{}.wmt", t));
    const auto written = sim::write_with_blocks(recorded.reader(t),
                                                static_cast<std::uint32_t>(*threads), only, path);
    if (!written) return written.error();
    auto reader = open_wanted({path, options.partial}, options.launches);
    if (!reader) return reader.error();
    out.push_back(std::move(*reader));
  }
  return set_of(std::move(out));
}

Result<TraceSource::Traces> made(const ExploreOptions& options, const Changes& program) {
  const auto folder = ScratchFolder::create();
  if (!folder) return folder.error();
  const std::string path = folder->file("made.wmt");
  if (auto ok = sweep::make_trace(options.make, program, path); !ok) return ok.error();
  auto reader = open_wanted({path, options.partial}, options.launches);
  if (!reader) {
    // What one program leaves is no reason to end the sweep of all.
    Error error = reader.error();
    if (error.kind == ErrorKind::kIncomplete) error.kind = ErrorKind::kUsage;
    return error;
  }
  std::vector<trace::TraceReader> out;
  out.push_back(std::move(*reader));
  return set_of(std::move(out));
}

Result<ExploreTraces> make_source(const ExploreOptions& options,
                                  const std::vector<std::string>& keys,
                                  const std::vector<SweepAxis>& axes) {
  if (!options.traces.empty())
    return Error{ErrorKind::kUsage, "traces are there already, and --make would make others",
                 "--make", "give traces or --make"};
  if (!sweep::has_place(options.make, "trace"))
    return Error{ErrorKind::kUsage, "the command does not say where its trace goes", "--make",
                 "put {trace} into it: --make 'warpmem emulate -o {trace} ...'"};
  ExploreTraces out;
  out.names = {"made"};
  out.identity.emplace_back("--make", options.make);
  for (const std::string& path : sweep::files_in(options.make, axes)) note_input(path);
  for (const std::string& path : sweep::sources_in(options.make, axes)) {
    std::ifstream in = open_to_read(path);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    out.identity.emplace_back("file " + path, fmt::format("{:016x}", hash_of(text)));
  }
  out.traces = std::make_shared<TraceSource>(
      keys, threads_of(options.threads) + 1,
      [&options](const Changes& program) { return made(options, program); });
  return out;
}

}  // namespace

std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

Result<ExploreTraces> trace_source(const ExploreOptions& options,
                                   const std::vector<std::string>& keys,
                                   const std::vector<SweepAxis>& axes,
                                   const TraceSet::Wanted& only) {
  if (!options.make.empty()) return make_source(options, keys, axes);
  if (options.traces.empty())
    return Error{ErrorKind::kUsage, "no trace was given", "explore",
                 "name one or several: warpmem explore t.wmt --vary l1.size=64KiB:256KiB"};
  auto readers = open_all(options);
  if (!readers) return readers.error();
  ExploreTraces out;
  for (std::size_t t = 0; t < readers->size(); ++t) {
    out.names.push_back(std::filesystem::path(options.traces[t]).filename().string());
    out.identity.emplace_back(fmt::format("trace {}", t + 1), (*readers)[t].hash());
  }
  const TraceSource::Traces recorded = set_of(std::move(*readers));
  const TraceSet::Wanted wanted = options.keep_caches ? TraceSet::Wanted{} : only;
  out.traces = std::make_shared<TraceSource>(
      keys, threads_of(options.threads) + 1,
      [&options, recorded, wanted](const Changes& program) -> Result<TraceSource::Traces> {
        if (program.empty()) return recorded;
        return with_blocks(options, *recorded, program, wanted);
      });
  return out;
}

}  // namespace warpmem::command
