#include "traces/import/accel_sim_file.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>
#include <vector>

#include "traces/import/line_file.hpp"
#include "traces/import/words.hpp"

namespace warpmem::imports {
namespace {

constexpr std::uint64_t kMostCtas = std::uint64_t{1} << 31;

class FileReader {
 public:
  FileReader(const std::string& path, LineFile& file, const AccelSimReaders& readers)
      : path_(path), file_(file), to_(readers) {}

  Result<void> run() {
    std::string line;
    while (file_.next(line)) {
      if (auto ok = take(line); ok) continue;
      else {
        Error error = ok.error();
        if (error.place.empty()) error.place = file_.place();
        if (file_.unfinished()) error.message = "the file ends within this line: it is cut short";
        return error;
      }
    }
    if (auto whole = file_.ended(); !whole) return whole;
    if (in_cta_ || in_warp_ || !begun_)
      return Error{ErrorKind::kMalformed,
                   begun_ ? "the file ends within a CTA: it is cut short"
                          : "the file has no CTA: it is cut short, or no trace of Accel-Sim",
                   file_.place(), "copy or trace it again"};
    return {};
  }

 private:
  static Error malformed(const std::string& message) {
    return {ErrorKind::kMalformed, message, {}, "copy or trace it again"};
  }

  Result<void> take(const std::string& line) {
    if (in_warp_ && left_ > 0) return take_instruction(line);
    if (line.empty()) return {};
    if (line.front() == '-' && !in_cta_) return read_heading(line, heading_);
    if (line.starts_with("#BEGIN_TB")) return begin_cta();
    if (line.starts_with("#END_TB")) return end_cta();
    if (line.front() == '#') return {};
    const std::size_t equals = line.find('=');
    if (!in_cta_ || equals == line.npos)
      return malformed("this line is no part of a trace of Accel-Sim");
    const std::string key = line.substr(0, line.find_last_not_of(" =", equals) + 1);
    const std::string_view value = std::string_view(line).substr(equals + 1);
    if (key == "thread block") return take_cta(value);
    if (key == "warp") return take_warp(value);
    if (key == "insts") return take_count(value);
    return {};  // what later versions add
  }

  Result<void> begin_cta() {
    if (in_cta_) return malformed("a CTA begins within another one");
    if (!begun_) {
      begun_ = true;
      if (heading_.version > kNewestTracer)
        return Error{ErrorKind::kMalformed,
                     fmt::format("the trace is of version {} of Accel-Sim's tracer, and those up "
                                 "to {} are known",
                                 heading_.version, kNewestTracer),
                     path_, "trace it with an older tracer"};
      if (heading_.grid[0] == 0 || heading_.block[0] == 0)
        return Error{ErrorKind::kMalformed, "the heading does not say the grid and the block",
                     path_,
                     "give a .traceg as Accel-Sim's tracer and its post-processing leave it"};
      const std::uint64_t ctas =
          std::uint64_t{heading_.grid[0]} * heading_.grid[1] * heading_.grid[2];
      const std::uint64_t threads =
          std::uint64_t{heading_.block[0]} * heading_.block[1] * heading_.block[2];
      if (ctas > kMostCtas || threads > 1024)
        return Error{ErrorKind::kMalformed, "no GPU has such a grid or block", path_,
                     "trace it again"};
      warps_ = static_cast<std::uint32_t>((threads + 31) / 32);
      seen_.assign(ctas, false);
      if (auto ok = to_.heading(heading_); !ok) return ok;
    }
    in_cta_ = true, cta_known_ = false;
    seen_warps_.clear();
    return {};
  }

  Result<void> take_cta(std::string_view value) {
    std::uint64_t at[3];
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t comma = std::min(value.find(','), value.size());
      std::string_view one = value.substr(0, comma);
      value = value.substr(std::min(comma + 1, value.size()));
      Words words(one);  // behind the last one may stand more, of clusters
      const auto n = whole_of<std::uint64_t>(words.next());
      if (!n || *n >= heading_.grid[d])
        return malformed("the line names no CTA of the launch's grid");
      at[d] = *n;
    }
    cta_ = at[0] + heading_.grid[0] * (at[1] + std::uint64_t{heading_.grid[1]} * at[2]);
    if (seen_[cta_]) return malformed("the CTA stands in the file twice");
    seen_[cta_] = true, cta_known_ = true;
    for (std::size_t d = 0; d < 3; ++d) cta_at_[d] = at[d];
    return {};
  }

  Result<void> take_warp(std::string_view value) {
    if (auto ok = end_warp(); !ok) return ok;
    if (!cta_known_) return malformed("a warp comes before its CTA is named");
    Words words(value);
    const auto n = whole_of<std::uint32_t>(words.next());
    if (!n || *n >= warps_) return malformed("the line names no warp of the launch's block");
    if (!seen_warps_.insert(*n).second) return malformed("the warp stands in its CTA twice");
    warp_ = *n, in_warp_ = true, left_ = 0;
    return to_.begin(cta_, warp_);
  }

  Result<void> take_count(std::string_view value) {
    Words words(value);
    const auto n = whole_of<std::uint64_t>(words.next());
    if (!n || !in_warp_) return malformed("the line says no number of instructions of a warp");
    left_ = *n;
    return {};
  }

  Result<void> take_instruction(const std::string& line) {
    if (line.empty() || line.front() == '#' || line.starts_with("warp"))
      return malformed(fmt::format("{} instructions of the warp are missing", left_));
    if (auto ok = read_line(line, heading_, line_); !ok) return ok;
    if (heading_.version < 3)
      if (*line_.cta[0] != cta_at_[0] || *line_.cta[1] != cta_at_[1] ||
          *line_.cta[2] != cta_at_[2] || line_.warp != warp_)
        return malformed("the instruction is of another warp than it stands in");
    --left_;
    return to_.line(line_);
  }

  Result<void> end_warp() {
    if (!std::exchange(in_warp_, false)) return {};
    return to_.end();
  }

  Result<void> end_cta() {
    if (!std::exchange(in_cta_, false)) return malformed("a CTA ends that has not begun");
    return end_warp();
  }

  const std::string& path_;
  LineFile& file_;
  const AccelSimReaders& to_;
  AccelSimHeading heading_;
  AccelSimLine line_;
  bool begun_ = false, in_cta_ = false, cta_known_ = false, in_warp_ = false;
  std::uint64_t cta_ = 0, cta_at_[3] = {}, left_ = 0;
  std::uint32_t warp_ = 0, warps_ = 0;
  std::vector<bool> seen_;
  std::set<std::uint32_t> seen_warps_;
};

}  // namespace

Result<void> read_accel_sim(const std::string& path, const AccelSimReaders& readers) {
  auto file = LineFile::open(path);
  if (!file) return file.error();
  return FileReader(path, *file, readers).run();
}

}  // namespace warpmem::imports
