#include "traces/record/options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace warpmem::record {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Error bad(const char* name, const std::string& value, const std::string& wanted) {
  return {ErrorKind::kUsage, fmt::format("{}={}: {}", name, value, wanted), "", ""};
}

Result<void> read_number(const char* name, std::uint64_t& out) {
  const std::string text = variable(name);
  if (text.empty()) return {};
  const auto value = number(text);
  if (!value) return bad(name, text, "wanted a whole number");
  out = *value;
  return {};
}

}  // namespace

Result<void> parse_launches(const std::string& text, RecordOptions& options) {
  const std::size_t colon = text.find(':');
  const std::string_view all(text);
  const std::string_view first = all.substr(0, colon);
  const auto from = first.empty() ? std::optional<std::uint64_t>(0) : number(first);
  std::optional<std::uint64_t> to = RecordOptions::kNoLimit;
  if (colon == std::string::npos) {
    to = from ? std::optional(*from + 1) : std::nullopt;
  } else if (colon + 1 < text.size()) {
    to = number(all.substr(colon + 1));
  }
  if (!from || !to || *from >= *to || text == ":" || text.empty()) {
    return Error{ErrorKind::kUsage, fmt::format("'{}' is not a range of launches", text),
                 "--launches", "write A:B for launches A to B-1, A: for A and later, or A for one"};
  }
  options.first_launch = *from;
  options.last_launch = *to;
  return {};
}

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
  if (const std::string output = variable("WARPMEM_RECORD_OUTPUT"); !output.empty())
    o.output = output;
  o.kernel = variable("WARPMEM_RECORD_KERNEL");
  if (const std::string launches = variable("WARPMEM_RECORD_LAUNCHES"); !launches.empty()) {
    if (auto ok = parse_launches(launches, o); !ok) return ok.error();
  }
  if (const std::string ctas = variable("WARPMEM_RECORD_CTAS"); !ctas.empty()) {
    char* end = nullptr;
    o.ctas = std::strtod(ctas.c_str(), &end);
    if (*end != 0 || !(o.ctas > 0 && o.ctas <= 1)) {
      return bad("WARPMEM_RECORD_CTAS", ctas, "wanted a fraction above 0 and at most 1");
    }
  }
  std::uint64_t threads = 0;
  if (auto ok = read_number("WARPMEM_RECORD_MAX_RECORDS", o.max_records); !ok) return ok.error();
  if (auto ok = read_number("WARPMEM_RECORD_BUFFER", o.buffer_bytes); !ok) return ok.error();
  if (auto ok = read_number("WARPMEM_RECORD_THREADS", threads); !ok) return ok.error();
  o.threads = static_cast<unsigned>(threads);
  o.times = variable("WARPMEM_RECORD_TIMES");
  o.force = variable("WARPMEM_RECORD_FORCE") == "1";
  o.strict = variable("WARPMEM_RECORD_STRICT") == "1";
  o.wait = variable("WARPMEM_RECORD_WAIT") != "0";
  if (const std::string command = variable("WARPMEM_RECORD_COMMAND"); !command.empty()) {
    o.command = {command};
  }
  return o;
}

}  // namespace warpmem::record
