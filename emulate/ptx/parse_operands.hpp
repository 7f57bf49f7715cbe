// Operands of instructions: registers, numbers, vectors, addresses, calls' lists.
#pragma once

#include "emulate/ptx/parse_variables.hpp"

namespace warpmem::emulate {

class OperandParser : protected VariableParser {
 protected:
  using VariableParser::VariableParser;

  Operand operand(Function& f, std::string_view opcode) {
    Operand first = simple(f, opcode);
    if (!token_.is("|")) return first;
    Operand pair;
    pair.kind = Operand::Kind::kPair;
    pair.at = first.at;
    pair.items.push_back(std::move(first));
    advance();
    pair.items.push_back(simple(f, opcode));
    return pair;
  }

  Operand simple(Function& f, std::string_view opcode) {
    Operand o;
    o.at = token_.at;
    if (accept("{")) {
      o.kind = Operand::Kind::kVector;
      while (!accept("}")) {
        o.items.push_back(simple(f, opcode));
        if (!accept(",") && !token_.is("}"))
          fail(token_.at, fmt::format("expected ',' or '}}' instead of {}", shown()));
      }
      return o;
    }
    if (accept("[")) return memory(f, opcode, o);
    if (accept("(")) {  // call's lists
      o.kind = Operand::Kind::kVector;
      while (!accept(")")) {
        o.items.push_back(simple(f, opcode));
        if (!accept(",") && !token_.is(")"))
          fail(token_.at, fmt::format("expected ',' or ')' instead of {}", shown()));
      }
      return o;
    }
    if (accept("!")) {
      o = simple(f, opcode);
      o.negated = !o.negated;
      return o;
    }
    const bool minus = accept("-");
    if (token_.kind == TokenKind::kNumber) {
      const auto number = parse_number(token_.text);
      if (!number) fail(token_.at, fmt::format("'{}' is not a number", token_.text));
      advance();
      o.kind = number->kind == NumberKind::kInteger   ? Operand::Kind::kInteger
               : number->kind == NumberKind::kFloat32 ? Operand::Kind::kFloat32
                                                      : Operand::Kind::kFloat64;
      o.value = !minus                                 ? number->bits
                : number->kind == NumberKind::kInteger ? 0 - number->bits
                                                       : negate(*number);
      return o;
    }
    name_operand(f, o);
    if (minus && o.kind != Operand::Kind::kRegister)
      fail(o.at, fmt::format("expected a number or a register behind '-' instead of '{}'", o.name));
    o.minus = minus;
    if (accept("+")) o.offset = static_cast<std::int64_t>(integer("an offset"));
    else if (token_.is("-")) o.offset = static_cast<std::int64_t>(integer("an offset"));
    return o;
  }

  void name_operand(Function& f, Operand& o) {
    static_cast<void>(f);
    o.name = word("an operand");
    if (o.name == "_") return;
    if (const auto number = scopes_.register_named(o.name)) {
      o.kind = Operand::Kind::kRegister;
      o.number = *number;
    } else if (const auto vector = scopes_.vector_named(o.name)) {
      o.kind = Operand::Kind::kVector;
      for (std::uint32_t i = 0; i < vector->elements; ++i) {
        Operand& element = o.items.emplace_back();
        element.kind = Operand::Kind::kRegister;
        element.at = o.at;
        element.name = o.name;
        element.number = vector->first + i;
      }
    } else if (const Variable* v = scopes_.variable_named(o.name)) {
      o.kind = Operand::Kind::kVariable;
      o.variable = v;
    } else if (video_part(o)) {
    } else {
      o.kind = Operand::Kind::kSymbol;  // module variable, function, label or special register
    }
  }

  // %r1.b2, %r1.h0: a part of a register, as video instructions have it.
  bool video_part(Operand& o) {
    const std::size_t dot = o.name.rfind('.');
    if (dot == o.name.npos || o.name.size() - dot != 3) return false;
    const char kind = o.name[dot + 1], which = o.name[dot + 2];
    if (!(kind == 'b' && which >= '0' && which <= '3') &&
        !(kind == 'h' && which >= '0' && which <= '1'))
      return false;
    const auto number = scopes_.register_named(o.name.substr(0, dot));
    if (!number) return false;
    o.kind = Operand::Kind::kRegister;
    o.number = *number;
    o.part = static_cast<std::uint8_t>(kind == 'b' ? 1 + which - '0' : 5 + which - '0');
    return true;
  }

  Operand memory(Function& f, std::string_view opcode, Operand o) {
    o.kind = Operand::Kind::kMemory;
    Operand base = simple(f, opcode);
    o.offset = base.offset;
    base.offset = 0;
    if (base.kind == Operand::Kind::kInteger) o.offset = 0;
    o.items.push_back(std::move(base));
    while (accept(",")) o.items.push_back(simple(f, opcode));
    if (!token_.is("]")) fail(token_.at, fmt::format("expected ']' instead of {}", shown()));
    advance();
    return o;
  }
};

}  // namespace warpmem::emulate
