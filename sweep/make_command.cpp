#include "sweep/make_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/included_files.hpp"
#include "base/printable.hpp"
#include "base/tool_run.hpp"
#include "sweep/batch_job.hpp"

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

constexpr const char* kTrace = "trace";

enum class Quotes { kNone, kSingle, kDouble };

// The command in pieces, from left to right: text as it is, and places of `values` with what stands
// there, each with the quotes that a shell sees around it.
template <class Use>
void for_each_piece(const std::string& command, const Changes& values, Use&& use) {
  Quotes quotes = Quotes::kNone;
  for (std::size_t at = 0; at < command.size();) {
    const std::string* value = nullptr;
    std::size_t size = 1;
    if (command[at] == '{' && (at == 0 || command[at - 1] != '$')) {
      const std::size_t end = command.find('}', at);
      const std::string name = end == std::string::npos ? "" : command.substr(at + 1, end - at - 1);
      for (const auto& [key, of] : values)
        if (key == name) value = &of, size = end + 1 - at;
    }
    use(std::string_view(command).substr(at, size), value, quotes);
    const char c = command[at];
    if (value == nullptr) {
      if (c == '\\' && quotes != Quotes::kSingle && at + 1 < command.size()) {
        use(std::string_view(command).substr(at + 1, 1), nullptr, quotes);
        size = 2;
      } else if (c == '\'' && quotes != Quotes::kDouble) {
        quotes = quotes == Quotes::kNone ? Quotes::kSingle : Quotes::kNone;
      } else if (c == '"' && quotes != Quotes::kSingle) {
        quotes = quotes == Quotes::kNone ? Quotes::kDouble : Quotes::kNone;
      }
    }
    at += size;
  }
}

// A name as one word of a shell, within the quotes that are there already.
std::string in_shell(const std::string& name, Quotes quotes) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%";
  if (name.find_first_not_of(kPlain) == std::string::npos) return name;
  if (quotes == Quotes::kNone) return quoted(name);
  std::string out;
  for (const char c : name) {
    if (quotes == Quotes::kSingle && c == '\'') out += "'\\''";
    else if (quotes == Quotes::kDouble &&
             std::string_view("\\\"$`").find(c) != std::string_view::npos)
      out += std::string("\\") + c;
    else out += c;
  }
  return out;
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

bool is_source(const std::string& path) {
  static const std::set<std::string> endings{".cu",   ".cuh",    ".c",   ".cc",  ".cpp", ".h",
                                             ".hpp",  ".cubin",  ".ptx", ".py",  ".sh",  ".wmt",
                                             ".toml", ".fatbin", ".csv", ".json"};
  return endings.contains(std::filesystem::path(path).extension().string());
}

void add_files(const std::string& command, std::set<std::string>& files) {
  constexpr const char* kBetween = " \t\n'\"=;&|<>()";
  std::vector<std::string> words;
  for (std::size_t at = command.find_first_not_of(kBetween); at != std::string::npos;) {
    const std::size_t end = std::min(command.find_first_of(kBetween, at), command.size());
    words.push_back(command.substr(at, end - at));
    at = command.find_first_not_of(kBetween, end);
  }
  const auto folders = include_folders(words);
  for (const std::string& word : words) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(word, none)) continue;
    files.insert(word);
    if (!is_code(word)) continue;
    const auto headers = included_files(word, folders);
    files.insert(headers.begin(), headers.end());
  }
}

}  // namespace

bool has_place(const std::string& command, const std::string& name) {
  return find_place(command, name, 0) != std::string::npos;
}

std::string filled(const std::string& command, const Changes& values) {
  std::string out;
  for_each_piece(command, values, [&](std::string_view text, const std::string* value, Quotes) {
    out += value ? *value : text;
  });
  return out;
}

std::string filled(const std::string& command, const Changes& values, const std::string& trace) {
  Changes all = values;
  all.emplace_back(kTrace, trace);
  std::string out;
  for_each_piece(command, all, [&](std::string_view text, const std::string* value, Quotes quotes) {
    if (text == "{trace}") out += in_shell(trace, quotes);
    else out += value ? *value : text;
  });
  return out;
}

Result<void> make_trace(const std::string& command, const Changes& program,
                        const std::string& trace) {
  constexpr std::size_t kSaid = 4096;  // of what it prints the last line is told
  const std::string line = filled(command, program, trace);
  const auto ran = run_tool({"/bin/sh", "-c", line}, ToolOutput::kBoth, {kSaid, true});
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

std::vector<std::string> files_in(const std::string& command, const std::vector<SweepAxis>& axes) {
  std::set<std::string> files;
  add_files(command, files);
  for (const SweepAxis& axis : axes)
    for (const std::string& value : axis.values)
      if (has_place(command, axis.key)) add_files(filled(command, {{axis.key, value}}), files);
  return {files.begin(), files.end()};
}

std::vector<std::string> sources_in(const std::string& command,
                                    const std::vector<SweepAxis>& axes) {
  std::vector<std::string> files = files_in(command, axes);
  std::erase_if(files, [](const std::string& file) { return !is_source(file); });
  return files;
}

}  // namespace warpmem::sweep
