#include "validate/suite.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/toml_values.hpp"

namespace warpmem::validate {
namespace {

namespace fs = std::filesystem;

// "GPU NVIDIA H200, driver 580.…", from what collect wrote.
Result<std::vector<std::string>> read_heading(const fs::path& path) {
  std::vector<std::string> out;
  std::error_code ec;
  if (!fs::exists(path, ec)) return out;
  try {
    const toml::table root = toml::parse_file(path.string());
    const toml::table* machine = root["machine"].as_table();
    std::optional<Error> wrong;  // the first value that is no text
    const auto get = [&](const char* key) -> std::string {
      const toml::node* value = machine ? machine->get(key) : nullptr;
      if (!value) return {};
      auto text = toml_text(*value, fmt::format("machine.{}", key), path.string());
      if (text) return *text;
      if (!wrong) wrong = text.error();
      return {};
    };
    std::string where = "Counted on " + get("gpu");
    for (const auto& [key, words] : {std::pair{"compute_capability", "compute capability"},
                                     {"driver", "driver"},
                                     {"cuda", "CUDA"},
                                     {"ncu", "Nsight Compute"},
                                     {"date", "on"}})
      if (const std::string value = get(key); !value.empty())
        where += fmt::format(", {} {}", words, value);
    out.push_back(where);
    if (const std::string clocks = get("clocks"); !clocks.empty())
      out.push_back("Clocks: " + clocks);
    if (wrong) {
      wrong->kind = ErrorKind::kMalformed;
      return *wrong;
    }
  } catch (const toml::parse_error& e) {
    return Error{ErrorKind::kMalformed, std::string(e.description()),
                 fmt::format("{}, line {}", path.string(), e.source().begin.line),
                 "collect the reference again, or correct the file"};
  }
  return out;
}

}  // namespace

Result<Suite> open_suite(const std::string& folder) {
  Suite suite{folder, {}, {}, {}};
  std::error_code ec;
  std::set<std::string> traces, counters, repeats;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
    const std::string file = it->path().filename().string();
    const auto stem = [&](std::string_view suffix) {
      return file.substr(0, file.size() - suffix.size());
    };
    if (file.ends_with(".repeat.csv")) repeats.insert(stem(".repeat.csv"));
    else if (file.ends_with(".csv")) counters.insert(stem(".csv"));
    else if (file.ends_with(".wmt")) traces.insert(stem(".wmt"));
  }
  if (ec)
    return Error{ErrorKind::kUsage, "cannot read the folder: " + ec.message(), folder,
                 "give a folder that validate/collect wrote"};
  for (const auto& name : traces) {
    if (!counters.contains(name)) {
      suite.notes.push_back(name + ".wmt has no " + name + ".csv beside it");
      continue;
    }
    const fs::path base = fs::path(folder) / name;
    suite.entries.push_back({name, base.string() + ".wmt", base.string() + ".csv",
                             repeats.contains(name) ? base.string() + ".repeat.csv" : ""});
  }
  for (const auto& name : counters)
    if (!traces.contains(name))
      suite.notes.push_back(name + ".csv has no " + name + ".wmt beside it");
  if (suite.entries.empty())
    return Error{ErrorKind::kMalformed,
                 fmt::format("no pair NAME.wmt and NAME.csv in it ({} traces, {} CSV files)",
                             traces.size(), counters.size()),
                 folder, "collect the reference with validate/collect on a GPU machine"};
  auto heading = read_heading(fs::path(folder) / "provenance.toml");
  if (!heading) return heading.error();
  suite.heading = std::move(heading).value();
  return suite;
}

std::string shipped_suite(const std::string& card) {
  std::error_code ec;
  const fs::path program = fs::read_symlink("/proc/self/exe", ec).parent_path();
  for (const fs::path& root :
       {fs::path("validate/reference"), program / "../validate/reference",
        program / "../../validate/reference", program / "../share/warpmem/reference"}) {
    const fs::path folder = root / card;
    if (fs::is_directory(folder, ec)) return folder.lexically_normal().string();
  }
  return "";
}

}  // namespace warpmem::validate
