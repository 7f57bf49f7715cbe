#include "sim/pattern/unknown.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "sim/pattern/lexer.hpp"

namespace warpmem::sim::pattern {
namespace {

class Search {
 public:
  explicit Search(const Program& program) : program_(program) {}

  std::optional<Error> run() {
    // What a loop sets in one round it uses in the next.
    for (std::size_t known = ~std::size_t{0}; known != unknown_.size() && !error_;)
      known = unknown_.size(), walk(program_.statements);
    return error_;
  }

 private:
  void walk(const std::vector<Statement>& all) {
    for (const Statement& s : all) {
      for (const ExpressionPtr* e : {&s.value, &s.end, &s.step})
        if (*e) indices(**e);
      switch (s.kind) {
        case Statement::Kind::kAccess: access(s.access); break;
        case Statement::Kind::kSet:
          if (open(*s.value)) unknown_.insert(s.name);
          break;
        case Statement::Kind::kIf: refuse_if_open(*s.value, "whether this holds"); break;
        case Statement::Kind::kFor:
          for (const ExpressionPtr* e : {&s.value, &s.end, &s.step})
            if (*e) refuse_if_open(**e, "how often this loop goes round");
          break;
        case Statement::Kind::kExpression: break;
      }
      walk(s.body), walk(s.otherwise);
    }
  }

  void access(std::uint32_t number) {
    for (const ExpressionPtr& index : program_.accesses[number].index) {
      indices(*index);
      refuse_if_open(*index, "which element this is");
    }
  }

  // Of all accesses in an expression.
  void indices(const Expression& e) {
    if (e.op == Op::kLoad) access(e.access);
    if (e.op == Op::kChoose && has_access(e))
      refuse_if_open(*e.of[0], "which of these is accessed");
    for (const ExpressionPtr& part : e.of) indices(*part);
  }

  static bool has_access(const Expression& e) {
    return e.op == Op::kLoad ||
           std::ranges::any_of(e.of, [](const auto& part) { return has_access(*part); });
  }

  // The access, or the variable, that leaves the value open.
  const Expression* open(const Expression& e) const {
    if (e.op == Op::kLoad || (e.op == Op::kName && unknown_.contains(e.name))) return &e;
    for (const ExpressionPtr& part : e.of)
      if (const Expression* found = open(*part)) return found;
    return nullptr;
  }

  void refuse_if_open(const Expression& e, const std::string& what) {
    const Expression* by = open(e);
    if (!by || error_) return;
    const std::string of = by->op == Op::kName
                               ? by->name + ", which comes from memory"
                               : "what " + program_.accesses[by->access].text + " loads";
    error_ = error_at(program_.text, by->at,
                      what + " depends on " + of + ": a pattern does not say what is there",
                      "write the values that you expect: threadIdx.x for lanes in a row, "
                      "random(threadIdx.x) for no order");
  }

  const Program& program_;
  std::set<std::string> unknown_;  // variables
  std::optional<Error> error_;
};

}  // namespace

std::optional<Error> left_open(const Program& program) { return Search(program).run(); }

}  // namespace warpmem::sim::pattern
