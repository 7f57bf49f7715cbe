// The files that a report takes in beside traces: folders, sources, curves.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/printable.hpp"
#include "base/read_number.hpp"
#include "base/units.hpp"
#include "command/report_input.hpp"
#include "validate/suite.hpp"

namespace warpmem::command {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 4 << 20;  // of a source file or a file of curves

Result<std::string> read_text(const std::string& path, const char* option) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return Error{ErrorKind::kUsage, fmt::format("cannot be read: {}", std::strerror(errno)),
                 printable(path), fmt::format("give a readable file to {}", option)};
  std::string text(kMostBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMostBytes)
    return Error{ErrorKind::kUsage, "the file is larger than " + byte_size(kMostBytes),
                 printable(path), fmt::format("give a smaller file to {}", option)};
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    out.push_back(printable_lines(line));
  }
  return out;
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Names of the files that instructions of the report are from.
std::set<std::string> named_sources(const Report& report) {
  std::set<std::string> out;
  for (const ReportRun& run : report.runs)
    for (const ReportLaunch& launch : run.launches)
      for (const SiteTraffic& site : launch.explanation.sites)
        if (!site.file.empty()) out.insert(name_of(site.file));
  return out;
}

Result<void> add_source(const std::string& path, Report& report) {
  for (const ReportSource& s : report.sources)
    if (s.file == name_of(path)) return {};
  auto text = read_text(path, "--source");
  if (!text) return text.error();
  report.sources.push_back({name_of(path), lines_of(*text)});
  return {};
}

Error bad_curves(const std::string& path, std::size_t line, const std::string& message) {
  return {ErrorKind::kMalformed, message, fmt::format("{}, line {}", printable(path), line),
          "give a CSV file: a heading such as l1.size,cycles, then a row of numbers a point"};
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) out.push_back(cell);
  return out;
}

Result<ReportCurves> read_curves(const std::string& path) {
  auto text = read_text(path, "--curves");
  if (!text) return text.error();
  const std::vector<std::string> lines = lines_of(*text);
  ReportCurves out;
  out.title = name_of(path);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty() || lines[i].front() == '#') continue;
    const std::vector<std::string> cells = cells_of(lines[i]);
    if (out.x.empty()) {
      if (cells.size() < 2) return bad_curves(path, i + 1, "the heading has less than two names");
      out.x = cells.front();
      for (std::size_t c = 1; c < cells.size(); ++c) out.series.push_back({cells[c], {}});
      continue;
    }
    if (cells.size() > out.series.size() + 1)
      return bad_curves(path, i + 1, "the row has more cells than the heading");
    double x = 0;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0 && cells[c].empty()) continue;  // no such point
      const auto v = read_real(cells[c], {-1e300, 1e300}, "cell");
      if (!v) return bad_curves(path, i + 1, fmt::format("'{}' is no number", cells[c]));
      if (c == 0) x = *v;
      else out.series[c - 1].points.emplace_back(x, *v);
    }
  }
  if (out.x.empty() || out.series.front().points.empty())
    return bad_curves(path, lines.size(), "the file holds no point");
  return out;
}

}  // namespace

Result<std::vector<ReportTrace>> report_traces(const ReportInput& input) {
  std::vector<ReportTrace> out;
  std::error_code none;
  bool folder = false;
  for (const std::string& path : input.traces) {
    if (!fs::is_directory(path, none)) {
      out.push_back({path, {}});
      continue;
    }
    folder = true;
    const auto suite = validate::open_suite(path);
    if (!suite) return suite.error();
    for (const validate::SuiteEntry& e : suite->entries) out.push_back({e.trace, e.counters});
  }
  if (!folder && input.profiles.size() > out.size())
    return Error{
        ErrorKind::kUsage,
        fmt::format("{} files of counters for {} traces", input.profiles.size(), out.size()),
        "--profile", "give one for each trace, in the same order"};
  if (folder && !input.profiles.empty())
    return Error{ErrorKind::kUsage, "--profile beside a folder", "",
                 "a folder has its own: NAME.csv beside NAME.wmt"};
  for (std::size_t i = 0; i < input.profiles.size(); ++i) out[i].profile = input.profiles[i];
  return out;
}

Result<void> add_sources(const std::vector<std::string>& given, Report& report) {
  const std::set<std::string> named = named_sources(report);
  std::error_code none;
  for (const std::string& path : given) {
    if (!fs::is_directory(path, none)) {
      if (!named.contains(name_of(path)))
        return Error{ErrorKind::kUsage, "no instruction is from this file", printable(path),
                     named.empty() ? std::string("the trace has no lines: compile with -lineinfo")
                                   : fmt::format("the traces name {}", *named.begin())};
      if (auto ok = add_source(path, report); !ok) return ok;
      continue;
    }
    for (const std::string& name : named)
      if (fs::is_regular_file(fs::path(path) / name, none))
        if (auto ok = add_source((fs::path(path) / name).string(), report); !ok) return ok;
  }
  return {};
}

Result<void> add_curves(const std::vector<std::string>& files, Report& report) {
  for (const std::string& path : files) {
    auto curves = read_curves(path);
    if (!curves) return curves.error();
    report.curves.push_back(std::move(*curves));
  }
  return {};
}

}  // namespace warpmem::command
