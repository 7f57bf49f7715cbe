#include "traces/format/writer.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "base/output_file.hpp"
#include "traces/format/block_table.hpp"
#include "traces/format/compression.hpp"
#include "traces/format/cta_index.hpp"
#include "traces/format/format.hpp"
#include "traces/format/metadata.hpp"
#include "traces/format/sink.hpp"
#include "traces/format/site_table.hpp"

namespace warpmem::trace {
namespace {

// A CTA index block is written whenever so many runs are waiting: the writer's memory stays flat.
constexpr std::size_t kRunsPerBlock = 65536;

struct OpenLaunch {
  std::uint32_t id = 0;
  bool ended = false;
  std::uint64_t records = 0;
  SiteTable sites;
  std::vector<CtaRun> runs;  // not yet in a CTA index block
};

Error misuse(const std::string& path, std::string message) {
  return {ErrorKind::kInternal, std::move(message), path, "report this as a bug"};
}

}  // namespace

struct TraceWriter::State {
  std::unique_ptr<Sink> sink;
  std::string path;
  WriterOptions options;
  std::uint64_t bytes = 0;  // whole blocks in the file
  std::vector<BlockEntry> blocks;
  std::uint64_t records = 0;
  std::uint32_t programs = 0;
  std::vector<OpenLaunch> launches;
  std::map<std::uint32_t, std::uint32_t> by_id;
  std::optional<Error> broken;  // nothing more can be written after it
  bool footer_written = false;
  bool closed = false;  // the footer is durable
  bool sealed = false;

  Error failed(const char* action, int code) const {
    const std::string partial = partial_name(path);
    const char* room = code == EFBIG ? "allow larger files (ulimit -f)"
                                     : "free space there or give a file on another disk";
    if (records == 0)
      return {ErrorKind::kResources,
              fmt::format("cannot {}: {}; no record was written", action, std::strerror(code)),
              path, room};
    return {ErrorKind::kResources,
            fmt::format("cannot {}: {}; {} whole blocks with {} records are kept in {}", action,
                        std::strerror(code), blocks.size(), records, partial),
            partial, fmt::format("{}; read what is kept with --partial", room)};
  }

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (sink && !sealed && records == 0) sink->discard();
  }

  Result<void> usable() const {
    if (broken) return *broken;
    if (sealed || footer_written) return misuse(path, "a sealed trace was written to");
    return {};
  }

  // All or nothing: after a failure the file ends where it ended before, or the writer is broken.
  Result<void> write_whole(ByteSpan data) {
    if (const int code = sink->write(data)) {
      const Error error = failed("write", code);
      if (sink->truncate(bytes) != 0) broken = error;
      return error;
    }
    bytes += data.size();
    return {};
  }

  Result<void> write_block(BlockHeader header, ByteSpan body) {
    header.sequence = static_cast<std::uint32_t>(blocks.size());
    header.body_bytes = static_cast<std::uint32_t>(body.size());
    Bytes data = encode_block_header(header, body);
    header.hash = load_le<std::uint64_t>(data.data() + kBlockHeaderBytes - 8);
    put_bytes(data, body);
    const std::uint64_t offset = bytes;
    if (auto written = write_whole(data); !written) return written;
    blocks.push_back({header, offset});
    records += header.records;
    return {};
  }

  Result<void> write_metadata(BlockType type, std::uint32_t launch, ByteSpan raw) {
    if (raw.size() > max_raw_bytes(type)) {
      return Error{ErrorKind::kResources,
                   fmt::format("a {} block would need {} bytes; the format allows {}",
                               block_type_name(type), raw.size(), max_raw_bytes(type)),
                   partial_name(path), "record less: fewer launches or CTAs in one trace"};
    }
    const PackedBody packed = compress(raw, options.zstd_level);
    BlockHeader header;
    header.type = type;
    header.codec = packed.codec;
    header.launch = launch;
    header.raw_bytes = static_cast<std::uint32_t>(raw.size());
    return write_block(header, packed.bytes);
  }

  Result<std::uint32_t> running(std::uint32_t id) const {
    const auto at = by_id.find(id);
    if (at == by_id.end()) return misuse(path, fmt::format("launch {} was never begun", id));
    if (launches[at->second].ended) {
      return misuse(path, fmt::format("launch {} has ended already", id));
    }
    return at->second;
  }

  Result<void> write_runs(std::uint32_t launch) {
    auto& runs = launches[launch].runs;
    while (!runs.empty()) {
      const std::size_t count = std::min(runs.size(), kRunsPerBlock);
      const Bytes raw = put_runs(std::span(runs).first(count));
      if (auto written = write_metadata(BlockType::kCtaIndex, launch, raw); !written) {
        return written;
      }
      runs.erase(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(count));
    }
    return {};
  }

  Result<void> append_one(const EncodedBlock& block) {
    if (!block.problem.empty()) return misuse(path, block.problem);
    auto launch = running(block.launch);
    if (!launch) return launch.error();
    for (const EncodedBlock& further : block.more) {
      if (further.launch != block.launch) return misuse(path, "blocks of two launches in one");
    }
    if (block.records == 0) return {};
    BlockHeader header;
    header.type = BlockType::kRecords;
    header.codec = block.body.size() == block.raw_bytes ? Codec::kStored : Codec::kZstd;
    header.launch = *launch;
    header.raw_bytes = static_cast<std::uint32_t>(block.raw_bytes);
    header.records = block.records;
    header.lost = block.lost;
    const auto number = static_cast<std::uint32_t>(blocks.size());
    if (auto written = write_block(header, block.body); !written) return written;
    OpenLaunch& open = launches[*launch];
    open.records += block.records;
    for (const Site& site : block.sites) open.sites.number_of(site);
    append_runs(block.segments, number, open.runs);
    if (open.runs.size() < kRunsPerBlock) return {};
    // The records are safe; runs that could not be written now stay and are tried at the next
    // block.
    if (auto written = write_runs(*launch); !written && broken) return written;
    return {};
  }

