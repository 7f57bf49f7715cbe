#include "emulate/mapping/code_pair.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emulate/ptx/ptx_flow.hpp"
#include "isa/sass/instruction.hpp"

namespace warpmem::emulate {
namespace {

using trace::InstructionKind;

using Sort = PtxAccess::Sort;

// Of a branch through a register: (*"BRANCH_TARGETS 0x1e0,0x460"*).
std::vector<std::uint32_t> branch_targets(std::string_view text) {
  constexpr std::string_view kNote = "BRANCH_TARGETS ";
  std::vector<std::uint32_t> targets;
  std::size_t at = text.find(kNote);
  at = at == text.npos ? at : at + kNote.size();
  while (at < text.size() && text.substr(at).starts_with("0x")) {
    targets.push_back(static_cast<std::uint32_t>(
        std::strtoul(std::string(text.substr(at, 10)).c_str(), nullptr, 16)));
    at = text.find_first_of(",\"", at);
    if (at < text.size()) ++at;
  }
  return targets;
}

class Reader {
 public:
  Reader(const Kernel& kernel, const std::vector<MachineInstruction>& code) : p_{kernel, code} {}

  Result<CodePair> run() {
    constexpr std::size_t kMost = 0xffff;  // CodePair::rank has 16 bits for an instruction
    if (p_.code.size() > kMost || p_.kernel.statements > kMost)
      return unmappable("its code is too long");
    if (auto ok = read_ptx(); !ok) return ok.error();
    if (auto ok = read_sass(); !ok) return ok.error();
    return std::move(p_);
  }

 private:
  Result<void> read_ptx() {
    const Function& f = *p_.kernel.functions[0]->function;
    p_.entry = static_cast<std::uint32_t>(f.body.size());
    const auto lines = flow_lines(f);
    if (!lines) return unmappable("it branches through a register");
    p_.ptx_flow = trace::flow_of(*lines);
    if (!p_.ptx_flow.reducible) return unmappable("its PTX jumps into the middle of a loop");
    p_.ptx.resize(p_.kernel.statements);
    for (const auto& code : p_.kernel.functions)
      for (const Inst& in : code->code) {
        const PtxAccess a = access_of(*code, in);
        if (a.sort != Sort::kNone) p_.ptx[code->first_pc + in.statement] = a;
      }
    return {};
  }

  using Places = std::map<std::uint32_t, std::uint32_t>;  // instructions by their pc

  Result<void> read_sass() {
    Places at;
    for (std::uint32_t i = 0; i < p_.code.size(); ++i) at[p_.code[i].line.pc] = i;
    p_.sass.resize(p_.code.size());
    p_.of_statement.resize(p_.ptx.size());
    std::vector<FlowLine> lines(p_.code.size());
    for (std::uint32_t i = 0; i < p_.code.size(); ++i) {
      auto decoded = trace::decode_instruction(p_.code[i].line.text);
      if (!decoded) return unmappable("an instruction of its code cannot be read");
      p_.sass[i] = std::move(*decoded);
      if (auto ok = read_flow(i, at, lines[i]); !ok) return ok;
      const std::uint32_t s = p_.code[i].statement;
      if (p_.sass[i].space == trace::Space::kLocal && (s < p_.entry || s >= p_.ptx.size()) &&
          s != kUncalled)
        p_.uses_local = true;
    }
    add_calls_by_register(lines);
    p_.sass_flow = trace::flow_of(lines);
    if (!p_.sass_flow.reducible) return unmappable("its code jumps into the middle of a loop");
    p_.sass_lines = lines;
    for (std::uint32_t i = 0; i < p_.code.size(); ++i)
      if (!place(i)) return unmappable(unexplained(i));
    if (auto ok = map_textures(); !ok) return ok;
    drop_diverged(lines);
    return {};
  }

