#include "sim/pattern/evaluate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "sim/pattern/lexer.hpp"

namespace warpmem::sim::pattern {
namespace {

using Lanes = std::array<std::int64_t, 32>;

constexpr std::uint64_t kGlobalBase = 0x7f0000000000, kGlobalStep = std::uint64_t{1} << 34;
constexpr std::uint64_t kSharedStep = 64 << 10;  // of arrays without extents

// As the machine has them: numbers wrap, and nothing is undefined.
std::int64_t wrap(std::uint64_t n) { return static_cast<std::int64_t>(n); }

std::uint64_t mixed(std::uint64_t n) {  // splitmix64
  n += 0x9e3779b97f4a7c15u;
  n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9u;
  n = (n ^ n >> 27) * 0x94d049bb133111ebu;
  return n ^ n >> 31;
}

class Warp {
 public:
  Warp(const Program& program, const Shape& shape, std::uint64_t cta, std::uint32_t warp,
       const TakeAccess& take)
      : program_(program), bases_(bases_of(program)), shape_(shape), take_(take) {
    const Dim3& g = shape.grid;
    const Dim3& b = shape.block;
    const std::uint64_t threads = std::uint64_t{b[0]} * b[1] * b[2];
    for (const auto& [name, value] : shape.let) variables_[name].fill(value);
    fill("blockIdx.x", static_cast<std::int64_t>(cta % g[0]));
    fill("blockIdx.y", static_cast<std::int64_t>(cta / g[0] % g[1]));
    fill("blockIdx.z", static_cast<std::int64_t>(cta / g[0] / g[1]));
    for (int d = 0; d < 3; ++d) {
      const std::string axis(1, static_cast<char>('x' + d));
      fill("blockDim." + axis, b[static_cast<std::size_t>(d)]);
      fill("gridDim." + axis, g[static_cast<std::size_t>(d)]);
    }
    fill("warp", warp), fill("warpSize", 32);
    for (std::uint32_t l = 0; l < 32; ++l) {
      const std::uint64_t t = std::uint64_t{warp} * 32 + l;
      if (t < threads) mask_ |= 1u << l;
      variables_["lane"][l] = l;
      variables_["threadIdx.x"][l] = static_cast<std::int64_t>(t % b[0]);
      variables_["threadIdx.y"][l] = static_cast<std::int64_t>(t / b[0] % b[1]);
      variables_["threadIdx.z"][l] = static_cast<std::int64_t>(t / b[0] / b[1]);
    }
  }

  Result<void> run() {
    block(program_.statements, mask_);
    if (error_) return *error_;
    return {};
  }

 private:
  void fill(const std::string& name, std::int64_t value) { variables_[name].fill(value); }
  void fail(std::size_t at, const std::string& message, const std::string& fix) {
    if (!error_) error_ = error_at(program_.text, at, message, fix);
  }

  void block(const std::vector<Statement>& all, std::uint32_t mask) {
    for (const Statement& s : all) {
      if (error_ || mask == 0) return;
      one(s, mask);
    }
  }

  void one(const Statement& s, std::uint32_t mask) {
    switch (s.kind) {
      case Statement::Kind::kExpression: value(*s.value, mask); break;
      case Statement::Kind::kAccess: access(s.access, mask); break;
      case Statement::Kind::kSet: set(s.name, value(*s.value, mask), mask); break;
      case Statement::Kind::kIf: {
        const std::uint32_t yes = true_lanes(value(*s.value, mask)) & mask;
        block(s.body, yes);
        block(s.otherwise, mask & ~yes);
        break;
      }
      case Statement::Kind::kFor: loop(s, mask); break;
    }
  }

  void loop(const Statement& s, std::uint32_t mask) {
    const Lanes first = value(*s.value, mask), end = value(*s.end, mask);
    Lanes step;
    step.fill(1);
    if (s.step) step = value(*s.step, mask);
    set(s.name, first, mask);
    while (true) {
      std::uint32_t on = 0;
      const Lanes now = variables_[s.name];
      for (std::uint32_t l = 0; l < 32; ++l) {
        if (!(mask >> l & 1u)) continue;
        if (step[l] == 0) return fail(s.at, "the loop's step is 0", "count up or down");
        if (step[l] > 0 ? now[l] < end[l] : now[l] > end[l]) on |= 1u << l;
      }
      if (on == 0 || error_) return;
      if (rounds_++ == shape_.most_rounds)
        return fail(s.at,
                    "the loops go round more than " + std::to_string(shape_.most_rounds) + " times",
                    "make them shorter: the pattern is what counts");
      block(s.body, on);
      Lanes next = variables_[s.name];
      for (std::uint32_t l = 0; l < 32; ++l)
        next[l] = wrap(static_cast<std::uint64_t>(next[l]) + static_cast<std::uint64_t>(step[l]));
      set(s.name, next, on);
      mask = on;
    }
  }

  void set(const std::string& name, const Lanes& value, std::uint32_t mask) {
    Lanes& v = variables_[name];
    for (std::uint32_t l = 0; l < 32; ++l)
      if (mask >> l & 1u) v[l] = value[l];
  }

  static std::uint32_t true_lanes(const Lanes& v) {
    std::uint32_t out = 0;
    for (std::uint32_t l = 0; l < 32; ++l) out |= std::uint32_t{v[l] != 0} << l;
    return out;
  }

