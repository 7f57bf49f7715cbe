#include "binary/disassembly/disassembly.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/tool_run.hpp"
#include "binary/cubin/cubin.hpp"
#include "binary/disassembly/driver_calls.hpp"
#include "binary/disassembly/tool_cache.hpp"
#include "isa/sass/places.hpp"

namespace warpmem::record {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
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
        trace::resolve_labels(instruction.text, labels_);
    }
    labels_.clear();
    waiting_.clear();
    file_ = line_ = 0;
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

Result<Disassembly> disassemble(const std::string& nvdisasm, std::span<const unsigned char> image,
                                std::span<const std::uint32_t> symbols) {
  std::string indices;
  for (const std::uint32_t symbol : symbols)
    indices += (indices.empty() ? "" : ",") + std::to_string(symbol);
  const ToolCache cache = ToolCache::of_user();
  const auto key = tool_key(nvdisasm, "-g -c -fun " + indices, image);
  std::optional<std::string> text;
  if (key) text = cache.find(*key);
  if (!text) {
    const TemporaryFile file;
    if (!file.write_all(image))
      return environment("the cubin could not be written to " + file.path());
    auto ran = run_tool({nvdisasm, "-g", "-c", "-fun", indices, file.path()}, ToolOutput::kStdout);
    if (!ran) return environment(ran.error().message);
    text = std::move(ran->text);
    if (key && ran->good) cache.keep(*key, *text);
  }
  Disassembly result = parse_disassembly(*text);
  if (auto cubin = parse_cubin(image))
    for (CodeSection& section : result.sections)
      name_driver_calls(section.code, cubin->driver_functions);
  if (result.sections.empty()) return environment(nvdisasm + " printed no code for this kernel");
  return result;
}

}  // namespace warpmem::record
