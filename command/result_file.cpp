#include "command/result_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/run_files.hpp"
#include "base/units.hpp"

namespace warpmem::command {

namespace {

using nlohmann::json;

Error malformed(const std::string& place, const std::string& message) {
  return {ErrorKind::kMalformed, message, place,
          "give a file written by: warpmem replay T --format json"};
}

// A number of the card as tables show it: 62914560 of bytes as "60 MiB".
std::string shown(const json& entry) {
  const json& value = entry.at("value");
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number_unsigned()) return value.dump();
  const auto n = value.get<std::uint64_t>();
  return entry.value("unit", "") == "bytes" ? byte_size(n) : grouped(n);
}

LaunchMetrics launch_of(const json& kernel) {
  LaunchMetrics out;
  out.launch = kernel.at("launch").get<std::uint64_t>();
  out.kernel = kernel.at("name").get<std::string>();
  out.grid = kernel.at("grid").get<Dim3>();
  out.block = kernel.at("block").get<Dim3>();
  for (const auto& [name, value] : kernel.at("metrics").items()) {
    MetricValue& metric = out.metrics[name];
    if (value.is_null()) {
      metric.missing = kernel.at("not_available").at(name).get<std::string>();
    } else {
      metric.value = value.get<double>();
    }
  }
  return out;
}

}  // namespace

Result<ResultFile> read_result(const std::string& path) {
  std::ifstream file = open_to_read(path);
  std::stringstream text;
  if (!file || !(text << file.rdbuf())) {
    const char* why = errno != 0 ? std::strerror(errno) : "nothing in it";
    return Error{ErrorKind::kUsage, fmt::format("cannot read the result: {}", why), path,
                 "check the name; results come from warpmem replay --format json"};
  }
  try {
    const json root = json::parse(text.str());
    if (root.at("schema").get<int>() != 1) {
      return malformed(path, fmt::format("schema {} is not known", root.at("schema").dump()));
    }
    ResultFile out;
    out.path = path;
    out.gpu = root.at("gpu").get<std::string>();
    out.engine = root.value("engine", "");
    out.level = root.at("trace").at("level").get<std::string>();
    out.keep_caches = root.value("keep_caches", false);
    for (const auto& [key, entry] : root.at("card").items()) out.card[key] = shown(entry);
    for (const json& kernel : root.at("kernels")) out.launches.push_back(launch_of(kernel));
    return out;
  } catch (const json::parse_error& error) {
    return malformed(fmt::format("{}, byte {}", path, error.byte), "this is not valid JSON");
  } catch (const json::exception&) {
    return malformed(path, "this JSON is no replay result");
  }
}

}  // namespace warpmem::command
