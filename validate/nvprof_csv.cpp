#include "validate/nvprof_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "metrics/metric.hpp"
#include "validate/csv_scan.hpp"
#include "validate/nvprof_names.hpp"
#include "validate/text_report.hpp"

namespace warpmem::validate {
namespace {

using metrics::Vocabulary;

// "==1234== NVPROF is profiling …"; "======== Profiling result:" of a profile that was imported.
bool starts_profiler_line(std::string_view line) {
  if (!line.starts_with("==")) return false;
  if (line.starts_with("======== ")) return true;
  const std::size_t digits = line.find_first_not_of("0123456789", 2);
  return digits != line.npos && digits > 2 && line.substr(digits).starts_with("==");
}

// A header, and where its columns are.
struct Header {
  std::vector<std::string> columns;
  bool summary = false;

  std::optional<std::size_t> find(std::string_view name) const {
    const auto at = std::ranges::find(columns, name);
    if (at == columns.end()) return std::nullopt;
    return static_cast<std::size_t>(at - columns.begin());
  }
  std::string cell(const CsvRecord& row, std::string_view name) const {
    const auto at = find(name);
    return at && *at < row.fields.size() ? row.fields[*at] : std::string();
  }
};

std::optional<Header> as_header(const CsvRecord& record) {
  Header header{record.fields, false};
  const bool kernel = header.find("Kernel").has_value() || header.find("Name").has_value();
  if (!header.find("Device") || !kernel) return std::nullopt;
  header.summary = header.find("Metric Name") || header.find("Event Name");
  if (header.summary && !header.find("Avg")) return std::nullopt;
  return header;
}

constexpr double kMostValue = 1e18;

// A number with its unit right behind it: "99.5%", "12.3GB/s", "262144".
struct NvprofCell {
  std::optional<double> value;
  std::string unit, missing;
};

NvprofCell read_cell(std::string_view text) {
  if (text.empty()) return {{}, "", "empty cell"};
  if (text.find("OVERFLOW") != text.npos) return {{}, "", "the profiler's counter overflowed"};
  const std::size_t end = text.find_first_not_of("0123456789.+-eE");
  const std::string_view digits = text.substr(0, end);
  const ParsedNumber number = parse_number(digits, NumberStyle::kPoint);
  // Beyond what any counter has, and so that no change of units makes it more than a double holds.
  if (!number.value || std::abs(*number.value) > kMostValue)
    return {{}, "", fmt::format("the profiler printed {}", text)};
  return {number.value, std::string(end == text.npos ? "" : text.substr(end)), ""};
}

// In the unit of the list of metrics: throughputs in GB/s.
double in_list_unit(double value, std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, double>, 8> kRates{{{"B/s", 1e-9},
                                                                       {"KB/s", 1e-6},
                                                                       {"MB/s", 1e-3},
                                                                       {"GB/s", 1},
                                                                       {"TB/s", 1e3},
                                                                       {"KB", 1e3},
                                                                       {"MB", 1e6},
                                                                       {"GB", 1e9}}};
  for (const auto& [name, factor] : kRates)
    if (unit == name) return value * factor;
  return value;
}

bool parse_block(std::string_view text, Dim3& out) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < text.size() && n < 3;) {
    if (text[i] < '0' || text[i] > '9') {
      ++i;
      continue;
    }
    std::uint64_t v = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
      v = std::min<std::uint64_t>(v * 10 + static_cast<std::uint64_t>(text[i] - '0'), UINT32_MAX);
    out[n++] = static_cast<std::uint32_t>(v);
  }
  return n == 3;
}

// A trace's CSV has a column for each of the three, its table one for all: "(8 2 1)".
bool parse_shape(const Header& header, const CsvRecord& row, const std::string& what, Dim3& out) {
  if (header.find(what + " Size")) return parse_block(header.cell(row, what + " Size"), out);
  return parse_block(fmt::format("{} {} {}", header.cell(row, what + " X"),
                                 header.cell(row, what + " Y"), header.cell(row, what + " Z")),
                     out);
}

class NvprofImporter {
 public:
  explicit NvprofImporter(NcuImport& out) : out_(out) {}

