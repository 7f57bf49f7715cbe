// Random programs with spills, run by an interpreter that knows all: what is put back from the
// records alone must be what it ran.
//
// Each side of a branch and each round of a loop has an access of its own, so that the records say
// which way every lane went; without, nobody could know. For the same reason the function that has
// some is called from one place only.
#include <random>

#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

struct Statement {
  enum class Kind { kSpill, kAccess, kIf, kLoop, kCall } kind = Kind::kSpill;
  bool load = false;
  std::vector<Statement> body, other;  // of an if: both sides; of a loop: one
  std::uint32_t function = 0;
  std::uint32_t site = 0;
};
using Body = std::vector<Statement>;

struct Program {
  Body kernel;
  std::vector<Body> functions;
};

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  Program program() {
    Program p;
    for (int f = 0; f < 2; ++f) {
      inside_function_ = true;
      p.functions.push_back(body(1, f == 0));
    }
    inside_function_ = false;
    p.kernel = body(0, true);
    return p;
  }
  std::uint32_t below(std::uint32_t n) {
    return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random_);
  }

 private:
  Body body(int depth, bool access) {
    Body out;
    const std::uint32_t n = 1 + below(4);
    const std::uint32_t where = below(n);
    for (std::uint32_t k = 0; k < n; ++k) {
      if (below(2) == 0) out.push_back(spill());
      if (access && k == where)
        out.push_back(Statement{Statement::Kind::kAccess, true, {}, {}, 0, 0});
      else if (depth < 3 && access) out.push_back(compound(depth));
      if (below(2) == 0) out.push_back(spill());
    }
    return out;
  }
  Statement spill() { return {Statement::Kind::kSpill, below(2) == 0, {}, {}, 0, 0}; }
  Statement compound(int depth) {
    Statement s;
    switch (below(inside_function_ ? 3 : 4)) {
      case 0: return spill();
      case 1:
        s.kind = Statement::Kind::kIf;
        s.body = body(depth + 1, true);
        if (below(2) == 0) s.other = body(depth + 1, true);
        return s;
      case 2:
        s.kind = Statement::Kind::kLoop;
        s.body = body(depth + 1, true);
        return s;
      default:
        s.kind = Statement::Kind::kCall;
        s.function = called_ ? 1 : below(2);
        called_ |= s.function == 0;
        return s;
    }
  }
  std::mt19937 random_;
  bool inside_function_ = false;
  bool called_ = false;  // the function with accesses
};

// As code, with a site for each access.
class Assembler {
 public:
  Assembler(Program& p, Kernel& k) : kernel_(k) {
    emit("LDC R1, c[0x0][0x28]");
    emit("IADD3 R1, R1, -0x40, RZ");
    write(p.kernel);
    emit("EXIT");
    std::vector<std::uint32_t> entries;
    for (Body& f : p.functions) {
      entries.push_back(here());
      write(f);
      emit("RET.REL.NODEC R20 `(kernel)");
    }
    for (const auto& [line, function] : calls_) set(line, "CALL.REL.NOINC ", entries[function]);
  }

 private:
  std::uint32_t here() const { return static_cast<std::uint32_t>(16 * kernel_.code.size()); }
  std::size_t emit(const std::string& text) {
    kernel_.code.push_back({here(), text, 0, 0, control(2)});
    return kernel_.code.size() - 1;
  }
  void set(std::size_t line, const std::string& text, std::uint32_t target) {
    char number[16];
    std::snprintf(number, sizeof number, "0x%x", target);
    kernel_.code[line].text = text + number;
  }
  void write(Body& body) {
    for (Statement& s : body) switch (s.kind) {
        case Statement::Kind::kSpill:
          emit(std::string(s.load ? "LDL R4, [R1+0x8]" : "STL [R1+0x8], R4") +
               " (*\"SpillRefill\"*)");
          break;
        case Statement::Kind::kAccess:
          s.site = static_cast<std::uint32_t>(kernel_.sites.size());
          kernel_.sites.push_back(load_at(here()));
          emit("LDG.E R4, desc[UR4][R2.64]");
          break;
        case Statement::Kind::kIf: {
          const std::size_t branch = emit("");
          write(s.body);
          if (s.other.empty()) {
            set(branch, "@P0 BRA ", here());
            break;
          }
          const std::size_t over = emit("");
          set(branch, "@P0 BRA ", here());
          write(s.other);
          set(over, "BRA ", here());
          emit("BSYNC B0");
          break;
        }
        case Statement::Kind::kLoop: {
          const std::uint32_t begin = here();
          write(s.body);
          set(emit(""), "@P0 BRA ", begin);
          emit("BSYNC B0");
          break;
        }
        case Statement::Kind::kCall: calls_.emplace_back(emit(""), s.function); break;
      }
  }
  Kernel& kernel_;
  std::vector<std::pair<std::size_t, std::uint32_t>> calls_;
};

