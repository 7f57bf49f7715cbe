// The table of what instructions cost: found by opcode and modifiers, overridden, and refused where
// it is not one.
#include "model/card/instruction_table.hpp"

#include <algorithm>
#include <tuple>

#include "model/card/card.hpp"
#include "tests/catch.hpp"

using namespace warpmem;
using model::InstructionTable;
using model::Pipe;
using Words = std::vector<std::string>;

namespace {

InstructionTable sm_90() { return model::load_instruction_table("sm_90").value(); }

// The default row and all of PTX, and more.
std::string text(const std::string& more) {
  const std::string row =
      " = { pipe = \"alu\", issue = 2, latency = 4, wait = \"stall\", source = \"assumed: x\" }\n";
  std::string out = "name = \"x\"\n[flow]\ntaken" + row + "register" + row + "rejoin" + row +
                    "[sass]\ndefault" + row + more + "[ptx]\n";
  for (const char* c : {"special", "divide", "convert", "count", "exchange", "redux", "matrix",
                        "double", "float", "multiply", "constant", "other"})
    out += c + row;
  return out;
}

std::string refusal(const std::string& text) {
  const auto table = InstructionTable::parse(text, "x.toml");
  REQUIRE_FALSE(table.ok());
  CHECK(table.error().kind == ErrorKind::kUsage);
  CHECK_FALSE(table.error().fix.empty());
  CHECK(table.error().place.find("x.toml") == 0);
  return table.error().text();
}

template <class... Piece>
bool says(const std::string& text, const Piece&... piece) {
  UNSCOPED_INFO(text);
  return ((text.find(piece) != std::string::npos) && ...);
}

constexpr const char* kRow =
    " = { pipe = \"xu\", issue = 8, latency = 18, wait = \"scoreboard\", source = \"assumed: x\" "
    "}\n";

}  // namespace

TEST_CASE("an instruction costs what the row of its opcode says") {
  const InstructionTable t = sm_90();
  const auto fma = t.sass("FFMA", {});
  CHECK(fma.pipe == Pipe::kFma);
  CHECK(fma.busy == 1);
  CHECK(fma.latency == 4);
  CHECK_FALSE(fma.variable);
  const auto mufu = t.sass("MUFU", Words{"RCP"});
  CHECK(mufu.pipe == Pipe::kXu);
  CHECK(mufu.busy == 8);
  CHECK(mufu.variable);
  CHECK(t.ptx(model::PtxClass::kDouble).latency == 8);
}

TEST_CASE("an opcode that is not listed costs what the default says") {
  const auto cost = sm_90().sass("FROBNICATE", Words{"X"});
  CHECK(cost.pipe == Pipe::kNone);
  CHECK(cost.latency == 6);
}

TEST_CASE("of an opcode's rows the one with most of its modifiers counts") {
  const InstructionTable t = sm_90();
  CHECK(t.sass("HMMA", Words{"16816", "F32"}).busy == 8);
  CHECK(t.sass("HMMA", Words{"1688", "F32"}).busy == 4);
  CHECK(t.sass("HMMA", Words{"1688", "F32", "TF32"}).busy == 8);
  CHECK(t.sass("IMMA", Words{"16864", "S4", "S4"}).busy == 16);
  CHECK(t.sass("HFMA2", {}).busy == 1);
  CHECK(t.sass("HFMA2", Words{"MMA"}).busy == 2);
  CHECK(t.sass("HFMA2", Words{"BF16_V2"}).busy == 1);
}

TEST_CASE("a row without any of its modifiers in the instruction falls back to the default") {
  const auto t = InstructionTable::parse(text(std::string("\"POPC.X\"") + kRow), "x.toml");
  REQUIRE(t.ok());
  CHECK(t->sass("POPC", Words{"X1"}).pipe == Pipe::kXu);
  CHECK(t->sass("POPC", Words{"Y"}).pipe == Pipe::kAlu);
}

