#include "base/included_files.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "base/run_files.hpp"

namespace warpmem {
namespace {

namespace fs = std::filesystem;

// The name in `#include "name"`; none in another line.
std::optional<std::string> included(std::string_view line) {
  const auto skip = [&](std::string_view word) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(word)) return false;
    line.remove_prefix(word.size());
    return true;
  };
  if (!skip("#") || !skip("include") || !skip("\"")) return std::nullopt;
  const auto end = line.find('"');
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(line.substr(0, end));
}

std::optional<std::string> place_of(const std::string& name, const fs::path& beside,
                                    const std::vector<std::string>& folders) {
  const auto is_there = [](const fs::path& path) {
    std::error_code none;
    return fs::is_regular_file(path, none);
  };
  if (is_there(beside / name)) return (beside / name).string();
  for (const std::string& folder : folders)
    if (is_there(fs::path(folder) / name)) return (fs::path(folder) / name).string();
  return std::nullopt;
}

}  // namespace

std::vector<std::string> included_files(const std::string& source,
                                        const std::vector<std::string>& folders) {
  std::vector<std::string> out, open{source};
  std::set<std::string> seen{fs::path(source).lexically_normal().string()};
  while (!open.empty()) {
    const fs::path file = open.back();
    open.pop_back();
    std::ifstream in = open_to_read(file.string());
    for (std::string line; std::getline(in, line);) {
      const auto name = included(line);
      if (!name) continue;
      const auto place = place_of(*name, file.parent_path(), folders);
      if (!place || !seen.insert(fs::path(*place).lexically_normal().string()).second) continue;
      out.push_back(*place);
      open.push_back(*place);
    }
  }
  return out;
}

std::vector<std::string> include_folders(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 4> kOptions{"-I", "-isystem", "-iquote", "--include-path"};
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    for (const std::string_view option : kOptions) {
      if (!word.starts_with(option)) continue;
      std::string_view rest = word.substr(option.size());
      if (rest.starts_with("=")) rest.remove_prefix(1);
      if (!rest.empty()) out.emplace_back(rest);
      else if (i + 1 < words.size()) out.push_back(words[i + 1]);
      break;
    }
  }
  return out;
}

bool is_code(const std::string& path) {
  constexpr std::array<std::string_view, 8> kEndings{".cu", ".cuh", ".c",   ".cc",
                                                     ".h",  ".cpp", ".hpp", ".cxx"};
  return std::ranges::count(kEndings, fs::path(path).extension().string()) > 0;
}

}  // namespace warpmem
