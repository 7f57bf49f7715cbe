#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "emulate/executor/special.hpp"
#include "emulate/ptx/control_flow.hpp"
#include "emulate/ptx/decoder.hpp"
#include "emulate/ptx/ptx_flow.hpp"

namespace warpmem::emulate {

Modifiers::Modifiers(std::string_view opcode) {
  std::size_t dot = opcode.find('.');
  base_ = opcode.substr(0, dot);
  while (dot != opcode.npos) {
    const std::size_t next = opcode.find('.', dot + 1);
    pieces_.push_back(opcode.substr(dot + 1, next == opcode.npos ? opcode.npos : next - dot - 1));
    dot = next;
  }
}

bool Modifiers::take(std::string_view name) {
  const auto at = std::find(pieces_.begin(), pieces_.end(), name);
  if (at == pieces_.end()) return false;
  pieces_.erase(at);
  return true;
}
bool Modifiers::has(std::string_view name) const {
  return std::find(pieces_.begin(), pieces_.end(), name) != pieces_.end();
}

std::string_view Modifiers::take_one_of(std::initializer_list<std::string_view> names) {
  for (const std::string_view n : names)
    if (take(n)) return n;
  return {};
}

std::string_view Modifiers::take_prefix(std::string_view prefix) {
  for (auto at = pieces_.begin(); at != pieces_.end(); ++at) {
    if (!at->starts_with(prefix)) continue;
    const std::string_view piece = *at;
    pieces_.erase(at);
    return piece;
  }
  return {};
}

Type Modifiers::take_type() {
  if (pieces_.empty()) return Type::kNone;
  auto last = pieces_.end() - 1;
  if ((*last == "relu" || *last == "ftz") && last != pieces_.begin())
    --last;  // max.s16x2.relu; lg2.approx.f32.ftz in curand_poisson
  const Type type = type_named(*last);
  if (type != Type::kNone) pieces_.erase(last);
  return type;
}

Decoder::Decoder(Kernel& kernel, const Function& function, std::vector<const Function*>& reached)
    : kernel_(kernel),
      f_(function),
      reached_(reached),
      loaded_(*kernel.module),
      text_(*kernel.module->module().source) {
  code_.function = &function;
  slots_.assign(f_.registers.size(), kNoOffset);
}

void Decoder::fail(const std::string& message, const std::string& fix, std::size_t at) {
  throw DecodeFailure{
      text_.error_at(at ? at : s_->at, fmt::format("{} (in '{}')", message, f_.name), fix)};
}

void Decoder::unsupported(std::string_view what) {
  const std::string shown =
      what.empty() ? std::string(s_->opcode) : fmt::format("{} (its '{}')", s_->opcode, what);
  throw DecodeFailure{text_.error_at(
      s_->at, fmt::format("the emulator does not support {} (in '{}')", shown, f_.name),
      "docs/reference/emulator.md lists what it supports; leave this kernel out, or record it on a "
      "GPU")};
}

void Decoder::expect_operands(std::size_t low, std::size_t high) {
  const std::size_t n = s_->operands.size();
  if (n < low || n > high)
    fail(low == high ? fmt::format("{} needs {} operands, not {}", s_->opcode, low, n)
                     : fmt::format("{} needs {} to {} operands, not {}", s_->opcode, low, high, n));
}

void Decoder::all_taken(const Modifiers& m) {
  if (!m.left().empty()) unsupported(fmt::format(".{}", m.left()));
}

// No function of a real program comes near: 16 million registers.
std::uint32_t Decoder::allot(std::uint32_t bytes) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
  const std::uint32_t at = frame_;
  if (std::uint64_t{at} + bytes + 63 > kMost)
    fail("registers and parameters of calls take more than 64 MiB a thread",
         "make the function smaller", s_ ? s_->at : f_.at);
  frame_ += (bytes + 63) / 64 * 64;
  return at;
}

std::uint32_t Decoder::slot(std::uint32_t reg) {
  std::uint32_t& s = slots_[reg];
  if (s == kNoOffset) {
    const Type t = f_.registers[reg];
    s = allot(t == Type::kPred ? 4 : std::max(2u, size_of(t)) * 32);
  }
  return s;
}

std::uint32_t Decoder::constant(std::uint64_t value, std::uint32_t lane_bytes) {
  lane_bytes = std::max(2u, lane_bytes);
  if (lane_bytes < 8) value &= (std::uint64_t{1} << lane_bytes * 8) - 1;
  const auto key = std::make_pair(value, lane_bytes);
  if (const auto at = constants_.find(key); at != constants_.end()) return at->second;
  const std::uint32_t at = allot(lane_bytes * 32);
  constants_[key] = at;
  constant_list_.push_back({at, key});
  return at;
}

