#include "validate/ncu_report.hpp"

#include <cstdlib>
#include <vector>

#include "base/tool_run.hpp"

namespace warpmem::validate {
namespace {

// A heading, the units, and a row for each profiled launch. Strings are written so that no unit and
// no separator of the reader's locale is in the numbers.
constexpr std::string_view kScript = R"python(
import csv, sys
try:
    import ncu_report
except ImportError:
    print("warpmem: no module")
    sys.exit(0)
try:
    report = ncu_report.load_report(sys.argv[1])
except Exception as error:
    print("warpmem: not read", " ".join(str(error).split()))
    sys.exit(0)
actions = [r.action_by_idx(a) for r in (report.range_by_idx(i) for i in range(report.num_ranges()))
           for a in range(r.num_actions())]
if not actions:  # so it says of a damaged file
    print("warpmem: not read")
    sys.exit(0)
names = sorted({name for action in actions for name in action.metric_names()})
units, rows = {}, []
for number, action in enumerate(actions):
    have = set(action.metric_names())
    def value(name):
        if name not in have:
            return ""
        metric = action.metric_by_name(name)
        units.setdefault(name, metric.unit() or "")
        try:
            got = metric.value()
        except Exception:
            return ""
        return "" if got is None else repr(got) if isinstance(got, (int, float)) else str(got)
    def size(what):
        return "(" + ", ".join(value(f"launch__{what}_dim_{d}") or "1" for d in "xyz") + ")"
    major, minor = (value("device__attribute_compute_capability_" + part) for part in ("major", "minor"))
    rows.append([number, action.name(), size("block"), size("grid"), value("device__attribute_display_name"),
                 f"{major}.{minor}" if major else "", *(value(name) for name in names)])
out = csv.writer(sys.stdout, quoting=csv.QUOTE_ALL, lineterminator="\n")
heading = ["ID", "Kernel Name", "Block Size", "Grid Size", "Device", "CC"]
out.writerow(heading + names)
out.writerow([""] * len(heading) + [units.get(name, "") for name in names])
out.writerows(rows)
)python";

std::vector<std::string> pythons() {
  std::vector<std::string> out;
  if (const char* set = std::getenv("WARPMEM_PYTHON"); set && *set) out.emplace_back(set);
  out.emplace_back("python3");
  out.emplace_back("python");
  return out;
}

}  // namespace

bool is_ncu_report(std::string_view bytes) {
  return bytes.starts_with(std::string_view("NVR\0", 4));
}

Result<std::string> ncu_report_csv(const std::string& path) {
  for (const std::string& python : pythons()) {
    auto ran = run_tool({python, "-c", std::string(kScript), path}, ToolOutput::kStdout);
    if (!ran) continue;
    if (ran->text.starts_with("warpmem: no module")) continue;
    if (ran->text.starts_with("warpmem: not read") || !ran->good)
      return Error{ErrorKind::kMalformed,
                   "NVIDIA's ncu_report finds no kernel in the report, or cannot read it", path,
                   "profile again, or take an ncu_report as new as the ncu that wrote it"};
    return std::move(ran->text);
  }
  return Error{ErrorKind::kEnvironment,
               "this is a report of Nsight Compute (.ncu-rep), which NVIDIA's Python package "
               "ncu_report reads, and no python3 here has it",
               path,
               "pip install ncu-report (WARPMEM_PYTHON names the python to ask), or print the "
               "report as a table: ncu --import FILE --page raw --csv"};
}

}  // namespace warpmem::validate
