#include "emulate/sass/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulate/executor/driver_bank.hpp"
#include "emulate/sass/warp_handlers.hpp"

namespace warpmem::emulate {
namespace {

using Kind_ = trace::SassOperand::Kind;

constexpr std::uint32_t kRow = 128;  // bytes: 32 lanes of 32 bits
// Rows behind the last register that is named: a wide access names its first one alone, and a copy
// of five dimensions the first of eight uniform ones.
constexpr std::uint32_t kWidest = 4, kWidestUniform = 8;

// Stands in the table for the shapes of a warpgroup's products: 64x8x16 to 64x256x256.
constexpr std::string_view kGroupShape = "64x";

std::uint32_t float_bits(const trace::SassOperand& o) {
  if (o.nan) return (o.negative ? 0xffffffffu : 0x7fffffffu) & (o.signalling ? 0xffbfffffu : ~0u);
  return std::bit_cast<std::uint32_t>(static_cast<float>(o.real));
}

}  // namespace

// Tells of an instruction without a meaning here what it is and what to do about it.
void MachineDecoder::refuse(const MachineLine& line, std::size_t first, const std::string& why) {
  code_.code.resize(first);
  unknown_.insert(line.text);
  Inst& in = code_.code.emplace_back();
  in.kind = Kind::kRefused;
  in.statement = statement_;
  in.extra = static_cast<std::uint32_t>(code_.refusals.size());
  code_.refusals.push_back(fmt::format("'{}' is not executed: {}", line.text, why));
  if (line.guarded) guard(in);
}

std::uint32_t MachineDecoder::allot(std::uint32_t bytes) {
  const std::uint32_t at = frame_;
  frame_ += (bytes + 63) / 64 * 64;
  return at;
}

std::uint32_t MachineDecoder::temporary() {
  if (taken_ == temporaries_.size()) temporaries_.push_back(allot(2 * kRow));
  return temporaries_[taken_++];
}

std::uint32_t MachineDecoder::constant(const std::vector<std::uint32_t>& words) {
  const auto [it, fresh] = constants_.try_emplace(words, 0);
  if (!fresh) return it->second;
  it->second = allot(static_cast<std::uint32_t>(words.size()) * kRow);
  for (std::size_t i = 0; i < words.size(); ++i)
    born_with_.emplace_back(it->second + static_cast<std::uint32_t>(i) * kRow, words[i]);
  return it->second;
}

// Of what the driver puts before the parameters some words are not known.
void MachineDecoder::known_place(std::uint32_t bank, std::uint32_t offset,
                                 std::uint32_t words) const {
  if (bank != 0) return;
  const auto places = driver_places(request_.cc);
  for (std::uint32_t at = offset; at < offset + 4 * words && at < request_.params_at; at += 4)
    if (std::ranges::find(places, at, &DriverPlace::offset) == places.end())
      unknown(fmt::format("what the driver puts at {:#x} of constant bank 0 is not known", offset));
}

std::uint32_t MachineDecoder::bank_row(std::uint32_t bank, std::uint32_t offset,
                                       std::uint32_t words) {
  known_place(bank, offset, words);
  const auto [it, fresh] = banks_.try_emplace({bank, offset, words}, 0);
  if (!fresh) return it->second;
  it->second = allot(words * kRow);
  for (std::uint32_t i = 0; i < words; ++i)
    bank_rows_.push_back({it->second + i * kRow, bank, offset + 4 * i});
  return it->second;
}

Inst& MachineDecoder::emit(Kind kind) {
  Inst& in = code_.code.emplace_back();
  in.kind = kind;
  in.statement = statement_;
  if (line_->guarded) guard(in);
  return in;
}

Inst& MachineDecoder::emit_hidden(Kind kind) {
  Inst& in = code_.code.emplace_back();
  in.kind = kind;
  in.statement = statement_;
  in.hidden = true;
  return in;
}

Inst& MachineDecoder::compute(const std::string& handler) {
  const Handler fn = find_handler(handler);
  if (!fn) unknown(fmt::format("there is no operation {}", handler));
  Inst& in = emit(Kind::kCompute);
  in.fn = fn;
  if (form_->uniform) in.inner = fn, in.fn = find_handler("machine.uniform");
  return in;
}

Inst& MachineDecoder::hidden_compute(const std::string& handler) {
  const Handler fn = find_handler(handler);
  if (!fn) unknown(fmt::format("there is no operation {}", handler));
  Inst& in = emit_hidden(Kind::kCompute);
  in.fn = fn;
  if (form_->uniform) in.inner = fn, in.fn = find_handler("machine.uniform");
  return in;
}

void MachineDecoder::guard(Inst& in) const {
  in.guard = line_->guard == trace::kTruePredicate
                 ? true_
                 : (line_->guard_uniform ? uniform_predicates_ : predicates_) + 4u * line_->guard;
  in.guard_negated = line_->guard_negated;
}

bool MachineDecoder::has(std::string_view modifier) const {
  return std::ranges::find(line_->modifiers, modifier) != line_->modifiers.end();
}

void MachineDecoder::expect(std::size_t low, std::size_t high) const {
  if (count() < low || count() > high)
    unknown(fmt::format("it has {} operands, of which {} are known", count(), low));
}

const trace::SassOperand& MachineDecoder::at(std::size_t i) const {
  if (i >= count()) unknown("an operand is missing");
  return line_->operands[i];
}

bool MachineDecoder::is_predicate(std::size_t i) const {
  return i < count() && (line_->operands[i].kind == Kind_::kPredicate ||
                         line_->operands[i].kind == Kind_::kUniformPredicate);
}

std::uint32_t MachineDecoder::plain_source(const Operand& o, std::uint32_t words) {
  switch (o.kind) {
    case Kind_::kRegister: return o.number == trace::kZeroRegister ? zero_ : reg(o.number);
    case Kind_::kUniformRegister:
      return o.number == trace::kZeroUniform ? zero_ : uniform_base_ + kRow * o.number;
    case Kind_::kConstant:
      if (o.descriptor != trace::kNoRegister || o.base != trace::kNoRegister ||
          o.uniform != trace::kNoRegister)
        break;
      return bank_row(o.bank, static_cast<std::uint32_t>(o.value), words);
    default: break;
  }
  unknown(fmt::format("its operand {} is of a kind that this opcode is not known to have", o.text));
}

std::uint32_t MachineDecoder::source(std::size_t i, std::uint32_t words) {
  const Operand& o = at(i);
  if (o.negative && o.kind != Kind_::kInteger)
    unknown(fmt::format("its operand {} is negated", o.text));
  if (o.absolute || o.complement || !o.modifiers.empty())
    unknown(fmt::format("its operand {} has a modifier", o.text));
  if (o.kind != Kind_::kInteger) return plain_source(o, words);
  std::vector<std::uint32_t> value{static_cast<std::uint32_t>(o.value)};
  for (std::uint32_t k = 1; k < words; ++k)
    value.push_back(static_cast<std::uint32_t>(o.value >> 32));
  return constant(value);
}

std::uint32_t MachineDecoder::integer_source(std::size_t i, bool& negated) {
  const Operand& o = at(i);
  if (o.kind == Kind_::kInteger) return negated = false, source(i);
  negated = o.negative || o.complement;
  if (o.absolute || !o.modifiers.empty())
    unknown(fmt::format("its operand {} has a modifier", o.text));
  return plain_source(o, 1);
}

std::uint32_t MachineDecoder::float_source(std::size_t i) {
  const Operand& o = at(i);
  if (o.kind == Kind_::kFloat || o.kind == Kind_::kInteger) {
    if (o.text.find("0x") != o.text.npos) return source(i);
    return constant({float_bits(o)});
  }
  if (o.complement || !o.modifiers.empty())
    unknown(fmt::format("its operand {} has a modifier", o.text));
  const std::uint32_t row = plain_source(o, 1);
  if (!o.negative && !o.absolute) return row;
  const std::uint32_t to = temporary();
  Inst& in = hidden_compute("machine.sign");
  in.d = to, in.a = row, in.target = o.absolute ? 0x7fffffffu : ~0u;
  in.extra = o.negative ? 0x80000000u : 0;
  return to;
}

// The high half of a double is what an immediate has. `magnitude`: whoever asks takes |a| itself.
std::uint32_t MachineDecoder::double_pair(std::size_t i, bool& negated, bool* magnitude) {
  const Operand& o = at(i);
  negated = false;
  if (o.kind == Kind_::kFloat || o.kind == Kind_::kInteger) {
    const std::uint64_t bits = o.nan ? 0x7fffffff00000000u : std::bit_cast<std::uint64_t>(o.real);
    if (o.kind == Kind_::kInteger && o.text.find("0x") != o.text.npos)
      unknown("a double has an immediate in hexadecimal");
    return constant({0, static_cast<std::uint32_t>(bits >> 32)});
  }
  if (o.complement || !o.modifiers.empty())
    unknown(fmt::format("its operand {} has a modifier", o.text));
  const std::uint32_t row = plain_source(o, 2);
  if (magnitude) *magnitude = o.absolute;
  if (!o.absolute || magnitude) return negated = o.negative, row;
  const std::uint32_t to = temporary();
  Inst& low = hidden_compute("mov.b32");
  low.d = to, low.a = row;
  Inst& high = hidden_compute("machine.sign");
  high.d = to + kRow, high.a = row + kRow, high.target = 0x7fffffffu;
  high.extra = o.negative ? 0x80000000u : 0;
  return to;
}

std::uint32_t MachineDecoder::joined(std::uint32_t pair) {
  const std::uint32_t to = temporary();
  Inst& in = hidden_compute("machine.join");
  in.d = to, in.a = pair;
  return to;
}

// What a handler of PTX left in a row of another width, into the registers of operand `i`.
void MachineDecoder::from_row(std::uint32_t result, std::uint32_t bytes, std::size_t i) {
  Inst& last = compute(bytes == 8 ? "machine.split" : "machine.from_half");
  last.hidden = true;
  last.d = dest(i, bytes == 8 ? 2 : 1), last.a = result;
}

std::uint32_t MachineDecoder::dest(std::size_t i, std::uint32_t words) const {
  const Operand& o = at(i);
  if (o.kind == Kind_::kRegister) return o.number == trace::kZeroRegister ? sink_ : reg(o.number);
  if (o.kind == Kind_::kUniformRegister)
    return o.number == trace::kZeroUniform ? sink_ : uniform_base_ + kRow * o.number;
  unknown(fmt::format("its result {} of {} words is no register", o.text, words));
}

MachineDecoder::Truth MachineDecoder::truth(std::size_t i) const {
  const Operand& o = at(i);
  if (!is_predicate(i)) unknown(fmt::format("its operand {} is no predicate", o.text));
  if (o.number == trace::kTruePredicate) return {true_, o.complement};
  const bool uniform = o.kind == Kind_::kUniformPredicate;
  return {(uniform ? uniform_predicates_ : predicates_) + 4u * o.number, o.complement};
}

std::uint32_t MachineDecoder::truth_row(std::size_t i) {
  const Truth t = truth(i);
  if (!t.inverted) return t.row;
  const std::uint32_t to = temporary();
  Inst& in = hidden_compute("not.pred");
  in.d = to, in.a = t.row;
  return to;
}

// What a comparison's result is joined with: .AND, .OR, .XOR
void MachineDecoder::join_with(Inst& to, const Truth& with) const {
  to.c = with.row, to.negate_c = with.inverted;
  const bool always = with.row == true_ && !with.inverted && has("AND");
  to.sub = always ? 0 : has("AND") ? 1 : has("OR") ? 2 : 3;
}

std::uint32_t MachineDecoder::predicate_dest(std::size_t i) const {
  const Truth t = truth(i);
  return t.row == true_ ? kNoOffset : t.row;
}

std::uint32_t MachineDecoder::number(std::size_t i) const {
  const Operand& o = at(i);
  if (o.kind != Kind_::kInteger) unknown(fmt::format("its operand {} is no number", o.text));
  return static_cast<std::uint32_t>(o.value);
}

void MachineDecoder::float_mode(Inst& in) {
  std::uint8_t fp = 0;
  if (has("RZ")) fp = 1;
  if (has("RM")) fp = 2;
  if (has("RP")) fp = 3;
  if (has("FTZ")) fp |= 4;
  if (has("SAT")) fp |= 8;
  if (!fp) return;
  in.fp = fp, in.float_bytes = 4;
  if (!form_->uniform) in.inner = in.fn;
  in.fn = mode_wrapper();
  if (!form_->uniform) return;
  // The mode's wrapper does it for the lanes that are there: the others get theirs.
  const std::uint32_t d = in.d;
  Inst& all = emit(Kind::kCompute);
  all.hidden = true, all.fn = first_lane_to_all, all.d = all.a = d;
}

void MachineDecoder::lay_out(const std::vector<MachineLine>& lines) {
  const auto meet = [&](const Operand& o) {
    const auto general = [&](std::uint16_t n) {
      if (n < trace::kZeroRegister) registers_ = std::max<std::uint32_t>(registers_, n + 1u);
    };
    const auto uniform = [&](std::uint16_t n) {
      if (n < trace::kZeroUniform) uniforms_ = std::max<std::uint32_t>(uniforms_, n + 1u);
    };
    if (o.kind == Kind_::kRegister) general(o.number);
    if (o.kind == Kind_::kUniformRegister) uniform(o.number);
    general(o.base), uniform(o.uniform), uniform(o.descriptor);
  };
  registers_ = 14;  // what calls of the driver's functions name is not in the text
  for (const MachineLine& line : lines) {
    for (const Operand& o : line.operands) meet(o);
    // A warpgroup's product names the first of up to 128.
    if (line.opcode.ends_with("GMMA")) registers_ = trace::kZeroRegister;
  }
  registers_ += kWidest, uniforms_ += kWidestUniform;
  allot(registers_ * kRow);
  uniform_base_ = allot(uniforms_ * kRow);
  predicates_ = allot(8 * 4), uniform_predicates_ = allot(8 * 4);
  barrier_count_ = allot(kRow), barrier_truth_ = allot(4);
  spare_ = allot(2 * kRow);
  true_ = allot(4), barriers_ = allot(16 * kRow);
  zero_ = allot(kWidest * kRow), sink_ = allot(8 * kRow);
}

void MachineDecoder::statement(const MachineLine& line) {
  line_ = &line;
  taken_ = 0, spills_ = line.spills ? 1 : 0;
  const std::size_t first = code_.code.size();
  code_.lines.push_back(static_cast<std::uint32_t>(first));
  form_ = find_form(line.opcode);
  try {
    if (!form_) unknown("its opcode is not known");
    for (const std::string& m : line.modifiers) {
      const std::string_view all = form_->modifiers;
      bool known = false;
      for (std::size_t at = 0; at < all.size() && !known;) {
        const std::size_t end = std::min(all.find(' ', at), all.size());
        const std::string_view one = all.substr(at, end - at);
        known = one == m || (one == kGroupShape && m.starts_with(one));
        at = end + 1;
      }
      if (!known) unknown(fmt::format("its modifier .{} is not known", m));
    }
    (this->*form_->decode)();
  } catch (const Unknown& why) {
    refuse(line, first, why.why);
  }
}

// Blocks begin where jumps go, and behind what may end a stretch of the warp.
void MachineDecoder::finish(const std::vector<MachineLine>& lines) {
  const auto lead = [&](std::size_t statement) {
    if (statement < code_.lines.size()) code_.code[code_.lines[statement]].leader = true;
  };
  lead(0);
  for (const std::uint32_t t : targets_) lead(t);
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (const std::uint32_t place : lines[i].places) lead(place / 16);
  for (Inst& in : code_.code)
    if (in.kind == Kind::kMachineBranch && in.target != kNoOffset)
      in.target = code_.lines[in.target];
  code_.image.assign(frame_, std::byte{0});
  for (const auto& [row, value] : born_with_)
    for (std::uint32_t l = 0; l < 32; ++l) std::memcpy(&code_.image[row + 4 * l], &value, 4);
  const std::uint32_t all = ~0u;
  std::memcpy(&code_.image[true_], &all, 4);
}

Code MachineDecoder::run(const std::vector<trace::Instruction>& program) {
  code_.function = request_.function;
  code_.machine = true;
  total_ = static_cast<std::uint32_t>(program.size());
  std::vector<MachineLine> lines;
  std::vector<std::string> damaged(program.size());
  for (const trace::Instruction& instruction : program) {
    auto line = take_apart(instruction);
    if (line) {
      lines.push_back(std::move(*line));
      continue;
    }
    damaged[lines.size()] = line.error().message;
    MachineLine& bad = lines.emplace_back();
    bad.pc = instruction.pc, bad.text = instruction.text;
  }
  lay_out(lines);
  for (statement_ = 0; statement_ < lines.size(); ++statement_) {
    statement(lines[statement_]);
    if (!damaged[statement_].empty())
      refuse(lines[statement_], code_.lines.back(), damaged[statement_]);
  }
  // Whoever runs over the end of the code meets this.
  line_ = nullptr;
  Inst& end = code_.code.emplace_back();
  end.kind = Kind::kRefused, end.leader = true, end.hidden = true;
  end.statement = statement_ ? statement_ - 1 : 0;
  end.extra = static_cast<std::uint32_t>(code_.refusals.size());
  code_.refusals.emplace_back("the kernel runs over the end of its code");
  finish(lines);
  return std::move(code_);
}

}  // namespace warpmem::emulate
