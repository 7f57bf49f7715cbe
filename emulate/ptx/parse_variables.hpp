// Declarations of variables and parameters, with their initialisers.
#pragma once

#include <algorithm>

#include "base/units.hpp"
#include "emulate/ptx/parse_tokens.hpp"

namespace warpmem::emulate {

class VariableParser : protected TokenParser {
 protected:
  using TokenParser::TokenParser;

  // ".align 8 .v4 .b8 name[24]": everything but the initialiser.
  Variable declaration(Space space) {
    Variable v;
    v.space = space;
    std::uint32_t vector = 1, align = 0;
    while (token_.kind == TokenKind::kWord && token_.text.starts_with('.')) {
      const std::string_view d = token_.text;
      const std::size_t at = token_.at;
      advance();
      if (d == ".align") align = small("an alignment", 1u << 20);
      else if (d == ".v2") vector = 2;
      else if (d == ".v4") vector = 4;
      else if (d == ".v8") vector = 8;
      else if (d == ".ptr" || d == ".global" || d == ".shared" || d == ".const" || d == ".local" ||
               d == ".param")
        continue;
      else if (d == ".attribute") {
        expect("(");
        while (!accept(")")) advance_in(at);
      } else if (d == ".texref" || d == ".surfref" || d == ".samplerref") v.type = Type::kB64;
      else if (const Type t = type_named(d.substr(1)); t != Type::kNone) v.type = t;
      else fail(at, fmt::format("'{}' is not a type or an attribute of a variable", d));
    }
    if (align & (align - 1)) fail(token_.at, "an alignment must be a power of two");
    v.at = token_.at;
    v.name = word("a name");
    const std::uint64_t most = most_bytes(space);
    std::uint64_t count = 1;
    while (accept("[")) {
      if (accept("]")) {
        v.unsized = true;
        continue;
      }
      const std::uint64_t n = integer("a number of elements");
      // Divided, as a product of two such numbers can be anything.
      if (n > most || (n > 0 && count > most / n)) too_large(v, most);
      count *= n;
      expect("]");
    }
    v.bytes = v.unsized ? 0 : count * vector * size_of(v.type);
    v.align = std::max(align, vector * size_of(v.type));
    if (v.bytes > most) too_large(v, most);
    return v;
  }

  [[noreturn]] void too_large(const Variable& v, std::uint64_t most) {
    fail(v.at,
         fmt::format("'{}' is larger than {}, which is all that {}", v.name, byte_size(most),
                     most_is(v.space)),
         v.space == Space::kLocal || v.space == Space::kShared
             ? "make it smaller, or keep it in global memory"
             : "make it smaller");
  }
  void variables(Space space, bool is_extern, Function* in) {
    Variable first = declaration(space);
    const Type type = first.type;
    while (true) {
      first.is_extern = is_extern;
      if (accept("=")) initialiser(first);
      if (in) {
        in->variables.push_back(first);
        scopes_.add(in->variables.back().name, &in->variables.back());
      } else {
        const auto known = module_.variable_named.find(first.name);
        if (known != module_.variable_named.end()) {
          if (!is_extern && !known->second->is_extern)
            fail(first.at, fmt::format("'{}' is defined twice", first.name));
          if (!is_extern) *known->second = first;
        } else {
          module_.variables.push_back(first);
          module_.variable_named[first.name] = &module_.variables.back();
        }
      }
      if (!accept(",")) break;
      first = declaration(space);
      if (first.type == Type::kB8) first.type = type;
    }
    expect(";");
  }

  void initialiser(Variable& v) {
    if (accept("{")) {
      int depth = 1;
      while (depth > 0) {
        if (accept("{")) ++depth;
        else if (accept("}")) --depth;
        else if (!accept(",")) v.initial.push_back(initial());
      }
    } else {
      v.initial.push_back(initial());
    }
    if (v.unsized) v.bytes = v.initial.size() * size_of(v.type), v.unsized = false;
    if (v.initial.size() * size_of(v.type) > v.bytes)
      fail(v.at, fmt::format("'{}' has more values than elements", v.name));
  }

  Initial initial() {
    Initial value;
    value.at = token_.at;
    if (token_.kind == TokenKind::kWord) {
      const bool generic = accept("generic");
      if (generic) expect("(");
      value.symbol = word("a name");
      if (generic) expect(")");
      if (accept("+")) value.value = integer("an offset");
      else if (token_.is("-")) value.value = integer("an offset");
      return value;
    }
    const bool minus = accept("-");
    const auto number =
        token_.kind == TokenKind::kNumber ? parse_number(token_.text) : std::nullopt;
    if (!number) fail(token_.at, fmt::format("expected a value instead of {}", shown()));
    advance();
    value.value = number->bits;
    if (minus)
      value.value = number->kind == NumberKind::kInteger ? 0 - number->bits : negate(*number);
    if (number->kind == NumberKind::kInteger &&
        accept("(")) {  // 0xFF00(symbol): one byte of an address
      const std::size_t at = token_.at;
      if (accept("generic")) {
        expect("(");
        value.symbol = word("a name");
        expect(")");
      } else {
        value.symbol = word("a name");
      }
      expect(")");
      const auto shift =
          static_cast<std::uint32_t>(__builtin_ctzll(number->bits | (std::uint64_t{1} << 63)));
      if (number->bits == 0 || shift % 8 != 0 || number->bits >> shift != 0xff)
        fail(at, "a mask must select one byte");
      value.mask_shift = shift;
      value.value = 0;
    }
    return value;
  }
};

}  // namespace warpmem::emulate
