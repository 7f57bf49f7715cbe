#include "binary/disassembly/disassembly.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/tool_run.hpp"
#include "binary/cubin/cubin.hpp"
#include "binary/disassembly/driver_calls.hpp"
#include "isa/sass/instruction.hpp"

namespace warpmem::record {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

std::string hex(std::uint32_t value) {
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), "0x%x", value);
  return digits.data();
}

class Parser {
 public:
  Disassembly run(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      line(std::string_view(text).substr(at, end - at));
      at = end + 1;
    }
    close_section();
    return std::move(result_);
  }

 private:
  void line(std::string_view full) {
    const std::string_view text = trimmed(full);
    // Not ".sectionflags", which cubins of CUDA 12 have of kernels with barriers.
    if (text.starts_with(".section\t") || text.starts_with(".section ")) {
      close_section();
      const std::size_t end = text.find(',');
      const auto name = trimmed(text.substr(8, end == text.npos ? end : end - 8));
      result_.sections.push_back({std::string(name), {}});
    } else if (text.starts_with("//## File \"")) {
      source(text.substr(11));
    } else if (text.starts_with("/*")) {
      instruction(text);
    } else if ((text.starts_with(".L") || text.starts_with("$")) && text.ends_with(":")) {
      waiting_.emplace_back(text.substr(0, text.size() - 1));
    }
  }

  // `a.cu", line 12` and perhaps ` inlined at …`
  void source(std::string_view text) {
    const std::size_t quote = text.find('"');
    if (quote == text.npos) return;
    const std::string file(text.substr(0, quote));
    const std::size_t number = text.find("line ", quote);
    line_ = number == text.npos
                ? 0
                : static_cast<std::uint32_t>(std::strtoul(text.data() + number + 5, nullptr, 10));
    const auto found = std::find(result_.files.begin(), result_.files.end(), file);
    file_ = static_cast<std::uint32_t>(found - result_.files.begin());
    if (found == result_.files.end()) result_.files.push_back(file);
  }

  // `/*0040*/   LDG.E R7, desc[UR6][R2.64+0x1c] ;   (*"…"*)`
  void instruction(std::string_view text) {
    const std::size_t close = text.find("*/");
    if (close == text.npos || result_.sections.empty()) return;
    const auto pc = static_cast<std::uint32_t>(
        std::strtoul(std::string(text.substr(2, close - 2)).c_str(), nullptr, 16));
    std::string_view body = text.substr(close + 2);
    body = trimmed(body.substr(0, body.find(';')));
    if (body.empty()) return;  // an encoding line
    for (std::string& label : waiting_) labels_[std::move(label)] = pc;
    waiting_.clear();
    result_.sections.back().code.push_back({pc, std::string(body), file_, line_});
  }

  void close_section() {
    if (!result_.sections.empty()) {
      for (trace::Instruction& instruction : result_.sections.back().code)
        resolve(instruction.text);
    }
    labels_.clear();
    waiting_.clear();
    file_ = line_ = 0;
  }

  // `(.L_x_12) becomes 0x310, and so do a function within the kernel, `($kernel$function), and the
  // places that a branch through a register may go to: (*"BRANCH_TARGETS .L_x_1,.L_x_2"*).
  void resolve(std::string& text) const {
    for (std::size_t at = text.find("BRANCH_TARGETS "); at < text.size();
         at = text.find_first_of(",\"", at)) {
      at = text.find(".L", at);
      if (at == text.npos) break;
      const auto label = labels_.find(text.substr(at, text.find_first_of(",\"* ", at) - at));
      if (label != labels_.end()) text.replace(at, label->first.size(), hex(label->second));
    }
    const std::size_t open = text.find("`(");
    if (open == text.npos) return;
    const std::size_t close = text.find(')', open);
    if (close == text.npos) return;
    const auto label = labels_.find(text.substr(open + 2, close - open - 2));
    if (label == labels_.end()) return;
    text.replace(open, close + 1 - open, hex(label->second));
  }

  Disassembly result_;
  std::map<std::string, std::uint32_t> labels_;
  std::vector<std::string> waiting_;  // labels whose instruction comes next
  std::uint32_t file_ = 0, line_ = 0;
};

Error environment(const std::string& what) {
  return {ErrorKind::kEnvironment, what, "",
          "install the CUDA toolkit's nvdisasm or name it in WARPMEM_NVDISASM"};
}

}  // namespace

const CodeSection* Disassembly::find(const std::string& name) const {
  const auto it = std::find_if(sections.begin(), sections.end(),
                               [&](const CodeSection& s) { return s.name == name; });
  return it == sections.end() ? nullptr : &*it;
}

Disassembly parse_disassembly(const std::string& text) { return Parser().run(text); }

std::string moved(std::string text, std::uint32_t by) {
  const auto decoded = trace::decode_instruction(text);
  if (by == 0 || !decoded) return text;
  constexpr std::string_view kList = "BRANCH_TARGETS ";
  if (const std::size_t list = text.find(kList); list != text.npos) {
    for (std::size_t at = text.find("0x", list); at != text.npos;) {
      const std::size_t end =
          std::min(text.find_first_not_of("0123456789abcdef", at + 2), text.size());
      const std::string place = hex(
          static_cast<std::uint32_t>(std::strtoul(text.substr(at, end - at).c_str(), nullptr, 16)) +
          by);
      text.replace(at, end - at, place);
      at = text.find("0x", at + place.size());
    }
  } else if (decoded->target) {
    if (const std::size_t at = text.rfind(hex(*decoded->target)); at != text.npos)
      text.replace(at, hex(*decoded->target).size(), hex(*decoded->target + by));
  }
  return text;
}

std::string with_place(std::string text, const std::map<std::string, std::uint32_t>& starts) {
  const std::size_t call = text.find("CALL"), open = text.find("`("), close = text.find(')', open);
  if (call == text.npos || open == text.npos || close == text.npos) return text;
  if (text.find_first_not_of(' ', text.find(' ', call)) != open) return text;
  const auto at = starts.find(text.substr(open + 2, close - open - 2));
  if (at != starts.end()) text.replace(open, close + 1 - open, hex(at->second));
  return text;
}

Result<Disassembly> disassemble(const std::string& nvdisasm, std::span<const unsigned char> image,
                                std::span<const std::uint32_t> symbols) {
  const TemporaryFile file;
  if (!file.write_all(image))
    return environment("the cubin could not be written to " + file.path());
  std::string indices;
  for (const std::uint32_t symbol : symbols)
    indices += (indices.empty() ? "" : ",") + std::to_string(symbol);
  auto ran = run_tool({nvdisasm, "-g", "-c", "-fun", indices, file.path()}, ToolOutput::kStdout);
  if (!ran) return environment(ran.error().message);
  Disassembly result = parse_disassembly(ran->text);
  if (auto cubin = parse_cubin(image))
    for (CodeSection& section : result.sections)
      name_driver_calls(section.code, cubin->driver_functions);
  if (result.sections.empty()) return environment(nvdisasm + " printed no code for this kernel");
  return result;
}

}  // namespace warpmem::record
