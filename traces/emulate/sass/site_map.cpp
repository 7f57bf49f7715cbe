#include "traces/emulate/sass/site_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "traces/emulate/sass/ptx_access.hpp"
#include "traces/instruction.hpp"
#include "traces/record/code_map.hpp"

namespace warpmem::emulate {
namespace {

using trace::InstructionKind;

constexpr std::uint32_t kZoneUnit = 0x1000;

Error no(const std::string& why) { return {ErrorKind::kEnvironment, why, "", ""}; }

using Sort = PtxAccess::Sort;

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

class Mapper {
 public:
  Mapper(const Kernel& kernel, const std::vector<MachineInstruction>& code,
         const Resources& resources)
      : kernel_(kernel), code_(code), resources_(resources) {}

  Result<SiteMap> run(const std::string& arch) {
    constexpr std::size_t kMost = 0xffff;  // SassAccess::rank has 16 bits for an instruction
    if (code_.size() > kMost || kernel_.statements > kMost) return no("its code is too long");
    if (auto ok = read_ptx(); !ok) return ok.error();
    if (auto ok = read_sass(); !ok) return ok.error();
    for (std::uint32_t s = 0; s < ptx_.size(); ++s)
      if (auto ok = map_one(s); !ok) return ok.error();
    for (std::uint32_t l = 0; l < ptx_flow_.loops.size(); ++l)
      if (auto ok = map_loop(l); !ok) return ok.error();
    map_rounds();
    write_program(arch);
    return std::move(map_);
  }

 private:
  Result<void> read_ptx() {
    const Function& f = *kernel_.functions[0]->function;
    entry_ = static_cast<std::uint32_t>(f.body.size());
    std::vector<FlowLine> lines(f.body.size());
    for (std::size_t i = 0; i < f.body.size(); ++i) {
      const Statement& s = f.body[i];
      const std::string_view word = s.opcode.substr(0, s.opcode.find('.'));
      if (word == "bra") {
        lines[i].targets.push_back(f.labels[s.operands[0].number]);
        lines[i].falls = s.guard >= 0;
      } else if (word == "brx") {
        if (s.operands.size() < 2) return no("it branches through a register");
        const auto list = f.branch_targets.find(s.operands[1].name);
        if (list == f.branch_targets.end()) return no("it branches through a register");
        for (const std::uint32_t label : list->second) lines[i].targets.push_back(f.labels[label]);
        lines[i].falls = s.guard >= 0;
      } else if (word == "ret" || word == "exit" || word == "trap") {
        lines[i].falls = s.guard >= 0;
        lines[i].targets.push_back(static_cast<std::uint32_t>(f.body.size()));  // nowhere
      }
    }
    ptx_flow_ = trace::flow_of(lines);
    if (!ptx_flow_.reducible) return no("its PTX jumps into the middle of a loop");
    ptx_.resize(kernel_.statements);
    for (const auto& code : kernel_.functions)
      for (const Inst& in : code->code) {
        const PtxAccess a = access_of(*code, in);
        if (a.sort != Sort::kNone) ptx_[code->first_pc + in.statement] = a;
      }
    map_.sites.resize(kernel_.statements);
    for (std::uint32_t s = 0; s < ptx_.size(); ++s) {
      constexpr std::uint32_t kBehindAll = 0xffff;  // functions come after the kernel's own code
      const bool own = s < entry_;
      if (own && !ptx_flow_.reached(s)) continue;
      const std::uint32_t order = own ? ptx_flow_.order[ptx_flow_.block_of[s]] : kBehindAll;
      map_.sites[s].position = order << 16 | (s & 0xffffu);
    }
    return {};
  }

