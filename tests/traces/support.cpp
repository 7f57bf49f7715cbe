#include "tests/traces/support.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "traces/format/steps.hpp"

namespace warpmem::trace::testing {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "warpmem-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  path_ = name;
}
TemporaryFolder::~TemporaryFolder() { std::filesystem::remove_all(path_); }

Bytes read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

void write_file(const std::string& path, ByteSpan bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

namespace {

class MemorySink final : public Sink {
 public:
  explicit MemorySink(std::shared_ptr<MemoryFile> file) : file_(std::move(file)) {}

  int write(ByteSpan bytes) override {
    if (fails()) {
      const auto part = bytes.first(std::min(file_->partly, bytes.size()));
      file_->bytes.insert(file_->bytes.end(), part.begin(), part.end());
      return file_->code;
    }
    file_->bytes.insert(file_->bytes.end(), bytes.begin(), bytes.end());
    return 0;
  }
  int truncate(std::uint64_t size) override {
    if (fails()) return file_->code;
    file_->bytes.resize(size);
    return 0;
  }
  int sync() override {
    if (fails()) return file_->code;
    file_->synced = true;
    return 0;
  }
  int publish() override {
    if (fails()) return file_->code;
    file_->published = true;
    return 0;
  }
  void discard() override { file_->discarded = true; }

 private:
  bool fails() {
    const int call = ++file_->calls;
    return file_->fail_at != 0 &&
           (call == file_->fail_at || (file_->for_ever && call > file_->fail_at));
  }
  std::shared_ptr<MemoryFile> file_;
};

}  // namespace

std::unique_ptr<Sink> memory_sink(std::shared_ptr<MemoryFile> file) {
  return std::make_unique<MemorySink>(std::move(file));
}

Origin small_origin() {
  Origin origin;
  origin.tool = "warpmem test";
  origin.command = "./copy 64";
  origin.gpu = "NVIDIA H200";
  origin.arch = "sm_90";
  origin.driver = "580.159.04";
  origin.cuda = "13.0";
  origin.sms = 132;
  origin.missing = {"constant loads"};
  return origin;
}

Program small_program() {
  Program program;
  program.name = "_Z4copyPfPKf";
  program.demangled = "copy(float*, float const*)";
  program.arch = "sm_90";
  program.registers = 16;
  program.files = {"", "copy.cu"};
  program.code = {{0x40, "LDG.E R4, desc[UR4][R2.64]", 1, 7},
                  {0x60, "STG.E desc[UR4][R6.64], R4", 1, 6},
                  {0x70, "EXIT", 0, 0}};
  return program;
}

Launch small_launch(std::uint32_t id) {
  Launch launch;
  launch.id = id;
  launch.grid = {4, 1, 1};
  launch.block = {256, 1, 1};
  launch.registers = 16;
  launch.window = {patterns::kA, 1 << 20, 0.5f, 2, 1};
  launch.allocations = {{patterns::kA, 1 << 20, AllocationKind::kDevice},
                        {patterns::kB, 1 << 20, AllocationKind::kManaged}};
  return launch;
}

std::vector<patterns::Warp> small_warps(const patterns::Pattern& pattern) {
  std::mt19937_64 random(7);
  std::vector<patterns::Warp> warps;
  for (std::uint64_t cta = 0; cta < 2; ++cta) {
    for (std::uint32_t warp = 0; warp < std::min(pattern.warps_per_cta, 2u); ++warp) {
      pattern.fill(warps.emplace_back(patterns::Warp{cta, warp, {}, {}}), random);
      auto& records = warps.back().records;
      records.resize(std::min<std::size_t>(records.size(), 6));
    }
  }
  return warps;
}

Program small_program_with_control() {
  Program program = small_program();
  program.code[0].control = 0x91;
  program.code[1].control = (1u << kControlBits) - 1;
  return program;  // the third's is not known
}

Result<void> write_small(TraceWriter& writer, int zstd_level, const Program& code) {
  auto program = writer.add_program(code);
  if (!program) return program.error();
  std::uint32_t id = 3;
  for (const auto& launch_patterns :
       {std::vector{patterns::streaming(), patterns::spmv()}, std::vector{patterns::transpose()}}) {
    Launch launch = small_launch(id);
    launch.program = *program;
    if (auto done = writer.begin_launch(launch); !done) return done;
    for (const auto& pattern : launch_patterns) {
      BlockBuilder builder(id, zstd_level);
      for (const auto& warp : small_warps(pattern)) {
        builder.add(warp.cta, warp.warp, warp.records, pattern.sites, warp.lanes);
      }
      if (auto done = writer.append(builder.take()); !done) return done;
    }
    if (auto done = writer.end_launch(id, {}); !done) return done;
    id += 2;
  }
  return writer.seal();
}

Bytes small_trace(int zstd_level, const Program& code) {
  auto file = std::make_shared<MemoryFile>();
  auto writer = TraceWriter::create_on(memory_sink(file), "small.wmt", small_origin(),
                                       {.overwrite = false, .zstd_level = zstd_level});
  if (!writer || !write_small(*writer, zstd_level, code)) return {};
  return file->bytes;
}

namespace {

// A sealed trace of one launch: `of_warp` gives the records of each warp of so many CTAs.
Bytes trace_of_launch(
    Launch launch, const std::vector<Site>& sites, std::uint64_t ctas, std::uint32_t warps,
    const LaunchEnd& end,
    const std::function<std::vector<Record>(std::uint64_t, std::uint32_t)>& of_warp,
    const std::vector<host::Operation>& steps = {}) {
  auto file = std::make_shared<MemoryFile>();
  auto writer = TraceWriter::create_on(memory_sink(file), "small.wmt", small_origin(), {});
  if (!writer) return {};
  launch.program = *writer->add_program(small_program_with_control());
  BlockBuilder builder(0);
  for (std::uint64_t cta = 0; cta < ctas; ++cta)
    for (std::uint32_t warp = 0; warp < warps; ++warp)
      builder.add(cta, warp, of_warp(cta, warp), sites, {});
  if (!writer->begin_launch(launch) || !writer->append(builder.take()) ||
      !writer->end_launch(0, end))
    return {};
  if (!steps.empty()) {
    Bytes body;
    put_varint(body, 0);
    for (std::uint32_t i = 0; i < steps.size(); ++i) put_step(body, steps[i], i);
    if (!writer->add_steps(body)) return {};
  }
  if (!writer->seal()) return {};
  return file->bytes;
}

}  // namespace

Bytes small_trace_with_rounds(const std::vector<TimesRun>& times) {
  Launch launch = small_launch(0);
  launch.parameters = {0x00, 0x10, 0, 0, 0, 0x7f, 0, 0, 200, 0, 0, 0};
  launch.parameters_at = 0x210;
  const std::vector<Site> sites = {{0, Op::kCtaBegin, Space::kNone, 0},
                                   {0x40, Op::kLoad, Space::kGlobal, 4},
                                   {0x70, Op::kRounds, Space::kNone, 0},
                                   {0x70, Op::kPrefetch, Space::kGlobal, 0}};
  return trace_of_launch(launch, sites, 4, 8, {.times = times}, [](auto cta, auto warp) {
    return std::vector<Record>{patterns::regular(0, kUnknownSm, 0),
                               patterns::regular(1, 0x1000 + 128 * warp, 4),
                               patterns::regular(2, 99 + cta, 0), patterns::regular(3, 0x2000, 4)};
  });
}

// Fetches of one texel, and of two in every other warp.
Bytes small_trace_with_texels() {
  const std::vector<Site> sites = {{0, Op::kCtaBegin, Space::kNone, 0},
                                   {0x40, Op::kLoad, Space::kTexture, 4},
                                   {0x40, Op::kTexel, Space::kTexture, 4}};
  return trace_of_launch(small_launch(0), sites, 2, 4, {}, [](auto, auto warp) {
    std::vector<Record> records = {patterns::regular(0, kUnknownSm, 0),
                                   patterns::regular(1, 0x1000 + 128 * warp, 4)};
    if (warp % 2 == 1) records.push_back(patterns::regular(2, 0x1010 + 128 * warp, 4));
    return records;
  });
}

// Products of a warpgroup.
Bytes small_trace_with_products() {
  const std::vector<Site> sites = {{0, Op::kCtaBegin, Space::kNone, 0},
                                   {0x40, Op::kProductRead, Space::kShared, 6144}};
  return trace_of_launch(small_launch(0), sites, 2, 4, {}, [](auto, auto) {
    return std::vector<Record>{patterns::regular(0, kUnknownSm, 0), patterns::regular(1, 0x4400, 0),
                               patterns::regular(1, 0x4600, 0)};
  });
}

Bytes small_trace_with_limits() {
  Launch launch = small_launch(0);
  launch.fetch_bytes = 128;
  launch.ends_persisting = true;
  return trace_of_launch(launch, {{0, Op::kCtaBegin, Space::kNone, 0}}, 1, 1, {}, [](auto, auto) {
    return std::vector<Record>{patterns::regular(0, kUnknownSm, 0)};
  });
}

Bytes small_trace_with_steps() {
  using namespace host;
  const std::vector<Operation> steps = {
      {.step = Step::kCopy, .from = Place::kPageable, .bytes = 1 << 20, .rows = 4, .stream = 2},
      {.step = Step::kKernel,
       .stream = 2,
       .launch = 0,
       .alone_ns = 1234.5,
       .share = 0.25,
       .called = false,
       .after = {0}},
      {.step = Step::kMark, .stream = 2, .after = {1}},
      {.step = Step::kWait, .after = {0, 2}}};
  return trace_of_launch(
      small_launch(0), {{0, Op::kCtaBegin, Space::kNone, 0}}, 1, 1, {},
      [](auto, auto) { return std::vector<Record>{patterns::regular(0, kUnknownSm, 0)}; }, steps);
}

// Tiles of two rows by lane 3 of each warp: the second row of every other one lies outside.
Bytes small_trace_with_pieces() {
  const std::vector<Site> sites = {{0, Op::kCtaBegin, Space::kNone, 0},
                                   {0x40, Op::kBulkRead, Space::kGlobal, 64},
                                   {0x40, Op::kBulkWrite, Space::kShared, 64}};
  return trace_of_launch(small_launch(0), sites, 4, 2, {}, [](auto cta, auto) {
    std::vector<Record> records = {patterns::regular(0, kUnknownSm, 0)};
    const auto put = [&](std::uint32_t site, std::uint64_t at, Piece piece) {
      records.push_back(piece_record(3, at, piece));
      records.back().site = site;
    };
    for (std::uint64_t tile = 0; tile < 3; ++tile) {
      put(1, 0x10000 + 4096 * cta + 512 * tile, Piece::kFirst);
      put(2, 128 * tile, Piece::kFurther);
      if (tile % 2 == 0) put(1, 0x10000 + 4096 * cta + 512 * tile + 256, Piece::kFurther);
      put(2, 128 * tile + 64, Piece::kFurther);
    }
    return records;
  });
}

std::string describe(const DecodedBlock& block, std::span<const Site> sites) {
  std::string out;
  for (const Segment& segment : block.segments) {
    out += fmt::format("cta {} warp {}\n", segment.cta, segment.warp);
    for (std::uint32_t i = 0; i < segment.count; ++i) {
      const Record& record = block.records[segment.first + i];
      const Site& site = sites[record.site];
      out += fmt::format("  {:x} {} {} {} {:08x}", site.pc, static_cast<int>(site.op),
                         static_cast<int>(site.space), site.bytes, record.mask);
      if (record.regular()) {
        out += fmt::format(" {:x} + {}\n", record.base, record.stride);
        continue;
      }
      for (int lane = 0; lane < record.active(); ++lane) {
        out += fmt::format(" {:x}", block.lanes[record.lanes + static_cast<unsigned>(lane)]);
      }
      out += '\n';
    }
  }
  return out;
}

Dump dump(const std::string& path, bool allow_partial) {
  Dump out;
  auto reader = TraceReader::open(path, {.allow_partial = allow_partial});
  if (!reader) {
    out.error = reader.error();
    return out;
  }
  const Origin& origin = reader->origin();
  out.text += fmt::format("{} {} {} {} {} {} {} {} {}\n", static_cast<int>(origin.level),
                          origin.tool, origin.command, origin.gpu, origin.arch, origin.driver,
                          origin.cuda, origin.date, origin.sms);
  for (const auto& missing : origin.missing) out.text += "missing " + missing + "\n";
  for (const auto& program : reader->programs()) {
    out.text += fmt::format("program {} {} {} {} {} {} {}\n", program.name, program.demangled,
                            static_cast<int>(program.level), program.arch, program.registers,
                            program.static_shared, program.local_bytes);
    for (const auto& file : program.files) out.text += "file " + file + "\n";
    for (const auto& code : program.code) {
      out.text += fmt::format("{:x} {} {}:{}", code.pc, code.text, code.file, code.line);
      out.text += code.has_control() ? fmt::format(" control {:x}\n", code.control) : "\n";
    }
  }
  for (const host::Operation& step : reader->steps()) {
    out.text +=
        fmt::format("step {} {} {} {} {} {} {} {} {} {}:", static_cast<int>(step.step),
                    static_cast<int>(step.from), static_cast<int>(step.to), step.bytes, step.rows,
                    step.stream, step.launch, step.alone_ns, step.share, step.called);
    for (const std::uint32_t before : step.after) out.text += fmt::format(" {}", before);
    out.text += '\n';
  }
  for (std::uint32_t i = 0; i < reader->launches().size(); ++i) {
    const LaunchSummary& summary = reader->launches()[i];
    const Launch& launch = summary.launch;
    out.text += fmt::format("launch {} {} {}x{} {} {} {} {} {}\n", launch.id, launch.program,
                            launch.grid[0], launch.block[0], launch.registers, launch.carveout,
                            launch.window.base, launch.window.hit_ratio, launch.stream);
    if (launch.fetch_bytes || launch.ends_persisting)
      out.text += fmt::format("fetches {} bytes, persisting lines end: {}\n", launch.fetch_bytes,
                              launch.ends_persisting);
    if (!launch.parameters.empty()) {
      out.text += fmt::format("parameters at {:x}:", launch.parameters_at);
      for (const std::uint8_t byte : launch.parameters) out.text += fmt::format(" {:02x}", byte);
      out.text += '\n';
    }
    for (const TimesRun& run : summary.end.times)
      out.text += fmt::format("at {:x} {} of {} copies ran {}\n", run.pc, run.instructions,
                              run.copies, run.times);
    for (const auto& allocation : launch.allocations) {
      out.text += fmt::format("{:x} {} {}\n", allocation.base, allocation.bytes,
                              static_cast<int>(allocation.kind));
    }
    for (const std::uint32_t block : summary.blocks) {
      auto decoded = reader->decode(block);
      if (!decoded) {
        out.error = decoded.error();
        return out;
      }
      out.records += decoded->records.size();
      out.text += describe(*decoded, reader->sites(i));
    }
    const auto ctas = reader->ctas(i);
    for (const auto cta : *ctas) {
      out.text += fmt::format("cta {}:", cta);
      const auto segments = reader->cta_segments(i, cta);
      for (const auto& ref : *segments) out.text += fmt::format(" {}", ref.segment);
      out.text += '\n';
    }
  }
  return out;
}

}  // namespace warpmem::trace::testing
