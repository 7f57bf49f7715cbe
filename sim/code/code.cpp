#include "sim/code/code.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <unordered_map>

#include "sim/code/callees.hpp"

namespace warpmem::sim {
namespace {

using trace::InstructionKind;

// Results that a scoreboard waits for, in code without control words: which register waits for
// which.
class Waits {
 public:
  void line(CodeLine& l, CodeLine* before, const std::vector<std::uint32_t>& reads,
            const std::vector<std::uint32_t>& writes) {
    std::uint64_t earliest = now_;
    for (std::uint32_t r : reads) {
      const auto it = registers_.find(r);
      if (it == registers_.end()) continue;
      if (it->second.scoreboard != kNoScoreboard)
        l.waits = static_cast<std::uint8_t>(l.waits | 1u << it->second.scoreboard);
      earliest = std::max(earliest, it->second.ready);
    }
    // A result of fixed latency is waited for by the stall of the instruction in front.
    if (before && earliest > now_)
      before->stall = static_cast<std::uint16_t>(
          std::min<std::uint64_t>(15, before->stall + (earliest - now_)));
    now_ = earliest;
    Result result{now_ + l.cost.latency, kNoScoreboard};
    if ((l.memory || l.cost.variable) && !writes.empty()) {
      l.sets = result.scoreboard = static_cast<std::uint8_t>(next_++ % kScoreboards);
      result.ready = 0;
    }
    for (std::uint32_t r : writes) registers_[r] = result;
    now_ += l.stall;
  }

 private:
  struct Result {
    std::uint64_t ready = 0;
    std::uint8_t scoreboard = kNoScoreboard;
  };
  std::unordered_map<std::uint32_t, Result> registers_;
  std::uint64_t now_ = 0;
  std::uint32_t next_ = 0;
};

std::vector<std::uint32_t> numbers(const std::vector<trace::RegisterRange>& ranges) {
  std::vector<std::uint32_t> out;
  for (const trace::RegisterRange& r : ranges)
    for (unsigned k = 0; k < r.count; ++k)
      out.push_back(static_cast<std::uint32_t>(r.file) << 16 | (r.first + k));
  return out;
}

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

// Does a recording hold what the instruction accesses? Not constants, textures and surfaces, copies
// through a tensor map, and (of local memory) spilled registers: docs/recording.md.
bool recorder_sees(const trace::SassInstruction& in) {
  switch (in.space) {
    case trace::Space::kLocal:
    case trace::Space::kConstant:
    case trace::Space::kTexture:
    case trace::Space::kSurface: return false;
    default: return !in.opcode.starts_with("UTMA");
  }
}

DriverCall driver_call(std::string_view function) {
  if (function == "malloc") return DriverCall::kMalloc;
  if (function == "free") return DriverCall::kFree;
  return function == "vprintf" ? DriverCall::kPrint : DriverCall::kNone;
}

CodeLine sass_line(const trace::SassInstruction& in, const model::InstructionTable* table) {
  CodeLine l;
  if (table) l.cost = sass_cost(in, *table);
  l.memory = in.is_memory() || in.kind == InstructionKind::kBarrier;
  l.accesses = l.memory && recorder_sees(in);
  l.guarded = in.guard.when != trace::Guard::When::kAlways;
  l.calls = in.kind == InstructionKind::kCall;
  if (l.calls && in.labels.size() == 1) l.driver = driver_call(in.labels[0]);
  l.returns = in.kind == InstructionKind::kReturn;
  l.ends = in.kind == InstructionKind::kExit || l.returns;
  if (l.ends || (in.is_branch() && !in.conditional_branch)) l.falls = l.guarded;
  return l;
}

// What waits for others beyond the CTA to see what the warp wrote.
bool is_ptx_fence(std::string_view word) {
  if (word.starts_with("membar")) return !word.starts_with("membar.cta");
  if (word.starts_with("barrier.cluster.arrive"))  // releases unless it says otherwise
    return word.find("relaxed") == word.npos;
  return word.starts_with("fence.") && word.find("proxy") == word.npos &&
         word.find(".cta") == word.npos;
}

// ptxas writes a cluster's barrier so that it does for a CTA alone as well: one branch jumps over
// the arrival to a NOP, one over the waiting to a barrier of the CTA. The launch decides which.
void decide_cluster_branches(std::vector<CodeLine>& code,
                             const std::vector<trace::Instruction>& text, bool clusters) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].target <= static_cast<std::int32_t>(i) || !code[i].guarded) continue;
    const auto over = static_cast<std::size_t>(code[i].target);
    const bool other =
        text[over].text.starts_with("NOP") || text[over].text.starts_with("BAR.SYNC");
    const bool barrier = std::any_of(code.begin() + static_cast<std::ptrdiff_t>(i),
                                     code.begin() + static_cast<std::ptrdiff_t>(over),
                                     [](const CodeLine& l) { return l.joins || l.meets; });
    if (!other || !barrier) continue;
    code[i].guarded = false;
    code[i].falls = clusters;
    if (clusters) code[i].target = -1;
  }
}

