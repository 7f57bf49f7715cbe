#include "sim/sample/footprint.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/access/rule/access_rule.hpp"
#include "model/sink/cache_listener.hpp"
#include "sim/replay.hpp"

namespace warpmem::sim {
namespace {

// Lines of a window, by their number.
struct Lines {
  std::uint64_t first = 0, end = 0;
  bool has(std::uint64_t line) const { return line >= first && line < end; }
};
Lines lines_of(const trace::AccessWindow& w, std::uint64_t line_bytes) {
  return {w.base / line_bytes, (w.base + w.bytes) / line_bytes};
}

// Lines that stay in the L2 while others come and go: those of a window that persists, as many as
// are set aside for it. Until they have come, the L2 is not what it will be.
std::uint64_t lines_kept(const trace::Launch& launch, std::uint64_t line_bytes) {
  constexpr std::uint8_t kPersisting = 2;  // AccessWindow::hit
  const trace::AccessWindow& w = launch.window;
  if (w.hit != kPersisting) return 0;
  const auto persists = static_cast<std::uint64_t>(static_cast<double>(w.bytes) * w.hit_ratio);
  return std::min(persists, launch.set_aside) / line_bytes;
}

// Hears of every line that the L2 is asked for.
class DistinctLines final : public model::CacheListener {
 public:
  // `ctas`: the launch's, ascending. `passing`: lines count too that are the first to go.
  DistinctLines(const std::vector<std::uint64_t>& ctas, std::uint64_t wanted,
                const trace::Launch& launch, std::uint64_t line_bytes, bool passing)
      : ctas_(ctas),
        wanted_(wanted),
        window_(lines_of(launch.window, line_bytes)),
        kept_(lines_kept(launch, line_bytes)),
        window_passes_(launch.window.hit == 1),
        passing_(passing) {}

  void begin(const model::AccessPlan& plan, const model::AccessTiming& timing) override {
    begun_ = true;
    passes_ = plan.stay == model::Stay::kFirst;
    cta_ = timing.cta;
    latest_ = std::max(latest_, cta_);
  }
  void l1(int, model::CacheUse, const model::LineTouch&) override {}
  void l1_invalidate(int, std::uint64_t) override {}
  void l2(std::uint32_t partition, model::CacheUse use, const model::LineTouch& touch) override {
    // What is there before the launch's first access is others'.
    if (!begun_ || use == model::CacheUse::kDrop || use == model::CacheUse::kLoadPast || full())
      return;
    const bool in_window = window_.has(touch.line);
    // What is read so makes room before any other line; what is written is not
    // (model/access/stay.hpp).
    if (!passing_ && use != model::CacheUse::kStore && (passes_ || (window_passes_ && in_window))) {
      any_passed_ = true;
      return;
    }
    // Lines are addresses / 128: the upper bits are free.
    if (!lines_.insert(touch.line | std::uint64_t{partition} << 58).second) return;
    const auto at = static_cast<std::size_t>(std::ranges::lower_bound(ctas_, cta_) - ctas_.begin());
    if (at >= new_lines_.size()) new_lines_.resize(at + 1);
    ++new_lines_[at];
    if (kept_ > 0 && in_window) kept_lines_.insert(touch.line);
  }
  void l2_clear() override {}

  bool full() const { return lines_.size() >= wanted_ && kept_lines_.size() >= kept_; }
  bool any_passed() const { return any_passed_; }
  std::uint64_t ctas() const { return new_lines_.size(); }  // that have brought any
  // So many of the first CTAs brought nearly all that came.
  std::uint64_t brought_most() const {
    constexpr double kMost = 0.99;
    double come = 0;
    for (std::size_t i = 0; i < new_lines_.size(); ++i) {
      come += static_cast<double>(new_lines_[i]);
      if (come >= kMost * static_cast<double>(lines_.size())) return i + 1;
    }
    return 0;
  }
  // Whether lines that come as they did in the later half fill the L2 before the launch ends.
  bool will_fill() const {
    const std::uint64_t seen = begun();
    double late = 0;
    for (std::size_t i = seen / 2; i < new_lines_.size(); ++i) late += new_lines_[i];
    const double each = late / static_cast<double>(seen - seen / 2);
    return static_cast<double>(lines_.size()) + each * static_cast<double>(ctas_.size() - seen) >=
           static_cast<double>(wanted_);
  }
  // Of what came, nearly all came in the first half, and it fits.
  bool steady() const {
    return begun() >= 2 * brought_most() && kept_lines_.size() >= kept_ && !will_fill();
  }

 private:
  std::uint64_t begun() const {
    return static_cast<std::uint64_t>(std::ranges::upper_bound(ctas_, latest_) - ctas_.begin());
  }

