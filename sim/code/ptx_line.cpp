#include <algorithm>
#include <cctype>
#include <charconv>

#include "sim/code/code_line.hpp"

namespace warpmem::sim {
namespace {

// "%rd12" and the like in a PTX line: the first operand is written, the others are read.
void ptx_registers(std::string_view text, std::unordered_map<std::string, std::uint32_t>& known,
                   std::vector<std::uint32_t>& reads, std::vector<std::uint32_t>& writes) {
  const auto number = [&](std::string_view name) {
    return known.emplace(std::string(name), static_cast<std::uint32_t>(known.size())).first->second;
  };
  std::size_t at = 0;
  if (text.starts_with('@')) {
    const std::size_t from = text.find('%'), to = text.find(' ');
    if (from < to) reads.push_back(number(text.substr(from, to - from)));
    at = std::min(to, text.size());
  }
  const std::size_t opcode = std::min(text.find_first_not_of(' ', at), text.size());
  const std::string_view word = text.substr(opcode, text.find(' ', opcode) - opcode);
  const bool no_result = word.starts_with("st") || word.starts_with("red") ||
                         word.starts_with("bar") || word.starts_with("bra") ||
                         word.starts_with("cp");
  bool first = true, braces = false;
  for (std::size_t i = opcode; i < text.size(); ++i) {
    if (text[i] == '{') braces = true;
    if (text[i] == '}') braces = false;
    if (text[i] == ',' && !braces) first = false;
    if (text[i] == '[') first = false;
    if (text[i] != '%') continue;
    std::size_t end = i + 1;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
      ++end;
    (first && !no_result ? writes : reads).push_back(number(text.substr(i, end - i)));
    i = end - 1;
  }
}

// What waits for others beyond the CTA to see what the warp wrote.
bool is_ptx_fence(std::string_view word) {
  if (word.starts_with("membar")) return !word.starts_with("membar.cta");
  if (word.starts_with("barrier.cluster.arrive"))  // releases unless it says otherwise
    return word.find("relaxed") == word.npos;
  return word.starts_with("fence.") && word.find("proxy") == word.npos &&
         word.find(".cta") == word.npos;
}

// Whether it leaves a record.
bool is_ptx_memory(std::string_view word) {
  if (word.starts_with("ld.param") || word.starts_with("ld.const")) return false;
  if (word.starts_with("cp.async.commit") || word.starts_with("cp.async.wait")) return false;
  if (word.starts_with("barrier.cluster.arrive") || word.starts_with("barrier.cluster.wait"))
    return false;
  for (const std::string_view m :
       {"ld.", "st.", "atom.", "red.", "bar", "cp.", "ldmatrix", "stmatrix", "prefetch"})
    if (word.starts_with(m)) return true;
  return false;
}

// The driver's function that "call.uni (retval0), malloc, (param0)" calls.
DriverCall ptx_driver_call(std::string_view word) {
  DriverCall out = DriverCall::kNone;
  if (!word.starts_with("call")) return out;
  for (const std::string_view name : {"malloc", "free", "vprintf"})
    if (word.find(std::string(" ").append(name).append(",")) != word.npos) out = driver_call(name);
  return out;
}

}  // namespace

ReadLine read_ptx_line(const std::string& text, const model::InstructionTable* table,
                       std::unordered_map<std::string, std::uint32_t>& names) {
  ReadLine out;
  CodeLine& l = out.line;
  if (table) l.cost = ptx_cost(text, *table);
  const std::size_t skip = text.starts_with('@') ? text.find(' ') : 0;
  const std::string_view word =
      std::string_view(text).substr(std::min(text.find_first_not_of(' ', skip), text.size()));
  l.guarded = text.starts_with('@');
  l.memory = is_ptx_memory(word);
  l.ends = word.starts_with("ret") || word.starts_with("exit");
  if (l.ends || word.starts_with("bra")) l.falls = l.guarded;
  l.commits = word.starts_with("cp.async.commit_group");
  if (word.starts_with("cp.async.wait_group")) {
    l.drains = 0;
    if (const auto digit = word.find_first_of("0123456789"); digit != word.npos)
      l.leaves = static_cast<std::uint8_t>(word[digit] - '0');
  }
  l.waits_copies = word.starts_with("mbarrier.try_wait") || word.starts_with("mbarrier.test_wait");
  l.joins = word.starts_with("barrier.cluster.arrive");
  l.meets = word.starts_with("barrier.cluster.wait");
  l.fences = is_ptx_fence(word);
  l.driver = ptx_driver_call(word);
  l.stall = 2;  // an instruction of PTX is about two of SASS
  if (const std::size_t at = text.rfind("// 0x"); word.starts_with("bra") && at != text.npos) {
    std::uint32_t pc = 0;
    std::from_chars(text.data() + at + 5, text.data() + text.size(), pc, 16);
    out.target = pc;
  }
  ptx_registers(text, names, out.reads, out.writes);
  return out;
}

}  // namespace warpmem::sim
