#include "command/timeline.hpp"

#include <fmt/format.h>

#include <set>

#include "base/units.hpp"

namespace warpmem::command {
namespace {

constexpr std::size_t kMostStays = 200000;

}  // namespace

Result<std::ofstream> open_timeline(const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  if (!out)
    return Error{ErrorKind::kUsage, "cannot be written", path,
                 "choose a folder that exists and is yours"};
  return out;
}

Result<void> write_timeline(const sim::ReplayResult& result, std::ofstream& out,
                            const std::string& path) {
  std::size_t stays = 0;
  for (const sim::ReplayedLaunch& l : result.details)
    if (l.time) stays += l.time->stays.size();
  if (stays > kMostStays)
    return Error{ErrorKind::kUsage,
                 fmt::format("{} CTAs are too many for a timeline (at most {})", grouped(stays),
                             grouped(kMostStays)),
                 "--timeline " + path,
                 "choose a launch with --launch, or record fewer CTAs with --ctas"};
  out << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  const char* separator = "\n";
  std::set<int> sms;
  std::uint64_t begin = 0;
  for (const sim::ReplayedLaunch& l : result.details) {
    if (!l.time) continue;
    for (const sim::TimeResult::Stay& s : l.time->stays) {
      if (sms.insert(s.sm).second) {
        out << fmt::format(
            "{}{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":\"SM "
            "{}\"}}}}",
            separator, s.sm, s.sm);
        separator = ",\n";
      }
      out << fmt::format(
          "{}{{\"ph\":\"X\",\"name\":\"CTA {}\",\"cat\":\"launch "
          "{}\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{}}}",
          separator, s.cta, l.metrics.launch, s.sm, s.slot, begin + s.start, s.end - s.start);
      separator = ",\n";
    }
    begin += l.time->cycles;
  }
  out << "\n]}\n";
  out.flush();
  if (!out)
    return Error{ErrorKind::kResources, "could not be written to the end", path,
                 "make room on the disk"};
  return {};
}

}  // namespace warpmem::command
