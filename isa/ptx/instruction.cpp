#include "isa/ptx/instruction.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "isa/ptx/lexer.hpp"

namespace warpmem::ptx {
namespace {

// "%tid.x" -> "%tid"
std::string_view register_in(std::string_view word) {
  const auto end = std::find_if(word.begin() + 1, word.end(), [](char c) {
    return !std::isalnum(static_cast<unsigned char>(c)) && c != '_';
  });
  return word.substr(0, static_cast<std::size_t>(end - word.begin()));
}

std::vector<std::string> words_of(std::string_view opcode) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= opcode.size();) {
    const std::size_t dot = std::min(opcode.find('.', from), opcode.size());
    words.emplace_back(opcode.substr(from, dot - from));
    from = dot + 1;
  }
  return words;
}

template <std::size_t N>
bool one_of(std::string_view word, const std::array<std::string_view, N>& all) {
  return std::find(all.begin(), all.end(), word) != all.end();
}

// Cuts a statement into its parts.
class Reader {
 public:
  explicit Reader(std::string_view text) : lexer_(text) { next(); }

  Instruction run() {
    guard();
    if (token_.kind != TokenKind::kWord) return std::move(out_);
    out_.words = words_of(token_.text);
    writes_ = std::none_of(kNoResult.begin(), kNoResult.end(), [&](std::string_view begin) {
      return out_.opcode().starts_with(begin);
    });
    for (next(); token_.kind != TokenKind::kEnd && !token_.is(";"); next()) operand_token();
    end_operand();
    return std::move(out_);
  }

 private:
  // What begins so writes no register.
  static constexpr std::array<std::string_view, 5> kNoResult = {"st", "red", "bar", "bra", "cp"};

  void next() { token_ = lexer_.next(); }

  void guard() {
    if (!token_.is("@")) return;
    out_.guarded = true;
    next();
    if (token_.is("!")) next();
    if (token_.text.starts_with('%')) out_.reads.emplace_back(register_in(token_.text));
    next();
  }

  // The first operand is written, unless it is an address; in braces it is several.
  void operand_token() {
    const std::string_view t = token_.text;
    if (token_.kind == TokenKind::kPunctuation) {
      const char c = t.front();
      if (c == '{') braces_ = true;
      if (c == '}') braces_ = false;
      if (c == '[' || (c == ',' && !braces_)) first_ = false;
      if (c == '[' || c == '(' || c == '{') ++depth_;
      if (c == ']' || c == ')' || c == '}') --depth_;
      if (c == ',' && depth_ <= 0) return end_operand();
    } else if (t.starts_with('%')) {
      (first_ && writes_ ? out_.writes : out_.reads).emplace_back(register_in(t));
    }
    operand_ += t;
  }

  void end_operand() {
    if (!operand_.empty()) out_.operands.push_back(std::move(operand_));
    operand_.clear();
  }

  Lexer lexer_;
  Token token_;
  Instruction out_;
  std::string operand_;
  int depth_ = 0;
  bool braces_ = false, first_ = true, writes_ = true;
};

}  // namespace

bool Instruction::has(std::string_view word) const {
  return !words.empty() && std::find(words.begin() + 1, words.end(), word) != words.end();
}

bool Instruction::has_beginning(std::string_view with) const {
  return !words.empty() && std::any_of(words.begin() + 1, words.end(),
                                       [&](const std::string& w) { return w.starts_with(with); });
}

bool Instruction::is(std::initializer_list<std::string_view> begin) const {
  if (words.size() < begin.size() || begin.size() == 0 || opcode() != *begin.begin()) return false;
  return std::equal(begin.begin() + 1, begin.end(), words.begin() + 1,
                    [](std::string_view b, const std::string& w) { return w.starts_with(b); });
}

bool Instruction::leaves_record() const {
  if (loads_parameter() || is({"ld", "const"})) return false;
  if (is({"cp", "async", "commit"}) || is({"cp", "async", "wait"})) return false;
  if (arrives_at_cluster() || waits_for_cluster()) return false;
  constexpr std::array<std::string_view, 5> kAccesses = {"ld", "st", "atom", "red", "cp"};
  if (words.size() > 1 && one_of(opcode(), kAccesses)) return true;
  constexpr std::array<std::string_view, 4> kOthers = {"bar", "ldmatrix", "stmatrix", "prefetch"};
  return std::any_of(kOthers.begin(), kOthers.end(),
                     [&](std::string_view begin) { return opcode().starts_with(begin); });
}

