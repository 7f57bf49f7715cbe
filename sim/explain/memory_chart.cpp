#include "sim/explain/memory_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/residency.hpp"
#include "base/units.hpp"
#include "model/card/sm_limits.hpp"
#include "sim/explain/recognise.hpp"
#include "sim/explain/site_names.hpp"
#include "sim/time/bottleneck.hpp"

namespace warpmem::sim {
namespace {

constexpr std::uint64_t kMostRecords = 1'000'000;  // that the worst lines are from

std::optional<double> share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

void put_time(MemoryChart& out, const ReplayedLaunch& replayed, const model::CardNumbers& card) {
  if (!replayed.time) return;
  const TimeResult& time = *replayed.time;
  out.limit = bottleneck(time).sentence;
  out.cycles = time.cycles;
  out.clock_mhz = card.clock_mhz;
  if (card.clock_mhz)
    out.microseconds = static_cast<double>(time.cycles) / static_cast<double>(card.clock_mhz);
  out.sms_used = time.sms_used;
  out.average_warps = static_cast<double>(time.warp_cycles) /
                      (static_cast<double>(time.running) *
                       static_cast<double>(std::max<std::uint64_t>(1, time.sms)));
  out.l1_busy = out.port_in_busy = out.port_out_busy = out.l2_busy = out.dram_busy = out.link_busy =
      0;
  for (const TimeResult::Use& use : time.uses) {
    switch (use.place) {
      case model::Resource::kL1: out.l1_busy = use.share; break;
      case model::Resource::kPortIn: out.port_in_busy = use.share; break;
      case model::Resource::kPortOut: out.port_out_busy = use.share; break;
      case model::Resource::kSlice: out.l2_busy = use.share; break;
      case model::Resource::kHostLink: out.link_busy = use.share; break;
      case model::Resource::kDramBus: out.dram_busy = use.share, out.dram_peak = use.peak; break;
      default: break;
    }
  }
}

// What would let more CTAs be on an SM at once.
std::string limit_of(const model::Card& card, const trace::Launch& launch, std::uint32_t ctas) {
  const SmLimits own = model::sm_limits(card);
  const CtaNeeds needs{std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2],
                       launch.registers,
                       std::uint64_t{launch.static_shared} + launch.dynamic_shared};
  std::string out;
  const auto without = [&](const char* name, SmLimits limits) {
    if (resident_ctas(limits, needs) > ctas) out += (out.empty() ? "" : ", ") + std::string(name);
  };
  SmLimits more = own;
  more.registers *= 1024;
  without("registers", more);
  more = own, more.shared *= 1024;
  without("shared memory", more);
  more = own, more.ctas *= 1024;
  without("CTAs an SM", more);
  more = own, more.warps *= 1024, more.threads *= 1024;
  without("threads an SM", more);
  return out;
}

std::string sentence_of(const SiteAddresses& a, const Recognised& r, const trace::Site& site) {
  const auto each = [&](std::uint64_t n) {
    return static_cast<double>(n) / static_cast<double>(std::max<std::uint64_t>(1, a.requests));
  };
  const char* op = op_word(site.op);
  if (a.wavefronts > 0)
    return fmt::format("shared {}: {:.1f} passes a request for {:.1f}; {}", op, each(a.wavefronts),
                       each(a.ideal_wavefronts), r.sentence);
  if (r.pattern == AddressPattern::kConstants || site.space == trace::Space::kLocal)
    return r.sentence;
  return fmt::format("{}: {:.1f} sectors a request for {:.1f}; {}", op, each(a.sectors),
                     each(a.ideal_sectors), r.sentence);
}

double cost(const SiteAddresses& a, const Recognised& r) {
  if (r.pattern == AddressPattern::kFine) return 0;
  double c = 0.5 * static_cast<double>(a.sectors - std::min(a.sectors, a.ideal_sectors)) +
             static_cast<double>(a.wavefronts - a.ideal_wavefronts);
  if (r.pattern == AddressPattern::kConstants)
    c += 2 * static_cast<double>(a.addresses - a.requests);
  if (r.pattern == AddressPattern::kOneWord) c += static_cast<double>(a.lanes - a.requests);
  return c;
}

std::string place(const trace::Program& program, std::uint32_t pc) {
  const trace::Instruction* const own = instruction_at(program, pc);
  const trace::Instruction* const at = charged_to(program, own);
  if (!at) return fmt::format("pc {:#06x}", pc);
  if (at->line == 0 || at->file >= program.files.size())
    return fmt::format("{} at {:#06x}", trace::first_word(own->text), pc);
  const std::string& file = program.files[at->file];
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), at->line);
}

