#include "validate/ncu_csv.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "base/run_files.hpp"
#include "validate/metric_map.hpp"
#include "validate/ncu_details.hpp"
#include "validate/ncu_report.hpp"
#include "validate/ncu_table.hpp"
#include "validate/nsys_sqlite.hpp"
#include "validate/nvprof_csv.hpp"
#include "validate/text_report.hpp"

namespace warpmem::validate {
namespace {

// A counter's cell before the file's number style is known.
struct Cell {
  std::size_t launch = 0;
  std::string metric, unit, text;
  std::size_t line = 0;
};

// "(256, 1, 1)", "256,1,1", "256x1x1".
bool parse_dim3(std::string_view s, Dim3& out) {
  Dim3 dims{1, 1, 1};
  std::size_t n = 0;
  for (std::size_t i = 0; i < s.size();) {
    if (s[i] < '0' || s[i] > '9') {
      ++i;
      continue;
    }
    std::uint64_t v = 0;
    for (; i < s.size() && s[i] >= '0' && s[i] <= '9'; ++i)
      v = std::min<std::uint64_t>(v * 10 + static_cast<std::uint64_t>(s[i] - '0'), UINT32_MAX);
    if (n == 3) return false;
    dims[n++] = static_cast<std::uint32_t>(v);
  }
  if (n == 0) return false;
  out = dims;
  return true;
}

class Importer {
 public:
  explicit Importer(NcuImport& out) : out_(out) {}

  void run(const NcuTable& table) {
    for (std::size_t h = 0; h < table.headers.size(); ++h) {
      header_ = &table.headers[h];
      units_row_ = nullptr;
      by_id_.clear();
      out_.shape = header_->shape;
      for (const auto& row : table.rows) {
        if (row.header != h) continue;
        if (header_->shape == NcuShape::kWide) wide(row.record);
        else narrow(row.record);
      }
    }
    decide_style();
    for (const auto& cell : cells_) store(cell);
    shapes_from_counters();
  }

 private:
  NcuLaunch& new_launch(const CsvRecord& row) {
    NcuLaunch launch;
    launch.counted.launch = out_.launches.size();
    launch.counted.kernel = header_->cell(row, "Kernel Name");
    launch.id = header_->cell(row, "ID");
    launch.process = header_->cell(row, "Process ID");
    launch.device = header_->cell(row, "Device");
    launch.compute_capability = header_->cell(row, "CC");
    launch.has_shape = parse_dim3(header_->cell(row, "Grid Size"), launch.counted.grid) &&
                       parse_dim3(header_->cell(row, "Block Size"), launch.counted.block);
    out_.launches.push_back(std::move(launch));
    return out_.launches.back();
  }

  void wide(const CsvRecord& row) {
    if (header_->cell(row, "Kernel Name").empty()) {
      units_row_ = &row;
      return;
    }
    NcuLaunch& launch = new_launch(row);
    if (!units_row_ && !noted_units_) {
      noted_units_ = true;
      out_.report.notes.push_back("no row of units: values are taken to be in base units");
    }
    for (std::size_t i = 0; i < header_->columns.size(); ++i) {
      const std::string& column = header_->columns[i];
      if (column.empty() || is_identity_column(column)) continue;
      cells_.push_back({launch.counted.launch, column, units_row_ ? units_row_->fields[i] : "",
                        row.fields[i], row.line});
    }
  }

  // Long and summary form: a row is one metric of a launch.
  void narrow(const CsvRecord& row) {
    const std::string metric =
        metric_of_label(header_->cell(row, "Metric Name"), header_->cell(row, "Metric Unit"));
    if (metric.empty()) {
      ++out_.report.rule_rows;
      return;
    }
    const bool summary = header_->shape == NcuShape::kSummary;
    const std::string key = fmt::format(
        "{}\n{}\n{}", header_->cell(row, "Process ID"), header_->cell(row, "ID"),
        summary || !header_->find("ID")
            ? fmt::format("{}\n{}\n{}", header_->cell(row, "Kernel Name"),
                          header_->cell(row, "Grid Size"), header_->cell(row, "Block Size"))
            : "");
    auto [it, fresh] = by_id_.try_emplace(key, out_.launches.size());
    // Without an ID, a metric that comes again starts the next launch.
    if (!fresh && !summary && !header_->find("ID") && seen_.contains(metric)) {
      it->second = out_.launches.size();
      fresh = true;
    }
    if (fresh) {
      seen_.clear();
      NcuLaunch& launch = new_launch(row);
      if (summary)
        launch.invocations = static_cast<std::uint64_t>(
            std::max(1.0, parse_number(header_->cell(row, "Invocations"), NumberStyle::kPoint)
                              .value.value_or(1)));
    }
    seen_.insert(metric);
    if (summary && header_->cell(row, "Minimum") != header_->cell(row, "Maximum"))
      out_.launches[it->second].varies = true;
    cells_.push_back({it->second, metric, std::string(header_->cell(row, "Metric Unit")),
                      std::string(header_->cell(row, summary ? "Average" : "Metric Value")),
                      row.line});
  }

