#include "metrics/metric.hpp"

#include <algorithm>

#include "metrics/formula.hpp"
#include "metrics/tables.hpp"

namespace warpmem::metrics {
namespace {

std::string capability_text(unsigned capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

// Of GPUs that run CUDA: none lies between the two.
unsigned next_capability(unsigned capability) {
  constexpr std::array kAll{10u, 11u, 12u, 13u, 20u, 21u, 30u, 32u, 35u, 37u, 50u,  52u,  53u, 60u,
                            61u, 62u, 70u, 72u, 75u, 80u, 86u, 87u, 89u, 90u, 100u, 103u, 120u};
  const auto next = std::ranges::upper_bound(kAll, capability);
  return next == kAll.end() ? 0 : *next;
}

bool names(std::string_view list, std::string_view name) {
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(' ', at), list.size());
    if (list.substr(at, end - at) == name) return true;
    at = end + 1;
  }
  return false;
}

constexpr int kDeepest = 8;  // metrics in terms of metrics

Value value_at(Vocabulary vocabulary, const Metric& metric, unsigned capability,
               const Counters& counters, int depth) {
  const Definition* const definition = definition_of(metric, capability);
  if (!definition)
    return {0, std::string(full_name_of(vocabulary)) + " counts it on compute capability " +
                   capabilities_of(metric)};
  if (definition->formula.empty()) return {0, std::string(definition->missing)};
  return evaluate(definition->formula, [&](std::string_view name) -> Value {
    if (auto counted = counters(name)) return *std::move(counted);
    const Metric* const other = find(vocabulary, name);
    if (!other || other == &metric || depth == kDeepest)
      return {0, "no counter is called " + std::string(name)};
    return value_at(vocabulary, *other, capability, counters, depth + 1);
  });
}

void add_counters(Vocabulary vocabulary, const Metric& metric, unsigned capability, int depth,
                  std::vector<std::string>& out) {
  const Definition* const definition = definition_of(metric, capability);
  if (!definition) return;
  for (std::string& name : names_in(definition->formula)) {
    const Metric* const other = find(vocabulary, name);
    if (other && other != &metric && depth < kDeepest)
      add_counters(vocabulary, *other, capability, depth + 1, out);
    else if (std::ranges::find(out, name) == out.end()) out.push_back(std::move(name));
  }
}

}  // namespace

std::string_view name_of(Vocabulary vocabulary) {
  switch (vocabulary) {
    case Vocabulary::kNcu: return "ncu";
    case Vocabulary::kNvprof: return "nvprof";
    case Vocabulary::kVisualProfiler: return "visual-profiler";
  }
  return "";
}

std::string_view full_name_of(Vocabulary vocabulary) {
  switch (vocabulary) {
    case Vocabulary::kNcu: return "Nsight Compute";
    case Vocabulary::kNvprof: return "nvprof";
    case Vocabulary::kVisualProfiler: return "the Visual Profiler";
  }
  return "";
}

std::optional<Vocabulary> vocabulary_named(std::string_view name) {
  for (const Vocabulary v : kVocabularies)
    if (name == name_of(v)) return v;
  return std::nullopt;
}

Vocabulary usual_vocabulary(unsigned capability) {
  return capability < 20   ? Vocabulary::kVisualProfiler
         : capability < 70 ? Vocabulary::kNvprof
                           : Vocabulary::kNcu;
}

std::span<const Metric> metrics_of(Vocabulary vocabulary) {
  switch (vocabulary) {
    case Vocabulary::kNcu: return ncu_metrics();
    case Vocabulary::kNvprof: return nvprof_metrics();
    case Vocabulary::kVisualProfiler: return visual_profiler_metrics();
  }
  return {};
}

const Metric* find(Vocabulary vocabulary, std::string_view name) {
  const std::span<const Metric> all = metrics_of(vocabulary);
  const auto found = std::ranges::find(all, name, &Metric::name);
  return found == all.end() ? nullptr : &*found;
}

const Definition* definition_of(const Metric& metric, unsigned capability) {
  for (const Definition& d : metric.definitions)
    if (d.holds(capability)) return &d;
  return nullptr;
}

std::string capabilities_of(const Definition& definition) {
  const std::string since = capability_text(definition.since);
  if (definition.until == 0) return since + " and later";
  if (definition.until == definition.since) return since;
  return since + " to " + capability_text(definition.until);
}

// Definitions stand in the order of compute capabilities; those that follow each other are one.
std::string capabilities_of(const Metric& metric) {
  std::string out;
  Definition span;
  const auto add = [&] {
    if (span.since != 0) out += (out.empty() ? "" : ", ") + capabilities_of(span);
  };
  for (const Definition& d : metric.definitions) {
    if (d.since == 0) continue;
    if (span.since != 0 && d.since == next_capability(span.until)) span.until = d.until;
    else add(), span = d;
  }
  add();
  return out;
}

std::vector<Counterpart> counterparts_of(Vocabulary vocabulary, const Metric& metric) {
  std::vector<Counterpart> out;
  for (const Vocabulary v : kVocabularies) {
    if (v == vocabulary) continue;
    for (const Metric& other : metrics_of(v))
      if (names(metric.counterparts, other.name) || names(other.counterparts, metric.name))
        out.push_back({v, &other});
  }
  return out;
}

Value value_of(Vocabulary vocabulary, const Metric& metric, unsigned capability,
               const Counters& counters) {
  return value_at(vocabulary, metric, capability, counters, 0);
}

std::vector<std::string> counters_of(Vocabulary vocabulary, const Metric& metric,
                                     unsigned capability) {
  std::vector<std::string> out;
  add_counters(vocabulary, metric, capability, 0, out);
  return out;
}

}  // namespace warpmem::metrics
