// The files that a report takes in beside traces: folders and sources.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/printable.hpp"
#include "base/run_files.hpp"
#include "base/units.hpp"
#include "command/report/input.hpp"
#include "validate/suite.hpp"

namespace warpmem::command {
namespace {

namespace fs = std::filesystem;

// Names of the files that instructions of the report are from.
std::set<std::string> named_sources(const Report& report) {
  std::set<std::string> out;
  for (const ReportRun& run : report.runs)
    for (const ReportLaunch& launch : run.launches)
      for (const SiteTraffic& site : launch.explanation.sites)
        if (!site.file.empty()) out.insert(file_name(site.file));
  return out;
}

Result<void> add_source(const std::string& path, Report& report) {
  for (const ReportSource& s : report.sources)
    if (s.file == file_name(path)) return {};
  auto text = read_report_text(path, "--source");
  if (!text) return text.error();
  report.sources.push_back({file_name(path), report_lines(*text)});
  return {};
}

}  // namespace

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Result<std::string> read_report_text(const std::string& path, const char* option) {
  constexpr std::size_t kMostBytes = 4 << 20;
  std::ifstream in = open_to_read(path);
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

std::vector<std::string> report_lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    out.push_back(printable_lines(line));
  }
  return out;
}

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
      if (!named.contains(file_name(path)))
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

}  // namespace warpmem::command
