#include "emulate/ptx/parser.hpp"

#include "base/nearest.hpp"
#include "emulate/ptx/parse_operands.hpp"

namespace warpmem::emulate {
namespace {

class Parser : OperandParser {
 public:
  explicit Parser(Module& module) : OperandParser(module) {}

  void run() {
    while (token_.kind != TokenKind::kEnd) top_level();
    if (module_.version_major == 0)
      fail(0, "this is not PTX: it has no .version directive", "give a file that nvcc -ptx wrote");
  }

 private:
  // --- module level -----------------------------------------------------------------------------
  void top_level() {
    const std::size_t at = token_.at;
    if (accept(".version")) {
      const std::string_view v = token_.text;
      const std::size_t dot = v.find('.');
      const auto major = parse_integer(v.substr(0, dot)),
                 minor = dot == v.npos ? std::nullopt : parse_integer(v.substr(dot + 1));
      if (!major || !minor || *major == 0 || *major > 999)
        fail(token_.at, "expected a version such as 9.0");
      module_.version_major = static_cast<std::uint32_t>(*major),
      module_.version_minor = static_cast<std::uint32_t>(*minor);
      advance();
    } else if (accept(".target")) {
      module_.target = word("a target such as sm_90");
      while (accept(",")) module_.debug |= word("a target option") == "debug";
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
      static const std::vector<std::string> kKnown = {
          ".version", ".target", ".address_size", ".file",  ".section", ".pragma",
          ".entry",   ".func",   ".global",       ".const", ".shared",  ".visible",
          ".extern",  ".weak",   ".common",       ".alias"};
      const std::string near = nearest(std::string(token_.text), kKnown);
      fail(token_.at, fmt::format("expected a directive instead of {}", shown()),
           near.empty() ? "" : "did you mean " + near + "?");
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

  // --- functions --------------------------------------------------------------------------------
  void parameters(Function& f, std::vector<Variable*>& into) {
    expect("(");
    while (!accept(")")) {
      if (token_.is(".reg"))
        fail(token_.at, "functions with .reg parameters are not supported",
             "compile for sm_20 or newer: nvcc passes .param");
      expect(".param");
      f.variables.push_back(declaration(Space::kParam));
      into.push_back(&f.variables.back());
      scopes_.add(f.variables.back().name, &f.variables.back());
      if (!accept(",") && !token_.is(")"))
        fail(token_.at, fmt::format("expected ',' or ')' instead of {}", shown()));
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
      else if (accept(".minnctapersm") || accept(".maxnreg") || accept(".maxclusterrank") ||
               accept(".maxnctapersm") || accept(".abi_preserve") ||
               accept(".abi_preserve_control"))
        integer("a number");
      else if (accept(".noreturn") || accept(".explicitcluster") || accept(".blocksareclusters"))
        continue;
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
      if (known->second->has_body)
        fail(f.at, fmt::format("function '{}' is defined twice", f.name));
      *known->second = std::move(f);
    }
  }

  void body(Function& f) {
    const std::size_t opened = token_.at;
    expect("{");
    scopes_.open();
    while (!token_.is("}")) {
      if (token_.kind == TokenKind::kEnd)
        fail(opened, fmt::format("the body of '{}' is never closed", f.name), kCutShort);
      item(f);
    }
    f.opened = opened, f.closed = token_.at;  // of nested ones the outermost is left last
    expect("}");
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
      if (token_.is(".branchtargets") || token_.is(".callprototype") || token_.is(".calltargets"))
        fail(token_.at, fmt::format("'{}' needs a label before it", token_.text));
      if (const auto space = state_space()) return variables(*space, false, &f);
      fail(token_.at, fmt::format("'{}' is not a directive of a function's body", token_.text));
    }
    statement(f);
  }

  void register_declaration(Function& f) {
    const std::size_t at = token_.at;
    std::string_view name = word("a type");
    const std::uint32_t elements = name == ".v2" ? 2 : name == ".v4" ? 4 : 1;
    if (elements > 1) name = word("a type");
    const Type type = name.empty() ? Type::kNone : type_named(name.substr(1));
    if (type == Type::kNone) fail(at, fmt::format("'{}' is not a type", name));
    do {
      name = word("a register's name");
      std::uint32_t count = 1;
      const bool range = accept("<");
      if (range) {
        if (elements > 1)
          fail(at, "a range of vector registers is not supported", "name them one by one");
        count = small("a number of registers", 1u << 20);
        expect(">");
      }
      if (f.registers.size() + count > (1u << 22)) fail(at, "more than 4 million registers");
      const auto first = static_cast<std::uint32_t>(f.registers.size());
      if (elements > 1) scopes_.add_vector(name, first, elements);
      else scopes_.add_registers(name, range, first, count);
      f.registers.resize(f.registers.size() + std::size_t{count} * elements, type);
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
      } else
        fail(token_.at, fmt::format("expected function_name or inlined_at instead of {}", shown()));
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
    if (!(s.opcode[0] >= 'a' && s.opcode[0] <= 'z'))
      fail(s.at, fmt::format("'{}' is not an instruction", s.opcode));
    while (token_.kind == TokenKind::kWord &&
           token_.text[0] == '.') {  // blanks before a modifier, as in hand-written PTX
      module_.joined.push_back(std::string(s.opcode) + std::string(token_.text));
      s.opcode = module_.joined.back();
      advance();
    }
    while (!token_.is(";")) {
      s.operands.push_back(operand(f, s.opcode));
      if (!accept(",") && !token_.is(";"))
        fail(token_.at, fmt::format("expected ',' or ';' instead of {}", shown()));
    }
    s.end = token_.at;
    advance();
    const auto index = static_cast<std::uint32_t>(f.body.size());
    if (s.opcode == "bra" || s.opcode == "bra.uni") {
      if (s.operands.size() != 1 || s.operands[0].kind != Operand::Kind::kSymbol)
        fail(s.at, "bra needs one label");
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
        scopes_.pend(
            {word("a label"), place, 0, 0, true, name, static_cast<std::uint32_t>(targets.size())});
        targets.push_back(0);
      } while (accept(","));
      return expect(";");
    }
    if (accept(".callprototype") || accept(".calltargets")) {
      while (!token_.is(";")) advance_in(at);
      return expect(";");
    }
    if (!scopes_.add_label(name, static_cast<std::uint32_t>(f.labels.size())))
      fail(at, fmt::format("label '{}' is defined twice", name));
    f.labels.push_back(static_cast<std::uint32_t>(f.body.size()));
  }

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