std::uint32_t Decoder::register_bytes(const Operand& o) const {
  if (o.kind != Operand::Kind::kRegister) return 0;
  return std::max(2u, size_of(f_.registers[o.number]));
}

bool Decoder::special_register(std::string_view name, std::uint32_t& sub, Type& type) const {
  for (const SpecialName& s : kSpecialNames) {
    if (s.name != name) continue;
    sub = static_cast<std::uint32_t>(s.what);
    if (s.what == Special::kReserved || s.what == Special::kReservedEnd)
      kernel_.reserves_shared = true;
    type = s.type;
    return true;
  }
  return false;
}

// The address of a module's variable or function, or of something in shared or parameter memory.
bool Decoder::address_constant(const Operand& o, std::uint64_t& value) {
  const auto offset = static_cast<std::uint64_t>(o.offset);
  const Variable* v = o.variable;
  if (o.kind == Operand::Kind::kSymbol) {
    const Module& module = loaded_.module();
    if (const auto at = module.variable_named.find(o.name); at != module.variable_named.end()) {
      v = at->second;
    } else if (const auto fn = module.function_named.find(o.name);
               fn != module.function_named.end()) {
      if (!fn->second->has_body)
        fail(fmt::format("function '{}' has no body in this file", o.name),
             "link it in: emulate the whole program");
      reached_.push_back(fn->second);
      value = loaded_.address_of(fn->second) + offset;
      return true;
    } else if (o.name == "WARP_SZ") {
      value = 32;
      return true;
    } else {
      return false;
    }
  }
  if (!v) return false;
  switch (v->space) {
    case Space::kShared: value = v->offset + offset; return true;
    case Space::kParam:
      if (!f_.is_entry) return false;
      value = loaded_.memory().param_base() + v->offset + offset;
      return true;
    case Space::kLocal: return false;
    default:
      if (v->is_extern && v->bytes == 0)
        fail(fmt::format("'{}' is declared extern and not defined in this file", v->name),
             "emulate the whole program instead of one file");
      value = loaded_.address_of(v) + offset;
      return true;
  }
}

std::uint32_t Decoder::source(const Operand& o, Type type, bool relaxed) {
  const std::uint32_t bytes = std::max(2u, size_of(type));
  switch (o.kind) {
    case Operand::Kind::kRegister: {
      const Type have = f_.registers[o.number];
      if (have == Type::kPred)
        fail(fmt::format("a predicate cannot be a .{} operand", name_of(type)), "", o.at);
      const std::uint32_t width = register_bytes(o);
      if (width != bytes && !(relaxed && width > bytes))
        fail(fmt::format("a register of {} bits cannot be a .{} operand", width * 8, name_of(type)),
             "", o.at);
      return slot(o.number);
    }
    case Operand::Kind::kInteger:
      if (type == Type::kF32 || type == Type::kF64)
        fail("an integer where a float is needed", "", o.at);
      return constant(o.value, bytes);
    case Operand::Kind::kFloat32:
      if (bytes != 4)
        fail(fmt::format("a 32-bit float cannot be a .{} operand", name_of(type)), "", o.at);
      return constant(o.value, 4);
    case Operand::Kind::kFloat64: {
      double v;
      std::memcpy(&v, &o.value, 8);
      if (type == Type::kF32) {
        const auto f = static_cast<float>(v);
        std::uint32_t b;
        std::memcpy(&b, &f, 4);
        return constant(b, 4);
      }
      if (bytes != 8)
        fail(fmt::format("a 64-bit float cannot be a .{} operand", name_of(type)), "", o.at);
      return constant(o.value, 8);
    }
    case Operand::Kind::kSymbol:
    case Operand::Kind::kVariable: {
      std::uint64_t value = 0;
      std::uint32_t sub = 0;
      Type have = Type::kNone;
      if (o.kind == Operand::Kind::kSymbol && special_register(o.name, sub, have)) {
        const std::uint32_t to = temporary(std::max(4u, size_of(have)));
        Inst& in = emit_hidden(Kind::kSpecial);
        in.d = to, in.sub = sub;
        if (bytes == size_of(have)) return to;
        if (bytes == 4 && size_of(have) == 8) {  // the low half
          const std::uint32_t low = temporary(4);
          Inst& cut = emit_hidden(Kind::kCompute);
          cut.fn = find_handler("part.4.8"), cut.d = low, cut.a = to;
          return low;
        }
        fail(fmt::format("{} has {} bits: it cannot be a .{} operand", o.name, size_of(have) * 8,
                         name_of(type)),
             "", o.at);
      }
      if (address_constant(o, value)) return constant(value, bytes);
      if (o.variable && o.variable->space == Space::kLocal) {
        const std::uint32_t to = temporary(8);
        Inst& in = emit_hidden(Kind::kLocalAddress);
        in.d = to, in.extra = local_offsets_.at(o.variable) + static_cast<std::uint32_t>(o.offset);
        if (bytes == 8) return to;
        const std::uint32_t low = temporary(4);
        Inst& cut = emit_hidden(Kind::kCompute);
        cut.fn = find_handler("part.4.8"), cut.d = low, cut.a = to;
        return low;
      }
      if (o.name.starts_with('%'))
        fail(fmt::format(
                 "'{}' is neither a declared register nor a special register the emulator knows",
                 o.name),
             "", o.at);
      fail(fmt::format("'{}' is not declared", o.name), "", o.at);
    }
    default: fail(fmt::format("this is not a .{} operand", name_of(type)), "", o.at);
  }
}

