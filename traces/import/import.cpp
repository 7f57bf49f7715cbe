#include "traces/import/import.hpp"

#include <array>

#include "traces/import/accel_sim.hpp"
#include "traces/import/line_file.hpp"
#include "traces/import/nvbit.hpp"

namespace warpmem::imports {
namespace {

enum class Format { kAccelSim, kAccelSimList, kNvbit, kUnknown };

// Lines that are looked at: a program's own output may stand before a tool's.
constexpr std::uint64_t kLooked = 10'000, kHeading = 64;

bool is_binary(const std::string& line) { return line.find('\0') != line.npos; }

// What other tools write that people may take for a trace, by how it begins, and what to do with
// it.
struct Known {
  std::string_view begins, what, fix;
};
constexpr std::array kKnown{
    Known{"\x89WMT", "a trace of warpmem", "it needs no import: warpmem replay FILE"},
    Known{"NVR", "a report of Nsight Compute (.ncu-rep)",
          "it holds counters, no trace: warpmem validate TRACE --ncu FILE"},
    Known{"SQLite format 3", "an SQLite database, as nsys exports",
          "it holds times, no trace: warpmem validate TRACE --ncu FILE --time"},
    Known{"\xfd"
          "7zXZ",
          "an .xz file whose name does not end in .xz", "add .xz to its name"},
    Known{"\x28\xb5\x2f\xfd", "a zstd file", "unpack it first: zstd -d FILE"},
    Known{"\x1f\x8b", "a gzip file", "unpack it first: gunzip FILE"},
};

Result<Format> format_of(const std::string& path) {
  auto file = LineFile::open(path);
  if (!file) return file.error();
  bool any = false, accel_sim = false;
  for (std::string line; file->next(line);) {
    if (!any)
      for (const Known& k : kKnown)
        if (line.starts_with(k.begins))
          return Error{ErrorKind::kMalformed, "this is " + std::string(k.what), path,
                       std::string(k.fix)};
    if (accel_sim && is_binary(line))
      return Error{
          ErrorKind::kMalformed,
          "this is a binary trace of Accel-Sim 2 (.tracez), of which only the text form is "
          "read",
          path, "convert it to .traceg with Accel-Sim's own tools"};
    if (accel_sim && (line.starts_with("#BEGIN_TB") || file->number() > kHeading)) break;
    if (line.empty()) continue;
    any = true;
    if (line.starts_with(kNvbitLine)) return Format::kNvbit;
    if (file->number() > kLooked) break;
    accel_sim = accel_sim || line.starts_with("-kernel name") || line.starts_with("-accelsim");
    if (line.starts_with("MemcpyHtoD,") || line.starts_with("kernel-"))
      return Format::kAccelSimList;
  }
  if (accel_sim) return Format::kAccelSim;
  if (auto whole = file->ended(); !whole) return whole.error();
  return Format::kUnknown;
}

}  // namespace

Result<ImportReport> import_trace(const ImportRequest& request) {
  const auto format = format_of(request.path);
  if (!format) return format.error();
  switch (*format) {
    case Format::kAccelSim: return import_accel_sim(request, false);
    case Format::kAccelSimList: return import_accel_sim(request, true);
    case Format::kNvbit: return import_nvbit(request);
    case Format::kUnknown: break;
  }
  return Error{
      ErrorKind::kMalformed, "this is no trace of a tool that is known", request.path,
      "give a .traceg of Accel-Sim or its kernelslist.g, or what NVBit's mem_trace printed"};
}

}  // namespace warpmem::imports
