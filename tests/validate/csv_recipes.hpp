// Pieces of profiler output to build dirty files from.
#pragma once

#include <initializer_list>
#include <string>

#include "validate/ncu_csv.hpp"

namespace warpmem::validate::recipes {

inline const std::string kLoads = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
inline const std::string kDram = "dram__sectors_read.sum";

inline std::string quoted_row(std::initializer_list<std::string> cells) {
  std::string out;
  for (const auto& cell : cells) out += (out.empty() ? "\"" : ",\"") + cell + "\"";
  return out + "\n";
}

inline std::string long_header() {
  return quoted_row({"ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
                     "Stream", "Block Size", "Grid Size", "Device", "CC", "Section Name",
                     "Metric Name", "Metric Unit", "Metric Value"});
}

inline std::string long_row(const std::string& id, const std::string& metric,
                            const std::string& unit, const std::string& value,
                            const std::string& kernel = "copy(float *)",
                            const std::string& cc = "9.0") {
  return quoted_row({id, "4711", "app", "127.0.0.1", kernel, "1", "7", "(256, 1, 1)",
                     "(4096, 1, 1)", "0", cc, "Command line profiler metrics", metric, unit,
                     value});
}

inline std::string wide_header() {
  return quoted_row({"ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
                     "Stream", "Block Size", "Grid Size", "Device", "CC",
                     "device__attribute_display_name", kDram, kLoads});
}

inline std::string wide_units(const std::string& dram = "sector",
                              const std::string& loads = "sector") {
  return quoted_row({"", "", "", "", "", "", "", "", "", "", "", "", dram, loads});
}

inline std::string wide_row(const std::string& id, const std::string& dram,
                            const std::string& loads, const std::string& kernel = "copy(float *)",
                            const std::string& cc = "9.0") {
  return quoted_row({id, "4711", "app", "127.0.0.1", kernel, "1", "7", "(256, 1, 1)",
                     "(4096, 1, 1)", "0", cc, "NVIDIA H200", dram, loads});
}

inline std::string wide_table() {
  return wide_header() + wide_units() + wide_row("0", "524,376", "524,288") +
         wide_row("1", "96", "131,072", "void scale<float, (int)4>(T1 *, int)");
}

inline double value(const NcuImport& file, std::size_t launch, const std::string& metric) {
  return file.launches.at(launch).counted.metrics.at(metric).value;
}

}  // namespace warpmem::validate::recipes
