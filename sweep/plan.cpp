#include "sweep/plan.hpp"

#include <algorithm>

#include "base/read_number.hpp"
#include "sweep/space.hpp"

namespace warpmem::sweep {

bool sound(const Plan& plan) {
  for (const SweepAxis& axis : plan.empty.axes)
    if (axis.values.empty()) return false;
  return Space(plan.empty.axes).size() == plan.points && points_of_part(plan.part, plan.points);
}

bool fits(const Plan& plan, const SweepPoint& point) {
  if (point.number >= plan.points || point.values != Space(plan.empty.axes).values(point.number))
    return false;
  if (!point.left_out.empty()) return point.metrics.empty();
  return point.metrics.size() == plan.empty.traces.size() &&
         std::ranges::all_of(point.metrics, [&](const std::vector<MetricValue>& of_trace) {
           return of_trace.size() == plan.empty.metrics.size();
         });
}

std::optional<std::uint64_t> points_of_part(const std::string& part, std::uint64_t points) {
  if (part.empty()) return points;
  const auto slash = part.find('/');
  if (slash == std::string::npos) return {};
  const auto of = read_whole(part.substr(slash + 1), {1, 1'000'000, "parts"}, "part");
  if (!of) return {};
  const auto number = read_whole(part.substr(0, slash), {1, *of, "parts"}, "part");
  if (!number) return {};
  return points / *of + (points % *of >= *number ? 1 : 0);
}

}  // namespace warpmem::sweep
