#include "sim/sample/stays.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace warpmem::sim {
namespace {

// By wave: how far its CTAs' ends are apart.
std::vector<double> deviations(const TimeResult& time, std::span<const std::uint64_t> ctas,
                               std::uint64_t wave) {
  struct Sum {
    double n = 0, mean = 0, squares = 0;  // Welford's
  };
  std::vector<Sum> of(ctas.size() / wave);
  for (const TimeResult::Stay& s : time.stays) {
    const auto at = std::ranges::lower_bound(ctas, s.cta);
    const auto w = static_cast<std::size_t>(at - ctas.begin()) / wave;
    if (at == ctas.end() || *at != s.cta || w >= of.size()) continue;
    Sum& sum = of[w];
    const double off = static_cast<double>(s.end) - sum.mean;
    sum.mean += off / ++sum.n;
    sum.squares += off * (static_cast<double>(s.end) - sum.mean);
  }
  std::vector<double> out;
  for (const Sum& s : of) out.push_back(s.n > 0 ? std::sqrt(s.squares / s.n) : 0);
  return out;
}

}  // namespace

double time_of(const TimeResult& time, std::span<const std::uint64_t> ctas, bool last) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t> latest;  // by SM and slot
  double kept = 0;
  for (const TimeResult::Stay& s : time.stays) {
    std::uint64_t& end = latest[{s.sm, s.slot}];
    if (std::ranges::binary_search(ctas, s.cta)) kept += static_cast<double>(s.end - end);
    end = s.end;
  }
  if (last)
    for (const auto& [place, end] : latest) kept += static_cast<double>(time.cycles - end);
  return latest.empty() ? 0 : kept / static_cast<double>(latest.size());
}

std::uint64_t waves_in_step(const TimeResult& time, std::span<const std::uint64_t> ctas,
                            std::uint64_t wave) {
  const std::vector<double> all = deviations(time, ctas, wave);
  if (all.size() < 2) return all.size();
  // The first wave waits for the launch to begin; the others tell what a wave takes.
  const auto others = ctas.subspan(wave, (all.size() - 1) * wave);
  const double even =
      time_of(time, others, false) / static_cast<double>(all.size() - 1) / std::sqrt(12.0);
  const std::size_t tail = std::max<std::size_t>(1, all.size() / 4);
  double at_last = 0;
  for (std::size_t i = all.size() - tail; i < all.size(); ++i)
    at_last += all[i] / static_cast<double>(tail);
  const double wanted = std::min(even, at_last);
  const auto found = std::ranges::find_if(all, [&](double d) { return d >= wanted; });
  return static_cast<std::uint64_t>(found - all.begin()) + 1;
}

}  // namespace warpmem::sim
