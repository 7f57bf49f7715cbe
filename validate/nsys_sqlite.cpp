#include "validate/nsys_sqlite.hpp"

#include <utility>

#include "base/sqlite.hpp"

namespace warpmem::validate {
namespace {

constexpr const char* kKernels =
    "SELECT k.start, k.end, k.gridX, k.gridY, k.gridZ, k.blockX, k.blockY, k.blockZ, s.value "
    "FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName "
    "ORDER BY k.start";
constexpr const char* kDevice = "SELECT name, computeMajor, computeMinor FROM TARGET_INFO_GPU";

Error not_nsys(const std::string& place) {
  return {ErrorKind::kMalformed,
          "this is an SQLite database, but none that nsys exports: it has no table "
          "CUPTI_ACTIVITY_KIND_KERNEL with StringIds",
          place, "write it with nsys export --type sqlite REPORT.nsys-rep"};
}

// The GPU, where the file has the table and one GPU alone.
void read_device(const Database& db, NcuImport& out) {
  auto rows = db.prepare(kDevice);
  if (!rows) return;
  std::string name, capability;
  int gpus = 0;
  for (;; ++gpus) {
    auto row = rows->step();
    if (!row || !*row) break;
    if (!rows->has("tii")) return;
    name = rows->text(0);
    capability = std::to_string(rows->whole(1)) + "." + std::to_string(rows->whole(2));
  }
  if (gpus != 1) return;
  out.device = name, out.compute_capability = capability;
  for (NcuLaunch& launch : out.launches)
    launch.device = name, launch.compute_capability = capability;
}

}  // namespace

bool is_sqlite(std::string_view bytes) { return bytes.starts_with("SQLite format 3"); }

Result<NcuImport> parse_nsys_sqlite(std::string bytes, const std::string& place) {
  auto db = Database::of(std::move(bytes), place);
  if (!db) return db.error();
  auto rows = db->prepare(kKernels);
  if (!rows) return not_nsys(place);
  NcuImport out;
  for (;;) {
    auto row = rows->step();
    if (!row) return row.error();
    if (!*row) break;
    if (!rows->has("iiiiiiiit") || rows->whole(1) < rows->whole(0)) {
      ++out.report.damaged_rows;
      continue;
    }
    NcuLaunch& launch = out.launches.emplace_back();
    const auto extent = [&](int column) { return static_cast<std::uint32_t>(rows->whole(column)); };
    launch.counted.launch = out.launches.size() - 1;
    launch.counted.grid = {extent(2), extent(3), extent(4)};
    launch.counted.block = {extent(5), extent(6), extent(7)};
    launch.counted.kernel = rows->text(8);
    launch.has_shape = true;
    launch.counted.metrics["gpu__time_duration.sum"] = {
        static_cast<double>(rows->whole(1) - rows->whole(0)), {}};
    launch.units["gpu__time_duration.sum"] = "ns";
  }
  if (out.launches.empty())
    return Error{ErrorKind::kMalformed, "the export of nsys holds no kernel", place,
                 "profile with nsys profile --trace=cuda, and export that"};
  out.report.notes.emplace_back("nsys measures times alone: nothing else is compared");
  read_device(*db, out);
  return out;
}

}  // namespace warpmem::validate
