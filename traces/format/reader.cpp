#include "traces/format/reader.hpp"

#include <fmt/format.h>

#include <mutex>

#include "isa/decoded_program.hpp"
#include "traces/format/contents.hpp"
#include "traces/format/records_codec.hpp"

namespace warpmem::trace {

struct TraceReader::State {
  explicit State(Contents&& c) : contents(std::move(c)), decoded(contents.programs.size()) {}

  Contents contents;
  std::mutex decoding;
  std::vector<std::weak_ptr<const DecodedProgram>> decoded;  // by program
  std::shared_ptr<const DecodedProgram> last;
};

TraceReader::TraceReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
TraceReader::~TraceReader() = default;
TraceReader::TraceReader(TraceReader&&) noexcept = default;
TraceReader& TraceReader::operator=(TraceReader&&) noexcept = default;

Result<TraceReader> TraceReader::open(const std::string& path, const OpenOptions& options) {
  auto contents = open_contents(path, options);
  if (!contents) return contents.error();
  return TraceReader(std::make_unique<State>(std::move(*contents)));
}

const std::string& TraceReader::path() const { return state_->contents.file.path(); }
const Origin& TraceReader::origin() const { return state_->contents.origin; }
const Quality& TraceReader::quality() const { return state_->contents.quality; }
std::string TraceReader::hash() const { return fmt::format("{:016x}", state_->contents.hash); }
std::span<const LaunchSummary> TraceReader::launches() const { return state_->contents.launches; }
std::span<const Program> TraceReader::programs() const { return state_->contents.programs; }
std::span<const host::Operation> TraceReader::steps() const { return state_->contents.steps; }

std::shared_ptr<const DecodedProgram> TraceReader::code(std::uint32_t program) const {
  const std::lock_guard lock(state_->decoding);
  auto code = state_->decoded[program].lock();
  if (!code) {
    code = std::make_shared<const DecodedProgram>(programs()[program]);
    state_->decoded[program] = code;
  }
  state_->last = code;
  return code;
}

std::span<const Site> TraceReader::sites(std::uint32_t launch_index) const {
  const auto& sites = state_->contents.sites;
  return launch_index < sites.size() ? std::span<const Site>(sites[launch_index].sites())
                                     : std::span<const Site>();
}

namespace {

Error no_such(const std::string& path, const char* what, std::uint64_t number) {
  return {ErrorKind::kUsage, fmt::format("it has no {} {}", what, number), path,
          "see what it holds with: warpmem info"};
}

}  // namespace

Result<std::vector<SegmentRef>> TraceReader::cta_segments(std::uint32_t launch_index,
                                                          std::uint64_t cta) const {
  if (launch_index >= state_->contents.ctas.size()) return no_such(path(), "launch", launch_index);
  return state_->contents.ctas[launch_index].segments(cta);
}

Result<void> TraceReader::cta_segments(std::uint32_t launch_index, std::uint64_t cta,
                                       std::vector<SegmentRange>& out) const {
  if (launch_index >= state_->contents.ctas.size()) return no_such(path(), "launch", launch_index);
  state_->contents.ctas[launch_index].segments(cta, out);
  return {};
}

Result<std::vector<std::uint64_t>> TraceReader::ctas(std::uint32_t launch_index) const {
  if (launch_index >= state_->contents.ctas.size()) return no_such(path(), "launch", launch_index);
  return state_->contents.ctas[launch_index].ctas();
}

Result<DecodedBlock> TraceReader::decode(std::uint32_t block,
                                         std::pmr::memory_resource* memory) const {
  const Contents& contents = state_->contents;
  if (block >= contents.blocks.size() ||
      contents.blocks[block].header.type != BlockType::kRecords) {
    return no_such(path(), "records block", block);
  }
  thread_local Bytes data;  // as large as the largest block this thread has read
  thread_local Bytes raw;
  const BlockEntry& entry = contents.blocks[block];
  if (auto read = read_body(contents.file, entry, data, raw); !read) return read.error();

  DecodedRecords decoded(memory);
  const char* problem = decode_records(ByteSpan(raw).first(entry.header.raw_bytes), decoded);
  if (problem == nullptr && decoded.records.size() != entry.header.records) {
    problem = "it holds another number of records than its header says";
  }
  if (problem == nullptr) problem = misfit(contents, entry.header, decoded.segments);
  if (problem != nullptr) return bad_block(contents.file, entry, problem);

  // From the block's site numbers to the launch's; most often they are the same.
  const SiteTable& sites = contents.sites[entry.header.launch];
  std::vector<std::uint32_t> numbers(decoded.sites.size());
  bool same = true;
  for (std::uint32_t i = 0; i < numbers.size(); ++i) {
    const std::uint32_t* number = sites.find(decoded.sites[i]);
    if (number == nullptr)
      return bad_block(contents.file, entry, "the index lacks one of its sites");
    numbers[i] = *number;
    same = same && *number == i;
  }
  if (!same) {
    for (Record& record : decoded.records) record.site = numbers[record.site];
  }
  return DecodedBlock{entry.header.launch, std::move(decoded.segments), std::move(decoded.records),
                      std::move(decoded.lanes)};
}

}  // namespace warpmem::trace
