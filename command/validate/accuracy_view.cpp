#include "command/validate/accuracy_view.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/json.hpp"
#include "base/units.hpp"
#include "command/screen/table.hpp"

namespace warpmem::command {
namespace {

constexpr std::array<std::string_view, 14> kMain{
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "memory_l1_tag_requests_global",
    "memory_l1_wavefronts_shared",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "l1tex__m_xbar2l1tex_read_sectors.sum",
    "lts__t_sectors_srcunit_tex_op_read.sum",
    "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
    "lts__t_sectors_srcunit_tex_op_write.sum",
    "dram__sectors_read.sum",
    "dram__sectors_write.sum",
    "sm__cycles_elapsed.max"};

bool same_place(const validate::Accuracy& a, const validate::Accuracy& b) {
  return a.gpu == b.gpu && a.level == b.level && a.engine == b.engine;
}

constexpr std::array<std::string_view, 3> kLevels{"sass", "ptx+sass", "ptx"};

// Levels of traces of which no row of this card is.
std::vector<std::string> not_measured(std::span<const validate::Accuracy> rows,
                                      std::string_view gpu) {
  std::vector<std::string> out;
  for (const std::string_view level : kLevels)
    if (std::ranges::none_of(rows, [&](const auto& a) { return a.gpu == gpu && a.level == level; }))
      out.emplace_back(level);
  return out;
}

std::set<std::string> cards_of(std::span<const validate::Accuracy> rows) {
  std::set<std::string> out;
  for (const validate::Accuracy& a : rows) out.insert(a.gpu);
  return out;
}

std::string as_table(std::span<const validate::Accuracy> rows, const views::Terminal& terminal) {
  std::string out;
  for (std::size_t i = 0; i < rows.size();) {
    const validate::Accuracy& first = rows[i];
    Table table({{"metric"},
                 {"launches", Align::kRight},
                 {"equal", Align::kRight},
                 {"median error", Align::kRight},
                 {"90th percentile", Align::kRight}});
    for (; i < rows.size() && same_place(rows[i], first); ++i)
      table.row({rows[i].metric, grouped(rows[i].launches), grouped(rows[i].equal),
                 views::percent(rows[i].median), views::percent(rows[i].p90)});
    out += fmt::format("{}{}, traces of level {}, {} engine\n", out.empty() ? "" : "\n", first.gpu,
                       first.level, first.engine);
    out += table.text(terminal);
  }
  for (const std::string& gpu : cards_of(rows))
    for (const std::string& level : not_measured(rows, gpu))
      out += fmt::format("\n{}, traces of level {}: not measured\n", gpu, level);
  return out.empty() ? "nothing was measured\n" : out;
}

std::string as_json(std::span<const validate::Accuracy> rows) {
  Json out{{"schema", 1}};
  out["accuracy"] = Json::array();
  for (const validate::Accuracy& a : rows)
    out["accuracy"].push_back({{"gpu", a.gpu},
                               {"level", a.level},
                               {"engine", a.engine},
                               {"metric", a.metric},
                               {"launches", a.launches},
                               {"equal", a.equal},
                               {"median", a.median},
                               {"p90", a.p90}});
  out["not_measured"] = Json::array();
  for (const std::string& gpu : cards_of(rows))
    for (const std::string& level : not_measured(rows, gpu))
      out["not_measured"].push_back({{"gpu", gpu}, {"level", level}});
  return out.text(2) + "\n";
}

}  // namespace

std::string accuracy_view(std::span<const validate::Accuracy> rows, const OutputOptions& options) {
  switch (options.format) {
    case Format::kTable: return as_table(rows, terminal_of(options));
    case Format::kJson: return as_json(rows);
    case Format::kCsv: return validate::accuracy_csv(rows);
  }
  return {};
}

std::vector<validate::Accuracy> main_metrics(std::span<const validate::Accuracy> rows) {
  std::vector<validate::Accuracy> out;
  for (const validate::Accuracy& a : rows)
    if (std::ranges::find(kMain, a.metric) != kMain.end()) out.push_back(a);
  return out;
}

}  // namespace warpmem::command