std::uint32_t Decoder::dest(const Operand& o, Type type, bool relaxed) {
  const std::uint32_t bytes = std::max(2u, size_of(type));
  if (o.kind == Operand::Kind::kSink) return temporary(bytes);
  if (o.kind != Operand::Kind::kRegister) fail("the result needs a register", "", o.at);
  if (f_.registers[o.number] == Type::kPred)
    fail(fmt::format("a predicate cannot hold a .{} result", name_of(type)), "", o.at);
  const std::uint32_t width = register_bytes(o);
  if (width != bytes && !(relaxed && width > bytes))
    fail(fmt::format("a register of {} bits cannot hold a .{} result", width * 8, name_of(type)),
         "", o.at);
  return slot(o.number);
}

std::uint32_t Decoder::predicate(const Operand& o) {
  if (o.kind == Operand::Kind::kSink) return kNoOffset;
  if (o.kind == Operand::Kind::kInteger) {
    const std::uint32_t at = constant(o.value ? ~std::uint64_t{0} : 0, 4);
    return at;
  }
  if (o.kind != Operand::Kind::kRegister || f_.registers[o.number] != Type::kPred)
    fail("this operand must be a predicate", "", o.at);
  return slot(o.number);
}

std::uint64_t Decoder::number(const Operand& o) {
  if (o.kind != Operand::Kind::kInteger)
    fail("this operand must be a number known beforehand", "", o.at);
  return o.value;
}

Inst& Decoder::emit(Kind kind) {
  Inst in;
  in.kind = kind;
  in.statement = s_number_;
  if (s_->guard >= 0)
    in.guard = slot(static_cast<std::uint32_t>(s_->guard)), in.guard_negated = s_->guard_negated;
  code_.code.push_back(in);
  return code_.code.back();
}

Inst& Decoder::emit_hidden(Kind kind) {
  Inst& in = emit(kind);
  in.hidden = true;
  return in;
}

// A loop whose end falls through to its beginning ends with a jump of ours, so that whoever counts
// its rounds or waits for its lanes finds one as in all others.
void Decoder::go_round(std::uint32_t beginning) {
  Inst in;
  in.kind = Kind::kBranch, in.statement = s_number_, in.hidden = true;
  in.target = beginning;
  code_.code.push_back(in);
}

Inst& Decoder::emit_handler(const std::string& name) {
  const Handler h = find_handler(name);
  if (!h) unsupported();
  Inst& in = emit(Kind::kCompute);
  in.fn = h;
  return in;
}

// fp: bits 0-1 rounding, 2 ftz, 3 sat.
void Decoder::add_mode(Inst& in, std::uint8_t fp, Type type) {
  if (fp == 0) return;
  in.fp = fp;
  in.float_bytes = static_cast<std::uint8_t>(size_of(type));
  in.inner = in.fn;
  in.fn = mode_wrapper();
}

ParamSlot Decoder::param_slot(const Variable* v) {
  const auto at = param_slots_.find(v);
  if (at != param_slots_.end()) return at->second;
  const auto bytes = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, v->bytes) + 7) / 8 * 8;
  return param_slots_[v] = ParamSlot{allot(bytes * 32), bytes};
}

void Decoder::layout_variables() {
  for (const Variable& v : f_.variables) {
    if (v.space != Space::kLocal) continue;
    code_.local_bytes = (code_.local_bytes + v.align - 1) / v.align * v.align;
    local_offsets_[&v] = code_.local_bytes;
    if (code_.local_bytes + v.bytes > kMostLocal)
      fail("the function has more than 512 KiB of local memory, which is all that a thread has",
           "make its arrays smaller, or keep them in global memory", v.at);
    code_.local_bytes += static_cast<std::uint32_t>(v.bytes);
  }
  code_.local_bytes = (code_.local_bytes + 15) / 16 * 16;
  if (f_.is_entry) return;
  for (const Variable* v : f_.params) code_.params.push_back(param_slot(v));
  for (const Variable* v : f_.returns) code_.returns.push_back(param_slot(v));
}

