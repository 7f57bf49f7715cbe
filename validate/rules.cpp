#include "validate/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/nearest.hpp"
#include "base/read_number.hpp"
#include "base/units.hpp"

namespace warpmem::validate {
namespace {

// What a short name adds up. Metrics that a result lacks are left out, as long as one is there.
struct Short {
  std::string_view name;
  std::vector<std::string> metrics;
};
const std::vector<Short>& shorts() {
  static const std::vector<Short> all{
      {"cycles", {"sm__cycles_elapsed.max"}},
      {"load_sectors", {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}},
      {"store_sectors", {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}},
      {"sectors",
       {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
        "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"}},
      {"wavefronts", {"memory_l1_wavefronts_shared"}},
      {"bank_conflicts",
       {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"}},
      {"l2_sectors",
       {"lts__t_sectors_srcunit_tex_op_read.sum", "lts__t_sectors_srcunit_tex_op_write.sum",
        "lts__t_sectors_srcunit_tex_op_atom.sum", "lts__t_sectors_srcunit_tex_op_red.sum"}},
      {"dram_sectors", {"dram__sectors_read.sum", "dram__sectors_write.sum"}}};
  return all;
}

Error wrong(const std::string& rule, const std::string& why) {
  return {ErrorKind::kUsage, fmt::format("'{}': {}", rule, why), "--fail-on",
          "write a counter, > or <, and a bound: 'l2_sectors>+5%', 'cycles>20000'"};
}

Result<ChangeRule> read_rule(const std::string& text) {
  const std::size_t sign = text.find_first_of("<>");
  if (sign == std::string::npos || sign == 0) return wrong(text, "this is no rule");
  ChangeRule out;
  out.text = text;
  out.counter = text.substr(0, sign);
  while (out.counter.ends_with(' ')) out.counter.pop_back();
  out.above = text[sign] == '>';
  std::string_view bound = std::string_view(text).substr(sign + 1);
  if (bound.starts_with('=')) out.or_equal = true, bound.remove_prefix(1);
  while (bound.starts_with(' ')) bound.remove_prefix(1);
  const bool percent = bound.ends_with('%');
  if (percent) bound.remove_suffix(1);
  const bool negative = bound.starts_with('-'), relative = negative || bound.starts_with('+');
  if (relative) bound.remove_prefix(1);
  const auto n = read_real(bound, {0, 1e18}, "--fail-on " + text);
  if (!n) return n.error();
  out.bound = negative ? -*n : *n;
  out.of = percent    ? ChangeRule::Of::kPercent
           : relative ? ChangeRule::Of::kChange
                      : ChangeRule::Of::kAfter;
  return out;
}

}  // namespace

std::vector<std::string> short_counters() {
  std::vector<std::string> out;
  for (const Short& s : shorts()) out.emplace_back(s.name);
  return out;
}

Result<std::vector<ChangeRule>> read_rules(const std::string& text) {
  std::vector<ChangeRule> out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    auto rule = read_rule(text.substr(from, end - from));
    if (!rule) return rule.error();
    out.push_back(std::move(*rule));
    from = end + 1;
  }
  return out;
}

MetricValue counter_of(const LaunchMetrics& launch, const std::string& name) {
  const auto at = launch.metrics.find(name);
  if (at != launch.metrics.end()) return at->second;
  MetricValue out;
  out.missing = "not in this result";
  for (const Short& s : shorts()) {
    if (s.name != name) continue;
    for (const std::string& metric : s.metrics) {
      const auto part = launch.metrics.find(metric);
      if (part == launch.metrics.end() || !part->second.known()) continue;
      out.missing.clear();
      out.value += part->second.value;
    }
  }
  return out;
}

std::string failure_of(const ChangeRule& rule, const LaunchMetrics& before,
                       const LaunchMetrics& after) {
  const MetricValue a = counter_of(before, rule.counter), b = counter_of(after, rule.counter);
  if (!b.known() || (!a.known() && rule.of != ChangeRule::Of::kAfter))
    return fmt::format("launch {}, {}: n/a ({})", after.launch, after.kernel,
                       b.known() ? a.missing : b.missing);
  const double change = b.value - a.value;
  const double none =
      change == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), change);
  const double percent = a.value == 0 ? none : 100 * change / std::abs(a.value);
  const double is = rule.of == ChangeRule::Of::kAfter    ? b.value
                    : rule.of == ChangeRule::Of::kChange ? change
                                                         : percent;
  const bool fails =
      (rule.above ? is > rule.bound : is < rule.bound) || (rule.or_equal && is == rule.bound);
  if (!fails) return {};
  return fmt::format("launch {}, {}: {} -> {} ({})", after.launch, after.kernel, number(a.value),
                     number(b.value),
                     a.value == 0 ? std::string("from 0") : fmt::format("{:+.1f} %", percent));
}

}  // namespace warpmem::validate