  void access(std::uint32_t number, std::uint32_t mask) {
    const Access& access = program_.accesses[number];
    const Array& array = program_.arrays[access.array];
    Lanes index{};
    for (std::size_t i = 0; i < access.index.size(); ++i) {
      const Lanes v = value(*access.index[i], mask);
      if (error_) return;
      for (std::uint32_t l = 0; l < 32; ++l) {
        if (!(mask >> l & 1u)) continue;
        const std::int64_t extent = i < array.extents.size() ? array.extents[i] : 0;
        const bool known = access.index.size() == array.extents.size();
        if (v[l] < 0 || (known && v[l] >= extent) || v[l] > (std::int64_t{1} << 32))
          return fail(access.index[i]->at,
                      "the index is " + std::to_string(v[l]) + " for lane " + std::to_string(l) +
                          (known ? ", the array ends at " + std::to_string(extent - 1) : ""),
                      "index from 0 on" +
                          std::string(known ? ", or declare a larger array" : ", below 2^32"));
        index[l] = index[l] * (known && i > 0 ? extent : 1) + v[l];
      }
    }
    const bool matrix = access.kind == AccessKind::kMatrixLoad;
    const std::uint32_t part = matrix ? 16 : array.part;
    model::WarpAccess a;
    a.mask = mask, a.bytes = part;
    for (std::uint32_t p = 0; p < (matrix ? 1 : array.bytes / array.part); ++p) {
      for (std::uint32_t l = 0; l < 32; ++l)
        a.address[l] = bases_[access.array] + static_cast<std::uint64_t>(index[l]) * array.bytes +
                       std::uint64_t{p} * part;
      if (std::ranges::any_of(a.address, [&](std::uint64_t at) { return at % part != 0; }))
        return fail(
            access.at,
            "an address is no multiple of the " + std::to_string(part) + " bytes that a lane takes",
            "align the rows");
      take_(number, p, a);
    }
  }

  Lanes value(const Expression& e, std::uint32_t mask) {
    Lanes out{};
    if (error_) return out;
    switch (e.op) {
      case Op::kNumber: out.fill(e.value); return out;
      case Op::kName: return variables_[e.name];
      case Op::kLoad: access(e.access, mask); return out;
      case Op::kChoose: {
        const std::uint32_t yes = true_lanes(value(*e.of[0], mask));
        const Lanes a = value(*e.of[1], mask & yes), b = value(*e.of[2], mask & ~yes);
        for (std::uint32_t l = 0; l < 32; ++l) out[l] = yes >> l & 1u ? a[l] : b[l];
        return out;
      }
      default: break;
    }
    const Lanes a = value(*e.of[0], mask);
    const Lanes b = e.of.size() > 1 ? value(*e.of[1], mask) : Lanes{};
    for (std::uint32_t l = 0; l < 32; ++l) {
      if (!(mask >> l & 1u)) continue;
      if ((e.op == Op::kDiv || e.op == Op::kMod) && b[l] == 0) {
        fail(e.at, "division by 0 for lane " + std::to_string(l), "divide by something else");
        return out;
      }
      out[l] = of_two(e.op, a[l], b[l]);
    }
    return out;
  }

  static std::int64_t of_two(Op op, std::int64_t a, std::int64_t b) {
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    switch (op) {
      case Op::kAdd: return wrap(x + y);
      case Op::kSub: return wrap(x - y);
      case Op::kMul: return wrap(x * y);
      case Op::kDiv: return b == -1 ? wrap(-x) : a / b;
      case Op::kMod: return b == -1 ? 0 : a % b;
      case Op::kShl: return wrap(y < 64 ? x << y : 0);
      case Op::kShr: return y < 64 ? a >> y : (a < 0 ? -1 : 0);
      case Op::kAnd: return a & b;
      case Op::kOr: return a | b;
      case Op::kXor: return a ^ b;
      case Op::kNot: return a == 0;
      case Op::kNeg: return wrap(-x);
      case Op::kFlip: return ~a;
      case Op::kLess: return a < b;
      case Op::kMore: return a > b;
      case Op::kLessEqual: return a <= b;
      case Op::kMoreEqual: return a >= b;
      case Op::kEqual: return a == b;
      case Op::kUnequal: return a != b;
      case Op::kBoth: return a != 0 && b != 0;
      case Op::kEither: return a != 0 || b != 0;
      case Op::kMin: return std::min(a, b);
      case Op::kMax: return std::max(a, b);
      case Op::kRandom: return wrap(mixed(x) >> 32);
      default: return 0;
    }
  }

  const Program& program_;
  std::vector<std::uint64_t> bases_;
  const Shape& shape_;
  const TakeAccess& take_;
  std::uint32_t mask_ = 0;
  std::uint64_t rounds_ = 0;
  std::map<std::string, Lanes> variables_;
  std::optional<Error> error_;
};

}  // namespace

std::vector<std::uint64_t> bases_of(const Program& program) {
  std::vector<std::uint64_t> out;
  std::uint64_t global = kGlobalBase, shared = 0, constant = 0;
  for (const Array& a : program.arrays) {
    std::uint64_t bytes = a.bytes;
    for (const std::int64_t extent : a.extents) bytes *= static_cast<std::uint64_t>(extent);
    if (a.extents.empty()) bytes = kSharedStep;
    bytes = (bytes + 127) / 128 * 128;
    std::uint64_t& next = a.space == MemorySpace::kShared     ? shared
                          : a.space == MemorySpace::kConstant ? constant
                                                              : global;
    out.push_back(next);
    next += a.space == MemorySpace::kGlobal ? kGlobalStep : bytes;
  }
  return out;
}

Result<void> run_warp(const Program& program, const Shape& shape, std::uint64_t cta,
                      std::uint32_t warp, const TakeAccess& take) {
  return Warp(program, shape, cta, warp, take).run();
}

}  // namespace warpmem::sim::pattern