// "DEPBAR.LE SB0, 0x3"
void read_depbar(const std::string& text, CodeLine& l) {
  const std::size_t sb = text.find("SB");
  if (sb == text.npos || sb + 2 >= text.size()) return;
  l.drains = static_cast<std::uint8_t>(text[sb + 2] - '0');
  const std::size_t comma = text.find("0x", sb);
  unsigned leaves = 0;
  if (comma != text.npos)
    std::from_chars(text.data() + comma + 2, text.data() + text.size(), leaves, 16);
  l.leaves = static_cast<std::uint8_t>(leaves);
}

std::vector<CodeLine> lines_of(const trace::Program& program, const model::InstructionTable* table,
                               bool clusters) {
  std::vector<CodeLine> code;
  std::vector<std::optional<std::uint32_t>> targets;
  std::vector<std::vector<std::uint32_t>> places;
  Waits waits;
  std::unordered_map<std::string, std::uint32_t> ptx_names;
  code.reserve(program.code.size());
  for (const trace::Instruction& i : program.code) {
    CodeLine l;
    std::vector<std::uint32_t> reads, writes;
    std::optional<std::uint32_t> target;
    std::vector<std::uint32_t> further;
    bool by_register = false, opens = false;
    if (program.level == trace::Level::kPtx || trace::is_ptx(i.text)) {
      if (table) l.cost = ptx_cost(i.text, *table);
      const std::size_t skip = i.text.starts_with('@') ? i.text.find(' ') : 0;
      const std::string_view word = std::string_view(i.text).substr(
          std::min(i.text.find_first_not_of(' ', skip), i.text.size()));
      l.guarded = i.text.starts_with('@');
      for (std::string_view m :
           {"ld.", "st.", "atom.", "red.", "bar", "cp.", "ldmatrix", "stmatrix", "prefetch"})
        l.memory |= word.starts_with(m);
      if (word.starts_with("ld.param") || word.starts_with("ld.const")) l.memory = false;
      l.ends = word.starts_with("ret") || word.starts_with("exit");
      if (l.ends || word.starts_with("bra")) l.falls = l.guarded;
      l.commits = word.starts_with("cp.async.commit_group");
      if (word.starts_with("cp.async.wait_group")) {
        l.drains = 0;
        if (const auto digit = word.find_first_of("0123456789"); digit != word.npos)
          l.leaves = static_cast<std::uint8_t>(word[digit] - '0');
      }
      l.waits_copies =
          word.starts_with("mbarrier.try_wait") || word.starts_with("mbarrier.test_wait");
      l.memory &= !word.starts_with("cp.async.commit") && !word.starts_with("cp.async.wait");
      l.joins = word.starts_with("barrier.cluster.arrive");
      l.meets = word.starts_with("barrier.cluster.wait");
      l.memory &= !l.joins && !l.meets;
      l.fences = is_ptx_fence(word);
      if (word.starts_with("call"))  // "call.uni (retval0), malloc, (param0)"
        for (const std::string_view name : {"malloc", "free", "vprintf"})
          if (word.find(std::string(" ").append(name).append(",")) != word.npos)
            l.driver = driver_call(name);
      l.stall = 2;  // an instruction of PTX is about two of SASS
      if (const std::size_t at = i.text.rfind("// 0x");
          word.starts_with("bra") && at != i.text.npos) {
        std::uint32_t pc = 0;
        std::from_chars(i.text.data() + at + 5, i.text.data() + i.text.size(), pc, 16);
        target = pc;
      }
      ptx_registers(i.text, ptx_names, reads, writes);
    } else if (auto in = trace::decode_instruction(i.text)) {
      l = sass_line(*in, table);
      // BSSY and the like name a place, but nobody goes there from them.
      opens = in->opcode == "BSSY";
      if (in->is_branch() || in->kind == InstructionKind::kCall || opens) target = in->target;
      l.rejoins = in->opcode == "BSYNC";
      by_register = l.returns || ((in->opcode == "BRX" || l.calls) && !in->target);
      further = in->places;
      reads = numbers(in->sources);
      writes = numbers(in->destinations);
      if (in->opcode == "DEPBAR") read_depbar(i.text, l);
      l.commits = in->opcode == "LDGDEPBAR";
      l.waits_copies = in->opcode == "SYNCS" && in->has("TRYWAIT");
      l.joins = in->opcode == "UCGABAR_ARV";
      l.meets = in->opcode == "UCGABAR_WAIT";
      l.fences = in->opcode == "MEMBAR" && !in->has("CTA");
    }
    l.pc = i.pc;
    if (i.has_control()) {
      l.stall = static_cast<std::uint16_t>(std::max(1u, i.stall()));
      l.waits = static_cast<std::uint8_t>(i.wait_mask());
      l.sets = static_cast<std::uint8_t>(i.write_barrier());
      l.frees = static_cast<std::uint8_t>(i.read_barrier());
    } else {
      waits.line(l, code.empty() ? nullptr : &code.back(), reads, writes);
    }
    if (table) {
      const model::InstructionCost& taken = l.rejoins     ? table->rejoined()
                                            : by_register ? table->by_register()
                                                          : table->taken();
      l.taken_slots = taken.busy;
      l.taken_cycles = taken.latency;
    }
    if (opens) l.meet = 0;
    code.push_back(l);
    targets.push_back(target);
    places.push_back(std::move(further));
  }
  const auto line_at = [&](std::uint32_t pc) {
    const auto it = std::lower_bound(code.begin(), code.end(), pc,
                                     [](const CodeLine& l, std::uint32_t at) { return l.pc < at; });
    return it != code.end() && it->pc == pc ? static_cast<std::int32_t>(it - code.begin()) : -1;
  };
  for (std::size_t k = 0; k < code.size(); ++k) {
    if (targets[k]) (code[k].meet == 0 ? code[k].meet : code[k].target) = line_at(*targets[k]);
    for (const std::uint32_t pc : places[k])
      if (const std::int32_t line = line_at(pc); line >= 0)
        code[k].places.push_back(static_cast<std::uint32_t>(line));
  }
  find_callees(program, code);
  decide_cluster_branches(code, program.code, clusters);
  return code;
}

}  // namespace

std::vector<CodeLine> read_flow(const trace::Program& program) {
  return lines_of(program, nullptr, false);
}

std::vector<CodeLine> read_code(const trace::Program& program, const model::InstructionTable& table,
                                bool clusters, const trace::Launch* launch) {
  std::vector<CodeLine> code = lines_of(program, &table, clusters);
  const std::vector<RegisterReads> reads = register_reads(program);
  for (std::size_t k = 0; k < code.size(); ++k) {
    code[k].reads = reads[k];
  }
  for (std::size_t k = 0; k < code.size(); ++k) {
    const std::string& text = program.code[k].text;
    const auto at = trace::is_ptx(text) ? std::nullopt : parameter_offset(text);
    if (!at || code[k].memory) continue;
    code[k].parameter = static_cast<std::uint16_t>(std::min<std::uint32_t>(*at, kNoParameter - 1));
    code[k].loads_parameter = text.find("LDC") != text.npos && text.find("ULDC") == text.npos;
  }
  if (!launch) return code;
  for (ConstantRead& read : constant_reads(program, *launch))
    if (!read.addresses.empty())
      code[read.line].constants = std::make_shared<const ConstantRead>(std::move(read));
  return code;
}

}  // namespace warpmem::sim