  void decide_style() {
    std::size_t point = 0, comma = 0;
    for (const auto& cell : cells_)
      if (const auto style = style_evidence(cell.text))
        ++(*style == NumberStyle::kPoint ? point : comma);
    out_.style = comma > point ? NumberStyle::kComma : NumberStyle::kPoint;
    if (out_.style == NumberStyle::kComma)
      out_.report.notes.push_back("numbers are written 1.234,5 in this file");
    if (point > 0 && comma > 0)
      out_.report.notes.push_back(fmt::format(
          "numbers are written in two styles: {} as 1,234.5 and {} as 1.234,5", point, comma));
  }

  void store(const Cell& cell) {
    NcuLaunch& launch = out_.launches[cell.launch];
    const ParsedNumber number = parse_number(cell.text, out_.style);
    if (number.text) {
      // Device attributes and the like are text by nature; a counter is not.
      if (find_any_rule(cell.metric)) {
        note_unread(
            cell,
            "write it without marks between digits, 131072, and with a point before decimals: "
            "ncu --print-units base, in a shell with LC_ALL=C");
        launch.counted.metrics.try_emplace(cell.metric, MetricValue{0, number.missing});
      } else {
        launch.text.emplace(cell.metric, cell.text);
      }
      return;
    }
    const UnitScale scale = unit_scale(cell.unit);
    if (!scale.known) unknown_units_.insert(scale.base);
    if (number.value && scale.factor >= 1000 && find_any_rule(cell.metric)) ++rounded_;
    if (!number.value) ++out_.report.without_value;
    if (number.no_result && find_any_rule(cell.metric))
      note_unread(cell, "the profiler had no value for this launch: collect this metric again");
    const MetricValue value{number.value ? *number.value * scale.factor : 0, number.missing};
    const auto [it, fresh] = launch.counted.metrics.try_emplace(cell.metric, value);
    if (!fresh) {
      ++out_.report.repeated;
      if (!it->second.known()) it->second = value;
    }
    launch.units[cell.metric] = scale.base;
  }

  void note_unread(const Cell& cell, const char* fix) {
    out_.report.unread.push_back(
        {cell.line, out_.launches[cell.launch].counted.kernel, cell.metric, cell.text, fix});
  }

  // Files without the shape columns may carry the launch__ metrics instead.
  void shapes_from_counters() {
    for (auto& launch : out_.launches) {
      if (const auto name = launch.text.find("device__attribute_display_name");
          name != launch.text.end())
        launch.device = name->second;
      if (out_.device.empty() || out_.device == "0") out_.device = launch.device;
      if (out_.compute_capability.empty()) out_.compute_capability = launch.compute_capability;
      if (launch.has_shape) continue;
      const auto get = [&](const char* name, std::uint32_t& out) {
        const auto it = launch.counted.metrics.find(name);
        if (it == launch.counted.metrics.end() || !it->second.known()) return false;
        if (!(it->second.value >= 1 && it->second.value <= 4294967295.0)) return false;
        out = static_cast<std::uint32_t>(it->second.value);
        return true;
      };
      auto& c = launch.counted;
      launch.has_shape =
          get("launch__grid_dim_x", c.grid[0]) && get("launch__grid_dim_y", c.grid[1]) &&
          get("launch__grid_dim_z", c.grid[2]) && get("launch__block_dim_x", c.block[0]) &&
          get("launch__block_dim_y", c.block[1]) && get("launch__block_dim_z", c.block[2]);
    }
    if (rounded_ > 0)
      out_.report.notes.push_back(
          fmt::format("{} counters are printed in scaled units and so are rounded: collect with "
                      "--print-units base",
                      rounded_));
    out_.report.unknown_units.assign(unknown_units_.begin(), unknown_units_.end());
  }