bool Instruction::may_reach_global() const {
  constexpr std::array<std::string_view, 5> kOthers = {"shared", "local", "param", "const", "nc"};
  return std::none_of(kOthers.begin(), kOthers.end(),
                      [this](std::string_view other) { return has_beginning(other); });
}

bool Instruction::takes_from_elsewhere() const {
  constexpr std::array<std::string_view, 7> kAll = {"ld",   "atom", "call", "tex",
                                                    "tld4", "suld", "shfl"};
  return std::any_of(kAll.begin(), kAll.end(),
                     [this](std::string_view begin) { return opcode().starts_with(begin); });
}

std::optional<std::uint32_t> Instruction::leaves_groups() const {
  if (!is({"cp", "async", "wait_group"})) return std::nullopt;
  std::uint32_t groups = 0;
  if (!operands.empty())
    std::from_chars(operands[0].data(), operands[0].data() + operands[0].size(), groups);
  return groups;
}

bool Instruction::looks_for_copies() const {
  return is({"mbarrier", "try_wait"}) || is({"mbarrier", "test_wait"});
}

bool Instruction::fences() const {
  if (opcode() == "membar") return !is({"membar", "cta"});
  if (arrives_at_cluster()) return !has_beginning("relaxed");  // releases unless it says otherwise
  return opcode() == "fence" && words.size() > 1 && !has_beginning("proxy") &&
         !has_beginning("cta");
}

bool Instruction::acquires() const {
  if (has_beginning("cta") && !has_beginning("cta_group")) return false;
  if (opcode() == "membar") return true;
  if (is({"fence", "sc"}) || is({"fence", "acq_rel"}) || waits_for_cluster()) return true;
  if (has_beginning("shared")) return false;
  return (is({"ld", "acquire"}) || opcode() == "atom") &&
         (has_beginning("acquire") || has_beginning("acq_rel"));
}

bool Instruction::load_polls() const {
  return has("volatile") || has("relaxed") || has("acquire") || has("cv") || has("mmio");
}

bool Instruction::atomic_polls() const {
  return has("cas") || has("exch") || (has("add") && !operands.empty() && operands.back() == "0");
}

std::string_view Instruction::called() const {
  if (opcode() != "call") return {};
  const auto named = std::find_if(operands.begin(), operands.end(), [](const std::string& o) {
    return o.front() != '(' && o.front() != '%';
  });
  return named == operands.end() ? std::string_view() : std::string_view(*named);
}

CostClass Instruction::cost_class() const {
  constexpr std::array<std::string_view, 8> kSpecial = {"ex2", "lg2",   "sin",  "cos",
                                                        "rcp", "rsqrt", "sqrt", "tanh"};
  constexpr std::array<std::string_view, 4> kCount = {"popc", "clz", "bfind", "brev"};
  constexpr std::array<std::string_view, 4> kSums = {"fma", "add", "mul", "sub"};
  const std::string_view op = opcode();
  const bool wide = has_beginning("f64");
  if (one_of(op, kSpecial)) return CostClass::kSpecial;
  if (op == "div" || op == "rem") return CostClass::kDivide;
  if (op == "cvt" && (has_beginning("f32") || wide) &&
      (has_beginning("s") || has_beginning("u") || wide))
    return CostClass::kConvert;
  if (one_of(op, kCount)) return CostClass::kCount;
  if (op == "shfl" || op == "match") return CostClass::kExchange;
  if (op == "redux") return CostClass::kRedux;
  if (op == "mma" || op == "wmma") return CostClass::kMatrix;
  if (one_of(op, kSums)) {
    if (wide) return CostClass::kDouble;
    if (has_beginning("f")) return CostClass::kFloat;
  }
  if (op == "mad" || op == "mul") return CostClass::kMultiply;
  if (op == "ld" && (has_beginning("param") || has_beginning("const"))) return CostClass::kConstant;
  return CostClass::kOther;
}

Instruction decode_statement(std::string_view text) {
  Instruction out = Reader(text).run();
  constexpr std::string_view kTo = "// 0x";
  if (const std::size_t at = text.rfind(kTo); out.is_branch() && at != text.npos) {
    std::uint32_t pc = 0;
    std::from_chars(text.data() + at + kTo.size(), text.data() + text.size(), pc, 16);
    out.target = pc;
  }
  return out;
}

}  // namespace warpmem::ptx
