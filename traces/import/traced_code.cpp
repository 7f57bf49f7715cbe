#include "traces/import/traced_code.hpp"

#include <algorithm>
#include <numeric>

#include "traces/import/sass_text.hpp"

namespace warpmem::imports {
namespace {

constexpr std::uint32_t kFunctionsApart = 4096;  // bytes

}  // namespace

std::uint32_t TracedCode::number_of(const AccelSimLine& line) {
  key_.assign(reinterpret_cast<const char*>(&line.pc), sizeof line.pc);
  for (const auto* list : {&line.destinations, &line.sources}) {
    for (const std::string_view reg : *list) key_ += reg, key_ += ' ';
    key_ += ';';
  }
  key_ += line.opcode;
  const auto [at, added] = numbers_.try_emplace(key_, static_cast<std::uint32_t>(all_.size()));
  if (!added) return at->second;
  One& one = all_.emplace_back();
  one.pc = line.pc, one.line = line.source_line, one.opcode = line.opcode;
  one.function = functions_[line.pc]++;
  one.destinations.assign(line.destinations.begin(), line.destinations.end());
  one.sources.assign(line.sources.begin(), line.sources.end());
  return at->second;
}

void TracedCode::follows(std::uint32_t number, std::uint32_t next) { ++all_[number].next[next]; }

std::uint32_t TracedCode::target_of(std::uint32_t number,
                                    const std::vector<std::uint32_t>& order) const {
  const One& one = all_[number];
  const std::uint32_t behind = one.position + 1 < order.size() ? order[one.position + 1] : kNone;
  std::uint32_t best = kNone;
  std::uint64_t most = 0;
  for (const auto& [next, times] : one.next)
    if (next != behind && times > most) best = next, most = times;
  return best;
}

Result<void> TracedCode::finish(const std::string& place) {
  std::uint32_t last = 0;
  for (const One& one : all_) last = std::max(last, one.pc);
  const std::uint64_t apart = (std::uint64_t{last} / kFunctionsApart + 1) * kFunctionsApart;
  const auto placed = [&](const One& one) { return one.function * apart + one.pc; };
  std::vector<std::uint32_t> order(all_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t n) { return placed(all_[n]); });
  if (!order.empty() && placed(all_[order.back()]) > ~std::uint32_t{0})
    return Error{ErrorKind::kMalformed, "one pc has too many different instructions", place,
                 "trace the kernel again: its lines contradict each other"};
  for (std::uint32_t i = 0; i < order.size(); ++i) all_[order[i]].position = i;
  std::vector<trace::FlowLine> lines(order.size());
  program_.code.resize(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    One& one = all_[order[i]];
    TracedText text{one.opcode, {}, {}, false, {}};
    text.destinations.assign(one.destinations.begin(), one.destinations.end());
    text.sources.assign(one.sources.begin(), one.sources.end());
    auto decoded = trace::decode_instruction(sass_text(text));
    if (!decoded)
      return Error{ErrorKind::kMalformed, decoded.error().message, place,
                   "this is no instruction of machine code"};
    const auto kind = decoded->kind;
    const bool jumps =
        kind == trace::InstructionKind::kBranch || kind == trace::InstructionKind::kCall;
    const bool passed = i + 1 < order.size() && one.next.contains(order[i + 1]);
    const std::uint32_t target = jumps ? target_of(order[i], order) : kNone;
    if (target != kNone) {
      text.target = static_cast<std::uint32_t>(placed(all_[target]));
      text.conditional = passed && kind == trace::InstructionKind::kBranch;
      if (kind == trace::InstructionKind::kBranch)
        lines[i].targets.push_back(all_[target].position);
    } else if (jumps) {
      text.conditional = true;  // never taken
    } else if (kind == trace::InstructionKind::kExit) {
      text.conditional = passed;
    }
    const bool ends = kind == trace::InstructionKind::kExit ||
                      kind == trace::InstructionKind::kReturn ||
                      kind == trace::InstructionKind::kBranch;
    lines[i].falls = !ends || text.conditional;
    trace::Instruction& out = program_.code[i];
    out.pc = static_cast<std::uint32_t>(placed(one));
    out.text = sass_text(text), out.line = one.line;
    decoded = trace::decode_instruction(out.text);
    if (!decoded) return Error{ErrorKind::kInternal, decoded.error().message, place, {}};
    one.decoded = std::move(*decoded);
  }
  if (!lines.empty()) lines.back().falls = false;
  flow_ = trace::flow_of(lines);
  return {};
}

std::vector<trace::TimesRun> TracedCode::times() const {
  std::vector<std::uint64_t> by_position(all_.size());
  for (const One& one : all_) by_position[one.position] = one.times;
  std::vector<trace::TimesRun> out;
  for (std::size_t i = 0; i < by_position.size(); ++i) {
    if (!out.empty() && out.back().times == by_position[i]) ++out.back().instructions;
    else out.push_back({program_.code[i].pc, 1, 1, by_position[i]});
  }
  return out;
}

}  // namespace warpmem::imports
