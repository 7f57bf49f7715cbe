#include "traces/emulate/parser.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/nearest.hpp"
#include "traces/emulate/numbers.hpp"
#include "traces/emulate/scopes.hpp"

namespace warpmem::emulate {
namespace {

struct Failure {
  Error error;
};

class Parser {
 public:
  explicit Parser(Module& module) : module_(module), lexer_(*module.source) { advance(); }

  void run() {
    while (token_.kind != TokenKind::kEnd) top_level();
    if (module_.version_major == 0) fail(0, "this is not PTX: it has no .version directive", "give a file that nvcc -ptx wrote");
  }

 private:
  // --- tokens -----------------------------------------------------------------------------------
  [[noreturn]] void fail(std::size_t at, const std::string& message, const std::string& fix = {}) {
    throw Failure{module_.source->error_at(at, message, fix)};
  }
  void advance() { token_ = lexer_.next(); }
  bool accept(std::string_view text) {
    if (!token_.is(text)) return false;
    advance();
    return true;
  }
  std::string shown() const {
    return token_.kind == TokenKind::kEnd ? "the end of the file" : fmt::format("'{}'", token_.text.substr(0, 60));
  }
  void expect(std::string_view text) {
    if (!accept(text)) fail(token_.at, fmt::format("expected '{}' instead of {}", text, shown()));
  }
  std::string_view word(const char* what) {
    if (token_.kind != TokenKind::kWord) fail(token_.at, fmt::format("expected {} instead of {}", what, shown()));
    const std::string_view text = token_.text;
    advance();
    return text;
  }
  std::uint64_t integer(const char* what) {
    const bool minus = accept("-");
    const auto value = token_.kind == TokenKind::kNumber ? parse_integer(token_.text) : std::nullopt;
    if (!value) fail(token_.at, fmt::format("expected {} instead of {}", what, shown()));
    advance();
    return minus ? 0 - *value : *value;
  }
  std::uint32_t small(const char* what, std::uint64_t limit = 0xffffffffu) {
    const std::size_t at = token_.at;
    const std::uint64_t value = integer(what);
    if (value > limit) fail(at, fmt::format("{} is too large: at most {}", what, limit));
    return static_cast<std::uint32_t>(value);
  }

  // --- module level -----------------------------------------------------------------------------
  void top_level() {
    const std::size_t at = token_.at;
    if (accept(".version")) {
      const std::string_view v = token_.text;
      const std::size_t dot = v.find('.');
      const auto major = parse_integer(v.substr(0, dot)), minor = dot == v.npos ? std::nullopt : parse_integer(v.substr(dot + 1));
      if (!major || !minor || *major == 0 || *major > 999) fail(token_.at, "expected a version such as 9.0");
      module_.version_major = static_cast<std::uint32_t>(*major), module_.version_minor = static_cast<std::uint32_t>(*minor);
      advance();
    } else if (accept(".target")) {
      module_.target = word("a target such as sm_90");
      while (accept(",")) word("a target option");
    } else if (accept(".address_size")) {
      if (integer("64") != 64) fail(at, "only .address_size 64 is supported", "compile with -m64");
    } else if (accept(".file")) {
      const std::uint32_t number = small("a file number", 65535);
      if (token_.kind != TokenKind::kString) fail(token_.at, "expected a file name in quotes");
      if (module_.files.size() <= number) module_.files.resize(number + 1);
      module_.files[number] = token_.text;
      advance();
      while (accept(",")) integer("a number");
    } else if (accept(".section")) {
      word("a section name");
      skip_braces();
    } else if (accept(".pragma") || accept(".alias")) {
      while (token_.kind != TokenKind::kEnd && !token_.is(";")) advance();
      expect(";");
    } else if (accept(";")) {
    } else {
      definition();
    }
  }

  void skip_braces() {
    const std::size_t at = token_.at;
    expect("{");
    for (int depth = 1; depth > 0; advance()) {
      if (token_.kind == TokenKind::kEnd) fail(at, "'{' without its '}'");
      if (token_.is("{")) ++depth;
      if (token_.is("}")) --depth;
    }
  }

