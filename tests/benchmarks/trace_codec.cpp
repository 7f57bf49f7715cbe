// Trace format: bytes a record on disk, records encoded and decoded a second on one core.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/traces/patterns.hpp"
#include "traces/reader.hpp"
#include "traces/writer.hpp"

namespace {

using namespace warpmem::trace;

// About a million records, or as many as a hundred MB hold.
std::vector<patterns::Warp> warps_of(const patterns::Pattern& pattern) {
  std::mt19937_64 random(1);
  std::vector<patterns::Warp> warps;
  std::size_t bytes = 0;
  for (std::uint64_t cta = 0; bytes < 24 << 20; ++cta) {
    for (std::uint32_t warp = 0; warp < pattern.warps_per_cta; ++warp) {
      patterns::Warp& made = warps.emplace_back(patterns::Warp{cta, warp, {}, {}});
      pattern.fill(made, random);
      bytes += made.records.size() * sizeof(Record) + made.lanes.size() * 8;
    }
  }
  return warps;
}

template <class Take>
std::uint64_t encode(const patterns::Pattern& pattern, const std::vector<patterns::Warp>& warps,
                     Take&& take) {
  BlockBuilder builder(0);
  std::uint64_t records = 0;
  for (const auto& warp : warps) {
    builder.add(warp.cta, warp.warp, warp.records, pattern.sites, warp.lanes);
    records += warp.records.size();
    if (builder.full()) take(builder.take());
  }
  if (!builder.empty()) take(builder.take());
  return records;
}

void encode_blocks(benchmark::State& state, const patterns::Pattern& pattern) {
  const auto warps = warps_of(pattern);
  std::uint64_t records = 0, bytes = 0;
  for (auto _ : state) {
    records +=
        encode(pattern, warps, [&](const EncodedBlock& block) { bytes += block.body.size(); });
  }
  state.counters["records/s"] =
      benchmark::Counter(static_cast<double>(records), benchmark::Counter::kIsRate);
}

void decode_blocks(benchmark::State& state, const patterns::Pattern& pattern) {
  char name[] = "/tmp/warpmem-bench-XXXXXX";
  const int fd = ::mkstemp(name);
  if (fd < 0) return state.SkipWithError("no temporary file");
  ::close(fd);
  auto writer = TraceWriter::create(name, Origin{}, {.overwrite = true});
  bool fine =
      writer.ok() && writer->add_program(Program{}).ok() && writer->begin_launch(Launch{}).ok();
  std::uint64_t total = 0;
  if (fine) {
    total = encode(pattern, warps_of(pattern),
                   [&](const EncodedBlock& block) { fine = fine && writer->append(block).ok(); });
    fine = fine && writer->end_launch(0, {}).ok() && writer->seal().ok();
  }
  auto reader = TraceReader::open(name);
  if (!fine || !reader) return state.SkipWithError("cannot write the trace");
  std::FILE* file = std::fopen(name, "rb");
  std::fseek(file, 0, SEEK_END);
  state.counters["B/record"] = static_cast<double>(std::ftell(file)) / static_cast<double>(total);
  std::fclose(file);

  std::uint64_t records = 0;
  for (auto _ : state) {
    for (const std::uint32_t block : reader->launches()[0].blocks) {
      auto decoded = reader->decode(block);
      if (!decoded) return state.SkipWithError("cannot decode");
      benchmark::DoNotOptimize(decoded->records.data());
      records += decoded->records.size();
    }
  }
  state.counters["records/s"] =
      benchmark::Counter(static_cast<double>(records), benchmark::Counter::kIsRate);
  std::remove(name);
}

const int registered = [] {
  for (const auto& pattern : patterns::all()) {
    benchmark::RegisterBenchmark(("trace/encode/" + pattern.name).c_str(), encode_blocks, pattern);
    benchmark::RegisterBenchmark(("trace/decode/" + pattern.name).c_str(), decode_blocks, pattern);
  }
  return 0;
}();

}  // namespace
