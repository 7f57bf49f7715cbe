#include "command/replay/timeline.hpp"

#include <fmt/format.h>

#include <set>

#include "base/units.hpp"
#include "views/program_timeline.hpp"

namespace warpmem::command {
namespace {

constexpr std::size_t kMostStays = 200000;

}  // namespace

Result<void> write_timeline(const sim::ReplayResult& result, const ProgramTimeline& program,
                            OutputFile& file) {
  std::size_t stays = 0;
  for (const sim::ReplayedLaunch& l : result.details)
    if (l.time) stays += l.time->stays.size();
  if (stays > kMostStays)
    return Error{ErrorKind::kUsage,
                 fmt::format("{} CTAs are too many for a timeline (at most {})", grouped(stays),
                             grouped(kMostStays)),
                 "--timeline " + file.place().path,
                 "choose a launch with --launch, or record fewer CTAs with --ctas"};
  std::string out = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  const char* separator = "\n";
  std::set<int> sms;
  std::uint64_t begin = 0;
  for (const sim::ReplayedLaunch& l : result.details) {
    if (!l.time) continue;
    for (const sim::TimeResult::Stay& s : l.time->stays) {
      if (sms.insert(s.sm).second) {
        out += fmt::format(
            "{}{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":\"SM "
            "{}\"}}}}",
            separator, s.sm, s.sm);
        separator = ",\n";
      }
      out += fmt::format(
          "{}{{\"ph\":\"X\",\"name\":\"CTA {}\",\"cat\":\"launch "
          "{}\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{}}}",
          separator, s.cta, l.metrics.launch, s.sm, s.slot, begin + s.start, s.end - s.start);
      separator = ",\n";
    }
    begin += l.time->cycles;
  }
  // Behind the number of any SM.
  constexpr int kFirstEngine = 1'000'000;
  if (const std::string steps = views::program_timeline_events(program, kFirstEngine);
      !steps.empty())
    out += separator + steps;
  out += "\n]}\n";
  if (auto written = file.write(out); !written) return written;
  return file.publish();
}

}  // namespace warpmem::command
