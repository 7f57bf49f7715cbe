#include "sim/program/program_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "host/timeline/timeline.hpp"
#include "model/card/spec_of.hpp"

namespace warpmem::sim {
namespace {

using host::Operation;
using host::Place;
using host::Step;

const char* kind_of(Step step) {
  constexpr const char* kNames[] = {"copy", "fill", "kernel", "host function", "event", "wait"};
  return kNames[static_cast<std::size_t>(step)];
}
const char* place_name(Place place) {
  constexpr const char* kNames[] = {"GPU", "pinned", "write-combined", "pageable", "managed"};
  return kNames[static_cast<std::size_t>(place)];
}

// Kernels' times and names, by the number of their launch. A launch that repeats one of the trace
// is as long as that.
class Kernels {
 public:
  Kernels(const trace::TraceReader& reader, const model::Card& card,
          const std::map<std::uint64_t, std::uint64_t>& cycles)
      : reader_(reader) {
    for (const trace::LaunchSummary& l : reader.launches()) {
      Known& known = known_[l.launch.id];
      known.summary = &l;
      if (const auto at = cycles.find(l.launch.id); at != cycles.end())
        known.ns =
            static_cast<double>(at->second) * 1000 / static_cast<double>(card.numbers().clock_mhz);
    }
  }
  std::optional<double> ns(std::uint32_t launch) const {
    const Known* known = find(launch);
    return known ? known->ns : std::nullopt;
  }
  std::string name(std::uint32_t launch) const {
    const Known* known = find(launch);
    if (!known) return fmt::format("launch {}", launch);
    const trace::Program& program = reader_.programs()[known->summary->launch.program];
    return program.demangled.empty() ? program.name : program.demangled;
  }

 private:
  struct Known {
    const trace::LaunchSummary* summary = nullptr;
    std::optional<double> ns;
  };
  const Known* find(std::uint32_t launch) const {
    auto after = known_.upper_bound(launch);
    if (after == known_.begin()) return nullptr;
    const auto& [id, known] = *std::prev(after);
    return launch < id + known.summary->repeats.ran ? &known : nullptr;
  }

  const trace::TraceReader& reader_;
  std::map<std::uint32_t, Known> known_;
};

host::Timeline run(const host::LinkSpec& spec, std::span<const Operation> steps) {
  host::Timeline timeline(spec);
  for (const Operation& step : steps) timeline.add(step);
  timeline.finish();
  return timeline;
}

double whole(const host::Timeline& timeline) {
  double end = timeline.host_now();
  for (std::uint32_t i = 0; i < timeline.size(); ++i) end = std::max(end, timeline.span(i).end);
  return end;
}

bool is_copy(const Operation& what) {
  return what.step == Step::kCopy && (what.from != Place::kDevice || what.to != Place::kDevice);
}

// How long copies over the link, and work on the SMs, were under way: alone, together, not at all.
void split(std::span<const Operation> steps, const host::Timeline& timeline, ProgramTimeline& out) {
  std::vector<std::pair<double, int>> changes;  // when, and what begins or ends
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    const host::Span& s = timeline.span(i);
    const bool copy = is_copy(steps[i]);
    if (!copy && steps[i].step != Step::kKernel && steps[i].step != Step::kFill) continue;
    changes.emplace_back(s.begin, copy ? 1 : 2);
    changes.emplace_back(s.end, copy ? -1 : -2);
  }
  std::sort(changes.begin(), changes.end());
  int copies = 0, kernels = 0;
  double at = 0;
  const auto until = [&](double time) {
    (copies > 0    ? kernels > 0 ? out.both : out.copies_alone
     : kernels > 0 ? out.kernels_alone
                   : out.neither) += time - at;
    at = time;
  };
  for (const auto& [time, what] : changes) {
    until(time);
    (what == 1 || what == -1 ? copies : kernels) += what > 0 ? 1 : -1;
  }
  until(out.ns);
}

}  // namespace

ProgramTimeline program_timeline(const trace::TraceReader& reader, const model::Card& card,
                                 std::span<const ReplayedLaunch> replayed) {
  std::map<std::uint64_t, std::uint64_t> cycles;
  for (const ReplayedLaunch& l : replayed)
    if (l.time) cycles[l.metrics.launch] = l.time->cycles;
  return program_timeline(reader, card, cycles);
}

ProgramTimeline program_timeline(const trace::TraceReader& reader, const model::Card& card,
                                 const std::map<std::uint64_t, std::uint64_t>& cycles) {
  ProgramTimeline out;
  out.gpu = card.name(), out.full_name = card.full_name();
  const Kernels kernels(reader, card, cycles);
  std::vector<Operation> steps(reader.steps().begin(), reader.steps().end());
  std::vector<bool> estimated(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].step == Step::kKernel) {
      const auto known = kernels.ns(steps[i].launch);
      estimated[i] = !known;
      if (known) steps[i].alone_ns = *known;
    }
  const auto spec = model::spec_of<host::LinkSpec>(card);
  const host::Timeline timeline = run(spec, steps);
  out.ns = whole(timeline);

  std::map<host::Engine, ProgramTimeline::Engine> engines;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    const Operation& what = steps[i];
    const host::Span& span = timeline.span(i);
    const host::Engine engine = host::engine_of(spec, what);
    ProgramStep& step = out.steps.emplace_back();
    step.kind = kind_of(what.step);
    if (what.step == Step::kCopy)
      step.name = fmt::format("{} to {}", place_name(what.from), place_name(what.to));
    if (what.step == Step::kKernel) step.name = kernels.name(what.launch);
    step.stream = what.stream, step.bytes = what.bytes;
    step.issued = span.issued, step.ready = span.ready, step.begin = span.begin,
    step.end = span.end;
    step.estimated = estimated[i];
    if (engine == host::Engine::kNone) continue;
    step.engine = host::engine_name(engine);
    ProgramTimeline::Engine& row = engines[engine];
    row.name = step.engine;
    ++row.steps, row.bytes += what.bytes;
    row.busy += what.step == Step::kKernel ? what.alone_ns * what.share : span.end - span.begin;
  }
  for (auto& [engine, row] : engines) {
    out.limit_ns = std::max(out.limit_ns, row.busy);
    out.engines.push_back(std::move(row));
  }
  split(steps, timeline, out);

  const auto if_so = [&](const char* what, auto&& change) {
    std::vector<Operation> other = steps;
    bool changed = false;
    for (Operation& step : other) changed |= change(step);
    if (changed) out.what_ifs.push_back({what, whole(run(spec, other))});
  };
  if_so("all host memory that is copied were pinned", [](Operation& step) {
    bool changed = false;
    for (Place* place : {&step.from, &step.to})
      if (step.step == Step::kCopy && *place == Place::kPageable)
        *place = Place::kPinned, changed = true;
    return changed;
  });
  if_so("a graph launched all steps, so that no call of the host's came between",
        [](Operation& step) { return std::exchange(step.called, false); });
  if (std::find(estimated.begin(), estimated.end(), true) != estimated.end())
    out.notes.emplace_back(
        "some kernels are not in the trace: their time is one cycle a warp instruction of an SM");
  return out;
}

}  // namespace warpmem::sim