  void definition() {
    bool is_extern = false;
    while (true) {
      if (accept(".extern")) is_extern = true;
      else if (!accept(".visible") && !accept(".weak") && !accept(".common")) break;
    }
    if (token_.is(".entry") || token_.is(".func")) {
      const bool entry = token_.is(".entry");
      advance();
      function(entry);
    } else if (const auto space = state_space()) {
      variables(*space, is_extern, nullptr);
    } else {
      static const std::vector<std::string> kKnown = {".version", ".target", ".address_size", ".file", ".section", ".pragma",
        ".entry", ".func", ".global", ".const", ".shared", ".visible", ".extern", ".weak", ".common", ".alias"};
      const std::string near = nearest(std::string(token_.text), kKnown);
      fail(token_.at, fmt::format("expected a directive instead of {}", shown()), near.empty() ? "" : "did you mean " + near + "?");
    }
  }

  std::optional<Space> state_space() {
    if (accept(".global")) return Space::kGlobal;
    if (accept(".shared")) return Space::kShared;
    if (accept(".const")) return Space::kConst;
    if (accept(".local")) return Space::kLocal;
    if (accept(".param")) return Space::kParam;
    if (accept(".tex")) return Space::kTexture;
    return std::nullopt;
  }

  // --- variables --------------------------------------------------------------------------------
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
      else if (d == ".ptr" || d == ".global" || d == ".shared" || d == ".const" || d == ".local" || d == ".param") continue;
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
    std::uint64_t count = 1;
    while (accept("[")) {
      if (accept("]")) {
        v.unsized = true;
        continue;
      }
      const std::uint64_t n = integer("a number of elements");
      if (n > (std::uint64_t{1} << 40) || count * n > (std::uint64_t{1} << 40)) fail(v.at, "the variable is larger than 1 TiB");
      count *= n;
      expect("]");
    }
    v.bytes = v.unsized ? 0 : count * vector * size_of(v.type);
    v.align = std::max(align, vector * size_of(v.type));
    return v;
  }
  void advance_in(std::size_t opened) {
    if (token_.kind == TokenKind::kEnd) fail(opened, "something opened here is never closed");
    advance();
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
          if (!is_extern && !known->second->is_extern) fail(first.at, fmt::format("'{}' is defined twice", first.name));
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
    if (v.initial.size() * size_of(v.type) > v.bytes) fail(v.at, fmt::format("'{}' has more values than elements", v.name));
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
    const auto number = token_.kind == TokenKind::kNumber ? parse_number(token_.text) : std::nullopt;
    if (!number) fail(token_.at, fmt::format("expected a value instead of {}", shown()));
    advance();
    value.value = number->bits;
    if (minus) value.value = number->kind == NumberKind::kInteger ? 0 - number->bits : negate(*number);
    if (number->kind == NumberKind::kInteger && accept("(")) {  // 0xFF00(symbol): one byte of an address
      const std::size_t at = token_.at;
      if (accept("generic")) {
        expect("(");
        value.symbol = word("a name");
        expect(")");
      } else {
        value.symbol = word("a name");
      }
      expect(")");
      const auto shift = static_cast<std::uint32_t>(__builtin_ctzll(number->bits | (std::uint64_t{1} << 63)));
      if (number->bits == 0 || shift % 8 != 0 || number->bits >> shift != 0xff) fail(at, "a mask must select one byte");
      value.mask_shift = shift;
      value.value = 0;
    }
    return value;
  }

  // --- functions --------------------------------------------------------------------------------
  void parameters(Function& f, std::vector<Variable*>& into) {
    expect("(");
    while (!accept(")")) {
      if (token_.is(".reg")) fail(token_.at, "functions with .reg parameters are not supported", "compile for sm_20 or newer: nvcc passes .param");
      expect(".param");
      f.variables.push_back(declaration(Space::kParam));
      into.push_back(&f.variables.back());
      scopes_.add(f.variables.back().name, &f.variables.back());
      if (!accept(",") && !token_.is(")")) fail(token_.at, fmt::format("expected ',' or ')' instead of {}", shown()));
    }
  }

  void limits(std::array<std::uint32_t, 3>& into) {
    into = {1, 1, 1};
    for (std::uint32_t& n : into) {
      n = small("a number of threads");
      if (!accept(",")) break;
    }
  }