  Result<void> read_sass() {
    std::vector<FlowLine> lines(code_.size());
    std::map<std::uint32_t, std::uint32_t> at;
    for (std::uint32_t i = 0; i < code_.size(); ++i) at[code_[i].line.pc] = i;
    sass_.resize(code_.size());
    of_statement_.resize(ptx_.size());
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      auto decoded = trace::decode_instruction(code_[i].line.text);
      if (!decoded) return no("an instruction of its code cannot be read");
      trace::SassInstruction& in = sass_[i] = std::move(*decoded);
      const bool guarded =
          in.guard.when == trace::Guard::When::kIf || in.guard.when == trace::Guard::When::kIfNot;
      if (in.is_branch()) {
        std::vector<std::uint32_t> targets = branch_targets(code_[i].line.text);
        if (in.target) targets.push_back(*in.target);
        if (targets.empty()) return no("its code branches through a register");
        for (const std::uint32_t target : targets) {
          const auto to = at.find(target);
          if (to == at.end()) return no("its code branches to nowhere");
          lines[i].targets.push_back(to->second);
        }
        lines[i].falls = in.conditional_branch;
      } else if (in.kind == InstructionKind::kCall) {  // it comes back to behind the call
        if (const auto to = in.target ? at.find(*in.target) : at.end(); to != at.end())
          lines[i].targets.push_back(to->second);
      } else if (in.kind == InstructionKind::kExit || in.kind == InstructionKind::kReturn) {
        lines[i].targets.push_back(static_cast<std::uint32_t>(code_.size()));
        lines[i].falls = guarded;
      }
      const std::uint32_t s = code_[i].statement;
      if (in.space == trace::Space::kLocal && (s < entry_ || s >= ptx_.size())) uses_local_ = true;
    }
    sass_flow_ = trace::flow_of(lines);
    if (!sass_flow_.reducible) return no("its code jumps into the middle of a loop");
    sass_lines_ = lines;
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      const std::uint32_t s = code_[i].statement;
      if (sass_[i].space == trace::Space::kConstant) {
        // Bank 0 holds parameters, which leave no records.
        if (s < ptx_.size() && ptx_[s].space == Space::kConst && sass_flow_.reached(i) &&
            code_[i].line.text.find("c[0x0]") == std::string::npos)
          of_statement_[s].push_back(i);
        continue;
      }
      if (!leaves_record(sass_[i])) {
        if (s < ptx_.size() && (sass_[i].opcode == "UFLO" || sass_[i].opcode == "FLO"))
          elects_.push_back(s);
        continue;
      }
      const bool texture =
          sass_[i].space == trace::Space::kTexture || sass_[i].space == trace::Space::kSurface;
      if (texture && s < entry_ && ptx_[s].sort != Sort::kTexture && sass_flow_.reached(i)) {
        textures_.push_back(i);
        continue;
      }
      if (s < ptx_.size() && sass_flow_.reached(i)) {
        if (could_be(ptx_[s], sass_[i])) {
          of_statement_[s].push_back(i);
          continue;
        }
        if (ptx_[s].sort == Sort::kAtomic && ptx_[s].space == Space::kShared &&
            sass_[i].kind == InstructionKind::kLoad && sass_[i].space == trace::Space::kShared &&
            sass_[i].bytes == ptx_[s].bytes) {
          swap_loads_[s].push_back(i);
          continue;
        }
      }
      if (!adds_nothing(s, sass_[i]))
        return no(fmt::format("its code has '{}', which no access of the PTX explains",
                              code_[i].line.text));
    }
    if (auto ok = map_textures(); !ok) return ok;
    drop_diverged(lines);
    find_writers();
    share_names();
    return {};
  }

  // ptxas takes no line for a texture access: its instruction shows that of the one before it. All
  // of a block are shared out in order, iteration by iteration where a loop was unrolled.
  Result<void> map_textures() {
    std::map<std::uint32_t, std::map<std::uint32_t, std::vector<std::uint32_t>>> found;
    for (const std::uint32_t i : textures_)
      found[ptx_flow_.block_of[code_[i].statement]][sass_flow_.block_of[i]].push_back(i);
    for (const auto& [block, bodies] : found) {
      std::vector<std::uint32_t> statements;
      for (std::uint32_t t = 0; t < entry_; ++t)
        if (ptx_[t].sort == Sort::kTexture && ptx_flow_.block_of[t] == block &&
            of_statement_[t].empty())
          statements.push_back(t);
      for (const auto& [body, instructions] : bodies) {
        if (statements.empty() || instructions.size() % statements.size() != 0)
          return no(fmt::format("its code has {} texture accesses for {} of the PTX",
                                instructions.size(), statements.size()));
        for (std::size_t n = 0; n < instructions.size(); ++n)
          of_statement_[statements[n % statements.size()]].push_back(instructions[n]);
      }
    }
    return {};
  }

