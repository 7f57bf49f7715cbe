#include "sim/probe/probe.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "sim/probe/launches.hpp"
#include "sim/replay.hpp"

namespace warpmem::sim::probe {
namespace {

bool is_bandwidth(Curve c) {
  return c == Curve::kL1 || c == Curve::kL2 || c == Curve::kInit || c == Curve::kRead ||
         c == Curve::kScale || c == Curve::kTriad || c == Curve::kAdd || c == Curve::kHost ||
         c == Curve::kShared;
}

// The trace's file, for as long as it is needed.
class Scratch {
 public:
  explicit Scratch(std::string path) : path_(std::move(path)) {}
  ~Scratch() {
    std::error_code gone;
    std::filesystem::remove(path_, gone);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

 private:
  std::string path_;
};

// A microbenchmark runs without a profiler, which leaves lines in the L2 that are dirty. What the
// user says of them stands.
Result<model::Card> unprofiled(const model::Card& card) {
  constexpr const char* kKey = "launch.dirty_sectors";
  model::Card out = card;
  for (const model::CardEntry& entry : card.entries())
    if (entry.key == kKey && (entry.overridden || !entry.used)) return out;
  if (card.numbers().launch_dirty_sectors == 0) return out;
  if (auto ok = out.set(kKey, "0"); !ok) return ok.error();
  return out;
}

}  // namespace

const char* unit_of(Curve curve) { return is_bandwidth(curve) ? "GB/s" : "cycles"; }

Result<std::vector<Point>> measure(const model::Card& profiled, const Options& options) {
  const auto bare = unprofiled(profiled);
  if (!bare) return bare.error();
  const model::Card& card = *bare;
  Plan plan;
  plan_launches(card, options, plan);
  const Scratch scratch(options.file);
  if (auto done = write_trace(options.file, plan.launches); !done) return done.error();
  const auto reader = trace::TraceReader::open(options.file);
  if (!reader) return reader.error();
  ReplayOptions engine;
  engine.time = true;
  engine.keep_caches = plan.keep_caches;
  const auto replayed = replay(*reader, card, engine);
  if (!replayed) return replayed.error();
  const auto cycles = [&](std::size_t launch) {
    return static_cast<double>(replayed->details[launch].time->cycles);
  };
  std::vector<Point> out;
  for (const Pair& p : plan.pairs) {
    const double more = std::max(1.0, cycles(p.more) - cycles(p.less));
    const double a_cycle = p.amount / more;
    out.push_back({p.x, is_bandwidth(options.curve)
                            ? a_cycle * static_cast<double>(card.numbers().clock_mhz) / 1e3
                            : more / p.amount});
  }
  return out;
}

}  // namespace warpmem::sim::probe
