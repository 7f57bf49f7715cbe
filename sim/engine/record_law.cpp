#include "sim/engine/record_law.hpp"

#include <vector>

namespace warpmem::sim {
namespace {

// Segments of the CTAs that are replayed, as the index has them.
Result<std::uint64_t> chosen_segments(const trace::TraceReader& reader, std::uint32_t launch,
                                      const Rewrite& rewrite) {
  auto ctas = reader.ctas(launch);
  if (!ctas) return ctas.error();
  rewrite.apply(reader.launches()[launch].launch, *ctas);
  std::uint64_t segments = 0;
  std::vector<trace::SegmentRange> ranges;
  for (const std::uint64_t cta : *ctas) {
    if (auto ok = reader.cta_segments(launch, cta, ranges); !ok) return ok.error();
    for (const trace::SegmentRange& r : ranges) segments += r.count;
  }
  return segments;
}

}  // namespace

Error broken_law(const std::string& law, const std::string& place) {
  return {ErrorKind::kInternal, "a conservation law does not hold: " + law, place,
          "please report this with the trace"};
}

std::string place_of_launch(const trace::TraceReader& reader, std::uint32_t launch) {
  const trace::LaunchSummary& l = reader.launches()[launch];
  return reader.path() + ", launch " + std::to_string(l.launch.id) + " (" +
         reader.programs()[l.launch.program].demangled + ")";
}

Result<void> check_records(const trace::TraceReader& reader, std::uint32_t launch,
                           std::uint64_t replayed, const Taken& taken, const Rewrite* rewrite,
                           const Spills* spills) {
  const auto broken = [&](const char* law, std::uint64_t left, std::uint64_t right) {
    return broken_law(
        std::string(law) + " (" + std::to_string(left) + ", " + std::to_string(right) + ")",
        place_of_launch(reader, launch));
  };
  const std::uint64_t put_back = spills ? spills->loads + spills->stores : 0;
  const std::uint64_t left_out = spills ? spills->rounds : 0;
  if (replayed + left_out != taken.records + put_back)
    return broken("records replayed = records taken of the trace", replayed + left_out,
                  taken.records + put_back);
  if (rewrite && rewrite->choose) {
    const auto segments = chosen_segments(reader, launch, *rewrite);
    if (!segments) return segments.error();
    if (taken.segments != *segments)
      return broken("pieces replayed = pieces of the chosen CTAs", taken.segments, *segments);
    return {};
  }
  const std::uint64_t stored = reader.launches()[launch].end.records;
  if (taken.stored != stored)
    return broken("records replayed = records stored", taken.stored, stored);
  return {};
}

}  // namespace warpmem::sim
