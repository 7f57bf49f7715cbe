#include "sweep/store.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <utility>

#include "sweep/store_file.hpp"

namespace warpmem::sweep {
namespace {

std::string unfinished_name(const std::string& path) { return path + ".partial"; }

Plan plan_of(const StoredSweep& stored) {
  Plan out{stored.identity, stored.result, stored.points, stored.part};
  out.empty.points.clear();
  return out;
}

}  // namespace

Result<Store> Store::open(const std::string& path, Plan plan, bool replace) {
  Store out;
  out.plan_ = std::move(plan);
  if (path.empty()) return out;
  std::error_code none;
  if (!replace && std::filesystem::exists(path, none)) {
    auto there = read_store(path);
    if (!there) return there.error();
    if (auto same = require_same(path, plan_of(*there), out.plan_); !same) return same.error();
    for (SweepPoint& p : there->result.points) {
      out.finished_.insert(p.number);
      out.points_.emplace(p.number, std::move(p));
    }
    out.whole_ = true;
    PointLog::forget(unfinished_name(path), out.plan_);
    return out;
  }
  auto file = OutputFile::create(path, {.replace = replace});
  if (!file) return file.error();
  out.file_.emplace(std::move(file).value());
  std::vector<SweepPoint> before;
  auto log = PointLog::open(unfinished_name(out.file_->place().path), out.plan_, replace, before);
  if (!log) return log.error();
  out.log_.emplace(std::move(log).value());
  for (SweepPoint& p : before) {
    out.finished_.insert(p.number);
    out.points_.emplace(p.number, std::move(p));
  }
  return out;
}

Result<void> Store::add(SweepPoint point) {
  // SQLite has no place for what is no number.
  for (std::vector<MetricValue>& of_trace : point.metrics)
    for (MetricValue& v : of_trace)
      if (v.known() && std::isnan(v.value)) v.missing = "it is no number";
  if (log_)
    if (auto kept = log_->add(point); !kept) return kept;
  finished_.insert(point.number);
  points_.emplace(point.number, std::move(point));
  return {};
}

SweepResult Store::result() const {
  SweepResult out = plan_.empty;
  for (const auto& [number, point] : points_) out.points.push_back(point);
  return out;
}

Result<void> Store::publish() {
  if (!file_ || whole_) return {};
  const auto bytes = file_of(plan_, result().points, file_->place().path);
  if (!bytes) return bytes.error();
  if (auto ok = file_->write(*bytes); !ok) return ok;
  // The name is durable before the points lose theirs.
  if (auto ok = file_->publish(); !ok) return ok;
  log_->remove();
  whole_ = true;
  return {};
}

Result<StoredSweep> merge(const std::vector<std::string>& parts, OutputFile& file,
                          const Plan* plan) {
  std::optional<StoredSweep> all;
  std::map<std::uint64_t, SweepPoint> points;
  for (const std::string& part : parts) {
    auto read = read_store(part);
    if (!read) return read.error();
    if (all || plan != nullptr) {
      Plan here = plan != nullptr ? *plan : plan_of(*all);
      here.part = read->part;
      if (auto same = require_same(part, plan_of(*read), here); !same) {
        Error e = same.error();
        e.fix = "merge the parts of one sweep";
        return e;
      }
    }
    for (SweepPoint& p : read->result.points)
      if (!points.emplace(p.number, p).second)
        return Error{ErrorKind::kUsage,
                     fmt::format("point {} is in another part already", p.number), part,
                     "give each part once"};
    read->result.points.clear();
    if (!all) all = std::move(*read);
  }
  const std::string& path = file.place().path;
  if (!all) return Error{ErrorKind::kUsage, "there is nothing to merge", path, "name its parts"};
  if (points.size() != all->points)
    return Error{
        ErrorKind::kIncomplete,
        fmt::format("{} of the sweep's {} points are in these parts", points.size(), all->points),
        path, "give all parts, each of a sweep that has finished"};
  all->part.clear();
  for (auto& [number, p] : points) all->result.points.push_back(std::move(p));
  const auto bytes = file_of(plan_of(*all), all->result.points, path);
  if (!bytes) return bytes.error();
  if (auto ok = file.write(*bytes); !ok) return ok.error();
  if (auto ok = file.publish(); !ok) return ok.error();
  return std::move(*all);
}

}  // namespace warpmem::sweep
