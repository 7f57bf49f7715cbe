#include "sweep/make_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/printable.hpp"
#include "base/tool_run.hpp"

namespace warpmem::sweep {
namespace {

// The next place of {name}, or npos.
std::size_t find_place(const std::string& command, const std::string& name, std::size_t from) {
  const std::string place = "{" + name + "}";
  for (std::size_t at = command.find(place, from); at != std::string::npos;
       at = command.find(place, at + 1))
    if (at == 0 || command[at - 1] != '$') return at;
  return std::string::npos;
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \n\r\t");
  if (end == std::string::npos) return {};
  const std::size_t before = text.find_last_of("\n\r", end);
  return text.substr(before == std::string::npos ? 0 : before + 1, end - before);
}

std::string told(const Changes& program) {
  std::string out;
  for (const auto& [key, value] : program)
    out += fmt::format("{}{}={}", out.empty() ? "" : ", ", key, value);
  return out;
}

bool is_source(const std::filesystem::path& path) {
  static const std::set<std::string> endings{".cu",   ".cuh",    ".c",   ".cc",  ".cpp", ".h",
                                             ".hpp",  ".cubin",  ".ptx", ".py",  ".sh",  ".wmt",
                                             ".toml", ".fatbin", ".csv", ".json"};
  std::error_code none;
  return endings.contains(path.extension().string()) &&
         std::filesystem::is_regular_file(path, none);
}

void add_sources(const std::string& command, std::set<std::string>& files) {
  constexpr const char* kBetween = " \t\n'\"=;&|<>()";
  for (std::size_t at = command.find_first_not_of(kBetween); at != std::string::npos;) {
    const std::size_t end = std::min(command.find_first_of(kBetween, at), command.size());
    const std::string word = command.substr(at, end - at);
    if (is_source(word)) files.insert(word);
    at = command.find_first_not_of(kBetween, end);
  }
}

}  // namespace

bool has_place(const std::string& command, const std::string& name) {
  return find_place(command, name, 0) != std::string::npos;
}

std::string filled(const std::string& command, const Changes& values) {
  std::string out = command;
  for (const auto& [key, value] : values)
    for (std::size_t at = find_place(out, key, 0); at != std::string::npos;
         at = find_place(out, key, at + value.size()))
      out.replace(at, key.size() + 2, value);
  return out;
}

Result<void> make_trace(const std::string& command, const Changes& program,
                        const std::string& trace) {
  Changes values = program;
  values.emplace_back("trace", trace);
  const std::string line = filled(command, values);
  const auto ran = run_tool({"/bin/sh", "-c", line}, ToolOutput::kBoth);
  if (!ran) return ran.error();
  std::error_code none;
  const bool there = std::filesystem::is_regular_file(trace, none);
  if (ran->good && there) return {};
  const std::string said = printable(last_line(ran->text));
  return Error{
      ErrorKind::kUsage,
      fmt::format("the command {}{}{}", ran->good ? "left no trace" : "failed",
                  program.empty() ? "" : " for " + told(program), said.empty() ? "" : ": " + said),
      "--make", "try it by hand: " + printable(line)};
}

std::vector<std::string> sources_in(const std::string& command,
                                    const std::vector<SweepAxis>& axes) {
  std::set<std::string> files;
  add_sources(command, files);
  for (const SweepAxis& axis : axes)
    for (const std::string& value : axis.values)
      if (has_place(command, axis.key)) add_sources(filled(command, {{axis.key, value}}), files);
  return {files.begin(), files.end()};
}

}  // namespace warpmem::sweep