class Interpreter {
 public:
  // `parts`: branches may part a warp's lanes.
  Interpreter(const Program& p, std::uint32_t seed, bool parts)
      : program_(p), random_(seed), parts_(parts) {}

  std::vector<Record> run() {
    records.push_back(regular(0, 0, 0));
    run(program_.kernel, ~0u);
    records.push_back(regular(1, 0, 0));
    return records;
  }
  std::uint64_t loads = 0, stores = 0;

 private:
  void run(const Body& body, std::uint32_t mask) {
    for (const Statement& s : body) switch (s.kind) {
        case Statement::Kind::kSpill: ++(s.load ? loads : stores); break;
        case Statement::Kind::kAccess: records.push_back(regular(s.site, kA, 4, mask)); break;
        case Statement::Kind::kIf: {
          const std::uint32_t then = mask & pick(), other = mask & ~then;
          if (then) run(s.body, then);
          if (other && !s.other.empty()) run(s.other, other);
          break;
        }
        case Statement::Kind::kLoop:
          for (std::uint32_t left = mask, round = 0; left != 0 && round < 5; ++round) {
            run(s.body, left);
            left &= pick();
          }
          break;
        case Statement::Kind::kCall: run(program_.functions[s.function], mask); break;
      }
  }
  // All lanes, none, or some.
  std::uint32_t pick() {
    const std::uint32_t r = static_cast<std::uint32_t>(random_());
    if (!parts_) return r % 2 == 0 ? ~0u : 0u;
    return r % 3 == 0 ? ~0u : r % 3 == 1 ? 0u : static_cast<std::uint32_t>(random_());
  }
  const Program& program_;
  std::mt19937 random_;
  bool parts_;
  std::vector<Record> records;
};

struct Compared {
  std::uint64_t ran = 0, put_back = 0, wrong = 0;  // accesses; programs
};

Compared compare(std::uint32_t programs, bool parts) {
  Compared sum;
  for (std::uint32_t seed = 0; seed < programs; ++seed) {
    Generator generator(seed);
    Program program = generator.program();
    Kernel k = kernel();
    k.sites = {{0, Op::kCtaBegin, Space::kNone, 0}, {0, Op::kCtaEnd, Space::kNone, 0}};
    Assembler(program, k);
    k.text.resize(k.sites.size());
    k.launch.local_bytes = 64;
    Interpreter interpreter(program, seed + 1000, parts);
    const std::vector<Record> records = interpreter.run();
    k.fill = [&](Warp& w) { w.records = records; };
    const auto c = count(k);
    sum.ran += interpreter.loads + interpreter.stores;
    sum.put_back += c.inst_local_ld + c.inst_local_st;
    if (c.inst_local_ld != interpreter.loads || c.inst_local_st != interpreter.stores) {
      ++sum.wrong;
      UNSCOPED_INFO("seed " << seed << ": " << interpreter.loads << " loads, " << interpreter.stores
                            << " stores; put back " << c.inst_local_ld << ", " << c.inst_local_st);
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("spills: what random programs ran comes back") {
  const Compared c = compare(400, false);
  CHECK(c.wrong == 0);
  CHECK(c.ran > 5000);
}

// Lanes that wait behind a loop while others go on may have run its end by themselves or not.
TEST_CASE("spills: … and nearly all of it where lanes part") {
  const Compared c = compare(400, true);
  CHECK(c.ran > 10000);
  CHECK(c.wrong <= 8);
  CHECK(static_cast<double>(c.put_back) == Approx(static_cast<double>(c.ran)).epsilon(0.002));
}