void Decoder::count_mentions() {
  mentions_.assign(f_.registers.size(), 0);
  writes_ = writer_ = mentions_;
  const std::function<void(const Operand&, std::vector<std::uint32_t>&)> count =
      [&](const Operand& o, std::vector<std::uint32_t>& what) {
        if (o.kind == Operand::Kind::kRegister) {
          ++what[o.number];
          if (&what == &writes_) writer_[o.number] = s_number_;
        }
        for (const Operand& item : o.items) count(item, what);
      };
  for (s_number_ = 0; s_number_ < f_.body.size(); ++s_number_) {
    const Statement& s = f_.body[s_number_];
    for (const Operand& o : s.operands) count(o, mentions_);
    if (!s.operands.empty()) count(s.operands[0], writes_);  // at most: that of a barrier is read
  }
}

void Decoder::number_blocks() {
  std::vector<bool> begins(f_.body.size() + 1);
  for (const std::uint32_t at : f_.labels) begins[at] = true;
  for (std::size_t i = 0; i < f_.body.size(); ++i)
    for (const std::string_view ends : {"bra", "brx", "call", "ret", "exit", "bar", "barrier"})
      if (f_.body[i].opcode.starts_with(ends)) begins[i + 1] = true;
  block_of_.assign(f_.body.size(), 0);
  std::uint32_t block = 0;
  for (std::size_t i = 0; i < f_.body.size(); ++i) block_of_[i] = begins[i] ? ++block : block;
}

Code Decoder::run() {
  layout_variables();
  count_mentions();
  number_blocks();
  find_fusable();
  first_of_.assign(f_.body.size() + 1, 0);
  const auto lines = flow_lines(f_);
  const trace::CodeFlow flow = lines ? trace::flow_of(*lines) : trace::CodeFlow{};
  for (std::size_t i = 0; i < f_.body.size(); ++i) {
    s_ = &f_.body[i];
    s_number_ = static_cast<std::uint32_t>(i);
    first_of_[i] = static_cast<std::uint32_t>(code_.code.size());
    statement(*s_);
    if (flow.reducible && !flow.falls_back.empty() && flow.falls_back[i] != trace::kNowhere)
      go_round(static_cast<std::uint32_t>(i + 1));
  }
  first_of_[f_.body.size()] = static_cast<std::uint32_t>(code_.code.size());
  static const Statement kEnd;  // falling off the end returns
  s_ = f_.body.empty() ? &kEnd : &f_.body.back();
  s_number_ = f_.body.empty() ? 0 : static_cast<std::uint32_t>(f_.body.size() - 1);
  Inst end;
  end.kind = Kind::kReturn, end.statement = s_number_, end.hidden = true;
  code_.code.push_back(end);
  finish_branches();
  code_.image.assign(frame_, std::byte{0});
  for (const auto& [at, what] : constant_list_)
    for (std::uint32_t l = 0; l < 32; ++l) {
      const std::uint64_t wide[2] = {what.first, 0};
      std::memcpy(code_.image.data() + at + std::size_t{l} * what.second, wide, what.second);
    }
  return std::move(code_);
}

void Decoder::statement(const Statement& s) {
  Modifiers m(s.opcode);
  if (s.opcode[0] == 'v' && video(m)) return;
  for (const Operand& o : s.operands)
    if (o.part || o.minus)
      fail("a part of a register, or its negative, is an operand of video instructions only", "",
           o.at);
  if (arithmetic(m) || conversion(m) || memory(m) || control(m) || matrix(m) || bulk(m) ||
      texture(m))
    return;
  unsupported();
}

// Labels become instruction numbers, and each branch learns where its paths meet again.
void Decoder::finish_branches() {
  const auto place = [&](std::uint32_t label) { return first_of_[f_.labels[label]]; };
  for (Inst& in : code_.code) {
    if (in.kind == Kind::kBranch) in.target = in.hidden ? first_of_[in.target] : place(in.target);
  }
  for (auto& list : code_.lists)
    if (!list.empty() &&
        list.front() == kNoOffset)  // a brx.idx target list: labels behind the mark
      for (std::size_t i = 1; i < list.size(); ++i) list[i] = place(list[i]);
  find_reconvergence(code_);
  find_loops(code_);
}

}  // namespace warpmem::emulate
