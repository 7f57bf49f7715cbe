#include "validate/artefacts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "validate/compare.hpp"

namespace warpmem::validate {
namespace {

constexpr std::string_view kL2Read = "lts__t_sectors_srcunit_tex_op_read.sum";
constexpr std::string_view kL2ReadHit = "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum";
constexpr std::string_view kL2Write = "lts__t_sectors_srcunit_tex_op_write.sum";
constexpr std::string_view kDramRead = "dram__sectors_read.sum";
constexpr std::string_view kAllRead = "lts__t_sectors_op_read.sum",
                           kAllWrite = "lts__t_sectors_op_write.sum";
constexpr std::string_view kPasses = "memory_l1_wavefronts_shared";
constexpr std::string_view kCycles = "sm__cycles_elapsed.max",
                           kOtherCycles = "gpc__cycles_elapsed.max";
constexpr std::string_view kTime = "gpu__time_duration.sum";

constexpr std::array kTexts{
    ArtefactText{ArtefactKind::kLostArbitration, "lost arbitration",
                 "memory_l1_wavefronts_shared, the passes that addresses cause, is equal: the "
                 "others were asked for again, as "
                 "somebody else used the data stage in that cycle",
                 "judge by memory_l1_wavefronts_shared"},
    ArtefactText{ArtefactKind::kCachesKept, "caches kept",
                 "the SMs read as much from the L2 as predicted, which had it before the launch: "
                 "hits where DRAM should have been "
                 "read",
                 "collect with ncu --cache-control all (nvprof: --cache-control all), or look at "
                 "replay --keep-caches"},
    ArtefactText{
        ArtefactKind::kClocks, "clocks",
        "the cycles agree and the time does not: the GPU ran at another clock than the card's",
        "compare cycles, collect with ncu --clock-control none, or set the clock: --set "
        "sm.clock_mhz=…"},
    ArtefactText{ArtefactKind::kLanesOff, "lanes that are off",
                 "requests and sectors, which the hardware counts itself, are equal: this counter "
                 "takes in lanes or "
                 "instructions that a predicate has switched off",
                 "judge by l1tex__t_requests_* and l1tex__t_sectors_*"},
    ArtefactText{ArtefactKind::kReplayPasses, "replay passes",
                 "counters of this launch contradict each other, so they are of several runs of it "
                 "that were not alike",
                 "collect fewer metrics at a time, or with ncu --replay-mode application"},
    ArtefactText{
        ArtefactKind::kOtherTraffic, "other traffic",
        "what the SMs read and write in the L2 agrees: the rest was moved for somebody else",
        "collect while nothing else uses the GPU: no display, no other process, no copies under "
        "way"}};

// Both sides of the launch's counters by name.
class Readings {
 public:
  explicit Readings(const LaunchComparison& launch) : launch_(launch) {}

  const Comparison* find(std::string_view name) const {
    for (const Comparison& c : launch_.metrics)
      if (c.rule->name == name && c.predicted.known() && c.measured.known()) return &c;
    return nullptr;
  }
  // In the file, whether it is predicted or not.
  std::optional<double> gpu(std::string_view name) const {
    for (const Comparison& c : launch_.metrics)
      if (c.rule->name == name && c.measured.known()) return c.measured.value;
    return std::nullopt;
  }
  bool agrees(std::string_view name) const {
    const Comparison* c = find(name);
    return c != nullptr && !c->off();
  }
  bool equal(std::string_view name) const {
    const Comparison* c = find(name);
    return c != nullptr && c->predicted.value == c->measured.value;
  }
  // How much more the GPU counted than predicted; nothing: one side is not there.
  std::optional<double> surplus(std::string_view name) const {
    const Comparison* c = find(name);
    if (c == nullptr) return std::nullopt;
    return c->measured.value - c->predicted.value;
  }

