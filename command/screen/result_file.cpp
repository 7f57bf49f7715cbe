#include "command/screen/result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/json.hpp"
#include "base/run_files.hpp"
#include "base/units.hpp"

namespace warpmem::command {

namespace {

Error malformed(const std::string& place, const std::string& message) {
  return {ErrorKind::kMalformed, message, place,
          "give a file written by: warpmem replay T --format json"};
}

// Members of a result, each of the type that it has to be; what is missing, or of another type, is
// remembered.
class Reader {
 public:
  const Json& member(const Json& of, std::string_view name) {
    const Json* const found = of.find(name);
    return found ? *found : missing();
  }
  std::string text(const Json& json) {
    const std::string* const text = json.as_text();
    return text ? *text : (missing(), std::string());
  }
  std::uint64_t number(const Json& json) {
    const auto value = json.as_unsigned();
    return value ? *value : (missing(), 0);
  }
  double real(const Json& json) {
    const auto value = json.as_double();
    return value ? *value : (missing(), 0);
  }
  const Json::Object& members(const Json& json) {
    static const Json::Object kNone;
    const Json::Object* const all = json.as_object();
    return all ? *all : (missing(), kNone);
  }
  const Json::Array& items(const Json& json) {
    static const Json::Array kNone;
    const Json::Array* const all = json.as_array();
    return all ? *all : (missing(), kNone);
  }
  Dim3 dims(const Json& json) {
    Dim3 out{};
    const Json::Array& all = items(json);
    if (all.size() != out.size()) missing();
    for (std::size_t d = 0; d < std::min(all.size(), out.size()); ++d) {
      const std::uint64_t value = number(all[d]);
      if (value > ~std::uint32_t{0}) missing();
      out[d] = static_cast<std::uint32_t>(value);
    }
    return out;
  }
  bool complete() const { return complete_; }

 private:
  const Json& missing() {
    static const Json kNull;
    complete_ = false;
    return kNull;
  }
  bool complete_ = true;
};

// A number of the card as tables show it: 62914560 of bytes as "60 MiB".
std::string shown(Reader& in, const Json& entry) {
  const Json& value = in.member(entry, "value");
  if (const std::string* const text = value.as_text()) return *text;
  const auto n = value.as_unsigned();
  if (!n) return value.text();
  const Json* const unit = entry.find("unit");
  return unit && unit->as_text() && *unit->as_text() == "bytes" ? byte_size(*n) : grouped(*n);
}

LaunchMetrics launch_of(Reader& in, const Json& kernel) {
  LaunchMetrics out;
  out.launch = in.number(in.member(kernel, "launch"));
  out.kernel = in.text(in.member(kernel, "name"));
  out.grid = in.dims(in.member(kernel, "grid"));
  out.block = in.dims(in.member(kernel, "block"));
  for (const auto& [name, value] : in.members(in.member(kernel, "metrics"))) {
    MetricValue& metric = out.metrics[name];
    if (value.is_null())
      metric.missing = in.text(in.member(in.member(kernel, "not_available"), name));
    else metric.value = in.real(value);
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
  const auto root = Json::parse(text.str(), path);
  if (!root) return malformed(root.error().place, root.error().message);
  Reader in;
  const Json* const schema = root->find("schema");
  if (schema && schema->as_unsigned() != std::uint64_t{1})
    return malformed(path, fmt::format("schema {} is not known", schema->text()));
  ResultFile out;
  out.path = path;
  out.gpu = in.text(in.member(*root, "gpu"));
  if (const Json* const engine = root->find("engine")) out.engine = in.text(*engine);
  out.level = in.text(in.member(in.member(*root, "trace"), "level"));
  if (const Json* const keep = root->find("keep_caches"))
    out.keep_caches = keep->as_bool().value_or(false);
  for (const auto& [key, entry] : in.members(in.member(*root, "card")))
    out.card[key] = shown(in, entry);
  for (const Json& kernel : in.items(in.member(*root, "kernels")))
    out.launches.push_back(launch_of(in, kernel));
  if (!in.complete() || !schema) return malformed(path, "this JSON is no replay result");
  return out;
}

}  // namespace warpmem::command
