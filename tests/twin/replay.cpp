#include "tests/twin/replay.hpp"

#include <algorithm>

#include "sim/code/code_size.hpp"

namespace warpmem::twin {

Result<std::vector<TwinLaunch>> replay(const trace::TraceReader& reader, const model::Card& card,
                                       bool keep_caches) {
  const TwinSpec spec = spec_of(card);
  Memory memory(spec);
  std::vector<TwinLaunch> out;
  std::uint64_t largest_frame = 0;  // local memory of a thread so far, in bytes
  for (std::uint32_t i = 0; i < reader.launches().size(); ++i) {
    const trace::Launch& launch = reader.launches()[i].launch;
    const trace::Program& program = reader.programs()[launch.program];
    const auto fit = sim::occupancy(card, launch);
    if (!fit) return fit.error();
    const auto spills = sim::Spills::of(reader.sites(i), *reader.code(launch.program), launch,
                                        card.instructions(), false);
    largest_frame = std::max<std::uint64_t>(largest_frame, launch.local_bytes);
    const std::uint64_t reach = launch.local_bytes + (spills ? std::uint64_t{spills->below()} : 0);
    memory.begin_launch(launch, sim::code_bytes(program), fit->shared_config,
                        std::max(reach, largest_frame), !keep_caches);
    Schedule schedule(reader, i, card, memory, *fit, spills.get());
    if (auto ok = schedule.run(); !ok) return ok.error();
    out.push_back({memory.end_launch(), schedule.forced()});
  }
  return out;
}

}  // namespace warpmem::twin
