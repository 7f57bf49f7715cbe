// Small programs for the tests of the time engine: lines of SASS with the control words that ptxas
// would have given them.
#pragma once

#include "sim/code/code.hpp"
#include "sim/time/paths.hpp"
#include "tests/sim/support.hpp"

namespace warpmem::testing {

constexpr std::uint32_t kNone = trace::kNoBarrier;

// Stall cycles, the scoreboards set by the result and by the operands' being read, and a mask of
// those that must be clear before.
constexpr std::uint32_t control(std::uint32_t stall, std::uint32_t sets = kNone,
                                std::uint32_t frees = kNone, std::uint32_t waits = 0) {
  return stall | 1u << 4 | sets << 5 | frees << 8 | waits << 11;
}

struct Line {
  std::string text;
  std::uint32_t control = warpmem::testing::control(1);
};

// Instructions at 0x00, 0x10, 0x20 …
inline std::vector<trace::Instruction> lines(const std::vector<Line>& text) {
  std::vector<trace::Instruction> out;
  for (const Line& l : text)
    out.push_back({static_cast<std::uint32_t>(16 * out.size()), l.text, 0, 0, l.control});
  return out;
}

inline trace::Program program(const std::vector<Line>& text) {
  trace::Program p;
  p.name = "kernel";
  p.code = lines(text);
  return p;
}

// The same, as a trace holds it whose recorder could not read control words.
inline trace::Program without_control(const std::vector<std::string>& text,
                                      trace::Level level = trace::Level::kSass) {
  trace::Program p;
  p.name = "kernel";
  p.level = level;
  for (const std::string& t : text)
    p.code.push_back({static_cast<std::uint32_t>(16 * p.code.size()), t, 0, 0});
  return p;
}

// What instructions cost on an H200.
inline const model::InstructionTable& costs() {
  static const model::Card card = h200();
  return card.instructions();
}

inline std::vector<sim::CodeLine> read_code(const trace::Program& p, bool clusters = false) {
  return sim::read_code(trace::DecodedProgram(p), costs(), clusters);
}

struct Paths : sim::Paths {
  Paths(std::span<const trace::Site> sites, const trace::Program& p)
      : sim::Paths(sites, trace::DecodedProgram(p), costs(), h200().numbers().code_piece_bytes) {}
};

inline Site load_at(std::uint32_t pc) { return {pc, Op::kLoad, Space::kGlobal, 4}; }

// Replays the kernel with the time engine.
inline sim::ReplayedLaunch timed(const Kernel& k, const model::Card& card,
                                 const WriteOptions& options = {},
                                 std::size_t decoded_bytes = 32 << 20) {
  TemporaryFolder folder;
  write_trace(folder.file("t.wmt"), {k}, options);
  const auto reader = open(folder.file("t.wmt"));
  sim::ReplayOptions replay;
  replay.time = true;
  replay.decoded_bytes = decoded_bytes;
  return must(sim::replay(reader, card, replay)).details.at(0);
}

inline std::uint64_t cycles(const Kernel& k) { return timed(k, h200()).time->cycles; }

inline std::uint64_t waited(const sim::TimeResult& t, sim::Wait cause) {
  return t.waits[static_cast<std::size_t>(cause)];
}

}  // namespace warpmem::testing
