#include "sim/sample/window_plan.hpp"

#include <algorithm>

namespace warpmem::sim {
namespace {

constexpr std::uint64_t kCounted = 4;  // waves of a window that count
constexpr std::uint64_t kFewest = 3;   // windows
// A line that was written is in the L2 for two turns: once dirty, once clean
// (model/l2/l2_side.hpp).
constexpr std::uint64_t kTurns = 2;

std::uint64_t drawn(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t x = (seed + i + 1) * 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

Range in_front(std::uint64_t of, std::uint64_t most) { return {of - std::min(of, most), of}; }

// The counts engine takes about a quarter of the time engine's time (docs/how-to/contribute.md).
double took(const Window& w, bool time) {
  return static_cast<double>(w.replayed.size()) +
         static_cast<double>(w.warm.size()) / (time ? 4 : 1);
}

std::vector<Window> windows_of(const WindowShape& s, const Window& beginning, std::uint64_t lead,
                               std::uint64_t warm, std::uint64_t count) {
  std::vector<Window> out{beginning};
  const std::uint64_t counted = kCounted * s.wave;
  const Range middle{beginning.counted.end, s.ctas - s.wave};
  for (std::uint64_t i = 0; i < count; ++i) {
    // One in each of as many equal parts.
    const std::uint64_t first = middle.first + middle.size() * i / count,
                        end = middle.first + middle.size() * (i + 1) / count;
    const std::uint64_t room = end - first > counted ? end - first - counted : 0;
    const std::uint64_t at =
        std::min(first + (room ? drawn(s.seed, i) % (room + 1) : 0), middle.end - counted);
    Window w;
    w.replayed = {in_front(at, lead).first, std::min(s.ctas, at + counted + s.wave)};
    w.before = in_front(at, counted);
    w.counted = {at, at + counted};
    out.push_back(w);
  }
  Window end;
  end.replayed = {in_front(s.ctas - s.wave, lead).first, s.ctas};
  end.counted = {s.ctas - s.wave, s.ctas};
  end.last = true;
  out.push_back(end);
  for (Window& w : out) w.warm = in_front(w.replayed.first, warm);
  return out;
}

}  // namespace

std::uint64_t settled(const Footprint& f) {
  if (f.end == Footprint::End::kFits) return 0;
  return f.end == Footprint::End::kFull ? kTurns * f.ctas : f.ctas;
}

Window beginning_of(const WindowShape& shape, const Footprint& footprint, bool steady) {
  const std::uint64_t ctas =
      steady ? settled(footprint) : std::min(settled(footprint), footprint.ctas);
  const std::uint64_t waves =
      std::max(kMostInStep, (ctas + shape.wave - 1) / shape.wave + kCounted);
  Window out;
  out.counted = {0, waves * shape.wave};
  out.before = in_front(out.counted.end, kCounted * shape.wave);
  out.replayed = {0, out.counted.end + shape.wave};
  out.first = true;
  return out;
}

std::optional<WindowPlan> plan_windows(const WindowShape& shape, const Footprint& footprint,
                                       bool steady, std::uint64_t in_step) {
  // What all CTAs before a window leave, nobody knows without looking at them.
  if (footprint.end == Footprint::End::kGrowing) return {};
  const Window beginning = beginning_of(shape, footprint, steady);
  const std::uint64_t lead = (in_step + kCounted) * shape.wave;
  const std::uint64_t turns = footprint.end == Footprint::End::kFits ? 1 : kTurns;
  const std::uint64_t warm = turns * footprint.ctas;
  const auto unit = static_cast<double>(kCounted * shape.wave);
  for (std::uint64_t count = shape.windows; count > 0; --count) {
    if (count < kFewest && count < shape.windows) break;
    if (shape.ctas < beginning.replayed.end + (count * kCounted + 1) * shape.wave) continue;
    WindowPlan out;
    out.windows = windows_of(shape, beginning, lead, warm, count);
    double all = 0;
    for (const Window& w : out.windows) all += took(w, shape.time);
    if (all > static_cast<double>(shape.ctas) / 2) continue;
    out.units = static_cast<double>(shape.ctas - shape.wave - beginning.counted.end) / unit;
    if (settled(footprint) > beginning.counted.end)
      out.settling = std::min(
          out.units, static_cast<double>(settled(footprint) - beginning.counted.end) / unit);
    return out;
  }
  return {};
}

}  // namespace warpmem::sim