  // Where the code goes behind an instruction.
  Result<void> read_flow(std::uint32_t i, const Places& at, FlowLine& line) {
    const trace::SassInstruction& in = p_.sass[i];
    if (in.is_branch()) {
      std::vector<std::uint32_t> targets = branch_targets(p_.code[i].line.text);
      if (in.target) targets.push_back(*in.target);
      if (targets.empty()) return unmappable("its code branches through a register");
      for (const std::uint32_t target : targets) {
        const auto to = at.find(target);
        if (to == at.end()) return unmappable("its code branches to nowhere");
        line.targets.push_back(to->second);
      }
      line.falls = in.conditional_branch;
    } else if (in.kind == InstructionKind::kCall) {  // it comes back to behind the call
      if (const auto to = in.target ? at.find(*in.target) : at.end(); to != at.end())
        line.targets.push_back(to->second);
      else calls_by_register_ = true;
    } else if (in.kind == InstructionKind::kExit || in.kind == InstructionKind::kReturn) {
      line.targets.push_back(static_cast<std::uint32_t>(p_.code.size()));
      line.falls =
          in.guard.when == trace::Guard::When::kIf || in.guard.when == trace::Guard::When::kIfNot;
    }
    return {};
  }

  // Whom a call through a register may come to: any function that stands apart, as if from the
  // kernel's first instruction. Of what calls each other, calls would make loops.
  void add_calls_by_register(std::vector<FlowLine>& lines) const {
    for (std::uint32_t f = 1; calls_by_register_ && f < p_.code.size(); ++f)
      if (p_.code[f].begins_function && p_.code[f].statement != kUncalled) {
        lines[0].targets.push_back(f);
        lines[0].falls = true;
      }
  }

  // Puts an instruction to the statement that it is of. False: no access of the PTX explains it.
  bool place(std::uint32_t i) {
    const std::uint32_t s = p_.code[i].statement;
    const trace::SassInstruction& in = p_.sass[i];
    const std::string& text = p_.code[i].line.text;
    if (in.space == trace::Space::kConstant) {
      // Bank 0 holds parameters, which leave no records.
      if (s < p_.ptx.size() && p_.ptx[s].space == Space::kConst && p_.sass_flow.reached(i) &&
          text.find("c[0x0]") == std::string::npos)
        p_.of_statement[s].push_back(i);
      return true;
    }
    if (!leaves_record(in)) {
      if (s < p_.ptx.size() &&
          (in.opcode == trace::Opcode::kUFLO || in.opcode == trace::Opcode::kFLO ||
           in.opcode == trace::Opcode::kREDUX))
        p_.elects.push_back(s);
      return true;
    }
    const bool texture = in.space == trace::Space::kTexture || in.space == trace::Space::kSurface;
    if (texture && s < p_.entry && p_.sass_flow.reached(i)) {
      textures_.push_back(i);
      return true;
    }
    // The line beside it is that of the statement whose operand was spilled.
    if (in.space == trace::Space::kLocal && record::has_spill_mark(text)) {
      ++p_.spills;
      return true;
    }
    if (s < p_.ptx.size() && p_.sass_flow.reached(i) && place_at(i, s)) return true;
    return adds_nothing(s, in);
  }

  // … to statement `s`, if it can be that, or a part of how an atomic is done.
  bool place_at(std::uint32_t i, std::uint32_t s) {
    const PtxAccess& of = p_.ptx[s];
    const trace::SassInstruction& in = p_.sass[i];
    const bool load = in.kind == InstructionKind::kLoad;
    const bool atomic = of.sort == Sort::kAtomic && in.bytes == of.bytes;
    const bool generic = of.space == Space::kGeneric;
    if (could_be(of, in)) {
      p_.of_statement[s].push_back(i);
    } else if (of.sort == Sort::kAtomic && of.bytes == 2 && in.bytes == 4 && load) {
      p_.word_loads[s].push_back(i);
    } else if (atomic && (generic || of.space == Space::kShared) && load &&
               in.space == trace::Space::kShared) {
      p_.swap_loads[s].push_back(i);
    } else if (atomic && generic && in.generic && (load || in.kind == InstructionKind::kStore)) {
      p_.generic_ways[s].push_back(i);
    } else {
      return false;
    }
    return true;
  }

