// A kernel's PTX, machine code made up for it, and what becomes of a warp's records.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "emulate/mapping/sass_trace.hpp"
#include "emulate/mapping/site_map.hpp"
#include "emulate/ptx/parser.hpp"
#include "tests/catch.hpp"
#include "tests/emulate/support.hpp"

namespace warpmem::emulate {

struct Line {
  int statement;  // of the PTX; -1: none; -2: one of a function that the kernel cannot come to
  const char* text;
  bool begins_function = false;  // one that stands apart
};

inline std::vector<MachineInstruction> listing(const std::vector<Line>& lines) {
  std::vector<MachineInstruction> code;
  for (const Line& l : lines) {
    MachineInstruction i;
    i.line.pc = static_cast<std::uint32_t>(16 * code.size());
    i.line.text = l.text;
    i.begins_function = l.begins_function;
    if (l.statement == -2) i.statement = kUncalled;
    if (l.statement >= 0) i.statement = static_cast<std::uint32_t>(l.statement);
    code.push_back(std::move(i));
  }
  return code;
}

// A kernel, and its machine code.
struct Mapped {
  // `outside`: PTX before it, `registers`: more of them than every kernel here has.
  Mapped(const std::string& body, const std::vector<Line>& lines, const std::string& outside = "",
         const std::string& registers = "")
      : memory(Memory::create(std::uint64_t{1} << 30).value()) {
    auto parsed = parse_ptx("k.ptx", kHead + outside + kTop + registers + body + "\n}\n");
    REQUIRE(parsed);
    module = LoadedModule::load(std::move(*parsed), memory).value();
    kernel = build_kernel(*module, "k").value();
    auto made = map_sites(*kernel, listing(lines), {}, "sm_90");
    if (made) map = std::move(*made);
    else why = made.error().message;
  }

  // A record of PTX statement s: lane l at base + stride * l.
  void access(std::uint32_t s, std::uint32_t bytes, std::uint32_t mask, std::uint64_t base,
              std::int32_t stride, trace::Op op = trace::Op::kLoad,
              trace::Space space = trace::Space::kShared) {
    trace::Record r;
    r.site = sites.number_of({16 * s, op, space, bytes});
    r.mask = mask, r.base = base, r.stride = stride;
    records.push_back(r);
  }
  void again(std::uint32_t s, std::uint32_t mask) {
    trace::Record r;
    r.site = sites.number_of(back_edge_site(16 * s));
    r.mask = mask;
    records.push_back(r);
  }
  // The branch of statement s went round so often, and was passed by so often.
  void rounds(std::uint32_t s, std::uint64_t taken, std::int32_t passed) {
    trace::Record r;
    r.site = sites.number_of({16 * s, trace::Op::kRounds, trace::Space::kNone, 0});
    r.mask = ~0u, r.base = taken, r.stride = passed;
    records.push_back(r);
  }
  // "pc/bytes" of what comes out.
  std::string run() {
    SassTrace sass(map, sites);
    sass.apply(records, lanes);
    counts = sass.counts();
    std::string out;
    for (const trace::Record& r : records) {
      const trace::Site& site = sites.sites()[r.site];
      out += fmt::format("{}{:x}/{}", out.empty() ? "" : " ", site.pc, site.bytes);
    }
    return out;
  }
  trace::Site site(std::size_t i) const { return sites.sites()[records[i].site]; }

  inline static const std::string kHead = "\n.version 9.0\n.target sm_90\n.address_size 64\n";
  static constexpr const char* kTop = R"(
.visible .entry k(.param .u64 p)
{
  .reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 %rd<8>; .reg .f32 %f<8>;
)";
  Memory memory;
  std::unique_ptr<LoadedModule> module;
  std::unique_ptr<Kernel> kernel;
  SiteMap map;
  std::string why;
  trace::SiteTable sites;
  std::vector<trace::Record> records;
  std::vector<std::uint64_t> lanes;
  MappingCounts counts;
};

constexpr std::uint32_t kAll = ~0u;

}  // namespace warpmem::emulate
