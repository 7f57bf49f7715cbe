#include "traces/emulate/sass/site_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "traces/instruction.hpp"
#include "traces/record/code_map.hpp"

namespace warpmem::emulate {
namespace {

using trace::InstructionKind;

constexpr std::uint32_t kZoneUnit = 0x1000;

Error no(const std::string& why) { return {ErrorKind::kEnvironment, why, "", ""}; }

// What a PTX statement does to memory.
struct PtxAccess {
  enum class Sort : std::uint8_t {
    kNone,
    kLoad,
    kStore,
    kAtomic,
    kAsync,
    kMatrixLoad,
    kMatrixStore,
    kFragment,
    kTexture,
    kBulk,
    kBarrier,
    kPrefetch
  };
  Sort sort = Sort::kNone;
  Space space = Space::kGeneric;
  std::uint32_t bytes = 0;
};
using Sort = PtxAccess::Sort;

PtxAccess access_of(const Code& code, const Inst& in) {
  switch (in.kind) {
    case Kind::kAccess: {
      const Access& a = code.accesses[in.extra];
      const Sort sort = a.op == trace::Op::kLoad       ? Sort::kLoad
                        : a.op == trace::Op::kStore    ? Sort::kStore
                        : a.op == trace::Op::kPrefetch ? Sort::kPrefetch
                                                       : Sort::kAtomic;
      return {a.space == Space::kParam ? Sort::kNone : sort, a.space, a.bytes()};
    }
    case Kind::kAsyncCopy: return {Sort::kAsync, Space::kGlobal, 0};
    case Kind::kMatrixLoad: return {Sort::kMatrixLoad, Space::kShared, 0};
    case Kind::kMatrixStore: return {Sort::kMatrixStore, Space::kShared, 0};
    case Kind::kFragment: return {Sort::kFragment, Space::kGeneric, 0};
    case Kind::kTexture:
      if (code.textures[in.extra].what == TextureAccess::What::kQuery) return {};
      return {Sort::kTexture, Space::kTexture, 0};
    case Kind::kTensorCopy:
    case Kind::kBulkCopy: return {Sort::kBulk, Space::kGlobal, 0};
    case Kind::kBarrier:
    case Kind::kBarrierArrive:
    case Kind::kBarrierReduce: return {Sort::kBarrier, Space::kGeneric, 0};
    default: return {};
  }
}

// Does this machine instruction leave a record, and can it have come from such a statement?
bool leaves_record(const trace::SassInstruction& in) {
  if (in.guard.when == trace::Guard::When::kNever) return false;
  return in.is_memory() || (in.kind == InstructionKind::kBarrier && in.opcode == "BAR");
}

bool could_be(const PtxAccess& ptx, const trace::SassInstruction& in) {
  const auto space = [&] {
    if (in.generic || ptx.space == Space::kGeneric) return true;
    switch (ptx.space) {
      case Space::kGlobal: return in.space == trace::Space::kGlobal;
      case Space::kShared:
        return in.space == trace::Space::kShared || in.space == trace::Space::kRemoteShared;
      case Space::kLocal: return in.space == trace::Space::kLocal;
      default: return false;
    }
  };
  switch (ptx.sort) {
    case Sort::kLoad: return in.kind == InstructionKind::kLoad && space();
    case Sort::kStore: return in.kind == InstructionKind::kStore && space();
    case Sort::kAtomic:
      return (in.kind == InstructionKind::kAtomic || in.kind == InstructionKind::kReduction) &&
             space();
    case Sort::kAsync: return in.kind == InstructionKind::kAsyncCopy;
    case Sort::kMatrixLoad: return in.kind == InstructionKind::kMatrixLoad;
    case Sort::kMatrixStore: return in.kind == InstructionKind::kMatrixStore;
    case Sort::kFragment:
      return in.kind == InstructionKind::kLoad || in.kind == InstructionKind::kStore ||
             in.kind == InstructionKind::kMatrixLoad;
    case Sort::kTexture:
      return in.space == trace::Space::kTexture || in.space == trace::Space::kSurface;
    case Sort::kBulk:
      return in.kind == InstructionKind::kBulkCopy || in.kind == InstructionKind::kBulkReduction;
    case Sort::kBarrier: return in.kind == InstructionKind::kBarrier;
    case Sort::kPrefetch: return in.kind == InstructionKind::kPrefetch || in.opcode == "CCTL";
    case Sort::kNone: return false;
  }
  return false;
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
    const Code& entry = *kernel_.functions[0];
    for (std::size_t f = 1; f < kernel_.functions.size(); ++f)
      for (const Inst& in : kernel_.functions[f]->code)
        if (access_of(*kernel_.functions[f], in).sort != Sort::kNone)
          return no(fmt::format("it calls '{}', which accesses memory",
                                kernel_.functions[f]->function->name));
    const Function& f = *entry.function;
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
    ptx_.resize(f.body.size());
    for (const Inst& in : entry.code) {
      const PtxAccess a = access_of(entry, in);
      if (a.sort != Sort::kNone) ptx_[in.statement] = a;
    }
    map_.sites.resize(kernel_.statements);
    for (std::uint32_t s = 0; s < ptx_.size(); ++s)
      if (ptx_flow_.reached(s))
        map_.sites[s].position = ptx_flow_.order[ptx_flow_.block_of[s]] << 16 | (s & 0xffffu);
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
      } else if (in.kind == InstructionKind::kExit || in.kind == InstructionKind::kReturn) {
        lines[i].targets.push_back(static_cast<std::uint32_t>(code_.size()));
        lines[i].falls = guarded;
      }
      if (in.space == trace::Space::kLocal) uses_local_ = true;
    }
    sass_flow_ = trace::flow_of(lines);
    if (!sass_flow_.reducible) return no("its code jumps into the middle of a loop");
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
      if (s < ptx_.size() && could_be(ptx_[s], sass_[i]) && sass_flow_.reached(i)) {
        of_statement_[s].push_back(i);
        continue;
      }
      if (!adds_nothing(s, sass_[i]))
        return no(fmt::format("its code has '{}', which no access of the PTX explains",
                              code_[i].line.text));
    }
    return {};
  }

  // What ptxas adds, and no recorder sees either: spilled registers, prefetches by the copy engine,
  // and the CTA barrier that takes the place of a cluster's where the cluster is one CTA.
  bool adds_nothing(std::uint32_t statement, const trace::SassInstruction& in) {
    if (in.space == trace::Space::kLocal) return ++map_.spills != 0;
    if (in.kind == InstructionKind::kPrefetch) return true;
    return in.kind == InstructionKind::kBarrier && statement < ptx_.size() &&
           kernel_.functions[0]->function->body[statement].opcode.starts_with("barrier.cluster");
  }

  SassAccess access(std::uint32_t line, std::uint32_t statement) const {
    const trace::SassInstruction& in = sass_[line];
    SassAccess a;
    a.pc = code_[line].line.pc;
    a.rank = sass_flow_.order[sass_flow_.block_of[line]] << 16 | (line & 0xffffu);
    const Sort sort = ptx_[statement].sort;
    if ((sort == Sort::kLoad || sort == Sort::kStore) && ptx_[statement].space != Space::kConst)
      a.bytes = in.bytes;
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

  std::string shown(std::uint32_t statement) const {
    const Statement& s = kernel_.functions[0]->function->body[statement];
    return fmt::format("'{}' in line {} of the PTX", s.opcode,
                       kernel_.module->module().source->line_of(s.at));
  }

  Result<void> map_one(std::uint32_t s) {
    const PtxAccess& a = ptx_[s];
    MappedSite& site = map_.sites[s];
    if (a.sort == Sort::kNone || !ptx_flow_.reached(s)) return {};
    const std::vector<std::uint32_t>& found = of_statement_[s];
    using What = MappedSite::What;
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
        if (!wide_enough(s, i)) return no(fmt::format("{} was split", shown(s)));
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
      else if (depth > 0) unrolled_.push_back(s);
      else return no(fmt::format("its code has {} times {}", found.size(), shown(s)));
      if (site.what != What::kNone)
        for (const std::uint32_t i : found) site.accesses.push_back(access(i, s));
    }
    return {};
  }

  // A loop is unrolled when one of its accesses is; then all of them must agree on the bodies.
  Result<void> map_loop(std::uint32_t loop) {
    std::vector<std::uint32_t> inside;
    bool unrolled = false;
    for (std::uint32_t s = 0; s < ptx_.size(); ++s) {
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
    for (std::uint32_t s = 0; s < ptx_.size(); ++s) {
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
      if (s >= ptx_.size() || sass_flow_.loop_of[sass_flow_.block_of[i]] != loop ||
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
        if (s >= ptx_.size() || !sass_flow_.reached(i) || !ptx_flow_.inside(l, s)) continue;
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
      for (std::uint32_t s = 0; s < ptx_.size(); ++s)
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
  std::vector<PtxAccess> ptx_;
  std::vector<trace::SassInstruction> sass_;
  std::vector<std::vector<std::uint32_t>> of_statement_;  // machine instructions
  std::vector<std::uint32_t> elects_;                     // statements whose code elects a lane
  std::vector<std::uint32_t> unrolled_;
  bool uses_local_ = false;
};

}  // namespace

Result<SiteMap> map_sites(const Kernel& kernel, const std::vector<MachineInstruction>& code,
                          const Resources& resources, const std::string& arch) {
  return Mapper(kernel, code, resources).run(arch);
}

}  // namespace warpmem::emulate