  const std::vector<std::uint64_t>& ctas_;
  std::uint64_t wanted_;
  Lines window_;
  std::uint64_t kept_;
  bool window_passes_, passing_;
  bool begun_ = false, passes_ = false, any_passed_ = false;
  std::uint64_t cta_ = 0, latest_ = 0;       // of the access; of all, by number
  std::unordered_set<std::uint64_t> lines_;  // with the partition
  std::unordered_set<std::uint64_t> kept_lines_;
  std::vector<std::uint32_t> new_lines_;  // by CTA, in the order of the launch
};

bool can_listen(const model::Card& card) {
  return static_cast<model::AccessRule>(card.numbers().access_rule) == model::AccessRule::kSectors;
}

struct Looked {
  Footprint footprint;
  bool any_passed = false;
};

Result<Looked> look(const trace::TraceReader& reader, std::uint32_t index, const model::Card& card,
                    std::uint64_t most, bool passing) {
  const auto ctas = reader.ctas(index);
  if (!ctas) return ctas.error();
  const trace::Launch& launch = reader.launches()[index].launch;
  const std::vector<std::uint64_t> in_order((*ctas).begin(), (*ctas).end());
  const std::uint64_t line = card.numbers().line_bytes;
  DistinctLines lines(in_order, card.numbers().l2_bytes / line, launch, line, passing);
  Rewrite first;
  first.choose = [&](const trace::Launch&, std::vector<std::uint64_t>& chosen) {
    chosen.resize(std::min<std::size_t>(chosen.size(), most));
  };
  Looked out;
  ReplayOptions how;
  how.launch = launch.id;
  how.rewrite = &first;
  how.flat = true;
  how.caches = &lines;
  how.progress = [&](std::uint64_t done, std::uint64_t) {
    out.footprint.records = done;
    return !(lines.full() || lines.steady());
  };
  const auto replayed = replay(reader, card, how);
  if (!replayed && replayed.error().kind != ErrorKind::kInterrupted) return replayed.error();
  Footprint& f = out.footprint;
  out.any_passed = lines.any_passed();
  if (lines.full()) {
    f.end = Footprint::End::kFull;
    f.ctas = std::min(lines.ctas(), most);
    return out;
  }
  f.end = lines.steady()      ? Footprint::End::kSteady
          : lines.will_fill() ? Footprint::End::kGrowing
                              : Footprint::End::kFits;
  f.ctas = f.end == Footprint::End::kSteady ? lines.brought_most() : most;
  return out;
}

// Where nobody listens to the L2: by the bytes moved between it and the L1s.
Result<Footprint> by_bytes(const trace::TraceReader& reader, std::uint32_t index,
                           const model::Card& card, std::uint64_t most) {
  Rewrite first;
  first.choose = [&](const trace::Launch&, std::vector<std::uint64_t>& chosen) {
    chosen.resize(std::min<std::size_t>(chosen.size(), most));
  };
  ReplayOptions how;
  how.launch = reader.launches()[index].launch.id;
  how.rewrite = &first;
  const auto replayed = replay(reader, card, how);
  if (!replayed) return replayed.error();
  const model::LaunchCounters& c = (*replayed).details.at(0).counters;
  const double moved = 32 * static_cast<double>(c.l1_fill_sectors + c.l1_write_sectors);
  const double share = static_cast<double>(card.numbers().l2_bytes) / std::max(1.0, moved);
  Footprint out;
  out.end = share <= 1 ? Footprint::End::kFull : Footprint::End::kGrowing;
  out.ctas = static_cast<std::uint64_t>(static_cast<double>(most) * std::min(1.0, share));
  out.records = c.records;
  return out;
}

}  // namespace

Result<Footprint> l2_footprint(const trace::TraceReader& reader, std::uint32_t index,
                               const model::Card& card, std::uint64_t most) {
  const auto ctas = reader.ctas(index);
  if (!ctas) return ctas.error();
  most = std::min<std::uint64_t>(most, (*ctas).size());
  if (card.numbers().l2_bytes == 0) return Footprint{Footprint::End::kSteady, 0, 0};
  if (!can_listen(card)) return by_bytes(reader, index, card, most);
  auto lasting = look(reader, index, card, most, false);
  if (!lasting) return lasting.error();
  if (lasting->footprint.end == Footprint::End::kFull || !lasting->any_passed)
    return lasting->footprint;
  // The lines that go first fill it all the same, where no others do.
  auto all = look(reader, index, card, most, true);
  if (!all) return all.error();
  all->footprint.records += lasting->footprint.records;
  return all->footprint;
}

}  // namespace warpmem::sim
