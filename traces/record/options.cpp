#include "traces/record/options.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "base/read_number.hpp"
#include "traces/record/environment_variable.hpp"

namespace warpmem::record {
namespace {

Result<void> read_number(const char* name, const WholeRange& range, std::uint64_t& out) {
  const std::string text = environment_variable(name);
  if (text.empty()) return {};
  const auto value = read_whole(text, range, name);
  if (!value) return value.error();
  out = *value;
  return {};
}

Result<void> read_flag(const char* name, bool& out) {
  const std::string text = environment_variable(name);
  if (text.empty()) return {};
  if (text != "0" && text != "1")
    return Error{ErrorKind::kUsage, fmt::format("'{}' is neither 0 nor 1", text), name,
                 "write 1 for yes or 0 for no"};
  out = text == "1";
  return {};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> to_environment(const RecordOptions& o) {
  std::vector<std::pair<std::string, std::string>> result{{"WARPMEM_RECORD_OUTPUT", o.output}};
  if (!o.kernel.empty()) result.emplace_back("WARPMEM_RECORD_KERNEL", o.kernel);
  if (o.first_launch != 0 || o.last_launch != RecordOptions::kNoLimit) {
    result.emplace_back("WARPMEM_RECORD_LAUNCHES",
                        o.last_launch == RecordOptions::kNoLimit
                            ? fmt::format("{}:", o.first_launch)
                            : fmt::format("{}:{}", o.first_launch, o.last_launch));
  }
  if (o.ctas < 1) result.emplace_back("WARPMEM_RECORD_CTAS", fmt::format("{}", o.ctas));
  if (o.max_records != RecordOptions::kNoLimit) {
    result.emplace_back("WARPMEM_RECORD_MAX_RECORDS", fmt::format("{}", o.max_records));
  }
  if (!o.times.empty()) result.emplace_back("WARPMEM_RECORD_TIMES", o.times);
  if (o.force) result.emplace_back("WARPMEM_RECORD_FORCE", "1");
  if (o.strict) result.emplace_back("WARPMEM_RECORD_STRICT", "1");
  if (!o.wait) result.emplace_back("WARPMEM_RECORD_WAIT", "0");
  if (o.buffer_bytes != RecordOptions{}.buffer_bytes) {
    result.emplace_back("WARPMEM_RECORD_BUFFER", fmt::format("{}", o.buffer_bytes));
  }
  if (o.threads != 0) result.emplace_back("WARPMEM_RECORD_THREADS", fmt::format("{}", o.threads));
  std::string command;
  for (const std::string& word : o.command) command += (command.empty() ? "" : " ") + word;
  if (!command.empty()) result.emplace_back("WARPMEM_RECORD_COMMAND", command);
  return result;
}

Result<RecordOptions> from_environment() {
  RecordOptions o;
  if (const std::string output = environment_variable("WARPMEM_RECORD_OUTPUT"); !output.empty())
    o.output = output;
  o.kernel = environment_variable("WARPMEM_RECORD_KERNEL");
  if (const std::string launches = environment_variable("WARPMEM_RECORD_LAUNCHES");
      !launches.empty()) {
    const auto range = read_counted_range(launches, "launches", "WARPMEM_RECORD_LAUNCHES");
    if (!range) return range.error();
    o.first_launch = range->first, o.last_launch = range->end;
  }
  if (const std::string ctas = environment_variable("WARPMEM_RECORD_CTAS"); !ctas.empty()) {
    const auto fraction = read_real(ctas, {0, 1, true}, "WARPMEM_RECORD_CTAS");
    if (!fraction) return fraction.error();
    o.ctas = *fraction;
  }
  constexpr std::uint64_t kMostBuffer = std::uint64_t{1} << 40, kMostThreads = 1024;
  std::uint64_t threads = 0;
  for (const auto& done :
       {read_number("WARPMEM_RECORD_MAX_RECORDS", {1, kNoMost, "records"}, o.max_records),
        read_number("WARPMEM_RECORD_BUFFER", {1, kMostBuffer, "bytes", true}, o.buffer_bytes),
        read_number("WARPMEM_RECORD_THREADS", {0, kMostThreads, "threads"}, threads),
        read_flag("WARPMEM_RECORD_FORCE", o.force), read_flag("WARPMEM_RECORD_STRICT", o.strict),
        read_flag("WARPMEM_RECORD_WAIT", o.wait)})
    if (!done) return done.error();
  o.threads = static_cast<unsigned>(threads);
  o.times = environment_variable("WARPMEM_RECORD_TIMES");
  if (const std::string command = environment_variable("WARPMEM_RECORD_COMMAND");
      !command.empty()) {
    o.command = {command};
  }
  return o;
}

}  // namespace warpmem::record