  Result<void> write_end() {
    for (std::uint32_t i = 0; i < launches.size(); ++i) {
      if (auto written = write_runs(i); !written) return written;
    }
    IndexBody index;
    index.blocks = blocks;
    for (const OpenLaunch& launch : launches) index.sites.push_back(launch.sites.sites());
    const std::uint64_t offset = bytes;
    if (auto written = write_metadata(BlockType::kIndex, 0, put_index(index)); !written) {
      return written;
    }
    const Footer footer{offset, blocks.back().header.hash, bytes + kFooterBytes};
    if (auto written = write_whole(encode_footer(footer)); !written) {
      // A second index would not be the last block: take this one back, so that seal() can retry.
      blocks.pop_back();
      bytes = offset;
      if (!broken && sink->truncate(bytes) != 0) broken = written.error();
      return written;
    }
    footer_written = true;
    return {};
  }
};

TraceWriter::TraceWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
TraceWriter::~TraceWriter() = default;
TraceWriter::TraceWriter(TraceWriter&&) noexcept = default;
TraceWriter& TraceWriter::operator=(TraceWriter&&) noexcept = default;

Result<TraceWriter> TraceWriter::create(const std::string& path, const Origin& origin,
                                        const WriterOptions& options) {
  auto place = find_output_place(path, {options.overwrite, false});
  if (!place) return place.error();
  auto sink = create_file_sink(place->path, options.overwrite);
  if (!sink) return sink.error();
  return create_on(std::move(*sink), place->path, origin, options);
}

Result<TraceWriter> TraceWriter::create_on(std::unique_ptr<Sink> sink, const std::string& path,
                                           const Origin& origin, const WriterOptions& options) {
  auto state = std::make_unique<State>();
  state->sink = std::move(sink);
  state->path = path;
  state->options = options;
  const Bytes body = put_origin(origin);
  if (body.size() > kMaxOriginBytes) {
    return Error{ErrorKind::kUsage, "the description of the trace's origin is too long", path,
                 "shorten the command line"};
  }
  if (auto written = state->write_whole(encode_file_header(body)); !written) {
    return written.error();
  }
  return TraceWriter(std::move(state));
}

Result<std::uint32_t> TraceWriter::add_program(const Program& program) {
  if (auto usable = state_->usable(); !usable) return usable.error();
  auto written = state_->write_metadata(BlockType::kProgram, 0, put_program(program));
  if (!written) return written.error();
  return state_->programs++;
}

Result<void> TraceWriter::begin_launch(const Launch& launch) {
  if (auto usable = state_->usable(); !usable) return usable;
  if (launch.program >= state_->programs) {
    return misuse(state_->path, fmt::format("launch {} names program {} of {}", launch.id,
                                            launch.program, state_->programs));
  }
  if (state_->by_id.contains(launch.id)) {
    return misuse(state_->path, fmt::format("launch {} was begun twice", launch.id));
  }
  const auto number = static_cast<std::uint32_t>(state_->launches.size());
  auto written = state_->write_metadata(BlockType::kLaunchBegin, number, put_launch(launch));
  if (!written) return written;
  state_->launches.emplace_back().id = launch.id;
  state_->by_id.emplace(launch.id, number);
  return {};
}

Result<void> TraceWriter::append(const EncodedBlock& block) {
  if (auto usable = state_->usable(); !usable) return usable;
  if (auto written = state_->append_one(block); !written) return written;
  for (const EncodedBlock& further : block.more) {
    if (auto written = state_->append_one(further); !written) return written;
  }
  return {};
}

Result<void> TraceWriter::end_launch(std::uint32_t launch, const LaunchEnd& end) {
  if (auto usable = state_->usable(); !usable) return usable;
  auto number = state_->running(launch);
  if (!number) return number.error();
  LaunchEnd counted = end;
  counted.records = state_->launches[*number].records;
  auto written = state_->write_metadata(BlockType::kLaunchEnd, *number, put_launch_end(counted));
  if (!written) return written;
  state_->launches[*number].ended = true;
  return {};
}

Result<void> TraceWriter::note_missing(const std::string& what) {
  if (auto usable = state_->usable(); !usable) return usable;
  return state_->write_metadata(BlockType::kNote, 0, put_note(what));
}

Result<void> TraceWriter::add_steps(std::span<const std::uint8_t> body) {
  if (auto usable = state_->usable(); !usable) return usable;
  return state_->write_metadata(BlockType::kSteps, 0, body);
}

std::string TraceWriter::kept() const {
  return state_->sealed || state_->records == 0 ? "" : partial_name(state_->path);
}

Result<void> TraceWriter::seal_incomplete() {
  State& state = *state_;
  if (state.broken) return *state.broken;
  if (state.closed) return {};
  if (!state.footer_written) {
    if (auto written = state.write_end(); !written) return written;
  }
  // After a failed fsync the kernel may have dropped the pages: a second try would prove nothing.
  if (const int code = state.sink->sync()) {
    state.broken = state.failed("make the file durable (fsync)", code);
    return *state.broken;
  }
  state.closed = true;
  return {};
}

Result<void> TraceWriter::seal() {
  State& state = *state_;
  if (state.sealed) return {};
  if (auto closed = seal_incomplete(); !closed) return closed;
  if (const int code = state.sink->publish()) {
    return state.failed("give the file its final name", code);
  }
  state.sealed = true;
  return {};
}

}  // namespace warpmem::trace
