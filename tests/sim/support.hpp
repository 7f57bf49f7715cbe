// Small traces for the tests of the engine: a kernel is a list of sites, and a function that says
// what a warp does.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/card/card.hpp"
#include "sim/replay.hpp"
#include "tests/traces/patterns.hpp"
#include "traces/format/writer.hpp"

namespace warpmem::testing {

using trace::Op;
using trace::Record;
using trace::Site;
using trace::Space;
using trace::patterns::listed;
using trace::patterns::regular;
using trace::patterns::Warp;

constexpr std::uint64_t kA = 0x7f2000000000, kB = 0x7f2040000000;
constexpr std::uint32_t kLanes = ~0u;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "warpmem-sim-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

struct Kernel {
  std::vector<Site> sites;
  std::vector<std::string> text;         // SASS by site, "" where none: sites' pcs are 16, 32, …
  std::vector<trace::Instruction> code;  // all of the program's, instead of `text`
  trace::Level level = trace::Level::kSass;
  trace::Launch launch;  // program is set by write_trace
  std::function<void(Warp&)> fill;

  std::uint64_t ctas() const {
    return std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  }
  std::uint32_t warps() const {
    return (launch.block[0] * launch.block[1] * launch.block[2] + 31) / 32;
  }

  // Adds a site and gives its number, as records name it.
  std::uint32_t site(Op op, Space space, std::uint32_t bytes, const std::string& sass = "") {
    sites.push_back({static_cast<std::uint32_t>(16 * (sites.size() + 1)), op, space, bytes});
    text.push_back(sass);
    return static_cast<std::uint32_t>(sites.size() - 1);
  }
};

inline Kernel kernel(std::uint32_t ctas = 1, std::uint32_t threads = 32) {
  Kernel k;
  k.launch.grid = {ctas, 1, 1};
  k.launch.block = {threads, 1, 1};
  k.launch.registers = 32;
  return k;
}

struct WriteOptions {
  bool seal = true;
  bool backwards = false;       // CTAs from the last to the first
  std::size_t piece = 1000000;  // records of a warp that follow one another in the file
  std::uint64_t lost = 0;
};

template <class T>
T must(Result<T> r) {
  if (!r) throw std::runtime_error(r.error().text());
  return std::move(r).value();
}
inline void must(Result<void> r) {
  if (!r) throw std::runtime_error(r.error().text());
}

// Writes one launch a kernel.
inline void write_trace(const std::string& path, const std::vector<Kernel>& kernels,
                        const WriteOptions& options = {}) {
  auto writer = must(trace::TraceWriter::create(path, trace::Origin{}, {.overwrite = true}));
  std::uint32_t id = 0;
  for (const Kernel& k : kernels) {
    trace::Program program;
    program.name = program.demangled = "kernel" + std::to_string(id);
    program.level = k.level;
    program.code = k.code;
    for (std::size_t i = 0; k.code.empty() && i < k.sites.size(); ++i)
      if (!k.text[i].empty()) program.code.push_back({k.sites[i].pc, k.text[i], 0, 0});
    trace::Launch launch = k.launch;
    launch.program = must(writer.add_program(program));
    launch.id = id++;
    must(writer.begin_launch(launch));
    trace::BlockBuilder builder(launch.id);
    const auto warps = k.warps();
    for (std::uint64_t i = 0; i < k.ctas(); ++i) {
      std::vector<Warp> made;
      for (std::uint32_t w = 0; w < warps; ++w) {
        made.push_back({options.backwards ? k.ctas() - 1 - i : i, w, {}, {}});
        k.fill(made.back());
      }
      bool any = true;
      for (std::size_t at = 0; any; at += options.piece) {
        any = false;
        for (const Warp& w : made) {
          if (at >= w.records.size()) continue;
          const std::size_t n = std::min(options.piece, w.records.size() - at);
          builder.add(w.cta, w.warp, std::span(w.records).subspan(at, n), k.sites, w.lanes);
          any = true;
          if (builder.full()) must(writer.append(builder.take(options.lost)));
        }
        if (options.piece < 1000000 && !builder.empty())
          must(writer.append(builder.take(options.lost)));
      }
    }
    if (!builder.empty()) must(writer.append(builder.take(options.lost)));
    if (options.seal) must(writer.end_launch(launch.id, {.lost = options.lost}));
  }
  if (options.seal) must(writer.seal());
}

inline model::Card h200() { return must(model::load_card("h200")); }

inline trace::TraceReader open(const std::string& path) {
  return must(trace::TraceReader::open(path));
}

// Writes the kernel and replays it on an H200.
inline model::LaunchCounters count(const Kernel& k, const model::Card& card,
                                   const WriteOptions& options = {}) {
  TemporaryFolder folder;
  write_trace(folder.file("t.wmt"), {k}, options);
  const auto reader = open(folder.file("t.wmt"));
  return must(sim::replay(reader, card)).details.at(0).counters;
}

inline model::LaunchCounters count(const Kernel& k, const WriteOptions& options = {}) {
  return count(k, h200(), options);
}

// Everything that a replay gives, as text: equal text, equal result.
inline std::string everything(const sim::ReplayResult& result) {
  std::string out;
  for (const auto& launch : result.details) {
    out += launch.metrics.kernel + "\n";
    for (const auto& [name, value] : launch.metrics.metrics)
      out += name + " " + std::to_string(value.value) + "\n";
    for (const auto& note : launch.notes) out += note + "\n";
  }
  for (const auto& note : result.notes) out += note + "\n";
  return out;
}

}  // namespace warpmem::testing
