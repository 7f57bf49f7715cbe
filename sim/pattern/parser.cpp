#include "sim/pattern/parser.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/nearest.hpp"
#include "sim/pattern/lexer.hpp"
#include "sim/pattern/unknown.hpp"

namespace warpmem::sim::pattern {
namespace {

struct Type {
  std::string_view name;
  std::uint32_t bytes, part;
};
constexpr Type kTypes[] = {
    {"char", 1, 1},     {"uchar", 1, 1},    {"int8_t", 1, 1},  {"uint8_t", 1, 1},
    {"bool", 1, 1},     {"short", 2, 2},    {"ushort", 2, 2},  {"half", 2, 2},
    {"__half", 2, 2},   {"bfloat16", 2, 2}, {"float", 4, 4},   {"int", 4, 4},
    {"unsigned", 4, 4}, {"uint", 4, 4},     {"half2", 4, 4},   {"char4", 4, 4},
    {"uchar4", 4, 4},   {"double", 8, 8},   {"long", 8, 8},    {"float2", 8, 8},
    {"int2", 8, 8},     {"uint2", 8, 8},    {"float3", 12, 4}, {"int3", 12, 4},
    {"float4", 16, 16}, {"int4", 16, 16},   {"uint4", 16, 16}, {"double2", 16, 16},
    {"double3", 24, 8}, {"double4", 32, 16}};

const Type* type_of(std::string_view name) {
  for (const Type& t : kTypes)
    if (t.name == name) return &t;
  return nullptr;
}

constexpr std::string_view kThread[] = {"blockDim.x",  "blockDim.y", "blockDim.z",  "blockIdx.x",
                                        "blockIdx.y",  "blockIdx.z", "gridDim.x",   "gridDim.y",
                                        "gridDim.z",   "lane",       "threadIdx.x", "threadIdx.y",
                                        "threadIdx.z", "warp",       "warpSize"};

struct Binary {
  std::string_view sign;
  Op op;
  int strength;
};
constexpr Binary kBinary[] = {
    {"||", Op::kEither, 1},    {"&&", Op::kBoth, 2},      {"|", Op::kOr, 3},
    {"^", Op::kXor, 4},        {"&", Op::kAnd, 5},        {"==", Op::kEqual, 6},
    {"!=", Op::kUnequal, 6},   {"<", Op::kLess, 7},       {">", Op::kMore, 7},
    {"<=", Op::kLessEqual, 7}, {">=", Op::kMoreEqual, 7}, {"<<", Op::kShl, 8},
    {">>", Op::kShr, 8},       {"+", Op::kAdd, 9},        {"-", Op::kSub, 9},
    {"*", Op::kMul, 10},       {"/", Op::kDiv, 10},       {"%", Op::kMod, 10}};

// Throws nothing: the first mistake is kept, and everything returns from there.
class Parser {
 public:
  Parser(const std::string& text, std::vector<Token> tokens,
         const std::map<std::string, std::int64_t>& known)
      : tokens_(std::move(tokens)) {
    out_.text = text;
    for (const auto& [name, value] : known) variables_.insert(name);
  }

  Result<Program> run() {
    while (!failed() && !at_end()) {
      if (take(";")) continue;
      statement(out_.statements);
      if (!failed() && !at_end() && !is("}") && !take(";")) expected("';' between two accesses");
      if (is("}")) expected("no '}' here");
    }
    if (failed()) return *error_;
    if (out_.accesses.empty())
      return error_at(out_.text, out_.text.size(), "the pattern accesses nothing",
                      "write an access: 'a[threadIdx.x]'");
    return std::move(out_);
  }

 private:
  const Token& now() const { return tokens_[at_]; }
  const Token& ahead(std::size_t n) const { return tokens_[std::min(at_ + n, tokens_.size() - 1)]; }
  bool at_end() const { return now().kind == Token::Kind::kEnd; }
  bool is(std::string_view sign) const { return !at_end() && now().text == sign; }
  bool failed() const { return error_.has_value(); }
  void step() {
    if (!at_end()) ++at_;
  }
  bool take(std::string_view sign) {
    if (failed() || !is(sign)) return false;
    step();
    return true;
  }
  void fail_at(std::size_t at, const std::string& message, const std::string& fix) {
    if (!failed()) error_ = error_at(out_.text, at, message, fix);
  }
  void expected(const std::string& what) {
    fail_at(now().at, "expected " + what,
            at_end() ? "the text ends too early" : "check what stands before '" + now().text + "'");
  }
  void need(std::string_view sign) {
    if (!take(sign)) expected("'" + std::string(sign) + "'");
  }

