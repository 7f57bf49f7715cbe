#include "sim/code/static_flow.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace warpmem::sim {
namespace {

constexpr std::uint32_t kNobody = trace::kNowhere;

class Reader {
 public:
  Reader(const trace::DecodedProgram& program, const std::vector<CodeLine>& code,
         const trace::Launch& launch, std::span<const SpillSlot> slots)
      : code_(code), values_(ConstantBank(program.program(), launch)) {
    for (const trace::DecodedLine& l : program.lines()) lines_.push_back(take_apart(l));
    for (const SpillSlot& s : slots) lines_[s.line] = move_of(s, lines_[s.line]);
    for (std::uint32_t i = 0; i < code_.size(); ++i)
      if (code_[i].calls && (code_[i].target >= 0 || !code_[i].callees.empty())) call(i);
    connect();
  }

  StaticFlow run() {
    StaticFlow out;
    out.taken.resize(code_.size());
    // A path that is never gone says nothing of what registers hold: without it more is known,
    // perhaps enough for further branches.
    while (flow_.reducible && decide(out.taken)) connect();
    if (!flow_.reducible) return out;
    for (std::uint32_t l = 0; l < flow_.loops.size(); ++l) {
      std::vector<std::uint32_t> inside;
      bool traced = false;
      std::uint32_t branch = kNobody;
      for (std::uint32_t i = 0; i < code_.size(); ++i) {
        if (!flow_.reached(i) || !flow_.inside(l, i)) continue;
        inside.push_back(i);
        // One that accesses memory and left no record has not run; one that looks whether a copy
        // is there runs until it is, which is waited for all the same.
        traced |= leaves_records(i) || leaves_records_.contains(i) || code_[i].waits_copies;
        if (flow_.back_edge[i] == l) branch = i;
      }
      // One that nothing leaves stands behind a kernel's end and never runs.
      if (traced || branch == kNobody || code_[branch].calls || leaves(l, inside).empty()) continue;
      StaticLoop loop;
      loop.branch = branch;
      loop.header = *std::find_if(inside.begin(), inside.end(), [&](std::uint32_t i) {
        return flow_.block_of[i] == flow_.loops[l].header;
      });
      loop.rounds = counted_of(l).rounds;
      out.loops.push_back(std::move(loop));
    }
    return out;
  }

 private:
  // A spilled register's place is a register of a file of its own.
  static StaticLine move_of(const SpillSlot& s, const StaticLine& line) {
    constexpr auto kSlots = static_cast<trace::RegisterFile>(4);
    StaticLine out;
    out.moves = true;
    out.guard = line.guard, out.guard_not = line.guard_not, out.never = line.never;
    for (std::uint32_t w = 0; w < s.words; ++w) {
      StaticOperand slot, data = s.data;
      slot.kind = StaticOperand::Kind::kRegister;
      slot.reg = static_register(kSlots, (s.slot + w) & 0xffffu);
      if (data.kind == StaticOperand::Kind::kRegister) data.reg += w;
      const StaticOperand& to = s.load ? data : slot;
      if (to.kind != StaticOperand::Kind::kRegister) continue;
      out.writes.push_back(to.reg);
      out.operands.push_back(s.load ? slot : data);
    }
    return out;
  }

  // Which lines lead to which, by the paths that are left.
  void connect() {
    before_.assign(code_.size(), {});
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      const CodeLine& l = code_[i];
      if (l.falls && i + 1 < code_.size()) before_[i + 1].push_back(i);
      if (l.target >= 0) before_[static_cast<std::size_t>(l.target)].push_back(i);
      for (const std::uint32_t t : l.places) before_[t].push_back(i);
    }
    flow_ = flow_of_code(code_);
    // Lines that nothing seems to lead to may be what a jump by a register goes to: only those that
    // have lost their paths are out of account.
    if (led_to_.empty())
      for (std::uint32_t i = 0; i < code_.size(); ++i) led_to_.push_back(flow_.reached(i));
    for (std::vector<std::uint32_t>& before : before_)
      std::erase_if(before, [&](std::uint32_t i) { return led_to_[i] && !flow_.reached(i); });
    known_.clear();
    guards_.clear();
    counted_.clear();
  }