  // A warp comes through the targets of BRA.DIV only when its lanes have parted. What stands there
  // is a second copy of what they do together, made for that; together is how they are taken here.
  void drop_diverged(std::vector<FlowLine> lines) {
    bool any = false;
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (!sass_[i].is_branch() || !sass_[i].has("DIV")) continue;
      lines[i].targets.clear();
      any = true;
    }
    if (!any) return;
    const CodeFlow together = trace::flow_of(lines);
    for (std::vector<std::uint32_t>& found : of_statement_) {
      const auto parted = [&](std::uint32_t i) { return !together.reached(i); };
      if (!std::all_of(found.begin(), found.end(), parted)) std::erase_if(found, parted);
    }
  }

  // A register as what it is computed from, and a constant: "%r5 = %r3 + 4" is that of %r3, and 4.
  // Two that are the same are equal, as long as nothing that they come from is written twice.
  std::pair<std::string, std::int64_t> origin(const Operand& o, int depth) const {
    if (o.kind == Operand::Kind::kInteger) return {"#", static_cast<std::int64_t>(o.value)};
    if (o.kind == Operand::Kind::kVariable || o.kind == Operand::Kind::kSymbol)
      return {std::string(o.variable ? o.variable->name : o.name), o.offset};
    if (o.kind != Operand::Kind::kRegister) return {"?", 0};
    const std::string itself = fmt::format("%{}", o.number);
    const std::uint32_t at = o.number < written_.size() ? written_[o.number] : kNowhere;
    if (at == kNowhere || depth == 0) return {itself, 0};
    const Statement& s = kernel_.functions[0]->function->body[at];
    if (s.guard >= 0) return {itself, 0};
    const std::string_view word = s.opcode.substr(0, s.opcode.find('.'));
    constexpr std::string_view kPure[] = {"add", "sub", "mul", "mad", "shl", "shr",
                                          "and", "or",  "mov", "cvt", "cvta"};
    if (std::find(std::begin(kPure), std::end(kPure), word) == std::end(kPure)) return {itself, 0};
    if (word == "mov") return origin(s.operands[1], depth - 1);
    if (word == "add" && s.operands.size() == 3 && s.operands[2].kind == Operand::Kind::kInteger) {
      auto from = origin(s.operands[1], depth - 1);
      from.second += static_cast<std::int64_t>(s.operands[2].value);
      return from;
    }
    std::string text(s.opcode);
    for (std::size_t i = 1; i < s.operands.size(); ++i) {
      const auto part = origin(s.operands[i], depth - 1);
      text += fmt::format(" ({}{:+})", part.first, part.second);
    }
    return {text, 0};
  }

  // What a statement reads or writes: where its address comes from, and the constant beside it.
  std::optional<std::pair<std::string, std::int64_t>> operand_of(std::uint32_t statement) const {
    for (const Operand& o : kernel_.functions[0]->function->body[statement].operands) {
      if (o.kind != Operand::Kind::kMemory || o.items.empty()) continue;
      constexpr int kDeep = 8;
      auto from = origin(o.items[0], kDeep);
      from.second += o.offset;
      return from;
    }
    return {};
  }

  // Of each register the only statement that writes it; kNowhere: none, or several.
  void find_writers() {
    const std::vector<Statement>& body = kernel_.functions[0]->function->body;
    std::vector<std::uint32_t> times;
    const auto note = [&](const Operand& o, std::uint32_t s, const auto& self) -> void {
      for (const Operand& item : o.items) self(item, s, self);
      if (o.kind != Operand::Kind::kRegister) return;
      if (o.number >= times.size()) times.resize(o.number + 1), written_.resize(o.number + 1);
      ++times[o.number];
      written_[o.number] = s;
    };
    for (std::uint32_t s = 0; s < entry_; ++s) {
      if (body[s].operands.empty() || body[s].operands[0].kind == Operand::Kind::kMemory) continue;
      note(body[s].operands[0], s, note);
      if (body[s].opcode.starts_with("call"))  // results stand elsewhere among the operands
        for (const Operand& o : body[s].operands) note(o, s, note);
    }
    for (std::uint32_t r = 0; r < written_.size(); ++r)
      if (times[r] != 1) written_[r] = kNowhere;
  }

  // Accesses side by side that ptxas first took for one wide one, and then parted again because
  // not all of it is used, all go by the name of one statement: the constants in their addresses
  // tell which is whose.
  void share_names() {
    for (std::uint32_t s = 0; s < entry_; ++s) {
      const std::vector<std::uint32_t> found = of_statement_[s];
      const Sort sort = ptx_[s].sort;
      if (found.size() < 2 || (sort != Sort::kLoad && sort != Sort::kStore)) continue;
      const auto mine = operand_of(s);
      if (!mine || !ptx_flow_.reached(s)) continue;
      bool alike = true;  // all in one place, and the place is no body of several iterations
      for (const std::uint32_t i : found)
        alike = alike && sass_flow_.block_of[i] == sass_flow_.block_of[found[0]] &&
                sass_flow_.depth(i) == ptx_flow_.depth(s) && sass_[i].bytes == ptx_[s].bytes &&
                address_of(code_[i].line.text).first == address_of(code_[found[0]].line.text).first;
      if (!alike || (ptx_flow_.depth(s) > 0 && !has_single_neighbour(s))) continue;
      std::map<std::int64_t, std::uint32_t> others;  // by distance from s
      for (std::uint32_t t = 0; t < entry_; ++t) {
        if (t == s || !ptx_flow_.reached(t) || !of_statement_[t].empty() ||
            ptx_flow_.block_of[t] != ptx_flow_.block_of[s] || ptx_[t].sort != sort ||
            ptx_[t].space != ptx_[s].space || ptx_[t].bytes != ptx_[s].bytes)
          continue;
        const auto theirs = operand_of(t);
        if (theirs && theirs->first == mine->first)
          others.emplace(theirs->second - mine->second, t);
      }
      for (const std::uint32_t own : found) {
        const long here = address_of(code_[own].line.text).second;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> given;  // statement, instruction
        for (const std::uint32_t i : found) {
          const auto other = others.find(address_of(code_[i].line.text).second - here);
          if (i != own && other != others.end()) given.emplace_back(other->second, i);
        }
        if (given.size() + 1 != found.size()) continue;
        of_statement_[s] = {own};
        for (const auto& [statement, i] : given) of_statement_[statement] = {i};
        break;
      }
    }
  }

  // Is there a statement beside this one that became one instruction?
  bool has_single_neighbour(std::uint32_t statement) const {
    for (std::uint32_t t = 0; t < entry_; ++t)
      if (of_statement_[t].size() == 1 && ptx_flow_.reached(t) &&
          ptx_flow_.block_of[t] == ptx_flow_.block_of[statement] &&
          sass_flow_.depth(of_statement_[t][0]) == ptx_flow_.depth(statement))
        return true;
    return false;
  }

  // What ptxas adds, and no recorder sees either: spilled registers, prefetches by the copy engine,
  // and the CTA barrier that takes the place of a cluster's where the cluster is one CTA.
  bool adds_nothing(std::uint32_t statement, const trace::SassInstruction& in) {
    if (in.space == trace::Space::kLocal) return ++map_.spills != 0;
    if (in.kind == InstructionKind::kPrefetch) return true;
    return in.kind == InstructionKind::kBarrier && statement < entry_ &&
           kernel_.functions[0]->function->body[statement].opcode.starts_with("barrier.cluster");
  }

  bool functions_access() const {
    return std::any_of(ptx_.begin() + entry_, ptx_.end(),
                       [](const PtxAccess& a) { return a.sort != Sort::kNone; });
  }

  SassAccess access(std::uint32_t line, std::uint32_t statement) const {
    const trace::SassInstruction& in = sass_[line];
    SassAccess a;
    a.pc = code_[line].line.pc;
    a.rank = sass_flow_.order[sass_flow_.block_of[line]] << 16 | (line & 0xffffu);
    const Sort sort = ptx_[statement].sort;
    if ((sort == Sort::kLoad || sort == Sort::kStore) && ptx_[statement].space != Space::kConst)
      a.bytes = in.bytes;
    if (sort == Sort::kLoad && a.bytes != 0 && a.bytes < ptx_[statement].bytes &&
        statement < entry_) {
      a.narrow = true;
      a.skipped = first_used(statement, a.bytes).value_or(0);
    }
    a.reduction = record::is_reduction_text(code_[line].line.text);
    a.one_lane = sort == Sort::kAtomic && in.guard.when != trace::Guard::When::kAlways &&
                 std::find(elects_.begin(), elects_.end(), statement) != elects_.end();
    return a;
  }

  // False: narrower than the PTX says.
  bool wide_enough(std::uint32_t statement, std::uint32_t line) const {
    const PtxAccess& a = ptx_[statement];
    return (a.sort != Sort::kLoad && a.sort != Sort::kStore) || sass_[line].bytes >= a.bytes;
  }

  // A load whose result is not used as a whole becomes a narrower one: from which byte on? Of
  // several registers the first that is read; of one the lowest bytes, unless something reads its
  // upper half as such.
  std::optional<std::uint32_t> first_used(std::uint32_t statement, std::uint32_t width) const {
    const Function& f = *kernel_.functions[0]->function;
    const Statement& load = f.body[statement];
    if (ptx_[statement].sort != Sort::kLoad || load.operands.empty()) return {};
    const Operand& to = load.operands[0];
    if (to.kind == Operand::Kind::kRegister) {
      for (const Statement& s : f.body) {
        const std::string_view word = s.opcode.substr(0, s.opcode.find('.'));
        const bool parts =
            word == "shr" || word == "bfe" || word == "prmt" ||
            (word == "mov" && !s.operands.empty() && s.operands[0].kind == Operand::Kind::kVector);
        for (std::size_t o = 1; o < s.operands.size() && parts; ++o)
          if (s.operands[o].kind == Operand::Kind::kRegister && s.operands[o].number == to.number)
            return {};
      }
      return 0;
    }
    if (to.kind != Operand::Kind::kVector || to.items.empty()) return {};
    const auto each = static_cast<std::uint32_t>(ptx_[statement].bytes / to.items.size());
    std::optional<std::uint32_t> first;
    std::uint32_t end = 0;
    for (std::uint32_t i = 0; i < to.items.size(); ++i) {
      if (!is_read(f, to.items[i])) continue;
      if (!first) first = i * each;
      end = (i + 1) * each;
    }
    return first && end <= *first + width && *first % width == 0 ? first : std::nullopt;
  }

  static bool is_read(const Function& f, const Operand& of) {
    if (of.kind != Operand::Kind::kRegister) return false;
    const auto names = [&](const Operand& o, const auto& self) -> bool {
      if (o.kind == Operand::Kind::kRegister && o.number == of.number) return true;
      return std::any_of(o.items.begin(), o.items.end(),
                         [&](const Operand& item) { return self(item, self); });
    };
    return std::any_of(f.body.begin(), f.body.end(), [&](const Statement& s) {
      // The first operand is written, but for an address and what has no result.
      for (std::size_t o = 0; o < s.operands.size(); ++o) {
        const bool written = o == 0 && s.operands[0].kind != Operand::Kind::kMemory &&
                             !s.opcode.starts_with("st.") && !s.opcode.starts_with("red.");
        if (!written && names(s.operands[o], names)) return true;
      }
      return false;
    });
  }

  std::string shown(std::uint32_t statement) const {
    const Statement& s = kernel_.functions[0]->function->body[statement];
    return fmt::format("'{}' in line {} of the PTX", s.opcode,
                       kernel_.module->module().source->line_of(s.at));
  }

  Result<void> map_one(std::uint32_t s) {
    const PtxAccess& a = ptx_[s];
    MappedSite& site = map_.sites[s];
    if (a.sort == Sort::kNone) return {};
    if (s >= entry_) return map_in_function(s);
    if (!ptx_flow_.reached(s)) return {};
    const std::vector<std::uint32_t>& found = of_statement_[s];
    using What = MappedSite::What;
    if (const auto loads = swap_loads_.find(s); loads != swap_loads_.end())
      return map_swap_loop(s, loads->second);
    if (a.space == Space::kConst) {
      // Mostly an operand of some arithmetic instruction, which is no access of its own.
      const bool load = found.size() == 1 && sass_flow_.depth(found[0]) == ptx_flow_.depth(s);
      site.what = load ? What::kDirect : What::kGone;
      if (load) site.accesses.push_back(access(found[0], s));
    } else if (found.empty()) {
      if (a.space == Space::kLocal && !uses_local_) site.what = What::kGone;
      else if (a.sort == Sort::kLoad || a.sort == Sort::kStore) site.what = What::kMissing;
      else return no(fmt::format("its code has nothing for {}", shown(s)));
    } else {
      for (const std::uint32_t i : found)
        if (!wide_enough(s, i) && (found.size() > 1 || !first_used(s, sass_[i].bytes)))
          return no(fmt::format("{} was split", shown(s)));
      const std::uint32_t depth = ptx_flow_.depth(s);
      const std::uint32_t block = sass_flow_.block_of[found[0]];
      const bool together = std::all_of(found.begin(), found.end(), [&](std::uint32_t i) {
        return sass_flow_.block_of[i] == block;
      });
      // A copy by one thread of several: the code goes round once for each of them.
      const bool as_deep = sass_flow_.depth(found[0]) == depth ||
                           (a.sort == Sort::kBulk && sass_flow_.depth(found[0]) == depth + 1);
      if (found.size() == 1 && as_deep) site.what = What::kDirect;
      else if (a.sort == Sort::kFragment && together && as_deep) site.what = What::kPieces;
      else if (as_deep && are_ways(found)) site.what = What::kDirect;
      else if (depth > 0) unrolled_.push_back(s);
      else {
        std::string places;
        for (const std::uint32_t i : found)
          places += fmt::format("{}0x{:x}", places.empty() ? "" : ", ", code_[i].line.pc);
        return no(fmt::format("its code has {} times {}, at {}", found.size(), shown(s), places));
      }
      if (site.what != What::kNone)
        for (const std::uint32_t i : found) site.accesses.push_back(access(i, s));
    }
    return {};
  }

  // An addition of floats to shared memory, and other operations that the memory has not: a load,
  // and a compare-and-swap that goes round until every lane has had its turn.
  Result<void> map_swap_loop(std::uint32_t s, const std::vector<std::uint32_t>& loads) {
    const std::vector<std::uint32_t>& found = of_statement_[s];
    const bool one = loads.size() == 1 && found.size() == 1 &&
                     (sass_[found[0]].has("CAST") || sass_[found[0]].has("CAS")) &&
                     sass_flow_.block_of[loads[0]] == sass_flow_.block_of[found[0]] &&
                     sass_flow_.depth(found[0]) == ptx_flow_.depth(s) + 1;
    if (!one)
      return no(fmt::format("its code has {} loads and {} atomics for {}", loads.size(),
                            found.size(), shown(s)));
    MappedSite& site = map_.sites[s];
    site.what = MappedSite::What::kSwapLoop;
    site.accesses = {access(loads[0], s), access(found[0], s)};
    site.accesses[0].load = true;
    return {};
  }

  // Of a function that the kernel calls: known when one instruction is its only one. Others stay as
  // the PTX has them, where they happen at all: such functions are mostly the rare ways of
  // mathematical ones.
  Result<void> map_in_function(std::uint32_t s) {
    MappedSite& site = map_.sites[s];
    const std::vector<std::uint32_t>& found = of_statement_[s];
    site.what = MappedSite::What::kMissing;
    const bool plain = ptx_[s].sort != Sort::kFragment && !swap_loads_.contains(s);
    if (found.size() == 1 && plain && wide_enough(s, found[0]) &&
        (ptx_[s].bytes == 0 || sass_[found[0]].bytes == ptx_[s].bytes ||
         ptx_[s].sort == Sort::kAtomic)) {
      site.what = MappedSite::What::kDirect;
      site.accesses.push_back(access(found[0], s));
    }
    return {};
  }

  // Copies of one access on ways that exclude each other, all as deep and as wide: whoever comes by
  // runs one of them. They differ in nothing but their place, so the first stands for all.
  bool are_ways(const std::vector<std::uint32_t>& found) const {
    for (const std::uint32_t i : found) {
      if (sass_flow_.depth(i) != sass_flow_.depth(found[0]) ||
          sass_[i].bytes != sass_[found[0]].bytes || sass_[i].opcode != sass_[found[0]].opcode)
        return false;
      std::vector<bool> met(code_.size(), false);
      std::vector<std::uint32_t> waiting{i};
      while (!waiting.empty()) {
        const std::uint32_t at = waiting.back();
        waiting.pop_back();
        const auto go = [&](std::uint32_t to) {
          if (to >= code_.size() || met[to]) return;
          met[to] = true;
          waiting.push_back(to);
        };
        const bool round = sass_flow_.back_edge[at] != kNowhere;
        if (sass_lines_[at].falls) go(at + 1);
        for (const std::uint32_t to : sass_lines_[at].targets)
          if (!round ||
              sass_flow_.order[sass_flow_.block_of[to]] > sass_flow_.order[sass_flow_.block_of[at]])
            go(to);
      }
      for (const std::uint32_t other : found)
        if (met[other]) return false;
    }
    return true;
  }

  // A loop is unrolled when one of its accesses is; then all of them must agree on the bodies.
  Result<void> map_loop(std::uint32_t loop) {
    std::vector<std::uint32_t> inside;
    bool unrolled = false;
    for (std::uint32_t s = 0; s < entry_; ++s) {
      if (ptx_[s].sort == Sort::kNone || map_.sites[s].what == MappedSite::What::kGone ||
          ptx_flow_.loop_of[ptx_flow_.block_of[s]] != loop)
        continue;
      inside.push_back(s);
      unrolled |= std::find(unrolled_.begin(), unrolled_.end(), s) != unrolled_.end();
    }
    if (!unrolled) return {};
    const Loop& l = ptx_flow_.loops[loop];
    const auto fails = [&](const char* why) {
      return no(fmt::format("a loop was unrolled in a way that is not understood ({}): {}", why,
                            shown(inside.front())));
    };
    if (l.has_inner) return fails("it holds another loop");
    if (l.falls_round) return fails("it ends without a branch");
    for (std::uint32_t s = 0; s < entry_; ++s)
      if (ptx_flow_.inside(loop, s) &&
          kernel_.functions[0]->function->body[s].opcode.starts_with("call") && functions_access())
        return fails("it calls a function that accesses memory");
    const auto number = static_cast<std::uint32_t>(map_.loops.size());
    UnrolledLoop out;
    std::vector<std::uint32_t> blocks;
    for (const std::uint32_t s : inside)
      for (const std::uint32_t i : of_statement_[s]) blocks.push_back(sass_flow_.block_of[i]);
    std::sort(blocks.begin(), blocks.end(), [&](std::uint32_t a, std::uint32_t b) {
      return sass_flow_.order[a] < sass_flow_.order[b];
    });
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    for (const std::uint32_t block : blocks) {
      UnrolledLoop::Body body;
      body.iterations = 0;
      std::uint32_t depth = 0;
      for (const std::uint32_t s : inside) {
        MappedSite& site = map_.sites[s];
        if (of_statement_[s].empty()) continue;
        std::vector<std::uint32_t> copies;
        for (const std::uint32_t i : of_statement_[s])
          if (sass_flow_.block_of[i] == block) copies.push_back(i);
        if (body.iterations != 0 && copies.size() != body.iterations)
          return fails("its bodies differ in what they access");
        body.iterations = static_cast<std::uint32_t>(copies.size());
        if (copies.empty()) return fails("its bodies differ in what they access");
        depth = sass_flow_.depth(copies[0]);
        in_order_of_iterations(copies);
        std::vector<SassAccess> accesses;
        for (const std::uint32_t i : copies) accesses.push_back(access(i, s));
        site.what = MappedSite::What::kUnrolled;
        site.loop = number;
        site.accesses.clear();
        site.bodies.push_back(std::move(accesses));
      }
      body.repeats = depth == l.depth;
      if (!body.repeats && depth + 1 != l.depth) return fails("its bodies are at other depths");
      out.bodies.push_back(body);
    }
    drop_leading(out, inside, blocks);
    const bool single = std::all_of(out.bodies.begin(), out.bodies.end(),
                                    [](const auto& body) { return body.iterations == 1; });
    out.in_turn = single && blocks.size() > 1;
    if (out.in_turn && !take_turns(out, blocks)) return fails("its bodies do not follow in turn");
    // Four at a time while there are four, then two if there are two, then one: no other choice.
    for (std::size_t b = 0; b < out.bodies.size() && !out.in_turn; ++b) {
      const std::uint32_t k = out.bodies[b].iterations;
      if (b > 0 && k >= out.bodies[b - 1].iterations) return fails("its bodies do not get smaller");
      const bool last = b + 1 == out.bodies.size();
      if (last && b == 0 && !out.bodies[b].repeats) break;  // unrolled as a whole
      if (last && k != 1) return fails("no body takes a single iteration");
      if (b == 0 && !out.bodies[b].repeats) return fails("its largest body does not repeat");
    }
    for (const std::uint32_t s : inside)
      if (of_statement_[s].empty()) map_.sites[s].loop = number;  // part of another access
    if (map_.back_edges.empty()) map_.back_edges.resize(kernel_.statements, 0);
    for (std::uint32_t s = 0; s < entry_; ++s) {
      const std::uint32_t repeats = ptx_flow_.back_edge[s];
      if (repeats == kNowhere) continue;
      if (kernel_.functions[0]->function->body[s].opcode.starts_with("brx"))
        return fails("a loop ends with a branch through a table");
      if (repeats == loop) map_.back_edges[s] = 2 + number;
      else if (map_.back_edges[s] == 0) map_.back_edges[s] = 1;
    }
    map_.loops.push_back(std::move(out));
    return {};
  }

  // A loop that runs once at least, whatever its condition: ptxas asks it before the first
  // iteration, makes that one alone if it does not hold, and has all others begin behind. Where it
  // holds, and that is where there are more than one, the first goes with the others.
  void drop_leading(UnrolledLoop& loop, const std::vector<std::uint32_t>& inside,
                    std::vector<std::uint32_t>& blocks) {
    if (loop.bodies.size() < 3 || loop.bodies[0].repeats || loop.bodies[0].iterations != 1 ||
        loop.bodies[1].iterations == 1 || loop.bodies.back().iterations != 1)
      return;
    bool passed = !sass_flow_.dominates(blocks[0], blocks[1]);  // by a branch, or by its guards
    if (!passed) {
      passed = true;
      for (const std::uint32_t s : inside)
        for (const std::uint32_t i : of_statement_[s])
          passed = passed && (sass_flow_.block_of[i] != blocks[0] ||
                              sass_[i].guard.when != trace::Guard::When::kAlways);
    }
    if (!passed) return;
    loop.bodies.erase(loop.bodies.begin());
    blocks.erase(blocks.begin());
    for (const std::uint32_t s : inside)
      if (!map_.sites[s].bodies.empty()) map_.sites[s].bodies.erase(map_.sites[s].bodies.begin());
  }

  // Some that run once, then those of one loop, if any: each leads to the next only, the last to
  // the loop's first.
  bool take_turns(const UnrolledLoop& loop, const std::vector<std::uint32_t>& blocks) const {
    for (std::size_t b = 1; b < blocks.size(); ++b)
      if (!sass_flow_.dominates(blocks[b - 1], blocks[b]) ||
          (loop.bodies[b - 1].repeats && !loop.bodies[b].repeats))
        return false;
    if (!loop.bodies.back().repeats) return true;  // unrolled as a whole
    const std::uint32_t around = sass_flow_.loop_of[blocks.back()];
    if (around == kNowhere) return false;
    for (std::size_t b = 0; b < blocks.size(); ++b)
      if (loop.bodies[b].repeats && sass_flow_.loop_of[blocks[b]] != around) return false;
    if (sass_flow_.loops[around].falls_round) return false;
    for (std::uint32_t i = 0; i < code_.size(); ++i)
      if (sass_flow_.back_edge[i] == around &&
          !sass_flow_.dominates(blocks.back(), sass_flow_.block_of[i]))
        return false;
    return true;
  }

  // Is this the machine instruction that a PTX instruction of arithmetic becomes, when it becomes
  // one? Integer additions are not asked: those that count iterations are made anew.
  static bool is_main(std::string_view ptx, std::string_view sass) {
    constexpr std::pair<std::string_view, std::string_view> kPairs[] = {
        {"fma", "FMA"},    {"mul", "MUL"},   {"add.f", "ADD"}, {"sub.f", "ADD"}, {"mad", "MAD"},
        {"mul", "MAD"},    {"ex2", "MUFU"},  {"lg2", "MUFU"},  {"sin", "MUFU"},  {"cos", "MUFU"},
        {"rsqrt", "MUFU"}, {"shfl", "SHFL"}, {"mma", "MMA"}};
    return std::any_of(std::begin(kPairs), std::end(kPairs), [&](const auto& pair) {
      const std::string_view rounding = ".rn";  // "add.rn.f32"
      const std::size_t dot = ptx.find(rounding);
      const std::string name = dot == ptx.npos ? std::string(ptx)
                                               : std::string(ptx.substr(0, dot)) +
                                                     std::string(ptx.substr(dot + rounding.size()));
      return name.starts_with(pair.first) && sass.find(pair.second) != sass.npos;
    });
  }

  // Copies of an iteration of a PTX loop in a loop of the machine code: what most statements of
  // arithmetic say, or all if there are none of those.
  std::uint32_t copies(std::uint32_t loop, std::uint32_t of_ptx) const {
    std::map<std::uint32_t, std::uint32_t> main, any;  // by statement: instructions
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      const std::uint32_t s = code_[i].statement;
      if (s >= entry_ || sass_flow_.loop_of[sass_flow_.block_of[i]] != loop ||
          ptx_flow_.loop_of[ptx_flow_.block_of[s]] != of_ptx)
        continue;
      ++any[s];
      if (is_main(kernel_.functions[0]->function->body[s].opcode, sass_[i].opcode)) ++main[s];
    }
    std::map<std::uint32_t, std::uint32_t> votes;
    for (const auto& [statement, count] : main.empty() ? any : main) ++votes[count];
    std::uint32_t best = 1, most = 0;
    for (const auto& [count, times] : votes)
      if (times >= most) best = count, most = times;
    return best;
  }

  void map_rounds() {
    map_.rounds.resize(kernel_.statements);
    const auto loops = static_cast<std::uint32_t>(ptx_flow_.loops.size());
    // Of each PTX loop the loops of the machine code that it became; of one that was unrolled as a
    // whole those around it. Outer ones first.
    std::vector<std::vector<std::uint32_t>> became(loops);
    std::vector<std::uint32_t> order(loops);
    for (std::uint32_t l = 0; l < loops; ++l) order[l] = l;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return ptx_flow_.loops[a].depth < ptx_flow_.loops[b].depth;
    });
    const auto within = [&](std::uint32_t loop, const std::vector<std::uint32_t>& outer) {
      if (outer.empty()) return true;
      for (loop = sass_flow_.loops[loop].outer; loop != kNowhere;
           loop = sass_flow_.loops[loop].outer)
        if (std::find(outer.begin(), outer.end(), loop) != outer.end()) return true;
      return false;
    };
    for (const std::uint32_t l : order) {
      const std::uint32_t around = ptx_flow_.loops[l].outer;
      const std::vector<std::uint32_t> outer =
          around == kNowhere ? std::vector<std::uint32_t>{} : became[around];
      std::vector<std::uint32_t> found;
      for (std::uint32_t i = 0; i < code_.size(); ++i) {
        const std::uint32_t s = code_[i].statement;
        if (s >= entry_ || !sass_flow_.reached(i) || !ptx_flow_.inside(l, s)) continue;
        // The outermost one that lies within those of the loop around it.
        std::uint32_t best = kNowhere;
        for (std::uint32_t k = sass_flow_.loop_of[sass_flow_.block_of[i]]; k != kNowhere;
             k = sass_flow_.loops[k].outer)
          if (within(k, outer)) best = k;
        if (best != kNowhere && std::find(found.begin(), found.end(), best) == found.end())
          found.push_back(best);
      }
      became[l] = found.empty() ? outer : found;
      std::vector<MappedRounds> rounds;
      for (const std::uint32_t k : found) {
        std::uint32_t last = kNowhere;
        for (std::uint32_t i = 0; i < code_.size(); ++i)
          if (sass_flow_.back_edge[i] == k) last = i;
        if (last == kNowhere) continue;
        MappedRounds r;
        r.branch.pc = code_[last].line.pc;
        r.branch.rank = sass_flow_.order[sass_flow_.block_of[last]] << 16 | (last & 0xffffu);
        r.iterations = copies(k, l);
        r.at_end = sass_[last].conditional_branch;
        rounds.push_back(r);
      }
      std::stable_sort(rounds.begin(), rounds.end(),
                       [](const auto& a, const auto& b) { return a.iterations > b.iterations; });
      for (std::uint32_t s = 0; s < entry_; ++s)
        if (ptx_flow_.back_edge[s] == l) map_.rounds[s] = rounds;
    }
  }

  // The scheduler moves copies past each other. Where they count from one register, the constants
  // tell which is whose; which way they go, the majority of neighbours.
  void in_order_of_iterations(std::vector<std::uint32_t>& copies) const {
    if (copies.size() < 2) return;
    std::vector<std::pair<std::string_view, long>> at;
    for (const std::uint32_t i : copies) at.push_back(address_of(code_[i].line.text));
    int up = 0;
    for (std::size_t i = 1; i < at.size(); ++i) {
      if (at[i].first != at[0].first || at[i].second == at[i - 1].second) return;
      up += at[i].second > at[i - 1].second ? 1 : -1;
    }
    std::sort(copies.begin(), copies.end(), [&](std::uint32_t a, std::uint32_t b) {
      const long x = address_of(code_[a].line.text).second,
                 y = address_of(code_[b].line.text).second;
      return up < 0 ? x > y : x < y;
    });
  }

  void write_program(const std::string& arch) {
    trace::Program p = describe(kernel_);
    std::vector<trace::Instruction> ptx = std::move(p.code);
    p.code.clear();
    p.level = trace::Level::kPtxSass;
    p.arch = arch;
    p.registers = resources_.registers;
    p.static_shared = resources_.static_shared;
    p.local_bytes = resources_.local_bytes;
    for (const MachineInstruction& i : code_) {
      p.code.push_back(i.line);
      if (p.code.back().file >= p.files.size()) p.code.back().file = 0;
    }
    const std::uint32_t end = p.code.empty() ? 0 : p.code.back().pc + 16;
    map_.ptx_zone = (end + kZoneUnit - 1) / kZoneUnit * kZoneUnit;
    for (trace::Instruction& i : ptx) {
      if (map_.sites[i.pc / 16].what == MappedSite::What::kNone) continue;
      i.pc += map_.ptx_zone;
      p.code.push_back(std::move(i));
    }
    map_.program = std::move(p);
  }

  const Kernel& kernel_;
  const std::vector<MachineInstruction>& code_;
  const Resources& resources_;
  SiteMap map_;
  CodeFlow ptx_flow_, sass_flow_;
  std::vector<FlowLine> sass_lines_;
  std::vector<PtxAccess> ptx_;
  std::vector<trace::SassInstruction> sass_;
  std::vector<std::vector<std::uint32_t>> of_statement_;  // machine instructions
  std::vector<std::uint32_t> elects_;                     // statements whose code elects a lane
  std::vector<std::uint32_t> unrolled_;
  std::vector<std::uint32_t> textures_;  // instructions that go by another statement's line
  std::map<std::uint32_t, std::vector<std::uint32_t>> swap_loads_;  // of compare-and-swap loops
  std::vector<std::uint32_t> written_;  // of each register of the kernel: the statement
  std::uint32_t entry_ = 0;  // statements of the kernel itself; behind them functions' follow
  bool uses_local_ = false;
};

}  // namespace

Result<SiteMap> map_sites(const Kernel& kernel, const std::vector<MachineInstruction>& code,
                          const Resources& resources, const std::string& arch) {
  return Mapper(kernel, code, resources).run(arch);
}

}  // namespace warpmem::emulate