  void run(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t line_end = next_line(text, at);
      const std::string_view line = text.substr(at, line_end - at);
      ++out_.report.lines;
      if (starts_profiler_line(line)) {
        ++out_.report.profiler_lines;
        if (line.find("ERR_NVGPUCTRPERM") != line.npos || line.find("permission") != line.npos)
          permission_ = true;
        at = line_end;
        continue;
      }
      std::size_t end = line_end;
      const auto record = read_record(text, at, ',', {}, end);
      if (record && take(*record)) at = std::max(end, at + 1);
      else {
        if (line.find_first_not_of(" \r\n") != line.npos) ++out_.report.foreign_lines;
        at = line_end;
      }
    }
  }

  bool permission() const { return permission_; }
  bool headers() const { return out_.report.headers > 0; }

 private:
  // Whether the record is the profiler's.
  bool take(const CsvRecord& record) {
    if (auto header = as_header(record)) {
      header_ = std::move(header);
      units_ = nullptr;
      ++out_.report.headers;
      out_.shape = header_->summary ? NcuShape::kSummary : NcuShape::kWide;
      return true;
    }
    if (!header_ || record.fields.size() < 3) return false;
    if (record.fields.size() != header_->columns.size()) {
      // A program prints commas as well; a row of the profiler's begins with a quoted device.
      return header_->summary && with_decimal_commas(record);
    }
    if (header_->summary) return summary(record);
    const std::string kernel = kernel_of(record);
    if (kernel.empty()) {
      units_row_ = record.fields;
      units_ = &units_row_;
      return true;
    }
    if (kernel.starts_with('[')) return true;  // [CUDA memcpy HtoD], [Unified Memory …]: no kernel
    return launch(record, kernel);
  }

  // "12,5" without quotes are two fields. In the table of averages all of a row's numbers are of
  // one kind, so that three fields more than the header's are three such numbers; any other row
  // that names a known device and a metric is the profiler's, and is not read.
  bool with_decimal_commas(const CsvRecord& record) {
    const std::size_t columns = header_->columns.size();
    const auto metric =
        header_->find("Metric Name") ? header_->find("Metric Name") : header_->find("Event Name");
    const auto first = header_->find("Min");
    if (!metric || !first || *first + 3 != columns || record.fields.size() <= columns ||
        !metrics::find(Vocabulary::kNvprof, record.fields[*metric]))
      return false;
    if (record.fields.size() == columns + 3) {
      CsvRecord joined = record;
      joined.fields.resize(*first);
      for (std::size_t i = *first; i + 1 < record.fields.size(); i += 2)
        joined.fields.push_back(record.fields[i] + "." + record.fields[i + 1]);
      if (!noted_commas_)
        out_.report.notes.push_back("numbers are written 12,5 in this file: read as 12.5");
      noted_commas_ = true;
      out_.style = NumberStyle::kComma;
      return summary(joined);
    }
    std::string text;
    for (std::size_t i = *first; i < record.fields.size(); ++i)
      text += (text.empty() ? "" : ",") + record.fields[i];
    note_unread(header_->cell(record, "Kernel"), record.fields[*metric], text,
                "commas part numbers and decimals alike: collect in a shell with LC_ALL=C");
    return true;
  }

  void note_unread(const std::string& kernel, const std::string& metric, std::string_view text,
                   const char* fix) {
    out_.report.unread.push_back({out_.report.lines, kernel, metric, std::string(text), fix});
  }

  std::string kernel_of(const CsvRecord& record) const {
    std::string kernel = header_->cell(record, "Kernel");
    if (kernel.empty()) kernel = header_->cell(record, "Name");
    // A trace numbers launches behind the name: "copy(float*) [95]".
    const std::size_t bracket = kernel.rfind(" [");
    if (!header_->summary && bracket != kernel.npos && kernel.ends_with(']'))
      kernel.resize(bracket);
    return kernel;
  }

  NcuLaunch& add_launch(const CsvRecord& record, const std::string& kernel) {
    NcuLaunch launch;
    launch.counted.launch = out_.launches.size();
    launch.counted.kernel = kernel;
    launch.id = header_->cell(record, "Correlation_ID");
    launch.device = header_->cell(record, "Device");
    launch.has_shape = parse_shape(*header_, record, "Grid", launch.counted.grid) &&
                       parse_shape(*header_, record, "Block", launch.counted.block);
    if (out_.device.empty()) out_.device = launch.device;
    out_.launches.push_back(std::move(launch));
    return out_.launches.back();
  }

  bool summary(const CsvRecord& record) {
    const std::string kernel = header_->cell(record, "Kernel");
    std::string metric = header_->cell(record, "Metric Name");
    if (metric.empty()) metric = header_->cell(record, "Event Name");
    if (kernel.empty() || metric.empty()) return false;
    const std::string key = header_->cell(record, "Device") + "\n" + kernel;
    auto found = rows_.find(key);
    if (found == rows_.end()) {
      found = rows_.emplace(key, out_.launches.size()).first;
      NcuLaunch& launch = add_launch(record, kernel);
      const NvprofCell times = read_cell(header_->cell(record, "Invocations"));
      launch.invocations = static_cast<std::uint64_t>(std::max(1.0, times.value.value_or(1)));
    }
    NcuLaunch& launch = out_.launches[found->second];
    launch.varies |= header_->cell(record, "Min") != header_->cell(record, "Max");
    store(launch, metric, header_->cell(record, "Avg"), "");
    return true;
  }

  bool launch(const CsvRecord& record, const std::string& kernel) {
    NcuLaunch& launch = add_launch(record, kernel);
    for (std::size_t i = 0; i < header_->columns.size(); ++i)
      if (const std::string metric = nvprof_metric_of_column(header_->columns[i]); !metric.empty())
        store(launch, metric, record.fields[i],
              units_ && i < units_->size() ? (*units_)[i] : std::string());
    return true;
  }

  void store(NcuLaunch& launch, const std::string& metric, std::string_view text,
             const std::string& column_unit) {
    const metrics::Metric* const known = metrics::find(Vocabulary::kNvprof, metric);
    if (!known) {
      launch.text.emplace(metric, std::string(text));
      return;
    }
    const NvprofCell cell = read_cell(text);
    if (!cell.value) ++out_.report.without_value;
    if (!cell.value && !text.empty())
      note_unread(launch.counted.kernel, metric, text,
                  "collect this metric again, in a shell with LC_ALL=C");
    const std::string& unit = cell.unit.empty() ? column_unit : cell.unit;
    const MetricValue value{cell.value ? in_list_unit(*cell.value, unit) : 0, cell.missing};
    if (!launch.counted.metrics.emplace(metric, value).second) ++out_.report.repeated;
    launch.units[metric] = known->unit;
  }

  NcuImport& out_;
  std::optional<Header> header_;
  std::vector<std::string> units_row_;
  const std::vector<std::string>* units_ = nullptr;
  std::map<std::string, std::size_t> rows_;  // summary: launch of a kernel
  bool permission_ = false;
  bool noted_commas_ = false;
};

}  // namespace

