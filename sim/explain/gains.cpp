#include "sim/explain/gains.hpp"

#include "base/scratch_folder.hpp"
#include "sim/reblock.hpp"

namespace warpmem::sim {

RunCost cost_of(const ReplayedLaunch& launch) {
  const model::LaunchCounters& c = launch.counters;
  RunCost out;
  if (launch.time) out.cycles = launch.time->cycles;
  out.sectors = c.global_ld.sectors + c.global_st.sectors + c.global_atom.sectors +
                c.global_red.sectors + c.local_ld.sectors + c.local_st.sectors;
  out.wavefronts = c.shared_wavefronts;
  out.l2_sectors = c.l2.read + c.l2.write + c.l2.atomic + c.l2.reduction;
  out.dram_sectors = c.l2.dram_read + c.l2.dram_write;
  return out;
}

Result<RunCost> replay_changed(const trace::TraceReader& reader, std::uint32_t launch,
                               const model::Card& card, const Rewrite& rewrite,
                               const ExplainOptions& options) {
  ReplayOptions replay_options;
  replay_options.launch = reader.launches()[launch].launch.id;
  replay_options.time = options.time;
  replay_options.rewrite = &rewrite;
  replay_options.progress = options.progress;
  const auto result = replay(reader, card, replay_options);
  if (!result) return result.error();
  return cost_of(result->details.front());
}

Result<RunCost> replay_changed(const trace::TraceReader& reader, std::uint32_t launch,
                               const model::Card& card, const LaunchCandidate& change,
                               const ExplainOptions& options) {
  if (change.parts == 1) return replay_changed(reader, launch, card, change.rewrite, options);
  const auto folder = ScratchFolder::create();
  if (!folder) return folder.error();
  const std::string path = folder->file("parts.wmt");
  if (auto done = write_in_parts(reader, launch, change.parts, path); !done) return done.error();
  const auto parts = trace::TraceReader::open(path);
  if (!parts) return parts.error();
  return replay_changed(*parts, 0, card, change.rewrite, options);
}

}  // namespace warpmem::sim
