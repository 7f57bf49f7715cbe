#include "validate/text_report.hpp"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "validate/csv_scan.hpp"

namespace warpmem::validate {
namespace {

std::string_view trimmed(std::string_view s) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!s.empty() && blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && blank(s.back())) s.remove_suffix(1);
  return s;
}

// Columns stand two blanks apart, or more.
std::vector<std::string_view> columns(std::string_view line) {
  std::vector<std::string_view> out;
  line = trimmed(line);
  while (!line.empty()) {
    const std::size_t end = std::min(line.find("  "), line.size());
    out.push_back(line.substr(0, end));
    line = trimmed(line.substr(end));
  }
  return out;
}

std::string row(std::initializer_list<std::string_view> cells) {
  std::string out;
  for (const std::string_view cell : cells) {
    out += out.empty() ? "\"" : ",\"";
    for (const char c : cell) out += c == '"' ? "\"\"" : std::string(1, c);
    out += '"';
  }
  return out;
}

// Each line of the text, and what stands in its place. The heading takes the place of a line
// without a row.
template <class Line>
std::string line_for_line(std::string_view text, const std::string& heading, Line&& take) {
  std::string out;
  bool begun = false, any = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = next_line(text, at);
    std::string one = take(text.substr(at, end - at));
    if (!one.empty() && !begun) return {};  // a row without the heading that comes before it
    any = any || !one.empty();
    if (one.empty() && !begun) one = heading, begun = true;
    out += one + "\n";
    at = end;
  }
  return any ? out : std::string();
}

bool all_dashes(std::string_view line) {
  line = trimmed(line);
  return line.size() > 10 && line.find_first_not_of("- ") == line.npos;
}

// "  copy(float *) (64, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0"
struct Launch {
  std::string kernel, grid, block, device, capability;
};

std::string field_of(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == line.npos) return {};
  const std::string_view rest = line.substr(at + name.size());
  return std::string(trimmed(rest.substr(0, rest.find(','))));
}

bool read_launch(std::string_view line, Launch& out) {
  const std::size_t context = line.find(", Context ");
  if (context == line.npos || line.find(", Stream ") == line.npos) return false;
  std::string_view name = trimmed(line.substr(0, context));
  out = {};
  const std::size_t times = name.rfind(")x("), open = name.rfind('(', times);
  if (times != name.npos && open != name.npos && name.ends_with(')')) {
    out.grid = name.substr(open, times + 1 - open);
    out.block = name.substr(times + 2);
    name = trimmed(name.substr(0, open));
  } else if (const std::size_t date = name.rfind(", 20"); date != name.npos) {
    name = name.substr(0, date);  // older versions name the time, and the shape in a section
  }
  out.kernel = name;
  out.device = field_of(line, ", Device "), out.capability = field_of(line, ", CC ");
  return true;
}

}  // namespace

std::string csv_of_ncu_report(std::string_view text) {
  Launch launch;
  std::string section;
  std::size_t id = 0,
              rules = 0;  // lines of dashes: in front of a table's heading, behind it, at its end
  return line_for_line(
      text,
      row({"ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream",
           "Block Size", "Grid Size", "Device", "CC", "Section Name", "Metric Name", "Metric Unit",
           "Metric Value"}),
      [&](std::string_view line) -> std::string {
        if (line.starts_with("==")) return {};
        if (Launch next; read_launch(line, next)) {
          launch = next, ++id, rules = 0;
          return {};
        }
        const std::string_view words = trimmed(line);
        if (words.starts_with("Section: ")) section = words.substr(9), rules = 0;
        if (all_dashes(line)) {
          rules = rules % 3 + 1;
          return {};
        }
        if (rules != 2 || launch.kernel.empty()) return {};
        const auto cells = columns(line);
        if (cells.size() < 2 || cells.size() > 3) return {};
        return row({std::to_string(id - 1), "0", "", "", launch.kernel, "", "", launch.block,
                    launch.grid, launch.device, launch.capability, section, cells[0],
                    cells.size() == 3 ? cells[1] : "", cells.back()});
      });
}

std::string csv_of_nvprof_report(std::string_view text) {
  std::string device, kernel;
  bool table = false, events = false;
  return line_for_line(text,
                       row({"Device", "Kernel", "Invocations", "Metric Name", "Metric Description",
                            "Min", "Max", "Avg"}),
                       [&](std::string_view line) -> std::string {
                         const std::string_view words = trimmed(line);
                         if (words.starts_with("Invocations")) {
                           table = true, events = words.find("Event Name") != words.npos;
                           return {};
                         }
                         if (!table || words.starts_with("==")) return {};
                         if (words.starts_with("Device \""))
                           device = words.substr(8, words.rfind('"') - 8), kernel.clear();
                         if (words.starts_with("Kernel: ")) kernel = words.substr(8);
                         const auto cells = columns(line);
                         const std::size_t wanted = events ? 5 : 6;
                         if (kernel.empty() || cells.size() < wanted ||
                             cells[0].find_first_not_of("0123456789") != cells[0].npos)
                           return {};
                         const std::size_t first = events ? 2 : cells.size() - 3;
                         return row({device, kernel, cells[0], cells[1], events ? "" : cells[2],
                                     cells[first], cells[first + 1], cells[first + 2]});
                       });
}

}  // namespace warpmem::validate