void put_worst(MemoryChart& out, const AddressPass& pass, const trace::TraceReader& reader,
               std::uint32_t launch, const std::vector<AccessPlan>& plans,
               const model::Card& card) {
  const trace::Launch& l = reader.launches()[launch].launch;
  const trace::Program& program = reader.programs()[l.program];
  const auto sites = reader.sites(launch);
  // Instructions of one line that do the same, as those of an unrolled loop, are one line.
  struct Cost {
    double cost = 0;
    MemoryChart::Line line;
    std::size_t instructions = 1;
  };
  std::vector<Cost> all;
  for (std::uint32_t s = 0; s < sites.size(); ++s) {
    const SiteAddresses& a = pass.sites[s];
    if (a.samples.empty()) continue;
    const std::size_t array = allocation_of(l, a.low);
    const Recognised r = recognise(
        plans[s], a, array < l.allocations.size() ? l.allocations[array] : trace::Allocation{},
        card.numbers());
    const double c = cost(a, r);
    if (c <= 0) continue;
    const MemoryChart::Line line{place(program, sites[s].pc), sentence_of(a, r, sites[s])};
    const auto same = std::ranges::find_if(all, [&](const Cost& known) {
      return known.line.place == line.place && known.line.text == line.text;
    });
    if (same == all.end()) all.push_back({c, line});
    else same->cost += c, ++same->instructions;
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &Cost::cost);
  for (std::size_t i = 0; i < std::min<std::size_t>(3, all.size()); ++i) {
    out.worst.push_back(all[i].line);
    if (all[i].instructions > 1)
      out.worst.back().text += fmt::format(" ({} instructions)", all[i].instructions);
  }
  out.sampled = pass.records < pass.of;
}

// What a launch counted, by kind of access. Bytes that lanes asked for, and what would do, are from
// the addresses; where those of a part of the records were read, in proportion.
void put_kinds(MemoryChart& out, const AddressPass& pass, const model::LaunchCounters& c,
               const std::vector<AccessPlan>& plans) {
  MemoryChart::Kind load, store, atomic, other_read, other_written;
  std::uint64_t excess = 0;  // wavefronts
  for (std::size_t s = 0; s < plans.size(); ++s) {
    const SiteAddresses& a = pass.sites[s];
    const auto add = [&](MemoryChart::Kind& kind) {
      kind.requests += a.requests, kind.sectors += a.sectors;
      kind.lane_bytes += a.lanes * plans[s].bytes;
    };
    switch (plans[s].action) {
      case Action::kGlobalLoad:
      case Action::kAsyncRead: add(load); break;
      case Action::kGlobalStore: add(store); break;
      case Action::kGlobalAtomic: add(atomic); break;
      case Action::kLocalLoad:
      case Action::kTexture:
      case Action::kTexel:
      case Action::kSurfaceLoad: add(other_read); break;
      case Action::kLocalStore:
      case Action::kSurfaceStore: add(other_written); break;
      case Action::kBulkRead:
      case Action::kBulkWrite:
      case Action::kBulkReduce: add(out.copy); break;
      default: break;
    }
    excess += a.wavefronts - a.ideal_wavefronts;
  }
  const auto whole = [&](std::uint64_t part) {
    return pass.records < pass.of ? static_cast<std::uint64_t>(static_cast<double>(part) *
                                                               static_cast<double>(pass.of) /
                                                               static_cast<double>(pass.records))
                                  : part;
  };
  out.load = {c.global_ld.requests, c.global_ld.sectors, whole(load.lane_bytes)};
  out.store = {c.global_st.requests, c.global_st.sectors, whole(store.lane_bytes)};
  out.copy = {whole(out.copy.requests), whole(out.copy.sectors), whole(out.copy.lane_bytes)};
  out.atomic = {c.global_atom.requests + c.global_red.requests,
                c.global_atom.sectors + c.global_red.sectors, whole(atomic.lane_bytes)};
  out.local = {c.local_ld.requests + c.local_st.requests, c.local_ld.sectors + c.local_st.sectors,
               0};
  out.texture = {c.texture.requests + c.surface_ld.requests + c.surface_st.requests,
                 c.texture.sectors + c.surface_ld.sectors + c.surface_st.sectors, 0};
  out.other_read = whole(other_read.lane_bytes),
  out.other_written = whole(other_written.lane_bytes);
  out.shared_wavefronts = c.shared_wavefronts;
  out.shared_ideal = c.shared_wavefronts - std::min(c.shared_wavefronts, whole(excess));
}

}  // namespace

Result<MemoryChart> memory_chart(const trace::TraceReader& reader, std::uint32_t launch,
                                 const model::Card& card, const ReplayedLaunch& replayed) {
  const trace::Launch& l = reader.launches()[launch].launch;
  const auto plans = plan_sites(card, reader.sites(launch), *reader.code(l.program));
  const auto pass = pass_addresses(reader, launch, card, plans, kMostRecords);
  if (!pass) return pass.error();
  MemoryChart out;
  const model::CardNumbers& n = card.numbers();
  const model::LaunchCounters& c = replayed.counters;
  out.sms = n.cta_order.size();
  out.has_l1 = card.capability() >= 20, out.has_l2 = n.l2_bytes > 0;
  put_time(out, replayed, n);
  put_kinds(out, *pass, c, plans);
  out.l1_read = 32 * c.l1_fill_sectors, out.l1_written = 32 * c.l1_write_sectors;
  out.dram_read = 32 * c.l2.dram_read, out.dram_written = 32 * c.l2.dram_write;
  out.host_read = 32 * c.l2.sysmem_read, out.host_written = 32 * c.l2.sysmem_write;
  out.l1_hits = share(c.global_ld.hits + c.local_ld.hits + c.texture.hits,
                      c.global_ld.sectors + c.local_ld.sectors + c.texture.sectors);
  out.l2_hits = share(c.l2.read_hit, c.l2.read);
  out.ctas = replayed.occupancy.ctas;
  out.warps = std::uint64_t{replayed.occupancy.ctas} * replayed.occupancy.warps_per_cta;
  out.most_warps = n.sm_warps;
  out.occupancy_limit = limit_of(card, l, out.ctas);
  put_worst(out, *pass, reader, launch, plans, card);
  return out;
}

}  // namespace warpmem::sim