  void statement(std::vector<Statement>& into) {
    if (++depth_ > kDeepest) return too_deep();
    if (is("for")) loop(into);
    else if (is("if")) condition(into);
    else if (is("let")) step(), set(into);
    else if (is("global") || is("shared") || is("__shared__") || is("constant") ||
             is("__constant__") || (type_of(now().text) && ahead(1).kind == Token::Kind::kName))
      declaration(into);
    else if (now().kind == Token::Kind::kName && ahead(1).text == "=") set(into);
    else access_statement(into);
    --depth_;
  }

  void too_deep() {
    fail_at(now().at, "the pattern is nested too deeply", "write it with fewer brackets");
  }

  void set(std::vector<Statement>& into) {
    Statement s;
    s.kind = Statement::Kind::kSet;
    s.at = now().at;
    if (now().kind != Token::Kind::kName) return expected("a name");
    s.name = now().text;
    step();
    need("=");
    s.value = expression();
    variables_.insert(s.name);
    into.push_back(std::move(s));
  }

  void declaration(std::vector<Statement>& into) {
    Array a;
    a.declared = true;
    if (is("shared") || is("__shared__")) a.space = MemorySpace::kShared, step();
    else if (is("constant") || is("__constant__")) a.space = MemorySpace::kConstant, step();
    else take("global");
    if (const Type* type = type_of(now().text)) {
      a.type = type->name, a.bytes = type->bytes, a.part = type->part;
      step();
    } else if (ahead(1).kind == Token::Kind::kName) {
      std::vector<std::string> names;
      for (const Type& t : kTypes) names.emplace_back(t.name);
      const std::string guess = nearest(now().text, names);
      return fail_at(
          now().at, "'" + now().text + "' is no type that is known",
          guess.empty()
              ? "use char, short, half, float, int, double, float2, float3, float4 and the like"
              : "did you mean '" + guess + "'?");
    }
    take("*");
    if (now().kind != Token::Kind::kName) return expected("the array's name");
    if (ahead(1).text == "=" && a.space == MemorySpace::kGlobal) return set(into);
    a.name = now().text, a.at = now().at;
    step();
    std::int64_t elements = 1;
    while (take("[")) {
      if (take("]")) continue;
      if (now().kind != Token::Kind::kNumber || now().value <= 0)
        return expected("the array's extent, a number above 0");
      if (now().value > kMostElements / elements)
        return fail_at(now().at, "'" + a.name + "' has more than 2^32 elements",
                       "make it smaller: the pattern is what counts");
      elements *= now().value;
      a.extents.push_back(now().value);
      step();
      need("]");
    }
    for (const Array& other : out_.arrays)
      if (other.name == a.name)
        return fail_at(a.at, "'" + a.name + "' is declared after it was used, or twice",
                       "declare it once, first");
    out_.arrays.push_back(std::move(a));
  }

  void body(std::vector<Statement>& into) {
    take(":");
    if (!take("{")) return statement(into);
    while (!failed() && !is("}") && !at_end()) {
      if (take(";")) continue;
      statement(into);
      if (!is("}") && !take(";")) expected("';' or '}'");
    }
    need("}");
  }

  void loop(std::vector<Statement>& into) {
    Statement s;
    s.kind = Statement::Kind::kFor;
    s.at = now().at;
    step();
    if (now().kind != Token::Kind::kName)
      return expected("the loop's variable, as in 'for k in 0..8: a[k]'");
    s.name = now().text;
    step();
    need("in");
    s.value = expression();
    need("..");
    s.end = expression();
    if (take("..")) s.step = expression();
    variables_.insert(s.name);
    body(s.body);
    into.push_back(std::move(s));
  }

  void condition(std::vector<Statement>& into) {
    Statement s;
    s.kind = Statement::Kind::kIf;
    s.at = now().at;
    step();
    need("(");
    s.value = expression();
    need(")");
    body(s.body);
    if (is("else") || (is(";") && ahead(1).text == "else")) {
      take(";");
      step();
      body(s.otherwise);
    }
    into.push_back(std::move(s));
  }

