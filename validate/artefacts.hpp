// Readings that say something about the profiler and not about the kernel. Each kind has a rule
// over counters that are in the file: one counter alone is never enough, as a model that is wrong
// looks the same.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace warpmem::validate {

struct Comparison;
struct LaunchComparison;

enum class ArtefactKind : std::uint8_t {
  kLostArbitration,  // passes of the data stage that were asked for twice
  kCachesKept,       // the L2 held the data before the launch
  kClocks,           // another clock than the card's
  kLanesOff,         // instructions, or addresses, of lanes that were switched off
  kReplayPasses,     // counters of several runs that were not alike
  kOtherTraffic,     // of others than the SMs
};

struct ArtefactText {
  ArtefactKind kind;
  std::string_view name;     // "caches kept"
  std::string_view because;  // what in the file says so
  std::string_view again;    // how to collect it without
};
std::span<const ArtefactText> artefact_texts();
const ArtefactText& text_of(ArtefactKind kind);

// Of a comparison that fails: the kind that the launch's other counters prove, or nothing.
std::optional<ArtefactKind> artefact_of(const Comparison& c, const LaunchComparison& launch);

}  // namespace warpmem::validate