  NcuImport& out_;
  const NcuHeader* header_ = nullptr;
  const CsvRecord* units_row_ = nullptr;
  std::map<std::string, std::size_t> by_id_;  // long and summary form: launch of an identity
  std::set<std::string> seen_;                // metrics of the launch being read
  std::vector<Cell> cells_;
  std::set<std::string> unknown_units_;
  std::size_t rounded_ = 0;  // counters the profiler printed as "1.05 Mbyte"
  bool noted_units_ = false;
};

Error permission_error(const std::string& place) {
  return {ErrorKind::kEnvironment,
          "the profiler was not allowed to read the GPU's counters (ERR_NVGPUCTRPERM), so the file "
          "holds no launches",
          place,
          "collect again as administrator or with NVreg_RestrictProfilingToAdminUsers=0 "
          "(https://developer.nvidia.com/ERR_NVGPUCTRPERM); on a GPU where you cannot, use "
          "`warpmem record` or `warpmem emulate` and `warpmem replay`, which need no counters"};
}

}  // namespace

const char* shape_name(NcuShape shape) {
  switch (shape) {
    case NcuShape::kLong: return "long (a row per metric)";
    case NcuShape::kWide: return "wide (a row per launch)";
    case NcuShape::kSummary: return "summary (minimum, maximum, average)";
  }
  return "";
}

Result<NcuImport> parse_ncu_csv(std::string_view bytes, const std::string& place) {
  NcuImport out;
  const std::string text = to_plain_utf8(bytes);
  const NcuTable table = find_table(text, out.report);
  Importer(out).run(table);
  for (const auto& complaint : table.complaints) out.report.notes.push_back(complaint);
  if (!out.launches.empty()) {
    if (table.no_permission)
      out.report.notes.push_back("some launches could not be profiled (ERR_NVGPUCTRPERM)");
    return out;
  }
  if (table.no_permission) return permission_error(place);
  const std::string said =
      table.complaints.empty() ? "" : "; the profiler said: " + table.complaints[0];
  const std::string fix =
      "collect with `ncu --csv --page raw --print-units base --metrics \"$(warpmem validate "
      "--list-metrics)\" --log-file FILE ./app`";
  if (bytes.empty()) return Error{ErrorKind::kMalformed, "the file is empty", place, fix};
  const bool failed = !table.complaints.empty() && table.complaints[0].starts_with("==ERROR==");
  if (table.headers.empty() && table.text_report && !failed) {
    if (const std::string csv = csv_of_ncu_report(text); !csv.empty()) {
      auto read = parse_ncu_csv(csv, place);
      if (read)
        read->report.notes.push_back(
            "this is Nsight Compute's text for people: numbers in scaled units are rounded, --csv "
            "--print-units base is not");
      return read;
    }
  }
  if (table.headers.empty() && table.text_report)
    return Error{
        ErrorKind::kMalformed,
        "this is Nsight Compute's text output, whose numbers are rounded for people, and no "
        "CSV" +
            said,
        place,
        "print the report as CSV: `ncu --import REPORT.ncu-rep --csv --page raw "
        "--print-units base > FILE`; without a report, " +
            fix};
  if (table.headers.empty())
    return Error{ErrorKind::kMalformed,
                 fmt::format("no Nsight Compute table in it: none of its {} lines is a header with "
                             "\"Kernel Name\"{}",
                             out.report.lines, said),
                 place, fix};
  return Error{ErrorKind::kMalformed,
               fmt::format("a table with no launches: the header is followed by {} rows that do "
                           "not fit it and {} lines of other text{}",
                           out.report.damaged_rows, out.report.foreign_lines, said),
               place, fix};
}

namespace {

Result<std::string> read_bytes(const std::string& path) {
  std::ifstream in = open_to_read(path);
  if (!in)
    return Error{ErrorKind::kUsage, fmt::format("cannot read the file: {}", std::strerror(errno)),
                 path, "give the CSV that the profiler wrote"};
  std::ostringstream bytes;
  bytes << in.rdbuf();
  if (in.bad() || (bytes.fail() && in.peek() != EOF))
    return Error{ErrorKind::kUsage, "cannot read the file to its end", path,
                 "give a regular, readable file"};
  return bytes.str();
}

}  // namespace

Result<NcuImport> read_ncu_csv(const std::string& path) {
  const auto bytes = read_bytes(path);
  if (!bytes) return bytes.error();
  return parse_ncu_csv(*bytes, path);
}

Result<NcuImport> read_profile(const std::string& path) {
  auto bytes = read_bytes(path);
  if (!bytes) return bytes.error();
  if (is_sqlite(*bytes)) return parse_nsys_sqlite(std::move(*bytes), path);
  if (is_ncu_report(*bytes)) {
    const auto table = ncu_report_csv(path);
    if (!table) return table.error();
    return parse_ncu_csv(*table, path);
  }
  return is_nvprof_csv(*bytes) ? parse_nvprof_csv(*bytes, path) : parse_ncu_csv(*bytes, path);
}

Result<void> check_same_gpu(const NcuImport& import, std::string_view compute_capability,
                            std::string_view card, const std::string& place) {
  std::set<std::string> others;
  for (const auto& launch : import.launches)
    if (!launch.compute_capability.empty() && launch.compute_capability != compute_capability)
      others.insert(launch.compute_capability);
  if (others.empty()) return {};
  std::string found;
  for (const auto& cc : others) found += (found.empty() ? "" : ", ") + cc;
  return Error{
      ErrorKind::kUsage,
      fmt::format("counted on another GPU: compute capability {}, while card {} has {}", found,
                  card, compute_capability),
      place, "replay on the card of that GPU (--gpu, see `warpmem gpus`), or collect on this one"};
}

Result<void> check_has_counters(const NcuImport& import, const std::string& place) {
  for (const auto& launch : import.launches)
    for (const auto& [name, value] : launch.counted.metrics)
      if (value.known() && metrics::find(import.words, name) &&
          (import.words != metrics::Vocabulary::kNcu || find_any_rule(name)))
        return {};
  return Error{ErrorKind::kMalformed,
               fmt::format("{} launches, but none of the counters that warpmem predicts",
                           import.launches.size()),
               place,
               import.words == metrics::Vocabulary::kNvprof
                   ? "collect metrics that warpmem knows: warpmem metrics --vocabulary nvprof"
                   : "collect with `--metrics \"$(warpmem validate --list-metrics)\"`, or with "
                     "`--set full --page raw`"};
}

}  // namespace warpmem::validate