  void access_statement(std::vector<Statement>& into) {
    const std::size_t from = now().at;
    ExpressionPtr left = expression();
    if (failed() || !left) return;
    Statement s;
    s.at = from;
    const bool adds = is("+=") || is("-=") || is("*=");
    if (is("=") || adds) {
      if (left->op != Op::kLoad) return expected("an access left of '='");
      const std::uint32_t target = left->access;
      step();
      s.value = expression();
      if (failed()) return;
      if (adds) into.push_back(use(std::move(left), from));
      else out_.accesses[target].kind = AccessKind::kStore;
      if (s.value) into.push_back(use(std::move(s.value), from));
      s.kind = Statement::Kind::kAccess;
      s.access = adds ? again(target) : target;
      into.push_back(std::move(s));
      return;
    }
    into.push_back(use(std::move(left), from));
  }

  static Statement use(ExpressionPtr value, std::size_t at) {
    Statement s;
    s.kind = Statement::Kind::kExpression;
    s.value = std::move(value);
    s.at = at;
    return s;
  }

  // The store of a[i] += …, beside its load.
  std::uint32_t again(std::uint32_t of) {
    Access a;
    a.kind = AccessKind::kStore;
    a.array = out_.accesses[of].array, a.text = out_.accesses[of].text, a.at = out_.accesses[of].at;
    for (const ExpressionPtr& e : out_.accesses[of].index) a.index.push_back(copy(*e));
    out_.accesses.push_back(std::move(a));
    return static_cast<std::uint32_t>(out_.accesses.size() - 1);
  }
  static ExpressionPtr copy(const Expression& e) {
    auto out = std::make_unique<Expression>();
    out->op = e.op, out->value = e.value, out->name = e.name, out->access = e.access,
    out->at = e.at, out->height = e.height;
    for (const ExpressionPtr& part : e.of) out->of.push_back(copy(*part));
    return out;
  }

  ExpressionPtr node(Op op, std::size_t at) const {
    auto e = std::make_unique<Expression>();
    e->op = op, e->at = at;
    return e;
  }

  // A sum of many terms nests to the left. Whoever walks the tree calls itself for each of them.
  void grow(Expression& e, const Expression& part) {
    e.height = std::max(e.height, part.height + 1);
    if (e.height > kTallest)
      fail_at(e.at, "the expression has too many operators, one around the other",
              "write it with a loop, or with a name for a part of it");
  }
  void add(Expression& e, ExpressionPtr part) {
    grow(e, *part);
    e.of.push_back(std::move(part));
  }

  ExpressionPtr expression(int strength = 0) {
    if (++depth_ > kDeepest) too_deep();
    ExpressionPtr left = unary();
    while (!failed()) {
      const Binary* found = nullptr;
      for (const Binary& b : kBinary)
        if (now().kind == Token::Kind::kSign && now().text == b.sign && b.strength > strength)
          found = &b;
      if (!found) break;
      ExpressionPtr e = node(found->op, now().at);
      step();
      add(*e, std::move(left));
      add(*e, expression(found->strength));
      left = std::move(e);
    }
    if (!failed() && strength == 0 && is("?")) {
      ExpressionPtr e = node(Op::kChoose, now().at);
      step();
      add(*e, std::move(left));
      add(*e, expression());
      need(":");
      add(*e, expression());
      left = std::move(e);
    }
    --depth_;
    return left;
  }

  ExpressionPtr unary() {
    for (const auto& [sign, op] : {std::pair{"-", Op::kNeg}, {"!", Op::kNot}, {"~", Op::kFlip}}) {
      if (!is(sign)) continue;
      ExpressionPtr e = node(op, now().at);
      step();
      if (++depth_ > kDeepest) too_deep();
      if (!failed()) add(*e, unary());
      --depth_;
      return e;
    }
    return primary();
  }

  ExpressionPtr primary() {
    if (failed()) return node(Op::kNumber, 0);
    const Token token = now();
    if (token.kind == Token::Kind::kNumber) {
      ExpressionPtr e = node(Op::kNumber, token.at);
      e->value = token.value;
      step();
      return e;
    }
    if (take("(")) {
      ExpressionPtr e = expression();
      need(")");
      return e;
    }
    if (token.kind != Token::Kind::kName) {
      expected("a number, a name or '('");
      return node(Op::kNumber, token.at);
    }
    step();
    if (is("(")) return call(token);
    if (is("[")) return load(token, AccessKind::kLoad, token.at);
    if (std::ranges::find(kThread, token.text) == std::end(kThread) &&
        !variables_.contains(token.text))
      unknown(token);
    ExpressionPtr e = node(Op::kName, token.at);
    e->name = token.text;
    return e;
  }