  void function(bool entry) {
    Function f;
    f.is_entry = entry;
    scopes_.open();
    if (token_.is("(")) parameters(f, f.returns);
    f.at = token_.at;
    f.name = word("a function's name");
    if (token_.is("(")) parameters(f, f.params);
    while (token_.kind == TokenKind::kWord && token_.text.starts_with('.')) {
      if (accept(".maxntid")) limits(f.max_block);
      else if (accept(".reqntid")) limits(f.required_block);
      else if (accept(".reqnctapercluster")) limits(f.required_cluster);
      else if (accept(".minnctapersm") || accept(".maxnreg") || accept(".maxclusterrank") || accept(".maxnctapersm") ||
               accept(".abi_preserve") || accept(".abi_preserve_control")) integer("a number");
      else if (accept(".noreturn") || accept(".explicitcluster") || accept(".blocksareclusters")) continue;
      else if (accept(".pragma")) {
        while (token_.kind == TokenKind::kString || token_.is(",")) advance();
        expect(";");
      } else fail(token_.at, fmt::format("'{}' is not a directive of a function", token_.text));
    }
    if (token_.is("{")) {
      f.has_body = true;
      file_ = line_ = 0;
      body(f);
    } else {
      expect(";");
    }
    scopes_.close();
    const auto known = module_.function_named.find(f.name);
    if (known == module_.function_named.end()) {
      module_.functions.push_back(std::move(f));
      module_.function_named[module_.functions.back().name] = &module_.functions.back();
    } else if (f.has_body) {
      if (known->second->has_body) fail(f.at, fmt::format("function '{}' is defined twice", f.name));
      *known->second = std::move(f);
    }
  }

  void body(Function& f) {
    const std::size_t opened = token_.at;
    expect("{");
    scopes_.open();
    while (!accept("}")) {
      if (token_.kind == TokenKind::kEnd) fail(opened, fmt::format("the body of '{}' is never closed", f.name), "the file may have been cut short");
      item(f);
    }
    for (const Scopes::Pending& p : scopes_.close()) {
      if (scopes_.depth() > 1) scopes_.pend(p);
      else fail(p.at, fmt::format("there is no label '{}' in '{}'", p.name, f.name));
    }
    patch_labels(f);
  }

  // A block's labels are known at its end; jumps out of it wait for the enclosing block's.
  void patch_labels(Function& f) {
    for (const Scopes::Found& found : scopes_.take_found()) {
      if (found.target_list) f.branch_targets[found.list][found.item] = found.label;
      else f.body[found.statement].operands[found.operand].number = found.label;
    }
  }

  void item(Function& f) {
    if (token_.is("{")) return body(f);
    if (accept(";")) return;
    if (token_.kind == TokenKind::kWord && token_.text.starts_with('.')) {
      if (accept(".reg")) return register_declaration(f);
      if (accept(".loc")) return location();
      if (accept(".pragma")) {
        while (token_.kind == TokenKind::kString || token_.is(",")) advance();
        return expect(";");
      }
      if (accept(".file")) {
        integer("a file number");
        return advance();
      }
      if (token_.is(".branchtargets") || token_.is(".callprototype") || token_.is(".calltargets")) fail(token_.at, fmt::format("'{}' needs a label before it", token_.text));
      if (const auto space = state_space()) return variables(*space, false, &f);
      fail(token_.at, fmt::format("'{}' is not a directive of a function's body", token_.text));
    }
    statement(f);
  }

  void register_declaration(Function& f) {
    const std::size_t at = token_.at;
    std::string_view name = word("a type");
    if (name == ".v2" || name == ".v4") fail(at, "vector registers are not supported", "declare their elements");
    const Type type = name.empty() ? Type::kNone : type_named(name.substr(1));
    if (type == Type::kNone) fail(at, fmt::format("'{}' is not a type", name));
    do {
      name = word("a register's name");
      std::uint32_t count = 1;
      const bool range = accept("<");
      if (range) {
        count = small("a number of registers", 1u << 20);
        expect(">");
      }
      if (f.registers.size() + count > (1u << 22)) fail(at, "more than 4 million registers");
      scopes_.add_registers(name, range, static_cast<std::uint32_t>(f.registers.size()), count);
      f.registers.resize(f.registers.size() + count, type);
    } while (accept(","));
    expect(";");
  }

  void location() {
    file_ = small("a file number", 65535);
    line_ = small("a line number");
    integer("a column");
    while (accept(",")) {  // function_name LABEL [+ n], inlined_at file line column
      if (accept("function_name")) {
        word("a label");
        if (accept("+")) integer("an offset");
      } else if (accept("inlined_at")) {
        integer("a file number"), integer("a line"), integer("a column");
      } else fail(token_.at, fmt::format("expected function_name or inlined_at instead of {}", shown()));
    }
  }

