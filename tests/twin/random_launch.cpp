#include "tests/twin/random_launch.hpp"

#include <algorithm>
#include <random>

#include "tests/twin/random_addresses.hpp"

namespace warpmem::twin {
namespace {

using trace::Op;
using trace::Record;
using trace::Site;
using trace::Space;

// An instruction, and the sites that it owns.
struct Kind {
  const char* sass;
  std::uint32_t bytes;
  Op op;
  Space space;
};
constexpr Kind kKinds[] = {
    {"LDG.E R4, [R2.64]", 4, Op::kLoad, Space::kGlobal},
    {"LDG.E.U8 R4, [R2.64]", 1, Op::kLoad, Space::kGlobal},
    {"LDG.E.U16 R4, [R2.64]", 2, Op::kLoad, Space::kGlobal},
    {"LDG.E.64 R4, [R2.64]", 8, Op::kLoad, Space::kGlobal},
    {"LDG.E.128.CONSTANT R4, [R2.64]", 16, Op::kLoad, Space::kGlobal},
    {"LDG.E.NA R8, [R2.64]", 4, Op::kLoad, Space::kGlobal},
    {"LDG.E.STRONG.GPU R8, [R2.64]", 4, Op::kLoad, Space::kGlobal},
    {"LDG.E.LTC128B R9, [R2.64]", 4, Op::kLoad, Space::kGlobal},
    {"LD.E R4, [R2.64]", 4, Op::kLoad, Space::kGlobal},
    {"STG.E [R2.64], R4", 4, Op::kStore, Space::kGlobal},
    {"STG.E.U8 [R2.64], R4", 1, Op::kStore, Space::kGlobal},
    {"STG.E.U16 [R2.64], R4", 2, Op::kStore, Space::kGlobal},
    {"STG.E.64 [R2.64], R4", 8, Op::kStore, Space::kGlobal},
    {"STG.E.128 [R2.64], R4", 16, Op::kStore, Space::kGlobal},
    {"ATOMG.E.ADD.STRONG.GPU PT, R4, [R2.64], R5", 4, Op::kAtomic, Space::kGlobal},
    {"ATOMG.E.CAS.STRONG.GPU PT, R4, [R2], R4, R5", 4, Op::kAtomic, Space::kGlobal},
    {"REDG.E.ADD.STRONG.GPU [R2.64], R5", 4, Op::kReduction, Space::kGlobal},
    {"REDG.E.ADD.64.STRONG.GPU [R2.64], R5", 8, Op::kReduction, Space::kGlobal},
    {"LDL R4, [R1]", 4, Op::kLoad, Space::kLocal},
    {"LDL.128 R4, [R1]", 16, Op::kLoad, Space::kLocal},
    {"LDL.LU R4, [R1]", 4, Op::kLoad, Space::kLocal},
    {"STL [R1], R4", 4, Op::kStore, Space::kLocal},
    {"STL.U8 [R1], R4", 1, Op::kStore, Space::kLocal},
    {"STL.64 [R1], R4", 8, Op::kStore, Space::kLocal},
    {"LDS R4, [R1]", 4, Op::kLoad, Space::kShared},
    {"LDS.U8 R4, [R1]", 1, Op::kLoad, Space::kShared},
    {"LDS.64 R4, [R1]", 8, Op::kLoad, Space::kShared},
    {"LDS.128 R4, [R1]", 16, Op::kLoad, Space::kShared},
    {"STS [R1], R4", 4, Op::kStore, Space::kShared},
    {"STS.64 [R1], R4", 8, Op::kStore, Space::kShared},
    {"STS.128 [R1], R4", 16, Op::kStore, Space::kShared},
    {"ATOMS.ADD R4, [R5], R6", 4, Op::kAtomic, Space::kShared},
    {"ATOMS.CAS R4, [R5], R6, R7", 4, Op::kAtomic, Space::kShared},
    {"ATOMS.CAST.SPIN.64 R10, [R7], R8, R10", 8, Op::kAtomic, Space::kShared},
    {"ATOMS.POPC.INC.32 RZ, [R5]", 4, Op::kReduction, Space::kShared},
    {"LDSM.16.M88.4 R4, [R10]", 16, Op::kMatrixLoad, Space::kShared},
    {"STSM.16.M88.4 [R10], R4", 16, Op::kMatrixStore, Space::kShared},
    {"LDGSTS.E [R5], [R2.64]", 4, Op::kAsyncCopyRead, Space::kGlobal},
    {"LDGSTS.E.64 [R5], [R2.64]", 8, Op::kAsyncCopyRead, Space::kGlobal},
    {"LDGSTS.E.BYPASS.128 [R5], [R2.64]", 16, Op::kAsyncCopyRead, Space::kGlobal},
    {"UBLKCP.S.G [UR12], [UR8], UR4", 176, Op::kBulkRead, Space::kGlobal},
    {"LDG.E.EF R4, [R2.64]", 4, Op::kLoad, Space::kGlobal},
    {"LDG.E.LTC64B R4, [R2.64]", 4, Op::kLoad, Space::kGlobal},
    {"STG.E.EF [R2.64], R4", 4, Op::kStore, Space::kGlobal},
    {"CCTL.E.PF2 [R2]", 0, Op::kPrefetch, Space::kGlobal},
    {"CCTL.E.PML2 [R2]", 0, Op::kPrefetch, Space::kGlobal},
    {"CCTL.E.DML2 [R2]", 0, Op::kPrefetch, Space::kGlobal},
    {"CCTL.E.RML2 [R2]", 0, Op::kPrefetch, Space::kGlobal},
    {"UBLKPF.L2 [UR10], UR6", 400, Op::kPrefetch, Space::kGlobal},
    {"UBLKCP.G.S [UR12], [UR8], UR4", 272, Op::kBulkWrite, Space::kGlobal},
    {"UBLKRED.G.S.ADD.F32.RN [UR4], [UR7], UR6", 80, Op::kBulkReduction, Space::kGlobal},
    {"TEX.LL RZ, R4, R2, R6, UR4, 2D, 0x1", 4, Op::kLoad, Space::kTexture},
    {"SULD.D.BA.2D.STRONG.SM R4, [R2], UR4, 0x0", 8, Op::kLoad, Space::kSurface},
    {"SUST.D.BA.2D.STRONG.SM [R2], R4, UR4, 0x0", 4, Op::kStore, Space::kSurface},
    {"LD.E R4, [R2.64]", 4, Op::kLoad, Space::kRemoteShared},
    {"ATOM.E.ADD.STRONG.GPU PT, R5, [R2.64], R5", 4, Op::kAtomic, Space::kRemoteShared},
    {"HGMMA.64x64x16.F32 R24, gdesc[UR4], R24", 4352, Op::kProductRead, Space::kShared},
    {"BAR.SYNC 0x0", 0, Op::kBarrier, Space::kNone},
};

class Maker {
 public:
  Maker(std::uint64_t seed, bool windows) : random_(seed), addresses_(random_), windows_(windows) {}

