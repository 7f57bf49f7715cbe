// What stays in the L1 of random sequences of loads and stores, against an H200.
#include <map>

#include "model/cache/l1_cache.hpp"
#include "tests/catch.hpp"
#include "tests/model/example_specs.hpp"
#include "tests/model/hardware_rows.hpp"

using namespace warpmem;
using model::L1Cache;

namespace {

// Lines of one set.
std::vector<std::uint64_t> lines_of_a_set(std::size_t count) {
  std::vector<std::uint64_t> lines;
  for (std::uint64_t line = 0xff00000000; lines.size() < count; ++line)
    if (model::l1_set(line) == 77) lines.push_back(line);
  return lines;
}

}  // namespace

// Three characters an access (L or S; the line; 2 x sector + word), the last one timed: about 60
// cycles from the L1, more than 260 from beyond.
TEST_CASE("random loads and stores of a set's lines leave what they leave in an H200") {
  const std::vector<std::uint64_t> lines = lines_of_a_set(7);
  int cases = 0, hits = 0, wrong = 0;
  for (const std::string& text : testing::hardware_lines("l1_replacement.csv")) {
    const auto part = testing::split(text, ',');
    if (part[0] == "sequence") continue;
    ++cases;
    L1Cache l1{model::example_l1()};
    bool hit = false;
    for (std::size_t at = 0; at + 3 <= part[0].size(); at += 3) {
      const std::uint64_t line = lines[static_cast<std::size_t>(part[0][at + 1] - 'a')];
      const auto place = static_cast<unsigned>(part[0][at + 2] - '0');
      const auto sector = static_cast<std::uint8_t>(1u << place / 2);
      if (part[0][at] == 'S') {
        std::uint32_t bytes[4] = {};
        bytes[place / 2] = 15u << place % 2 * 4;
        l1.store(line, sector, 0, bytes);
      } else {
        const auto words = [&](std::uint64_t) { return 1u << place / 2 * 8 << place % 2; };
        hit = l1.load(line, sector, true, model::AskedWords(words)) == 0;
      }
    }
    const int cycles = std::stoi(part[1]);
    REQUIRE((cycles < 150 || cycles > 250));
    hits += hit;
    wrong += hit != (cycles < 150);
  }
  CHECK(cases == 4000);
  CHECK(hits > 1500);
  // The program's own lines are now and then in the same set.
  CHECK(wrong <= 8);
}

// Three characters an access (L, U: the last use, or S; the word; lanes: 0 all, 1 the first eight,
// 2 the first alone), the last one timed: about 85 cycles from the L1, more than 290 from beyond.
TEST_CASE("random loads, last uses and stores of local memory leave what they leave in an H200") {
  const std::vector<std::uint64_t> lines = lines_of_a_set(7);
  int cases = 0, hits = 0, wrong = 0, last_uses = 0, wrong_last_uses = 0;
  for (const std::string& text : testing::hardware_lines("local_replacement.csv")) {
    const auto part = testing::split(text, ',');
    if (part[0] == "sequence") continue;
    ++cases;
    L1Cache l1{model::example_l1()};
    bool hit = false;
    for (std::size_t at = 0; at + 3 <= part[0].size(); at += 3) {
      const std::uint64_t line = lines[static_cast<std::size_t>(part[0][at + 1] - 'a')];
      const std::uint32_t active = part[0][at + 2] == '0'   ? ~0u
                                   : part[0][at + 2] == '1' ? 255u
                                                            : 1u;
      std::uint32_t bytes[4];
      std::uint8_t sectors = 0, full = 0;
      for (unsigned s = 0; s < 4; ++s) {
        const std::uint32_t of_sector = active >> s * 8 & 255;
        bytes[s] = of_sector == 255 ? ~0u : of_sector * 15;  // of a sector with one lane: its word
        if (of_sector) sectors = static_cast<std::uint8_t>(sectors | 1u << s);
        if (of_sector == 255) full = static_cast<std::uint8_t>(full | 1u << s);
      }
      const auto words = [&](std::uint64_t) { return active; };
      if (part[0][at] == 'S') l1.store(line, sectors, full, bytes);
      else if (part[0][at] == 'U') l1.load_last(line, sectors, model::AskedWords(words));
      else hit = l1.load(line, sectors, true, model::AskedWords(words)) == 0;
    }
    const int cycles = std::stoi(part[1]);
    REQUIRE((cycles < 150 || cycles > 250));
    const bool has_last_use = part[0].find('U') != std::string::npos,
               differs = hit != (cycles < 150);
    hits += hit;
    wrong += differs;
    last_uses += has_last_use;
    wrong_last_uses += differs && has_last_use;
  }
  CHECK(cases == 2000);
  CHECK(hits > 700);
  CHECK(last_uses > 800);
  CHECK(wrong == wrong_last_uses);
  // Of two lines that were both used for the last time, the one used so first goes in hardware.
  CHECK(wrong_last_uses <= 8);
}

// Each step: L or S, the bytes of a lane, its lanes (hexadecimal); a warp on two lines in a row.
TEST_CASE("loads find what was stored of random words and bytes as on an H200") {
  int cases = 0;
  for (const testing::HardwareRow& row : testing::hardware_rows("l1_written.csv")) {
    ++cases;
    L1Cache l1{model::example_l1()};
    std::uint64_t loaded = 0, load_hits = 0, stored = 0, store_hits = 0;
    for (const std::string& step : testing::split(row.label, ' ')) {
      const std::size_t colon = step.find(':');
      model::WarpAccess access;
      access.bytes = static_cast<std::uint32_t>(std::stoul(step.substr(1, colon - 1)));
      access.mask = static_cast<std::uint32_t>(std::stoul(step.substr(colon + 1), nullptr, 16));
      for (unsigned l = 0; l < 32; ++l) access.address[l] = 0x7f4a20000000 + l * access.bytes;
      model::LineList lines;
      model::touch_lines(access, true, lines);
      const auto words = [&](std::uint64_t line) { return model::touched_words(access, line); };
      for (int i = 0; i < lines.count; ++i) {
        const model::LineTouch t = lines[i];
        const unsigned sectors = model::sectors_in(t.sectors);
        if (step[0] == 'S') {
          stored += sectors;
          if (l1.store(t.line, t.sectors, t.full, t.bytes.data())) store_hits += sectors;
        } else {
          loaded += sectors;
          load_hits += sectors - model::sectors_in(
                                     l1.load(t.line, t.sectors, true, model::AskedWords(words)));
        }
      }
    }
    INFO(row.label);
    REQUIRE(loaded == row.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"));
    REQUIRE(stored == row.at("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"));
    CHECK(load_hits == row.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"));
    CHECK(store_hits == row.at("l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum"));
    CHECK(loaded - load_hits == row.at("l1tex__m_xbar2l1tex_read_sectors.sum"));
  }
  CHECK(cases == 640);
}
