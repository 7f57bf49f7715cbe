#include "sim/code/spill_code.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace warpmem::sim {
namespace {

using trace::SassOperand;

constexpr StaticRegister kStackPointer = 1;  // R1

bool is_local(const trace::SassInstruction* in) {
  return in && (in->opcode == trace::Opcode::kLDL || in->opcode == trace::Opcode::kSTL);
}

struct Address {
  StaticRegister base = kNoRegister;
  std::int32_t offset = 0;
};

// "[R1]", "[R1+0x8c]", "[R1+-0x8]"; nothing for others: "[R2+UR4]", "[R2.U32+0x4]".
std::optional<Address> address_of(const trace::SassInstruction& in) {
  const auto at = std::find_if(in.operands.begin(), in.operands.end(), [](const SassOperand& o) {
    return o.kind == SassOperand::Kind::kMemory;
  });
  if (at == in.operands.end() || at->base == trace::kNoRegister ||
      at->base == trace::kZeroRegister || at->uniform != trace::kNoRegister || at->wide ||
      at->scale != 1 || at->base_unsigned || at->base_signed)
    return std::nullopt;
  return Address{at->base, static_cast<std::int32_t>(at->value)};
}

// PTX statements that access local memory and have records, which were found in no machine
// instruction: of a load (a store) without records they may be the origin as well as a spilled
// register, if there are any that load (store).
struct Unmapped {
  bool loads = false, stores = false;
  void add(const trace::Site& site, const trace::DecodedProgram& program) {
    if (site.space != trace::Space::kLocal) return;
    const auto at = program.line_at(site.pc);
    if (!at || !program[*at].ptx()) return;
    (site.op == trace::Op::kLoad ? loads : stores) = true;
  }
};

// Of accesses that nothing marks as a spill's, those remain that no such statement can be: of the
// other kind, and at places of the frame that one of these proves to be a spilled register's.
void leave_unmapped(const Unmapped& unmapped, std::vector<SpillAccess>& accesses) {
  if (!unmapped.loads && !unmapped.stores) return;
  const auto certain = [&](const SpillAccess& a) {
    return a.load ? !unmapped.loads : !unmapped.stores;
  };
  std::set<std::int32_t> bytes;  // of the frame
  for (const SpillAccess& a : accesses)
    if (certain(a))
      for (std::uint32_t b = 0; b < a.bytes; ++b)
        bytes.insert(a.offset + static_cast<std::int32_t>(b));
  std::erase_if(accesses, [&](const SpillAccess& a) {
    if (certain(a)) return false;
    for (std::uint32_t b = 0; b < a.bytes; ++b)
      if (!bytes.contains(a.offset + static_cast<std::int32_t>(b))) return true;
    return false;
  });
}

// How far registers are from where the stack pointer is when the kernel begins, before each line.
class StackFlow {
 public:
  explicit StackFlow(const trace::DecodedProgram& program) : before_(program.size()) {
    const std::size_t n = program.size();
    const std::vector<CodeLine> code = read_flow(program);
    std::vector<Line> lines(n);
    for (std::size_t i = 0; i < n; ++i) {
      Line& l = lines[i];
      l.apart = take_apart(program[i]);
      l.calls = code[i].calls;
      l.falls = code[i].falls;
      if (code[i].target >= 0) l.target = static_cast<std::size_t>(code[i].target);
      l.further = code[i].calls ? code[i].callees : code[i].places;
    }
    std::vector<std::size_t> open;
    const auto reach = [&](std::size_t line, const State& state) {
      if (line < n && join(line, state)) open.push_back(line);
    };
    reach(0, {{kStackPointer, 0}});
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      const Line& l = lines[i];
      const State after = run(l.apart, *before_[i]);
      if (l.target) reach(*l.target, after);
      for (const std::uint32_t t : l.further) reach(t, after);
      if (!l.falls) continue;
      // What a function leaves of other registers is not followed.
      if (l.calls) reach(i + 1, {{kStackPointer, after.at(kStackPointer)}});
      else reach(i + 1, after);
    }
    // The kernel's own lines, whose deepest stack pointer is its frame's beginning.
    std::vector<bool> seen(n + 1, false);
    open = {0};
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      if (i >= n || seen[i]) continue;
      seen[i] = true;
      if (before_[i]) frame_ = std::min(frame_, before_[i]->at(kStackPointer));
      if (lines[i].falls) open.push_back(i + 1);
      if (lines[i].calls) continue;
      if (lines[i].target) open.push_back(*lines[i].target);
      open.insert(open.end(), lines[i].further.begin(), lines[i].further.end());
    }
  }

  // From the kernel's frame; nothing: not known.
  std::optional<std::int32_t> at(std::size_t line, StaticRegister r) const {
    if (!before_[line]) return std::nullopt;
    const auto it = before_[line]->find(r);
    if (it == before_[line]->end()) return std::nullopt;
    return it->second - frame_;
  }

 private:
  using State = std::map<StaticRegister, std::int32_t>;  // the stack pointer is always in it
  struct Line {
    StaticLine apart;
    bool falls = true, calls = false;
    std::optional<std::size_t> target;
    std::vector<std::uint32_t> further;  // where a register, or a name, may lead
  };

  // Is there anything new to it?
  bool join(std::size_t line, const State& state) {
    std::optional<State>& known = before_[line];
    if (!known) return known = state, true;
    return std::erase_if(*known, [&](const auto& entry) {
             if (entry.first == kStackPointer) return false;
             const auto other = state.find(entry.first);
             return other == state.end() || other->second != entry.second;
           }) > 0;
  }

  // A result that follows the stack pointer, wherever that is, is at a constant distance from it.
  State run(const StaticLine& line, const State& before) const {
    State after = before;
    const auto where = [&](std::uint32_t stack, StaticRegister r) {
      return values_.result(line, r, [&](StaticRegister s) -> std::optional<std::uint32_t> {
        const auto it = before.find(s);
        if (it == before.end()) return std::nullopt;
        return stack + static_cast<std::uint32_t>(it->second);
      });
    };
    for (const StaticRegister r : line.writes) {
      constexpr std::uint32_t kHere = 0x10000000, kThere = 0x20000000;
      const auto a = where(kHere, r), b = where(kThere, r);
      if (r != kStackPointer) after.erase(r);
      if (a && b && *b - *a == kThere - kHere && line.guard == kNoRegister)
        after[r] = static_cast<std::int32_t>(*a - kHere);
      // R1 comes from constant memory when the kernel begins.
    }
    return after;
  }

  StaticValues values_{ConstantBank()};
  std::vector<std::optional<State>> before_;  // by line; none: nobody comes there
  std::int32_t frame_ = 0;
};

}  // namespace

