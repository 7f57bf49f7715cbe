#include "command/diff/sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>

#include "base/run_files.hpp"
#include "command/counters/predict.hpp"
#include "command/diff/lines.hpp"
#include "command/inputs/profile_card.hpp"
#include "command/inputs/trace_card.hpp"
#include "command/inputs/trace_input.hpp"
#include "metrics/metric.hpp"
#include "model/card/card_identity.hpp"
#include "sim/replay.hpp"
#include "traces/format/format.hpp"
#include "validate/match.hpp"

namespace warpmem::command {
namespace {

enum class Kind { kTrace, kResult, kProfile };

// By its first bytes. An empty file, or one that is not there, is left to the reader of results.
Kind kind_of(const std::string& path) {
  std::ifstream in = open_to_read(path);
  char magic[sizeof trace::kFileMagic] = {};
  in.read(magic, sizeof magic);
  const auto n = static_cast<std::size_t>(in.gcount());
  if (n == sizeof magic &&
      std::equal(std::begin(magic), std::end(magic), std::begin(trace::kFileMagic),
                 [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; }))
    return Kind::kTrace;
  const std::string_view begin(magic, n);
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  const bool json = first == begin.npos || begin[first] == '{' || begin[first] == '[';
  return json ? Kind::kResult : Kind::kProfile;
}

Result<DiffSide> replayed(const std::string& path, const model::Card& card, bool time,
                          metrics::Vocabulary words) {
  const auto reader = trace::TraceReader::open(path);
  if (!reader) return reader.error();
  auto prediction = predict(*reader, card, time, words);
  if (!prediction) return prediction.error();
  DiffSide out;
  out.result.path = path, out.result.gpu = card.name();
  out.result.engine = time ? "time" : "counts";
  out.result.level = level_name(reader->origin().level);
  for (const model::CardEntry& entry : card.entries()) out.result.card[entry.key] = entry.value;
  out.result.launches = std::move(prediction->launches);
  out.caution = level_caution(*reader);
  return out;
}

Result<DiffSide> counted(const std::string& path) {
  auto profile = validate::read_profile(path);
  if (!profile) {
    Error error = profile.error();
    if (error.kind == ErrorKind::kMalformed)
      error.fix += "; or a trace, or a result of: warpmem replay T --format json";
    return error;
  }
  DiffSide out;
  out.result.path = path;
  // Where the profile says no name of it, nothing is said.
  out.result.gpu = card_of_device(profile->device).value_or("");
  out.result.engine = metrics::full_name_of(profile->words);
  for (const validate::NcuLaunch& l : profile->launches) out.result.launches.push_back(l.counted);
  out.profile = std::move(*profile);
  return out;
}

Result<DiffSide> read_result_side(const std::string& path) {
  auto result = read_result(path);
  if (!result) return result.error();
  DiffSide out;
  out.result = std::move(*result);
  return out;
}

// The profile's GPU has to be the card's.
Result<void> same_gpu(const DiffSide& profile, const model::Card& card) {
  const std::string& place = profile.result.path;
  return check_same_card(*profile.profile, card, place);
}

std::vector<LaunchPair> by_kernel(const ResultFile& before, const ResultFile& after) {
  if (before.launches.size() == 1 && after.launches.size() == 1)
    return {{&before.launches[0], &after.launches[0]}};
  std::vector<LaunchPair> out;
  std::map<std::string_view, std::deque<const LaunchMetrics*>> free;
  for (const LaunchMetrics& b : after.launches) free[b.kernel].push_back(&b);
  for (const LaunchMetrics& a : before.launches) {
    std::deque<const LaunchMetrics*>& same_kernel = free[a.kernel];
    out.push_back({&a, same_kernel.empty() ? nullptr : same_kernel.front()});
    if (!same_kernel.empty()) same_kernel.pop_front();
  }
  for (const LaunchMetrics& b : after.launches)
    if (const auto& left = free[b.kernel]; std::ranges::find(left, &b) != left.end())
      out.push_back({nullptr, &b});
  return out;
}

}  // namespace

bool are_cards(const std::string& before, const std::string& after) {
  const auto is_card = [](const std::string& name) {
    if (std::filesystem::exists(name)) return name.ends_with(".toml");
    return std::ranges::any_of(model::card_identities(),
                               [&](const auto& card) { return card.name == name; });
  };
  const auto nothing = [](const std::string& name) { return !std::filesystem::exists(name); };
  return (is_card(before) && (is_card(after) || nothing(after))) ||
         (is_card(after) && nothing(before));
}

Result<DiffSides> read_sides(const DiffInput& input) {
  DiffSides out;
  const std::array kinds{kind_of(input.before), kind_of(input.after)};
  const std::array paths{&input.before, &input.after};
  const std::array sides{&out.before, &out.after};
  // Profiles first: they say on which GPU, and in whose words, a trace is to be replayed.
  CardInput card_input = input.card;
  metrics::Vocabulary words = metrics::Vocabulary::kNcu;
  for (std::size_t i = 0; i < 2; ++i) {
    if (kinds[i] == Kind::kTrace) continue;
    auto side = kinds[i] == Kind::kProfile ? counted(*paths[i]) : read_result_side(*paths[i]);
    if (!side) return side.error();
    *sides[i] = std::move(*side);
    if (!sides[i]->profile) continue;
    words = sides[i]->profile->words;
    if (input.card_named || kinds[1 - i] != Kind::kTrace) continue;
    auto gpu = card_of_profile(*sides[i]->profile, *paths[i]);
    if (!gpu) return gpu.error();
    card_input.gpu = *gpu;
  }
  std::array<std::optional<model::Card>, 2> cards;
  for (std::size_t i = 0; i < 2; ++i) {
    if (kinds[i] != Kind::kTrace) continue;
    const auto reader = trace::TraceReader::open(*paths[i]);
    if (!reader) return reader.error();
    auto card = card_for(card_input, *reader);
    if (!card) return card.error();
    cards[i] = std::move(*card);
    if (sides[1 - i]->profile)
      if (auto same = same_gpu(*sides[1 - i], *cards[i]); !same) return same.error();
    auto side = replayed(*paths[i], *cards[i], !input.counts, words);
    if (!side) return side.error();
    *sides[i] = std::move(*side);
  }
  if (kinds[0] != Kind::kTrace || kinds[1] != Kind::kTrace) return out;
  auto lines = line_differences(input.before, *cards[0], input.after, *cards[1]);
  if (!lines) return lines.error();
  out.lines = std::move(*lines);
  return out;
}

Result<std::vector<LaunchPair>> pairs_of(const DiffSides& sides, const std::string& place) {
  const ResultFile &before = sides.before.result, &after = sides.after.result;
  if (!sides.before.profile && !sides.after.profile) return by_kernel(before, after);
  const bool second = sides.after.profile.has_value();
  const validate::NcuImport& measured = second ? *sides.after.profile : *sides.before.profile;
  const ResultFile &other = second ? before : after, &own = second ? after : before;
  // Two programs' kernels of one launch each are what the user wants side by side.
  if (sides.before.profile && second && before.launches.size() == 1 && after.launches.size() == 1)
    return by_kernel(before, after);
  const validate::Matching matching = validate::match_launches(other.launches, measured);
  if (auto some = validate::check_matched(matching, other.launches, measured, place); !some)
    return some.error();
  std::vector<LaunchPair> out;
  const auto add = [&](const LaunchMetrics* o, const LaunchMetrics* m) {
    out.push_back(second ? LaunchPair{o, m} : LaunchPair{m, o});
  };
  for (const auto& [o, m] : matching.pairs) add(&other.launches[o], &own.launches[m]);
  for (const std::size_t o : matching.unmatched_predicted) add(&other.launches[o], nullptr);
  for (const std::size_t m : matching.unmatched_measured) add(nullptr, &own.launches[m]);
  return out;
}

}  // namespace warpmem::command