  std::string unexplained(std::uint32_t i) const {
    const std::uint32_t s = p_.code[i].statement;
    const std::string where = s < p_.entry ? " by " + p_.shown(s) : std::string();
    return fmt::format("its code has '{}'{}, which no access of the PTX explains",
                       p_.code[i].line.text, where);
  }

  // ptxas takes no line for a texture access: its instruction shows that of the one before it. All
  // of a block are shared out in order, iteration by iteration where a loop was unrolled. Where
  // blocks became others (short branches become guards, divisions come between), all of a loop are.
  // The one before it may be what moves another texture access's operands, and so have that one's
  // line; only where the numbers do not work out that line is taken for its own.
  Result<void> map_textures() {
    auto shared = share_textures();
    const auto named = [&](std::uint32_t i) {
      return p_.ptx[p_.code[i].statement].sort == Sort::kTexture;
    };
    if (!shared && std::any_of(textures_.begin(), textures_.end(), named)) {
      for (const std::uint32_t i : textures_)
        if (named(i)) p_.of_statement[p_.code[i].statement].push_back(i);
      std::erase_if(textures_, named);
      if (auto others = share_textures()) shared = std::move(others);
    }
    if (!shared) return shared.error();
    for (const auto& [statement, instruction] : *shared)
      p_.of_statement[statement].push_back(instruction);
    return {};
  }

  // Texture statements and their instructions, by the places that both are in.
  using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  Result<Pairs> share_textures() const {
    auto shared = textures_by([&](std::uint32_t s) { return p_.ptx_flow.block_of[s]; },
                              [&](std::uint32_t i) { return p_.sass_flow.block_of[i]; });
    if (!shared) {
      const auto of_loop = [](const CodeFlow& flow, std::uint32_t line) {
        return flow.loop_of[flow.block_of[line]];
      };
      if (auto loops = textures_by([&](std::uint32_t s) { return of_loop(p_.ptx_flow, s); },
                                   [&](std::uint32_t i) { return of_loop(p_.sass_flow, i); }))
        shared = std::move(loops);
    }
    return shared;
  }

  template <class PtxPlace, class SassPlace>
  Result<Pairs> textures_by(PtxPlace ptx_place, SassPlace sass_place) const {
    std::map<std::uint32_t, std::map<std::uint32_t, std::vector<std::uint32_t>>> found;
    for (const std::uint32_t i : textures_)
      found[ptx_place(p_.code[i].statement)][sass_place(i)].push_back(i);
    Pairs pairs;
    for (const auto& [place, bodies] : found) {
      std::vector<std::uint32_t> statements;
      for (std::uint32_t t = 0; t < p_.entry; ++t)
        if (p_.ptx[t].sort == Sort::kTexture && p_.ptx_flow.reached(t) && ptx_place(t) == place &&
            p_.of_statement[t].empty())
          statements.push_back(t);
      for (auto [body, instructions] : bodies) {
        if (statements.empty() || instructions.size() % statements.size() != 0)
          return unmappable(fmt::format("its code has {} texture accesses for {} of the PTX",
                                        instructions.size(), statements.size()));
        if (instructions.size() == statements.size()) guarded_last(statements, instructions);
        for (std::size_t n = 0; n < instructions.size(); ++n)
          pairs.emplace_back(statements[n % statements.size()], instructions[n]);
      }
    }
    for (std::uint32_t t = 0; t < p_.entry; ++t) {
      const auto is_it = [&](const auto& pair) { return pair.first == t; };
      if (p_.ptx[t].sort == Sort::kTexture && p_.ptx_flow.reached(t) &&
          p_.of_statement[t].empty() && std::none_of(pairs.begin(), pairs.end(), is_it))
        return unmappable(fmt::format("its code has nothing for {}", p_.shown(t)));
    }
    return pairs;
  }

