#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "base/read_number.hpp"
#include "emulate/cudart/session.hpp"
#include "emulate/executor/executor.hpp"

namespace warpmem::cudart {
namespace {

constexpr const char* kPrefix = "WARPMEM_EMULATE_";

std::string variable(const char* name) {
  const char* value = std::getenv((kPrefix + std::string(name)).c_str());
  return value == nullptr ? "" : value;
}

Error bad(const char* name, const std::string& value, const char* wanted) {
  return {ErrorKind::kUsage, fmt::format("{}{}={}: wanted {}", kPrefix, name, value, wanted), "",
          "unset it, or let `warpmem emulate` set it"};
}

Result<void> read_number(const char* name, const WholeRange& range, std::uint64_t& out) {
  const std::string text = variable(name);
  if (text.empty()) return {};
  const auto value = read_whole(text, range, kPrefix + std::string(name));
  if (!value) return value.error();
  out = *value;
  return {};
}

Result<void> read_flag(const char* name, bool& out) {
  const std::string text = variable(name);
  if (text.empty()) return {};
  if (text != "0" && text != "1") return bad(name, text, "1 for yes or 0 for no");
  out = text == "1";
  return {};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> to_environment(const SessionOptions& o) {
  const SessionOptions usual;
  std::vector<std::pair<std::string, std::string>> result;
  const auto put = [&](const char* name, const std::string& value) {
    result.emplace_back(kPrefix + std::string(name), value);
  };
  if (!o.output.empty()) put("OUTPUT", o.output);
  if (o.force) put("FORCE", "1");
  if (!o.kernel.empty()) put("KERNEL", o.kernel);
  if (o.first_launch != 0) put("FIRST_LAUNCH", std::to_string(o.first_launch));
  if (o.last_launch != usual.last_launch) put("LAST_LAUNCH", std::to_string(o.last_launch));
  if (o.ctas < 1) put("CTAS", fmt::format("{}", o.ctas));
  if (o.max_records != usual.max_records) put("MAX_RECORDS", std::to_string(o.max_records));
  if (o.repeats != usual.repeats) put("REPEATS", std::to_string(o.repeats));
  if (o.check) put("CHECK", "1");
  if (o.threads != 0) put("THREADS", std::to_string(o.threads));
  if (o.max_instructions != 0) put("MAX_INSTRUCTIONS", std::to_string(o.max_instructions));
  if (o.strict) put("STRICT", "1");
  if (o.level != emulate::CodeLevel::kBest)
    put("LEVEL", o.level == emulate::CodeLevel::kPtx ? "ptx" : "sass");
  put("TOOL", o.tool);
  if (!o.command.empty()) put("COMMAND", o.command);
  if (!o.status.empty()) put("STATUS", o.status);
  put("GPU", to_text(o.device));
  return result;
}

Result<SessionOptions> options_from_environment() {
  SessionOptions o;
  o.output = variable("OUTPUT");
  o.force = variable("FORCE") == "1";
  o.kernel = variable("KERNEL");
  if (const std::string ctas = variable("CTAS"); !ctas.empty()) {
    const auto fraction = read_real(ctas, {0, 1, true}, kPrefix + std::string("CTAS"));
    if (!fraction) return fraction.error();
    o.ctas = *fraction;
  }
  for (const auto& done :
       {read_number("FIRST_LAUNCH", {}, o.first_launch),
        read_number("LAST_LAUNCH", {}, o.last_launch),
        read_number("MAX_RECORDS", {1, kNoMost, "records"}, o.max_records),
        read_number("REPEATS", {}, o.repeats),
        read_number("THREADS", {0, emulate::kMostThreads, "threads"}, o.threads),
        read_number("MAX_INSTRUCTIONS", {1, kNoMost, "warp instructions"}, o.max_instructions),
        read_flag("CHECK", o.check), read_flag("STRICT", o.strict)})
    if (!done) return done.error();
  if (const std::string tool = variable("TOOL"); !tool.empty()) o.tool = tool;
  if (const std::string level = variable("LEVEL"); !level.empty()) {
    if (level != "ptx" && level != "sass") return bad("LEVEL", level, "sass or ptx");
    o.level = level == "ptx" ? emulate::CodeLevel::kPtx : emulate::CodeLevel::kSass;
  }
  o.command = variable("COMMAND");
  o.status = variable("STATUS");
  try {
    if (!o.kernel.empty()) std::regex{o.kernel};
  } catch (const std::regex_error&) {
    return bad("KERNEL", o.kernel, "a regular expression");
  }
  auto device = parse_device(variable("GPU"));
  if (!device) return device.error();
  o.device = *device;
  return o;
}

}  // namespace warpmem::cudart