  void unknown(const Token& token) {
    std::vector<std::string> names(std::begin(kThread), std::end(kThread));
    names.insert(names.end(), variables_.begin(), variables_.end());
    const std::string guess = nearest(token.text, names);
    fail_at(token.at, "'" + token.text + "' is not known",
            guess.empty() ? "give it a number: --let " + token.text + "=1024"
                          : "did you mean '" + guess + "'?");
  }

  ExpressionPtr call(const Token& name) {
    step();
    const bool matrix = name.text == "ldmatrix";
    if (matrix || name.text.starts_with("atomic") || name.text == "reduce") {
      take("&");
      const Token array = now();
      if (array.kind != Token::Kind::kName || ahead(1).text != "[") {
        expected("an access, as in " + name.text + "(&a[i])");
        return node(Op::kNumber, name.at);
      }
      step();
      ExpressionPtr e = load(array,
                             matrix                  ? AccessKind::kMatrixLoad
                             : name.text == "reduce" ? AccessKind::kReduction
                                                     : AccessKind::kAtomic,
                             name.at);
      while (take(",")) expression();
      need(")");
      return e;
    }
    const Op op = name.text == "min"      ? Op::kMin
                  : name.text == "max"    ? Op::kMax
                  : name.text == "random" ? Op::kRandom
                                          : Op::kNumber;
    if (op == Op::kNumber) {
      const std::vector<std::string> names{"min",      "max",       "random",
                                           "ldmatrix", "atomicAdd", "reduce"};
      const std::string guess = nearest(name.text, names);
      fail_at(name.at, "'" + name.text + "' is no function that is known",
              guess.empty() ? "use min, max, random, ldmatrix, atomicAdd or reduce"
                            : "did you mean '" + guess + "'?");
      return node(Op::kNumber, name.at);
    }
    ExpressionPtr e = node(op, name.at);
    add(*e, expression());
    if (op != Op::kRandom) need(","), add(*e, expression());
    need(")");
    return e;
  }

  ExpressionPtr load(const Token& name, AccessKind kind, std::size_t from) {
    Access a;
    a.kind = kind, a.at = from;
    a.array = array_of(name);
    while (take("[")) {
      a.index.push_back(expression());
      need("]");
    }
    const Array& array = out_.arrays[a.array];
    if (!failed() && a.index.size() > 1 && a.index.size() != array.extents.size())
      fail_at(name.at,
              "'" + name.text + "' has " + std::to_string(array.extents.size()) + " extents and " +
                  std::to_string(a.index.size()) + " indices",
              "declare it: 'float " + name.text + "[32][32]; …'");
    std::size_t end = failed() ? name.at : tokens_[at_ - 1].at + 1;
    a.text = out_.text.substr(name.at, end - name.at);
    ExpressionPtr e = node(Op::kLoad, name.at);
    for (const ExpressionPtr& index : a.index) grow(*e, *index);
    out_.accesses.push_back(std::move(a));
    e->access = static_cast<std::uint32_t>(out_.accesses.size() - 1);
    return e;
  }

  std::uint32_t array_of(const Token& name) {
    for (std::uint32_t i = 0; i < out_.arrays.size(); ++i)
      if (out_.arrays[i].name == name.text) return i;
    Array a;
    a.name = name.text, a.at = name.at;
    out_.arrays.push_back(std::move(a));
    return static_cast<std::uint32_t>(out_.arrays.size() - 1);
  }

  static constexpr int kDeepest = 200;             // brackets and statements
  static constexpr std::uint32_t kTallest = 1000;  // operators
  static constexpr std::int64_t kMostElements = std::int64_t{1} << 32;

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::set<std::string> variables_;
  Program out_;
  std::optional<Error> error_;
};

}  // namespace

Result<Program> parse(const std::string& text, const std::map<std::string, std::int64_t>& known) {
  auto tokens = tokens_of(text);
  if (!tokens) return tokens.error();
  auto program = Parser(text, std::move(*tokens), known).run();
  if (!program) return program;
  if (auto open = left_open(*program)) return *open;
  return program;
}

}  // namespace warpmem::sim::pattern