TEST_CASE("a row's numbers are overridden one by one, through the card") {
  model::Card card = model::load_card("h200").value();
  REQUIRE(card.set("isa.sass.FFMA.latency", "6").ok());
  REQUIRE(card.set("isa.sass.HMMA.1688.TF32.issue", "16").ok());
  REQUIRE(card.set("isa.ptx.float.pipe", "alu").ok());
  REQUIRE(card.set("isa.sass.FFMA.wait", "scoreboard").ok());
  const auto fma = card.instructions().sass("FFMA", {});
  CHECK(fma.latency == 6);
  CHECK(fma.busy == 1);
  CHECK(fma.variable);
  CHECK(card.instructions().sass("HMMA", Words{"1688", "TF32"}).busy == 16);
  CHECK(card.instructions().sass("HMMA", Words{"1688"}).busy == 4);
  CHECK(card.instructions().ptx(model::PtxClass::kFloat).pipe == Pipe::kAlu);
  int overridden = 0;
  for (const auto& e : card.entries()) {
    overridden += e.overridden;
    if (e.key == "isa.sass.FFMA") {
      CHECK(e.value == "fma, issue 1, latency 6, scoreboard");
      CHECK(e.source == "set by the user");
    }
  }
  CHECK(overridden == 3);
}

TEST_CASE("a setting of the table that makes no sense is refused with a fix") {
  model::Card card = model::load_card("h200").value();
  const auto refused = [&](const char* key, const char* value) {
    const auto set = card.set(key, value);
    REQUIRE_FALSE(set.ok());
    return set.error().text();
  };
  CHECK(says(refused("isa.sass.FFMB.latency", "6"), "did you mean 'isa.sass.FFMA.latency'?"));
  CHECK(says(refused("isa.sass.FFMA.latecny", "6"), "unknown key 'latecny'"));
  CHECK(says(refused("isa.sass.FFMA", "6"), "--set isa.sass.FFMA", "there is no such number"));
  CHECK(says(refused("isa.zzzzzzzzzzzzzzzzz", "6"), "write it as isa.sass.FFMA.latency"));
  CHECK(says(refused("isa.sass.FFMA.latency", "0"), "'0' is less than 1", "1 to 10,000"));
  CHECK(says(refused("isa.sass.FFMA.issue", "256"), "'256' is more than 255"));
  CHECK(says(refused("isa.sass.FFMA.pipe", "lsu"), "choose one of: fma, alu"));
  CHECK(says(refused("isa.sass.FFMA.wait", "never"), "stall or scoreboard"));
  CHECK(card.instructions().sass("FFMA", {}).latency == 4);
}

TEST_CASE("text that is no instruction table is refused with its line") {
  CHECK(says(refusal("name = \"x\"\n[sass\n"), "x.toml, line 2", "not valid TOML"));
  CHECK(says(refusal("[arm]\n"), "unknown key 'arm'", "sass, ptx and flow"));
  CHECK(says(refusal(text("A = 3\n")), "'sass.A' needs a source"));
  CHECK(says(refusal(text("A = { source = \"assumed: x\" }\n")),
             "'sass.A' needs pipe, issue, latency and wait"));
  CHECK(says(refusal(text("A = { pipe = \"warp\", source = \"x\" }\n")), "'warp' is no pipe"));
  CHECK(says(refusal(text("A = { speed = 3, source = \"x\" }\n")), "unknown key 'speed'"));
  CHECK(says(refusal(text("A = { issue = -1, source = \"x\" }\n")), "'-1' is less than 1"));
  std::string some = text("");
  some.erase(some.find("divide"), some.find("convert") - some.find("divide"));
  CHECK(says(refusal(some), "'ptx.divide' is missing"));
  std::string none = text("");
  none.erase(none.find("default"), none.find("[ptx]") - none.find("default"));
  CHECK(says(refusal(none), "'sass.default' is missing"));
  std::string flow = text("");
  flow.erase(flow.find("taken"), flow.find("register") - flow.find("taken"));
  CHECK(says(refusal(flow), "'flow.taken' is missing"));
  flow = text("");
  flow.erase(flow.find("rejoin"), flow.find("[sass]") - flow.find("rejoin"));
  CHECK(says(refusal(flow), "'flow.rejoin' is missing"));
  CHECK(says(refusal(text("") + "fast" + kRow), "unknown key 'ptx.fast'", "special, divide"));
}

TEST_CASE("a card names its instruction table") {
  const auto table = model::load_instruction_table("sm_10");
  REQUIRE_FALSE(table.ok());
  CHECK(says(table.error().text(), "no instruction table 'sm_10'", "sm_90"));
  const auto card = model::Card::parse("name = \"x\"\nisa = \"sm_10\"\n", "test");
  REQUIRE_FALSE(card.ok());
  CHECK(says(card.error().text(), "test.toml", "no instruction table 'sm_10'"));
  const auto bare = model::Card::parse("name = \"x\"\n", "test");
  REQUIRE_FALSE(bare.ok());
  CHECK(says(bare.error().text(), "'isa' is missing"));
}

