#include "sweep/trace_set.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>

namespace warpmem::sweep {
namespace {

std::uint64_t free_memory() {
  std::ifstream in("/proc/meminfo");
  std::string name;
  std::uint64_t kib = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    if (words >> name >> kib && name == "MemAvailable:") return kib * 1024;
  }
  return std::uint64_t{2} << 30;
}

}  // namespace

Result<void> TraceSet::decode(std::size_t threads, const Wanted& wanted) const {
  const std::lock_guard lock(decoding_);
  if (tried_) return {};
  tried_ = true;
  std::uint64_t bytes = 0;
  for (const trace::TraceReader& t : readers_) bytes += sim::DecodedTrace::least_bytes(t, wanted);
  // Addresses of scattered lanes may take ten times a record's own room; half of what is free is to
  // stay for the replays.
  if (bytes > free_memory() / 8) return {};
  std::vector<std::unique_ptr<sim::DecodedTrace>> all;
  for (const trace::TraceReader& t : readers_) {
    auto decoded = sim::DecodedTrace::of(t, threads, wanted);
    if (!decoded) return decoded.error();
    all.push_back(std::make_unique<sim::DecodedTrace>(std::move(*decoded)));
  }
  decoded_ = std::move(all);
  return {};
}

Changes TraceSource::program_of(const Changes& point) const {
  Changes out;
  for (const auto& change : point)
    if (std::ranges::find(keys_, change.first) != keys_.end()) out.push_back(change);
  return out;
}

Result<TraceSource::Traces> TraceSource::of(const Changes& point) {
  const Changes program = program_of(point);
  std::promise<Result<Traces>> promise;
  Made made;
  bool mine = false;
  {
    const std::lock_guard lock(mutex_);
    auto& entry = made_[program];
    mine = !entry.valid();
    if (mine) entry = promise.get_future().share();
    made = entry;
    used_.remove(program);
    used_.push_front(program);
    forget_oldest();
  }
  // Outside of the lock: others are made at the same time.
  if (mine) promise.set_value(make_(program));
  return made.get();
}

// What points still have stays with them. Failures stay known: they take no room.
void TraceSource::forget_oldest() {
  std::size_t there = 0;
  for (auto at = used_.begin(); at != used_.end();) {
    const Made& made = made_.at(*at);
    const bool ready = made.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    if (ready && made.get().ok() && ++there > kept_) {
      made_.erase(*at);
      at = used_.erase(at);
    } else {
      ++at;
    }
  }
}

}  // namespace warpmem::sweep
