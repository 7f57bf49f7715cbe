#include "command/report/pairs.hpp"

#include <algorithm>
#include <optional>

#include "command/inputs/profile_card.hpp"
#include "validate/compare.hpp"

namespace warpmem::command {
namespace {

// A launch of a run, by its number in the trace.
std::size_t place_of(const ReportRun& run, std::uint64_t launch) {
  std::size_t i = 0;
  while (i < run.launches.size() && run.launches[i].explanation.launch != launch) ++i;
  return i;
}

Result<void> add_run(const validate::NcuImport& file, const std::string& path,
                     const model::Card& card, std::size_t number,
                     const std::vector<LaunchMetrics>& predicted, Report& report) {
  const auto matching = validate::match_launches(predicted, file);
  if (auto some = validate::check_matched(matching, predicted, file, path); !some) return some;
  const validate::DeviationList none;
  const validate::Report judged = validate::finish_report(
      card.name(), report.runs[number].engine,
      validate::compare_launches(predicted, file, matching, report.runs[number].name), {},
      card.built_in() ? validate::DeviationList::shipped() : none);
  for (const validate::LaunchComparison& l : judged.launches)
    for (const validate::Comparison& c : l.metrics)
      if (c.predicted.known() && c.measured.known())
        report.pairs.push_back({number, place_of(report.runs[number], l.launch),
                                std::string(c.rule->name), std::string(unit_of(*c.rule)),
                                validate::verdict_name(c.verdict), c.predicted.value,
                                c.measured.value, c.error});
  return {};
}

}  // namespace

Result<void> add_pairs(const std::string& profile, const std::vector<model::Card>& cards,
                       std::size_t first_run,
                       const std::vector<std::vector<LaunchMetrics>>& predicted, Report& report) {
  const auto file = validate::read_profile(profile);
  if (!file) return file.error();
  if (auto any = validate::check_has_counters(*file, profile); !any) return any;
  std::optional<Error> refused;
  bool compared = false;
  for (std::size_t c = 0; c < cards.size(); ++c) {
    if (auto same = check_same_card(*file, cards[c], profile); !same) {
      if (!refused) refused = same.error();
      continue;
    }
    if (auto ok =
            add_run(*file, profile, cards[c], first_run + c, predicted[first_run + c], report);
        !ok)
      return ok;
    compared = true;
  }
  if (!compared && refused) return *refused;
  return {};
}

}  // namespace warpmem::command