  // Branches that go one path only lose the other; whether there were any that had both.
  bool decide(std::vector<std::optional<bool>>& taken) {
    bool any = false;
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (code_[i].target < 0 || !code_[i].falls || code_[i].calls || !flow_.reached(i)) continue;
      taken[i] = values_.condition(lines_[i], [&](StaticRegister r) { return at(r, i); });
      any |= taken[i].has_value();
    }
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (!taken[i]) continue;
      if (*taken[i]) code_[i].falls = false;
      else code_[i].target = -1;
    }
    return any;
  }

  bool leaves_records(std::uint32_t line) const {
    return code_[line].memory || code_[line].accesses;
  }

  // What a function, with those that it calls, does counts as done by the call; where it may be one
  // of several, what any of them does.
  void call(std::uint32_t line) {
    std::vector<std::uint32_t> functions = code_[line].callees;
    if (code_[line].target >= 0)
      functions.push_back(static_cast<std::uint32_t>(code_[line].target));
    const auto [known, fresh] = called_.try_emplace(functions);
    Called& called = known->second;
    if (fresh) {
      std::vector<std::uint32_t> open;
      std::vector<bool> seen(code_.size(), false);
      std::set<StaticRegister> writes;
      const auto add = [&](std::size_t i) {
        if (i < code_.size() && !seen[i])
          seen[i] = true, open.push_back(static_cast<std::uint32_t>(i));
      };
      for (const std::uint32_t f : functions) add(f);
      while (!open.empty()) {
        const std::uint32_t i = open.back();
        open.pop_back();
        called.leaves_records |= leaves_records(i);
        writes.insert(lines_[i].writes.begin(), lines_[i].writes.end());
        if (code_[i].falls) add(i + 1);
        if (code_[i].target >= 0) add(static_cast<std::size_t>(code_[i].target));
        for (const std::uint32_t t : code_[i].places) add(t);
        for (const std::uint32_t t : code_[i].callees) add(t);
      }
      called.writes.assign(writes.begin(), writes.end());
    }
    if (called.leaves_records) leaves_records_.insert(line);
    lines_[line].writes = called.writes;
  }

  // Lines from which the loop may be left.
  std::vector<std::uint32_t> leaves(std::uint32_t loop,
                                    const std::vector<std::uint32_t>& inside) const {
    std::vector<std::uint32_t> out;
    for (const std::uint32_t i : inside) {
      const CodeLine& l = code_[i];
      const bool falls_out = l.falls && i + 1 < code_.size() && !flow_.inside(loop, i + 1);
      const bool jumps_out =
          l.calls             ? false
          : l.target >= 0     ? !flow_.inside(loop, static_cast<std::uint32_t>(l.target))
          : !l.places.empty() ? std::any_of(l.places.begin(), l.places.end(),
                                            [&](std::uint32_t t) { return !flow_.inside(loop, t); })
                              : !l.falls || l.ends;
      if (falls_out || jumps_out) out.push_back(i);
    }
    return out;
  }

  // Lines that were met on the path back from one. Such paths are looked for within one another,
  // each with a list of its own that is kept for the next: they are too many to make one each time.
  struct Marks {
    std::vector<std::uint32_t> met;  // by line: the number of the visit that met it last
    std::uint32_t visit = 0;
  };
  class Visit {
   public:
    explicit Visit(Reader& reader) : reader_(reader) {
      if (reader.depth_ == reader.marks_.size()) reader.marks_.emplace_back();
      marks_ = &reader.marks_[reader.depth_++];
      marks_->met.resize(reader.code_.size(), 0);
      ++marks_->visit;
    }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    ~Visit() { --reader_.depth_; }
    // False: it was met before.
    bool insert(std::uint32_t line) {
      if (marks_->met[line] == marks_->visit) return false;
      marks_->met[line] = marks_->visit;
      return true;
    }

   private:
    Reader& reader_;
    Marks* marks_;
  };

  // The value before line `line`, when all paths to it bring the same.
  StaticValue at(StaticRegister r, std::uint32_t line) {
    return from_all(r, before_[line], line, line == 0);
  }

  // … of what these lines leave behind them for line `user`.
  StaticValue from_all(StaticRegister r, const std::vector<std::uint32_t>& lines,
                       std::uint32_t user, bool from_start) {
    if (from_start) return std::nullopt;
    std::vector<std::uint32_t> open = lines;
    Visit seen(*this);
    for (const std::uint32_t i : open) seen.insert(i);
    StaticValue found;
    while (!open.empty()) {
      const std::uint32_t i = open.back();
      open.pop_back();
      if (const std::uint32_t loop = left_behind(i, user); loop != kNobody) {
        const auto& after = counted_of(loop).after;
        if (const auto v = after.find(r); v != after.end()) {
          if (found && *found != v->second) return std::nullopt;
          found = v->second;
          continue;
        }
      }
      const StaticLine& l = lines_[i];
      if (std::find(l.writes.begin(), l.writes.end(), r) != l.writes.end()) {
        const auto runs = guard(i);
        if (!runs) return std::nullopt;
        if (*runs) {
          const StaticValue v = written(i, r);
          if (!v || (found && *found != *v)) return std::nullopt;
          found = v;
          continue;
        }
      }
      if (i == 0) return std::nullopt;  // nobody has written it
      for (const std::uint32_t p : before_[i])
        if (seen.insert(p)) open.push_back(p);
    }
    return found;
  }

  // The outermost loop around a line that another line is not in.
  std::uint32_t left_behind(std::uint32_t line, std::uint32_t user) const {
    std::uint32_t out = kNobody;
    for (std::uint32_t l = flow_.loop_of[flow_.block_of[line]]; l != kNobody;
         l = flow_.loops[l].outer)
      if (!flow_.inside(l, user)) out = l;
    return out;
  }

  std::optional<bool> guard(std::uint32_t line) {
    const auto [known, fresh] = guards_.try_emplace(line, std::nullopt);  // round a loop: not known
    if (!fresh) return known->second;
    StaticLine only;
    only.guard = lines_[line].guard, only.guard_not = lines_[line].guard_not;
    only.never = lines_[line].never;
    const auto runs = values_.condition(only, [&](StaticRegister r) { return at(r, line); });
    guards_[line] = runs;
    return runs;
  }

  StaticValue written(std::uint32_t line, StaticRegister r) {
    const auto key = std::make_pair(line, r);
    const auto [known, fresh] = known_.try_emplace(key, std::nullopt);  // round a loop: not known
    if (!fresh) return known->second;
    const StaticValue v =
        values_.result(lines_[line], r, [&](StaticRegister s) { return at(s, line); });
    known_[key] = v;
    return v;
  }

  // Registers that an instruction reads.
  static void read_by(const StaticLine& l, std::vector<StaticRegister>& out) {
    if (l.guard != kNoRegister) out.push_back(l.guard);
    for (std::size_t i = 0; i < l.operands.size(); ++i) {
      const StaticOperand& o = l.operands[i];
      // Results stand first; of two one is a predicate.
      const bool result = i == 0 || (i == 1 && (o.predicate || l.operands[0].predicate));
      const bool written = std::find(l.writes.begin(), l.writes.end(), o.reg) != l.writes.end();
      if (o.reg != kNoRegister && !(result && written)) out.push_back(o.reg);
    }
  }

  // Lines of the loop whose value of the register may be what line `line` reads, a round before
  // included.
  std::vector<std::uint32_t> writers(StaticRegister r, std::uint32_t line,
                                     std::uint32_t loop) const {
    std::vector<std::uint32_t> out, open(before_[line]);
    std::set<std::uint32_t> seen(open.begin(), open.end());
    while (!open.empty()) {
      const std::uint32_t i = open.back();
      open.pop_back();
      if (!flow_.inside(loop, i)) continue;
      const StaticLine& l = lines_[i];
      if (std::find(l.writes.begin(), l.writes.end(), r) != l.writes.end() && !l.never) {
        out.push_back(i);
        if (l.guard == kNoRegister) continue;
      }
      for (const std::uint32_t p : before_[i])
        if (seen.insert(p).second) open.push_back(p);
    }
    return out;
  }

  // A loop that was run.
  struct Counted {
    std::optional<std::uint64_t> rounds;
    std::map<StaticRegister, std::uint32_t> after;  // values of registers behind it
  };
  const Counted& counted_of(std::uint32_t loop) {
    const auto [known, fresh] = counted_.try_emplace(loop);  // … while it is run: nothing
    if (fresh) {
      Counted c;
      c.rounds = count(loop, c.after);
      known->second = std::move(c);
    }
    return known->second;
  }

  std::optional<std::uint64_t> count(std::uint32_t loop,
                                     std::map<StaticRegister, std::uint32_t>& after) {
    constexpr std::uint64_t kMost = 1u << 21;  // instructions that are run to find out
    std::vector<std::uint32_t> inside;
    std::uint32_t branches = 0, branch = kNobody;
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (!flow_.reached(i) || !flow_.inside(loop, i)) continue;
      inside.push_back(i);
      if (flow_.back_edge[i] == loop) ++branches, branch = i;
    }
    if (branches != 1) return std::nullopt;
    // What decides, and all that has a part in it.
    std::vector<std::uint32_t> slice = leaves(loop, inside);
    std::set<std::uint32_t> chosen(slice.begin(), slice.end());
    std::set<StaticRegister> wanted;
    for (std::size_t k = 0; k < slice.size(); ++k) {
      const std::uint32_t i = slice[k];
      const bool each_round = flow_.loop_of[flow_.block_of[i]] == loop &&
                              flow_.dominates(flow_.block_of[i], flow_.block_of[branch]);
      if (!each_round) return std::nullopt;
      std::vector<StaticRegister> reads;
      read_by(lines_[i], reads);
      for (const StaticRegister r : reads) {
        wanted.insert(r);
        for (const std::uint32_t j : writers(r, i, loop))
          if (chosen.insert(j).second) slice.push_back(j);
      }
    }
    std::sort(slice.begin(), slice.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(flow_.order[flow_.block_of[a]], a) <
             std::pair(flow_.order[flow_.block_of[b]], b);
    });
    std::map<StaticRegister, StaticValue> now;
    const std::uint32_t header = *std::find_if(inside.begin(), inside.end(), [&](std::uint32_t i) {
      return flow_.block_of[i] == flow_.loops[loop].header;
    });
    std::vector<std::uint32_t> outside;
    for (const std::uint32_t p : before_[header])
      if (!flow_.inside(loop, p)) outside.push_back(p);
    const auto value = [&](StaticRegister r) -> StaticValue {
      const auto [entry, fresh] = now.try_emplace(r);
      if (fresh) entry->second = from_all(r, outside, header, outside.empty());
      return entry->second;
    };
    for (std::uint64_t rounds = 0, ran = 0; ran < kMost; ++rounds) {
      for (const std::uint32_t i : slice) {
        ++ran;
        const StaticLine& l = lines_[i];
        const auto runs = values_.condition(l, value);
        if (!runs) return std::nullopt;
        if (code_[i].target >= 0 || code_[i].ends) {
          const bool stays_if_taken =
              code_[i].target >= 0 &&
              flow_.inside(loop, static_cast<std::uint32_t>(code_[i].target));
          if (*runs == stays_if_taken) continue;
          // Of what was followed in each of its changes the value is known behind the loop, too.
          for (const auto& one : now)
            if (one.second && std::all_of(inside.begin(), inside.end(), [&](std::uint32_t j) {
                  const auto& writes = lines_[j].writes;
                  return chosen.contains(j) ||
                         std::find(writes.begin(), writes.end(), one.first) == writes.end();
                }))
              after[one.first] = *one.second;
          return rounds;
        }
        if (!*runs) continue;
        std::vector<std::pair<StaticRegister, StaticValue>> results;
        for (const StaticRegister r : l.writes)
          if (wanted.contains(r)) results.emplace_back(r, values_.result(l, r, value));
        for (const auto& [r, v] : results) now[r] = v;
      }
      if (slice.empty()) return std::nullopt;
    }
    return std::nullopt;
  }

  std::vector<CodeLine> code_;  // without the paths that are never gone
  std::vector<bool> led_to_;    // by line, with all of them
  StaticValues values_;
  std::vector<StaticLine> lines_;
  std::deque<Marks> marks_;  // by depth
  std::size_t depth_ = 0;
  struct Called {
    std::vector<StaticRegister> writes;
    bool leaves_records = false;
  };
  std::map<std::vector<std::uint32_t>, Called> called_;  // by the functions that a call may go to
  std::set<std::uint32_t> leaves_records_;               // calls of functions that do
  std::vector<std::vector<std::uint32_t>> before_;       // of each line: those that lead to it
  trace::CodeFlow flow_;
  std::map<std::pair<std::uint32_t, StaticRegister>, StaticValue> known_;
  std::map<std::uint32_t, std::optional<bool>> guards_;
  std::map<std::uint32_t, Counted> counted_;
};

}  // namespace