  RandomLaunch make() {
    choose_shape();
    choose_program();
    choose_script();
    for (std::uint64_t cta = 0; cta < out_.launch.grid[0]; ++cta)
      for (std::uint32_t w = 0; w * 32 < out_.launch.block[0]; ++w)
        out_.warps.push_back(warp(cta, w));
    return std::move(out_);
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  template <class T>
  T one_of(std::initializer_list<T> list) {
    return list.begin()[below(static_cast<std::uint32_t>(list.size()))];
  }

  void choose_shape() {
    trace::Launch& l = out_.launch;
    l.grid = {one_of({1u, 1u, 2u, 3u, 7u, 20u}), 1, 1};
    l.block = {one_of({32u, 32u, 64u, 70u, 128u}), 1, 1};
    l.registers = one_of({16u, 32u, 255u});
    l.static_shared = one_of({0u, 1024u, 49152u});
    l.carveout = one_of({-1, 0, 50, 100});
    l.local_bytes = one_of({0u, 8u, 64u, 2000u});
    if (one_in(8)) l.cluster = {2, 1, 1}, l.grid = {2 * l.grid[0], 1, 1};
    if (one_in(8))
      l.allocations.push_back(
          {RandomAddresses::kWindow + 2048, 4096, trace::AllocationKind::kHost});
    if (windows_ && one_in(2)) {
      const auto property = [&] { return static_cast<std::uint8_t>(below(3)); };
      l.window = {RandomAddresses::kWindow, 1 << 20, one_of({0.0f, 0.3f, 0.5f, 1.0f}), property(),
                  property()};
      l.set_aside = one_of({0u, 1u << 20, 4u << 20});
    }
    if (windows_) l.fetch_bytes = one_of({0u, 0u, 32u, 64u, 128u});
    if (windows_) l.ends_persisting = one_in(4);
  }

  // Instructions with others between them; now and then all of the L1 is forgotten.
  void choose_program() {
    std::uint32_t pc = 0;
    const auto line = [&](const char* text) {
      out_.program.code.push_back({pc, text, 0, 0});
      pc += 16;
    };
    out_.sites.push_back({0, Op::kCtaBegin, Space::kNone, 0});
    line("S2R R0, SR_TID.X");
    for (std::uint32_t n = 2 + below(9); n > 0; --n) {
      const Kind& kind = kKinds[below(static_cast<std::uint32_t>(std::size(kKinds)))];
      first_sites_.push_back(static_cast<std::uint32_t>(out_.sites.size()));
      out_.sites.push_back({pc, kind.op, kind.space, kind.bytes});
      // What follows the record at the same pc.
      if (kind.op == Op::kAsyncCopyRead)
        out_.sites.push_back({pc, Op::kAsyncCopyWrite, Space::kShared, kind.bytes});
      if (kind.space == Space::kTexture)
        out_.sites.push_back({pc, Op::kTexel, Space::kTexture, kind.bytes});
      line(kind.sass);
      if (one_in(10)) line("CCTL.IVALL");
      for (std::uint32_t k = below(3); k > 0; --k)
        line(one_in(2) ? "IADD3 R7, R4, R6, RZ" : "IADD3 R7, R6, R6, RZ");
    }
    out_.sites.push_back({pc, Op::kCtaEnd, Space::kNone, 0});
    line("EXIT");
    if (one_in(5)) out_.program.code.clear();
  }

  // Which instructions all warps run, in which order: mostly ascending, with loops.
  void choose_script() {
    const auto sites = static_cast<std::uint32_t>(first_sites_.size());
    for (std::uint32_t loop = 1 + below(3); loop > 0; --loop) {
      const std::uint32_t from = below(sites), to = from + 1 + below(sites - from);
      for (std::uint32_t round = 1 + below(4); round > 0; --round)
        for (std::uint32_t k = from; k < to; ++k) script_.push_back(first_sites_[k]);
    }
  }

  RandomWarp warp(std::uint64_t cta, std::uint32_t number) {
    RandomWarp w{cta, number, {}, {}};
    w.records.push_back({0, 0, ~0u, 0, Record::kRegular});
    for (std::uint32_t site : script_) {
      const bool barrier = out_.sites[site].op == Op::kBarrier;
      if (!one_in(barrier ? 60 : 10)) add(w, site);
    }
    w.records.push_back(
        {0, 0, ~0u, static_cast<std::uint32_t>(out_.sites.size() - 1), Record::kRegular});
    return w;
  }

  std::uint32_t mask() {
    if (one_in(40)) return 0;
    if (!one_in(4)) return ~0u;
    const auto some = static_cast<std::uint32_t>(random_());
    return one_of({some, some & static_cast<std::uint32_t>(random_()), 1u << some % 32,
                   ~0u >> some % 32, 0xffffu});
  }

  void add(RandomWarp& w, std::uint32_t number) {
    const Site& site = out_.sites[number];
    if (site.op == Op::kBarrier) {
      w.records.push_back({one_in(4) ? 1u : 0u, 0, ~0u, number, Record::kRegular});
      if (one_in(8)) w.records.back().stride = one_of({32, 64, 4096});
      return;
    }
    if (site.op == Op::kProductRead) {
      w.records.push_back({0, 0, ~0u, number, Record::kRegular});
      return;
    }
    if (site.op == Op::kPrefetch && site.bytes) {
      w.records.push_back({addresses_.global(16), 0, 1u << below(32), number, Record::kRegular});
      return;
    }
    if (trace::is_bulk(site.op)) {
      w.records.push_back(
          trace::piece_record(below(32), addresses_.global(16), trace::Piece::kFirst));
      w.records.back().site = number;
      return;
    }
    const std::uint32_t lanes = mask();
    const bool copies = site.op == Op::kAsyncCopyRead;
    const std::uint32_t filled = copies && one_in(5) ? mask() : 0;  // some lanes, or all of them
    if (!copies || !one_in(10)) add(w, number, lanes);
    if (copies && !one_in(10)) add(w, number + 1, one_in(10) ? mask() : lanes | filled);
    if (site.space == Space::kTexture)
      for (std::uint32_t k = one_of({0u, 0u, 1u, 3u, 7u}); k > 0; --k)
        add(w, number + 1, lanes & mask());
  }

  void add(RandomWarp& w, std::uint32_t number, std::uint32_t lanes) {
    const Site& site = out_.sites[number];
    const RandomAddresses::Lanes at = addresses_.lanes(site.space, std::max(1u, site.bytes));
    Record r{0, 0, lanes, number, Record::kRegular};
    if (at.stride && !one_in(8)) {
      r.base = at.address[0];
      r.stride = *at.stride;
    } else {
      r.lanes = static_cast<std::uint32_t>(w.lanes.size());
      for (std::uint32_t l = 0; l < 32; ++l)
        if (lanes >> l & 1) w.lanes.push_back(at.address[l]);
    }
    w.records.push_back(r);
  }

  std::mt19937_64 random_;
  RandomAddresses addresses_;
  bool windows_;
  RandomLaunch out_;
  std::vector<std::uint32_t> first_sites_;  // of each instruction
  std::vector<std::uint32_t> script_;
};

}  // namespace

RandomLaunch random_launch(std::uint64_t seed, bool windows) { return Maker(seed, windows).make(); }

}  // namespace warpmem::twin