  // The scheduler moves what a short branch made a guarded instruction among those of all lanes.
  void guarded_last(std::vector<std::uint32_t>& statements,
                    std::vector<std::uint32_t>& instructions) const {
    const std::uint32_t first = p_.ptx_flow.block_of[statements.front()];
    const auto ours = [&](std::uint32_t s) { return p_.ptx_flow.block_of[s] == first; };
    const auto unguarded = [&](std::uint32_t i) {
      return p_.sass[i].guard.when == trace::Guard::When::kAlways;
    };
    const auto all_lanes = std::count_if(statements.begin(), statements.end(), ours);
    if (std::count_if(instructions.begin(), instructions.end(), unguarded) != all_lanes) return;
    std::stable_partition(statements.begin(), statements.end(), ours);
    std::stable_partition(instructions.begin(), instructions.end(), unguarded);
  }

  // A warp comes through the targets of BRA.DIV only when its lanes have parted. What stands there
  // is a second copy of what they do together, made for that; together is how they are taken here.
  void drop_diverged(std::vector<FlowLine> lines) {
    bool any = false;
    for (std::uint32_t i = 0; i < p_.code.size(); ++i) {
      if (!p_.sass[i].is_branch() || !p_.sass[i].has(trace::Modifier::kDIV)) continue;
      lines[i].targets.clear();
      any = true;
    }
    if (!any) return;
    const CodeFlow together = trace::flow_of(lines);
    for (std::vector<std::uint32_t>& found : p_.of_statement) {
      const auto parted = [&](std::uint32_t i) { return !together.reached(i); };
      if (!std::all_of(found.begin(), found.end(), parted)) std::erase_if(found, parted);
    }
  }

  // What ptxas adds, and no recorder sees either: spilled registers, prefetches by the copy engine,
  // and the CTA barrier that takes the place of a cluster's where the cluster is one CTA. And the
  // words of a tensor map that are changed or copied, which statements of their own do in PTX.
  bool adds_nothing(std::uint32_t statement, const trace::SassInstruction& in) {
    if (statement == kUncalled) return true;
    if (in.space == trace::Space::kLocal) return ++p_.spills != 0;
    if (in.kind == InstructionKind::kPrefetch) return true;
    if (statement < p_.entry && p_.statement(statement).opcode.starts_with("tensormap."))
      return true;
    return in.kind == InstructionKind::kBarrier && statement < p_.entry &&
           p_.statement(statement).opcode.starts_with("barrier.cluster");
  }

  CodePair p_;
  bool calls_by_register_ = false;
  std::vector<std::uint32_t> textures_;  // instructions that go by another statement's line
};

}  // namespace

std::string CodePair::shown(std::uint32_t s) const {
  const Statement& text = statement(s);
  return fmt::format("'{}' in line {} of the PTX", text.opcode,
                     kernel.module->module().source->line_of(text.at));
}

// "[R12.64+0x14]" -> the text before the constant, and the constant.
std::pair<std::string_view, long> address_of(std::string_view text) {
  const std::size_t open = text.rfind('[');
  const std::size_t close = text.find(']', open == text.npos ? 0 : open);
  if (open == text.npos || close == text.npos) return {text, 0};
  const std::string_view inside = text.substr(open, close - open);
  const std::size_t plus = inside.rfind("+");
  const bool minus = plus != inside.npos && inside.substr(plus).starts_with("+-0x");
  const std::size_t digits = plus == inside.npos ? plus : plus + (minus ? 2 : 1);
  if (plus == inside.npos || !inside.substr(digits).starts_with("0x")) return {inside, 0};
  const long value = std::strtol(std::string(inside.substr(digits)).c_str(), nullptr, 16);
  return {inside.substr(0, plus), minus ? -value : value};
}

Result<CodePair> pair_code(const Kernel& kernel, const std::vector<MachineInstruction>& code) {
  return Reader(kernel, code).run();
}

}  // namespace warpmem::emulate