 private:
  const LaunchComparison& launch_;
};

bool more(const Comparison& c) { return c.measured.value > c.predicted.value; }
bool less(const Comparison& c) { return c.measured.value < c.predicted.value; }

bool lost_arbitration(const Comparison& c, const Readings& r) {
  const std::string_view name = c.rule->name;
  const bool shared = name.starts_with("l1tex__data_bank_conflicts_pipe_lsu_mem_shared") ||
                      name.starts_with("l1tex__data_pipe_lsu_wavefronts_mem_shared");
  return shared && more(c) && r.equal(kPasses);
}

// A model that has too many misses looks alike where it is off by little, so at least half of what
// should have come from DRAM has not.
bool caches_kept(const Comparison& c, const Readings& r) {
  const std::string_view name = c.rule->name;
  const bool hits = name == kL2ReadHit || name == "lts__t_sector_op_read_hit_rate.pct" ||
                    name == "lts__t_sector_hit_rate.pct";
  if (!(name == kDramRead ? less(c) : hits && more(c))) return false;
  const Comparison *dram = r.find(kDramRead), *hit = r.find(kL2ReadHit);
  if (dram == nullptr || hit == nullptr || !r.agrees(kL2Read)) return false;
  const double misses = *r.gpu(kL2Read) - hit->measured.value;
  return dram->measured.value < 0.5 * dram->predicted.value && more(*hit) && hit->off() &&
         dram->measured.value <= 2 * std::max(misses, 0.0) + dram->rule->floor;
}

bool of_time(std::string_view name) {
  return name == kTime || name.ends_with(".per_second") || name.find("throughput") != name.npos;
}

// What is worked out with the time has to agree once the GPU's own clock is put in.
bool other_clock(const Comparison& c, const Readings& r) {
  if (!of_time(c.rule->name)) return false;
  const std::string_view cycles = r.find(kCycles) ? kCycles : kOtherCycles;
  const Comparison *counted = r.find(cycles), *time = r.find(kTime);
  if (counted == nullptr || time == nullptr || !r.agrees(cycles)) return false;
  if (time->measured.value <= 0 || time->predicted.value <= 0 || counted->predicted.value <= 0)
    return false;
  const double own = counted->measured.value / time->measured.value,
               card = counted->predicted.value / time->predicted.value;
  if (std::abs(own / card - 1) < 0.02) return false;
  if (&c == time) return true;
  const double expected = c.predicted.value * own / card;
  return std::abs(expected - c.measured.value) <=
         std::max(c.rule->band, 0.1) * std::abs(c.measured.value);
}

struct Counted {
  std::string_view instructions, requests;
};
constexpr std::array kCountedPairs{
    Counted{"smsp__inst_executed_op_global_ld_pred_on_any.sum",
            "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    Counted{"smsp__inst_executed_op_global_st_pred_on_any.sum",
            "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    Counted{"smsp__inst_executed_op_global_red_pred_on_any.sum",
            "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"},
    Counted{"smsp__inst_executed_op_local_ld_pred_on_any.sum",
            "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"},
    Counted{"smsp__inst_executed_op_local_st_pred_on_any.sum",
            "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"},
    Counted{"smsp__inst_executed_op_ldgsts_pred_on_any.sum",
            "l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access.sum"},
    Counted{"smsp__inst_executed_op_shared_ld_pred_on_any.sum", kPasses},
    Counted{"smsp__inst_executed_op_shared_st_pred_on_any.sum", kPasses}};

bool lanes_off(const Comparison& c, const Readings& r) {
  if (!more(c)) return false;
  const std::string_view name = c.rule->name;
  for (const Counted& pair : kCountedPairs)
    if (name == pair.instructions) return r.equal(pair.requests);
  // Patches look at the addresses of all lanes of an asynchronous copy.
  if (name != kPasses && name != "memory_l2_theoretical_sectors_global") return false;
  const auto copies = r.gpu("smsp__inst_executed_op_ldgsts_pred_on_any.sum");
  return copies.value_or(0) > 0 &&
         r.equal("l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access.sum") &&
         r.equal("l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum");
}

// The second is a part of the first, in one run of a kernel.
struct Part {
  std::string_view whole, part;
};
constexpr std::array kParts{Part{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                 "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"},
                            Part{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                                 "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum"},
                            Part{"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
                                 "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum"},
                            Part{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                 "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
                            Part{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                                 "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
                            Part{kL2Read, kL2ReadHit},
                            Part{kL2Write, "lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum"},
                            Part{kAllRead, kL2Read},
                            Part{kAllWrite, kL2Write},
                            Part{kL2Read, "lts__t_requests_srcunit_tex_op_read.sum"},
                            Part{kL2Write, "lts__t_requests_srcunit_tex_op_write.sum"}};

bool contradictory(const Comparison& c, const Readings& r) {
  // Kernels whose sectors hang on time are up to 2 % apart from pass to pass, which explains no
  // error of the model.
  constexpr double kApart = 64, kShare = 1.05;
  return std::ranges::any_of(kParts, [&](const Part& p) {
    if (c.rule->name != p.whole && c.rule->name != p.part) return false;
    const auto whole = r.gpu(p.whole), part = r.gpu(p.part);
    return whole && part && *part > *whole * kShare + kApart;
  });
}

bool other_traffic(const Comparison& c, const Readings& r) {
  const std::string_view name = c.rule->name;
  if (!more(c)) return false;
  const bool reads = r.agrees(kL2Read), writes = r.agrees(kL2Write);
  if (name == kAllRead) return reads;
  if (name == kAllWrite) return writes;
  if (name == "lts__t_tag_requests.sum")
    return reads && writes &&
           (r.surplus(kAllRead).value_or(0) > 0 || r.surplus(kAllWrite).value_or(0) > 0);
  // What others read of DRAM they read through the L2; what the model has wrong of DRAM is not
  // there.
  const auto through = [&](std::string_view all) {
    const Comparison* total = r.find(all);
    return total != nullptr && total->off() &&
           total->measured.value - total->predicted.value >=
               0.5 * (c.measured.value - c.predicted.value);
  };
  if (name == kDramRead) return reads && r.agrees(kL2ReadHit) && through(kAllRead);
  if (name == "dram__sectors_write.sum") return writes && through(kAllWrite);
  return false;
}

}  // namespace

std::span<const ArtefactText> artefact_texts() { return kTexts; }

const ArtefactText& text_of(ArtefactKind kind) {
  return *std::ranges::find(kTexts, kind, &ArtefactText::kind);
}

std::optional<ArtefactKind> artefact_of(const Comparison& c, const LaunchComparison& launch) {
  if (!c.predicted.known() || !c.measured.known()) return std::nullopt;
  const Readings r(launch);
  // A contradiction takes the ground from all other rules.
  if (contradictory(c, r)) return ArtefactKind::kReplayPasses;
  if (lost_arbitration(c, r)) return ArtefactKind::kLostArbitration;
  if (lanes_off(c, r)) return ArtefactKind::kLanesOff;
  if (other_clock(c, r)) return ArtefactKind::kClocks;
  if (caches_kept(c, r)) return ArtefactKind::kCachesKept;
  if (other_traffic(c, r)) return ArtefactKind::kOtherTraffic;
  return std::nullopt;
}

}  // namespace warpmem::validate