std::vector<SpillAccess> spill_accesses(const trace::DecodedProgram& program,
                                        std::span<const trace::Site> sites) {
  bool any = false, marked = false;
  for (const trace::DecodedLine& l : program.lines()) {
    any |= is_local(l.sass());
    marked |= l.sass() && l.sass()->spill;
  }
  if (!any) return {};
  Unmapped unmapped;
  for (const trace::Site& s : sites) unmapped.add(s, program);
  std::optional<StackFlow> flow;
  std::vector<SpillAccess> out;
  std::set<std::int32_t> own;  // words that the program's own accesses are to
  for (std::uint32_t i = 0; i < program.size(); ++i) {
    const trace::SassInstruction* const in = program[i].sass();
    if (!is_local(in) || (marked && !in->spill)) continue;
    const bool recorded = std::any_of(sites.begin(), sites.end(), [&](const trace::Site& s) {
      return s.pc == program.pc(i) && s.space == trace::Space::kLocal;
    });
    if (recorded && marked) continue;
    const auto address = address_of(*in);
    if (!address || in->guard.when == trace::Guard::When::kNever) continue;
    if (!flow) flow.emplace(program);
    const auto base = flow->at(i, address->base);
    if (!base) continue;
    if (recorded) {
      const std::int32_t from = *base + address->offset;
      for (std::int32_t at = from; at < from + static_cast<std::int32_t>(in->bytes); ++at)
        own.insert(at >> 2);
      continue;
    }
    SpillAccess& a = out.emplace_back();
    a.line = i;
    a.bytes = in->bytes;
    a.offset = *base + address->offset;
    a.load = in->kind == trace::InstructionKind::kLoad;
    a.slot.line = i, a.slot.load = a.load;
    a.slot.words = std::max(1u, a.bytes / 4),
    a.slot.slot = static_cast<std::uint32_t>(a.offset) / 4;
    const StaticLine apart = take_apart(program[i]);
    const std::size_t data = a.load ? 0 : 1;
    // Of parts of a word nothing is followed.
    if (data < apart.operands.size() && a.bytes >= 4) a.slot.data = apart.operands[data];
  }
  // In a kernel's frame registers are not kept where something else is: such an access is one that
  // no lane came to. Functions' frames lie where those of others did.
  std::erase_if(out, [&own](const SpillAccess& a) {
    if (a.offset < 0) return false;
    const auto last = a.offset + static_cast<std::int32_t>(a.bytes) - 1;
    const auto next = own.lower_bound(a.offset >> 2);
    return next != own.end() && *next <= last >> 2;
  });
  if (!marked) leave_unmapped(unmapped, out);
  return out;
}

}  // namespace warpmem::sim
