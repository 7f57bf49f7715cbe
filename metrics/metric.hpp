// The one list of metrics: what each is called in which profiler's vocabulary, its unit, what it
// means, and how it follows from counters on GPUs of which compute capabilities.
//
// A formula is text that is both shown and evaluated (formula.hpp): what `warpmem metrics NAME`
// prints is what a replay works out. It names counters, and metrics of its own vocabulary.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmem::metrics {

enum class Vocabulary : std::uint8_t { kNcu, kNvprof, kVisualProfiler };
inline constexpr std::array kVocabularies{Vocabulary::kNcu, Vocabulary::kNvprof,
                                          Vocabulary::kVisualProfiler};
std::string_view name_of(Vocabulary vocabulary);       // "ncu", "nvprof", "visual-profiler"
std::string_view full_name_of(Vocabulary vocabulary);  // "Nsight Compute", …
std::optional<Vocabulary> vocabulary_named(std::string_view name);
// The one that people used on GPUs of a compute capability: 13 is 1.3, 90 is 9.0.
Vocabulary usual_vocabulary(unsigned capability);

// What a metric is on GPUs of some compute capabilities.
struct Definition {
  unsigned since = 0;        // 20: compute capability 2.0; 0: this definition does not exist
  unsigned until = 0;        // the last one; 0: to this day
  std::string_view formula;  // empty: not known, and why:
  std::string_view missing = {};

  bool holds(unsigned capability) const {
    return since != 0 && capability >= since && (until == 0 || capability <= until);
  }
};

struct Metric {
  std::string_view name;
  std::string_view unit;
  std::string_view meaning;  // one sentence without a final stop
  std::array<Definition, 3> definitions;
  std::string_view counterparts = {};  // in other vocabularies, names with a space between
  bool main = false;                   // a column of the overview of several launches
};

// In the order in which they are listed: by level, from the SM outwards.
std::span<const Metric> metrics_of(Vocabulary vocabulary);
const Metric* find(Vocabulary vocabulary, std::string_view name);
// The definition that holds for GPUs of a compute capability, or nullptr.
const Definition* definition_of(const Metric& metric, unsigned capability);
// "1.2 to 1.3", "7.0 and later": the compute capabilities on which it is defined.
std::string capabilities_of(const Metric& metric);
std::string capabilities_of(const Definition& definition);

// The same quantity in other vocabularies: what a metric names, and what names it.
struct Counterpart {
  Vocabulary vocabulary;
  const Metric* metric;
};
std::vector<Counterpart> counterparts_of(Vocabulary vocabulary, const Metric& metric);

// A number, or why there is none.
struct Value {
  double value = 0;
  std::string missing;
  bool known() const { return missing.empty(); }
};
// A counter by its name; nothing if there is none of that name.
using Counters = std::function<std::optional<Value>(std::string_view name)>;

// A metric on a GPU, worked out from what was counted there.
Value value_of(Vocabulary vocabulary, const Metric& metric, unsigned capability,
               const Counters& counters);
// The counters that a metric is worked out from there, each once.
std::vector<std::string> counters_of(Vocabulary vocabulary, const Metric& metric,
                                     unsigned capability);

}  // namespace warpmem::metrics
