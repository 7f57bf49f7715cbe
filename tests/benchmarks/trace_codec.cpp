// Trace format: bytes a record on disk, records encoded and decoded a second on one core.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/traces/patterns.hpp"
#include "traces/format/reader.hpp"
#include "traces/format/writer.hpp"

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

// As a GPU drains it: a thousand CTAs at once, their records in any order, one by one.
std::vector<patterns::Warp> interleaved(const std::vector<patterns::Warp>& warps) {
  constexpr std::size_t kAtOnce = 8192;
  std::mt19937_64 random(2);
  std::vector<patterns::Warp> out;
  std::vector<std::pair<const patterns::Warp*, std::size_t>> running;
  std::size_t next = 0;
  for (;;) {
    while (running.size() < kAtOnce && next < warps.size()) running.emplace_back(&warps[next++], 0);
    if (running.empty()) return out;
    const std::size_t i = random() % running.size();
    auto& [warp, at] = running[i];
    out.push_back({warp->cta, warp->warp, {warp->records[at]}, warp->lanes});
    if (++at == warp->records.size()) {
      running[i] = running.back();
      running.pop_back();
    }
  }
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

using Make = std::vector<patterns::Warp> (*)(const patterns::Pattern&);

void encode_blocks(benchmark::State& state, const patterns::Pattern& pattern, Make make) {
  const auto warps = make(pattern);
  std::uint64_t records = 0, bytes = 0;
  for (auto _ : state) {
    records +=
        encode(pattern, warps, [&](const EncodedBlock& block) { bytes += block.body.size(); });
  }
  state.counters["records/s"] =
      benchmark::Counter(static_cast<double>(records), benchmark::Counter::kIsRate);
}

void decode_blocks(benchmark::State& state, const patterns::Pattern& pattern, Make make) {
  char name[] = "/tmp/warpmem-bench-XXXXXX";
  const int fd = ::mkstemp(name);
  if (fd < 0) return state.SkipWithError("no temporary file");
  ::close(fd);
  auto writer = TraceWriter::create(name, Origin{}, {.overwrite = true});
  bool fine =
      writer.ok() && writer->add_program(Program{}).ok() && writer->begin_launch(Launch{}).ok();
  std::uint64_t total = 0;
  if (fine) {
    total = encode(pattern, make(pattern),
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

void add(const std::string& name, const patterns::Pattern& pattern, Make make) {
  benchmark::RegisterBenchmark(("trace/encode/" + name).c_str(), encode_blocks, pattern, make);
  benchmark::RegisterBenchmark(("trace/decode/" + name).c_str(), decode_blocks, pattern, make);
}

const int registered = [] {
  for (const auto& pattern : patterns::all()) add(pattern.name, pattern, warps_of);
  const Make mixed = [](const patterns::Pattern& pattern) {
    return interleaved(warps_of(pattern));
  };
  add("streaming, interleaved", patterns::streaming(), mixed);
  add("transpose, interleaved", patterns::transpose(), mixed);
  return 0;
}();

}  // namespace
