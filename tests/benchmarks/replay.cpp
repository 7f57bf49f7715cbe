// Both engines: warp memory instructions replayed a second on one core, beside a loop over the same
// trace that only decodes its blocks.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "model/card/card.hpp"
#include "sim/replay.hpp"
#include "tests/traces/patterns.hpp"
#include "traces/format/writer.hpp"

namespace {

using namespace warpmem;
using namespace warpmem::trace;

// A loop around the sites that patterns have, as ptxas writes one: control words, and the address
// arithmetic and waits that the time engine works its way through.
Program loop() {
  const auto control = [](std::uint32_t stall, std::uint32_t sets, std::uint32_t waits) {
    return stall | 1u << 4 | sets << 5 | kNoBarrier << 8 | waits << 11;
  };
  Program p;
  p.name = "loop";
  const auto add = [&](const char* text, std::uint32_t word) {
    p.code.push_back({static_cast<std::uint32_t>(16 * p.code.size()), text, 0, 0, word});
  };
  for (int i = 0; i < 2; ++i) add("IADD3 R8, R9, R10, RZ ;", control(2, kNoBarrier, 0));
  add("IMAD.WIDE R2, R8, 0x4, R6 ;", control(4, kNoBarrier, 0));
  add("IADD3 R8, R8, R9, RZ ;", control(1, kNoBarrier, 0));
  add("LDG.E R4, desc[UR4][R2.64] ;", control(2, 0, 0));
  add("FADD R5, R4, R5 ;", control(4, kNoBarrier, 1));
  add("STG.E desc[UR4][R6.64], R5 ;", control(1, kNoBarrier, 0));
  add("ISETP.GE.AND P0, PT, R8, R9, PT ;", control(12, kNoBarrier, 0));
  add("@P0 BRA 0x0 ;", control(5, kNoBarrier, 0));
  add("EXIT ;", control(5, kNoBarrier, 0));
  return p;
}

// A trace in a temporary file, written once and removed at exit.
struct TraceFile {
  std::string path;
  std::uint64_t records = 0;
  ~TraceFile() {
    if (!path.empty()) std::remove(path.c_str());
  }
};

// `ctas` CTAs of the pattern on a grid of as many.
std::shared_ptr<TraceFile> write(const patterns::Pattern& pattern, std::uint64_t ctas,
                                 const Program& program = {}) {
  auto file = std::make_shared<TraceFile>();
  char name[] = "/tmp/warpmem-bench-XXXXXX";
  const int fd = ::mkstemp(name);
  if (fd < 0) return nullptr;
  ::close(fd);
  file->path = name;
  auto writer = TraceWriter::create(name, Origin{}, {.overwrite = true});
  Launch launch;
  launch.grid = {static_cast<std::uint32_t>(ctas), 1, 1};
  launch.block = {pattern.warps_per_cta * 32, 1, 1};
  launch.registers = 32;
  bool fine = writer.ok() && writer->add_program(program).ok() && writer->begin_launch(launch).ok();
  std::mt19937_64 random(1);
  BlockBuilder builder(0);
  const auto append = [&] {
    EncodedBlock block = builder.take();
    file->records += block.records;
    fine = fine && writer->append(block).ok();
    for (const EncodedBlock& more : block.more) file->records += more.records;
  };
  for (std::uint64_t cta = 0; fine && cta < ctas; ++cta) {
    for (std::uint32_t warp = 0; warp < pattern.warps_per_cta; ++warp) {
      patterns::Warp made{cta, warp, {}, {}};
      pattern.fill(made, random);
      builder.add(cta, warp, made.records, pattern.sites, made.lanes);
      if (builder.full()) append();
    }
  }
  if (!builder.empty()) append();
  fine = fine && writer->end_launch(0, {}).ok() && writer->seal().ok();
  return fine ? file : nullptr;
}

void rate(benchmark::State& state, std::uint64_t records) {
  state.counters["records/s"] =
      benchmark::Counter(static_cast<double>(records), benchmark::Counter::kIsRate);
}

void decode_only(benchmark::State& state, std::uint64_t ctas, patterns::Pattern (*pattern)()) {
  const auto file = write(pattern(), ctas);
  if (!file) return state.SkipWithError("cannot write the trace");
  auto reader = TraceReader::open(file->path);
  if (!reader) return state.SkipWithError("cannot open the trace");
  std::uint64_t records = 0;
  for (auto _ : state) {
    for (const std::uint32_t block : reader->launches()[0].blocks) {
      auto decoded = reader->decode(block);
      if (!decoded) return state.SkipWithError("cannot decode");
      benchmark::DoNotOptimize(decoded->records.data());
      records += decoded->records.size();
    }
  }
  rate(state, records);
}

void replay_with(benchmark::State& state, bool time, std::uint64_t ctas,
                 patterns::Pattern (*pattern)(), bool looped) {
  const auto file = write(pattern(), ctas, looped ? loop() : Program{});
  if (!file) return state.SkipWithError("cannot write the trace");
  auto reader = TraceReader::open(file->path);
  auto card = model::load_card("h200");
  if (!reader || !card) return state.SkipWithError("cannot open the trace or the card");
  std::uint64_t records = 0;
  for (auto _ : state) {
    sim::ReplayOptions options;
    options.time = time;
    auto result = sim::replay(*reader, *card, options);
    if (!result) return state.SkipWithError(result.error().message.c_str());
    benchmark::DoNotOptimize(result->details.data());
    records += result->details[0].counters.records;
  }
  rate(state, records);
}

// Long warps: what the engine does a record, without what it does a CTA.
patterns::Pattern grid_stride() { return patterns::grid_stride(); }
patterns::Pattern streaming() { return patterns::streaming(); }
patterns::Pattern gather() { return patterns::gather(); }
patterns::Pattern shared_heavy() { return patterns::matmul(); }

struct Case {
  const char* name;
  std::uint64_t ctas;
  patterns::Pattern (*pattern)();
  bool looped;  // its sites are those of loop()
};
// One million records or more each, but for the gather (about 110 bytes a record).
constexpr Case kCases[] = {{"streaming copy", 32768, streaming, true},
                           {"grid-stride copy", 1056, grid_stride, true},
                           {"divergent gather", 8192, gather, true},
                           {"shared-memory matmul", 128, shared_heavy, false}};

const int registered = [] {
  for (const Case& c : kCases) {
    benchmark::RegisterBenchmark((std::string("replay/decode only/") + c.name).c_str(), decode_only,
                                 c.ctas, c.pattern);
    for (const bool time : {false, true})
      benchmark::RegisterBenchmark(
          (std::string(time ? "replay/time/" : "replay/counts/") + c.name).c_str(), replay_with,
          time, c.ctas, c.pattern, c.looped);
  }
  return 0;
}();

}  // namespace
