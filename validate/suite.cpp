#include "validate/suite.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/run_files.hpp"
#include "base/toml_values.hpp"

namespace warpmem::validate {
namespace {

namespace fs = std::filesystem;

// What collect wrote of a folder.
struct Provenance {
  std::vector<std::string> heading;  // "Counted on NVIDIA H200, driver 580.…"
  std::string traces;                // folder of the traces; empty: beside the counters
  std::string gpu;                   // as its driver calls it
};

Result<Provenance> read_provenance(const fs::path& path) {
  Provenance read;
  std::vector<std::string>& out = read.heading;
  std::error_code ec;
  if (!fs::exists(path, ec)) return read;
  try {
    note_input(path.string());
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
    read.gpu = get("gpu");
    std::string where = "Counted on " + read.gpu;
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
    if (const toml::node* traces = root.get("traces")) {
      auto text = toml_text(*traces, "traces", path.string());
      if (text) read.traces = (path.parent_path() / *text).lexically_normal().string();
      else wrong = text.error();
    }
    if (wrong) {
      wrong->kind = ErrorKind::kMalformed;
      return *wrong;
    }
  } catch (const toml::parse_error& e) {
    return Error{ErrorKind::kMalformed, std::string(e.description()),
                 fmt::format("{}, line {}", path.string(), e.source().begin.line),
                 "collect the reference again, or correct the file"};
  }
  return read;
}

}  // namespace

Result<Suite> open_suite(const std::string& folder) {
  auto provenance = read_provenance(fs::path(folder) / "provenance.toml");
  if (!provenance) return provenance.error();
  Suite suite{folder, {}, std::move(provenance->gpu), std::move(provenance->heading), {}};
  const std::string& elsewhere = provenance->traces;
  std::set<std::string> traces, counters, repeats;
  const auto list = [&](const std::string& from, bool own) -> Result<void> {
    std::error_code ec;
    for (fs::directory_iterator it(from, ec), end; !ec && it != end; it.increment(ec)) {
      const std::string file = it->path().filename().string();
      const auto stem = [&](std::string_view suffix) {
        return file.substr(0, file.size() - suffix.size());
      };
      if (file.ends_with(".wmt") && own == elsewhere.empty()) traces.insert(stem(".wmt"));
      if (!own) continue;
      if (file.ends_with(".repeat.csv")) repeats.insert(stem(".repeat.csv"));
      else if (file.ends_with(".csv")) counters.insert(stem(".csv"));
    }
    if (!ec) return {};
    return Error{ErrorKind::kUsage, "cannot read the folder: " + ec.message(), from,
                 own ? "give a folder that validate/collect wrote"
                     : "correct traces in " + folder + "/provenance.toml"};
  };
  if (auto ok = list(folder, true); !ok) return ok.error();
  if (!elsewhere.empty())
    if (auto ok = list(elsewhere, false); !ok) return ok.error();
  const fs::path from = elsewhere.empty() ? folder : elsewhere;
  for (const auto& name : traces) {
    if (!counters.contains(name)) {
      if (elsewhere.empty()) suite.notes.push_back(name + ".wmt has no " + name + ".csv beside it");
      continue;
    }
    const fs::path base = fs::path(folder) / name;
    suite.entries.push_back({name, (from / name).string() + ".wmt", base.string() + ".csv",
                             repeats.contains(name) ? base.string() + ".repeat.csv" : ""});
  }
  for (const auto& name : counters)
    if (!traces.contains(name))
      suite.notes.push_back(name + ".csv has no " + name + ".wmt" +
                            (elsewhere.empty() ? " beside it" : " in " + elsewhere));
  if (suite.entries.empty())
    return Error{ErrorKind::kMalformed,
                 fmt::format("no pair NAME.wmt and NAME.csv in it ({} traces, {} CSV files)",
                             traces.size(), counters.size()),
                 folder, "collect the reference with validate/collect on a GPU machine"};
  return suite;
}

std::string shipped_suite(const std::string& card) {
  std::error_code ec;
  const fs::path program = fs::read_symlink("/proc/self/exe", ec).parent_path();
  for (const fs::path& root :
       {fs::path("validate/reference"), program / "../validate/reference",
        program / "../../validate/reference", program / "../share/warpmem/reference"}) {
    // "h100_sxm" is among the boards that the folder "h100" is for.
    for (const std::string& name : {card, card.substr(0, card.find('_'))})
      if (const fs::path folder = root / name; fs::is_directory(folder, ec))
        return folder.lexically_normal().string();
  }
  return "";
}

}  // namespace warpmem::validate