// Cycles of a sub-partition for a warp: 128 over the results of an SM and cycle that the CUDA
// programming guide's table of throughput says (best practices guide 13 for 12.0).
TEST_CASE("each compute capability has the rates that NVIDIA documents") {
  struct Row {
    const char* table;
    int ffma, hfma2, dfma, iadd3, mufu, shfl;
  };
  for (const Row& r : {Row{"sm_70", 2, 2, 4, 2, 8, 4}, Row{"sm_75", 2, 2, 64, 2, 8, 4},
                       Row{"sm_80", 2, 1, 4, 2, 8, 4}, Row{"sm_86", 1, 2, 64, 2, 8, 4},
                       Row{"sm_89", 1, 2, 64, 2, 8, 4}, Row{"sm_90", 1, 1, 2, 2, 8, 4},
                       Row{"sm_100", 1, 2, 2, 2, 8, 4}, Row{"sm_120", 1, 2, 64, 1, 8, 4}}) {
    const InstructionTable t = model::load_instruction_table(r.table).value();
    INFO(r.table);
    CHECK(t.sass("FFMA", {}).busy == r.ffma);
    CHECK(t.sass("HFMA2", {}).busy == r.hfma2);
    CHECK(t.sass("DFMA", {}).busy == r.dfma);
    CHECK(t.sass("IADD3", {}).busy == r.iadd3);
    CHECK(t.sass("MUFU", Words{"RCP"}).busy == r.mufu);
    CHECK(t.sass("SHFL", Words{"IDX"}).busy == r.shfl);
  }
}

// Multiply-adds of 16 bits, of a sub-partition and cycle, by NVIDIA's white papers: 128 (V100, T4,
// GA102; half of it where 32-bit numbers are added up on GeForce), 256 (A100), 512 (H100).
TEST_CASE("matrix products take what the white papers say") {
  const auto busy = [](const char* table, Words words) {
    return int{model::load_instruction_table(table).value().sass("HMMA", words).busy};
  };
  CHECK(busy("sm_75", {"1688", "F32"}) == 16 * 8 * 8 / 128);
  CHECK(busy("sm_80", {"16816", "F32"}) == 16 * 8 * 16 / 256);
  CHECK(busy("sm_86", {"16816", "F16"}) == 16 * 8 * 16 / 128);
  CHECK(busy("sm_86", {"16816", "F32"}) == 16 * 8 * 16 / 64);
  CHECK(busy("sm_89", {"16816", "F32"}) == 16 * 8 * 16 / 64);
}

TEST_CASE("a table inherits another one and says what is borrowed") {
  const InstructionTable t = model::load_instruction_table("sm_75").value();
  const auto row = [&](const std::string& key) {
    const auto at =
        std::find_if(t.rows().begin(), t.rows().end(), [&](const auto& r) { return r.key == key; });
    REQUIRE(at != t.rows().end());
    return at->source;
  };
  CHECK(row("sass.MUFU").starts_with("assumed: borrowed from sm_90: measured: "));
  CHECK(row("sass.FFMA").starts_with("assumed: borrowed from sm_70: documented: "));
  CHECK(row("sass.DFMA").starts_with("documented: "));
  CHECK(std::count_if(t.rows().begin(), t.rows().end(),
                      [](const auto& r) { return r.key == "sass.DFMA"; }) == 1);
  CHECK(says(refusal("inherits = \"sm_12\"\n"), "there is no instruction table 'sm_12'", "sm_90"));
  const auto own =
      InstructionTable::parse(std::string("inherits = \"sm_90\"\n[sass]\nFFMA") + kRow, "x.toml");
  REQUIRE(own.ok());
  CHECK(own->sass("FFMA", {}).latency == 18);
  CHECK(own->sass("FADD", {}).latency == 4);
}

TEST_CASE("each card takes the table of its compute capability from 7.0 on") {
  for (const auto& [card, ffma, dfma] : {std::tuple{"v100", 2, 4},
                                         {"t4", 2, 64},
                                         {"a100_80", 2, 4},
                                         {"rtx3070", 1, 64},
                                         {"rtx4090", 1, 64},
                                         {"h100_sxm", 1, 2},
                                         {"b200", 1, 2},
                                         {"rtx5090", 1, 64}}) {
    const auto loaded = model::load_card(card);
    REQUIRE(loaded.ok());
    INFO(card);
    CHECK(loaded->instructions().sass("FFMA", {}).busy == ffma);
    CHECK(loaded->instructions().sass("DFMA", {}).busy == dfma);
  }
}