  // --- statements -------------------------------------------------------------------------------
  void statement(Function& f) {
    Statement s;
    s.at = token_.at;
    s.file = file_, s.line = line_;
    if (accept("@")) {
      s.guard_negated = accept("!");
      const std::size_t at = token_.at;
      const auto number = scopes_.register_named(word("a predicate register"));
      if (!number) fail(at, "this register is not declared");
      if (f.registers[*number] != Type::kPred) fail(at, "a guard must be a .pred register");
      s.guard = *number;
    }
    s.opcode = word("an instruction");
    if (s.guard < 0 && accept(":")) return label(f, s.opcode, s.at);
    if (!(s.opcode[0] >= 'a' && s.opcode[0] <= 'z')) fail(s.at, fmt::format("'{}' is not an instruction", s.opcode));
    while (!token_.is(";")) {
      s.operands.push_back(operand(f, s.opcode));
      if (!accept(",") && !token_.is(";")) fail(token_.at, fmt::format("expected ',' or ';' instead of {}", shown()));
    }
    s.end = token_.at;
    advance();
    const auto index = static_cast<std::uint32_t>(f.body.size());
    if (s.opcode == "bra" || s.opcode == "bra.uni") {
      if (s.operands.size() != 1 || s.operands[0].kind != Operand::Kind::kSymbol) fail(s.at, "bra needs one label");
      s.operands[0].kind = Operand::Kind::kLabel;
      scopes_.pend({s.operands[0].name, s.operands[0].at, index, 0, false, {}, 0});
    }
    f.body.push_back(std::move(s));
  }

  void label(Function& f, std::string_view name, std::size_t at) {
    if (accept(".branchtargets")) {
      std::vector<std::uint32_t>& targets = f.branch_targets[name];
      do {
        const std::size_t place = token_.at;
        scopes_.pend({word("a label"), place, 0, 0, true, name, static_cast<std::uint32_t>(targets.size())});
        targets.push_back(0);
      } while (accept(","));
      return expect(";");
    }
    if (accept(".callprototype") || accept(".calltargets")) {
      while (!token_.is(";")) advance_in(at);
      return expect(";");
    }
    if (!scopes_.add_label(name, static_cast<std::uint32_t>(f.labels.size()))) fail(at, fmt::format("label '{}' is defined twice", name));
    f.labels.push_back(static_cast<std::uint32_t>(f.body.size()));
  }

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
        if (!accept(",") && !token_.is("}")) fail(token_.at, fmt::format("expected ',' or '}}' instead of {}", shown()));
      }
      return o;
    }
    if (accept("[")) return memory(f, opcode, o);
    if (accept("(")) {  // call's lists
      o.kind = Operand::Kind::kVector;
      while (!accept(")")) {
        o.items.push_back(simple(f, opcode));
        if (!accept(",") && !token_.is(")")) fail(token_.at, fmt::format("expected ',' or ')' instead of {}", shown()));
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
      o.kind = number->kind == NumberKind::kInteger ? Operand::Kind::kInteger
               : number->kind == NumberKind::kFloat32 ? Operand::Kind::kFloat32 : Operand::Kind::kFloat64;
      o.value = !minus ? number->bits : number->kind == NumberKind::kInteger ? 0 - number->bits : negate(*number);
      return o;
    }
    name_operand(f, o);
    if (minus && o.kind != Operand::Kind::kRegister) fail(o.at, fmt::format("expected a number or a register behind '-' instead of '{}'", o.name));
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
    if (!(kind == 'b' && which >= '0' && which <= '3') && !(kind == 'h' && which >= '0' && which <= '1')) return false;
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

  Module& module_;
  Lexer lexer_;
  Token token_;
  Scopes scopes_;
  std::uint32_t file_ = 0, line_ = 0;
};

}  // namespace

Result<Module> parse_ptx(std::string name, std::string text) {
  Module module;
  module.files.emplace_back();
  module.source = std::make_unique<Source>(std::move(name), std::move(text));
  try {
    Parser(module).run();
  } catch (Failure& failure) {
    return std::move(failure.error);
  }
  return module;
}

}  // namespace warpmem::emulate