trace::CodeFlow flow_of_code(const std::vector<CodeLine>& code) {
  std::vector<trace::FlowLine> lines(code.size());
  for (std::size_t i = 0; i < code.size(); ++i) {
    const CodeLine& l = code[i];
    lines[i].falls = l.falls;
    if (l.target >= 0) lines[i].targets = {static_cast<std::uint32_t>(l.target)};
    else if (!l.places.empty()) lines[i].targets = l.places;
    else if (l.ends || !l.falls) lines[i].targets = {static_cast<std::uint32_t>(code.size())};
  }
  // Functions that a call may go to where it does not say are led to from the kernel's beginning:
  // their calls of one another, most of which are never made, would be cycles.
  std::vector<std::uint32_t> callees;
  for (const CodeLine& l : code) callees.insert(callees.end(), l.callees.begin(), l.callees.end());
  std::sort(callees.begin(), callees.end());
  callees.erase(std::unique(callees.begin(), callees.end()), callees.end());
  if (!lines.empty())
    lines[0].targets.insert(lines[0].targets.end(), callees.begin(), callees.end());
  return trace::flow_of(lines);
}

StaticFlow static_flow(const trace::DecodedProgram& program, const std::vector<CodeLine>& code,
                       const trace::Launch& launch, std::span<const SpillSlot> slots) {
  if (code.empty() || code.size() != program.size()) return {};
  return Reader(program, code, launch, slots).run();
}

}  // namespace warpmem::sim
