#include "sim/counts/counted_code.hpp"

#include "model/system/sectored_shape.hpp"

namespace warpmem::sim {
namespace {

SiteForm form_of(const AccessPlan& plan, bool takes_lines, model::LineSize line) {
  if (plan.action == Action::kBegin || plan.action == Action::kEnd) return {0, RecordKind::kMark};
  const bool of_line = plan.fetch_sectors <= line.sectors();  // or of a block of two
  const std::uint32_t bytes =
      takes_lines && of_line ? model::SectoredLines::bytes_of_lines(plan) : 0;
  if (bytes == 0) return {0, RecordKind::kOther};
  return {static_cast<std::int32_t>(bytes),
          plan.action == Action::kGlobalStore ? RecordKind::kStore : RecordKind::kLoad};
}

}  // namespace

CountedCode::CountedCode(const LaunchRun& run, bool takes_lines)
    : line(run.card.numbers().line_bytes),
      plans(run.plans()),
      dependence(run.sites(), *run.code()) {
  for (const AccessPlan& plan : plans) forms.push_back(form_of(plan, takes_lines, line));
}

}  // namespace warpmem::sim