bool is_nvprof_csv(std::string_view bytes) {
  const std::string text = to_plain_utf8(bytes);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = next_line(text, at);
    const std::string_view line = std::string_view(text).substr(at, end - at);
    if (starts_profiler_line(line))
      return line.find("NVPROF") != line.npos || text.find("==PROF==") == text.npos;
    const bool kernels = line.find("Kernel") != line.npos && line.find("Kernel Name") == line.npos;
    const bool times = line.find("\"Start\",\"Duration\"") != line.npos;
    if (line.find("Device") != line.npos && (kernels || times)) {
      std::size_t record_end = end;
      const auto record = read_record(text, at, ',', {}, record_end);
      if (record && as_header(*record)) return true;
    }
    at = end;
  }
  return false;
}

Result<NcuImport> parse_nvprof_csv(std::string_view bytes, const std::string& place) {
  NcuImport out;
  out.words = Vocabulary::kNvprof;
  NvprofImporter importer(out);
  importer.run(to_plain_utf8(bytes));
  if (!out.launches.empty()) return out;
  if (!importer.headers())
    if (const std::string csv = csv_of_nvprof_report(to_plain_utf8(bytes)); !csv.empty())
      return parse_nvprof_csv(csv, place);
  const std::string fix =
      "collect with `nvprof --csv --log-file FILE --metrics gld_efficiency,gst_efficiency,… "
      "./app`; "
      "names: warpmem metrics --vocabulary nvprof";
  if (importer.permission())
    return Error{ErrorKind::kEnvironment,
                 "the profiler was not allowed to read the GPU's counters, so the file holds no "
                 "launches",
                 place, "collect again as administrator"};
  return Error{ErrorKind::kMalformed,
               importer.headers() ? "nvprof's table has no rows of kernels"
                                  : "nvprof's output without a table of kernels as CSV",
               place, fix};
}

}  // namespace warpmem::validate
