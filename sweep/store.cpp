#include "sweep/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

namespace warpmem::sweep {
namespace {

constexpr const char* kSchema = R"(
CREATE TABLE identity(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE plan(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE axes(axis INTEGER NOT NULL, at INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY(axis, at)) WITHOUT ROWID;
CREATE TABLE traces(trace INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE metrics(metric INTEGER PRIMARY KEY, name TEXT NOT NULL, unit TEXT NOT NULL);
CREATE TABLE points(point INTEGER PRIMARY KEY, left_out TEXT);
CREATE TABLE point_values(point INTEGER NOT NULL, axis INTEGER NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY(point, axis)) WITHOUT ROWID;
CREATE TABLE results(point INTEGER NOT NULL, trace INTEGER NOT NULL, metric INTEGER NOT NULL,
  value REAL, missing TEXT, PRIMARY KEY(point, trace, metric)) WITHOUT ROWID;
)";
constexpr const char* kApplication = "PRAGMA application_id = 0x776d7377;";  // "wmsw"

Result<void> first_error(std::initializer_list<Result<void>> all) {
  for (const Result<void>& r : all)
    if (!r) return r;
  return {};
}

Result<void> write_plan(Database& db, const Plan& plan) {
  auto identity = db.prepare("INSERT INTO identity VALUES(?, ?)");
  if (!identity) return identity.error();
  for (const auto& [name, value] : plan.identity)
    if (auto ok = identity->bind(1, name).bind(2, value).done(); !ok) return ok;
  auto about = db.prepare("INSERT INTO plan VALUES(?, ?)");
  if (!about) return about.error();
  if (auto ok = first_error({about->bind(1, "part").bind(2, plan.part).done(),
                             about->bind(1, "points").bind(2, std::to_string(plan.points)).done()});
      !ok)
    return ok;
  auto axes = db.prepare("INSERT INTO axes VALUES(?, ?, ?, ?)");
  if (!axes) return axes.error();
  for (std::size_t a = 0; a < plan.empty.axes.size(); ++a)
    for (std::size_t i = 0; i < plan.empty.axes[a].values.size(); ++i)
      if (auto ok = axes->bind(1, a)
                        .bind(2, i)
                        .bind(3, plan.empty.axes[a].key)
                        .bind(4, plan.empty.axes[a].values[i])
                        .done();
          !ok)
        return ok;
  auto traces = db.prepare("INSERT INTO traces VALUES(?, ?)");
  if (!traces) return traces.error();
  for (std::size_t t = 0; t < plan.empty.traces.size(); ++t)
    if (auto ok = traces->bind(1, t).bind(2, plan.empty.traces[t]).done(); !ok) return ok;
  auto metrics = db.prepare("INSERT INTO metrics VALUES(?, ?, ?)");
  if (!metrics) return metrics.error();
  for (std::size_t m = 0; m < plan.empty.metrics.size(); ++m) {
    const SweepMetric& metric = plan.empty.metrics[m];
    if (auto ok = metrics->bind(1, m).bind(2, metric.name).bind(3, metric.unit).done(); !ok)
      return ok;
  }
  return {};
}

Result<void> write_point(Database& db, const SweepPoint& p) {
  auto point = db.prepare("INSERT INTO points VALUES(?, ?)");
  if (!point) return point.error();
  point->bind(1, p.number);
  if (p.left_out.empty()) point->bind_nothing(2);
  else point->bind(2, p.left_out);
  if (auto ok = point->done(); !ok) return ok;
  auto values = db.prepare("INSERT INTO point_values VALUES(?, ?, ?)");
  if (!values) return values.error();
  for (std::size_t a = 0; a < p.values.size(); ++a)
    if (auto ok = values->bind(1, p.number).bind(2, a).bind(3, p.values[a]).done(); !ok) return ok;
  auto results = db.prepare("INSERT INTO results VALUES(?, ?, ?, ?, ?)");
  if (!results) return results.error();
  for (std::size_t t = 0; t < p.metrics.size(); ++t)
    for (std::size_t m = 0; m < p.metrics[t].size(); ++m) {
      const MetricValue& v = p.metrics[t][m];
      results->bind(1, p.number).bind(2, t).bind(3, m);
      if (v.known()) results->bind(4, v.value).bind_nothing(5);
      else results->bind_nothing(4).bind(5, v.missing);
      if (auto ok = results->done(); !ok) return ok;
    }
  return {};
}

Result<std::string> plan_value(Database& db, const std::string& name) {
  auto about = db.prepare("SELECT value FROM plan WHERE name = ?");
  if (!about) return about.error();
  const auto row = about->bind(1, name).step();
  if (!row) return row.error();
  return *row ? about->text(0) : std::string();
}

Result<Identity> read_identity(Database& db) {
  Identity out;
  auto rows = db.prepare("SELECT name, value FROM identity");
  if (!rows) return rows.error();
  for (;;) {
    const auto row = rows->step();
    if (!row) return row.error();
    if (!*row) return out;
    out.emplace_back(rows->text(0), rows->text(1));
  }
}

template <class Take>
Result<void> each_row(Database& db, const char* sql, Take&& take) {
  auto rows = db.prepare(sql);
  if (!rows) return rows.error();
  for (;;) {
    const auto row = rows->step();
    if (!row) return row.error();
    if (!*row) return {};
    take(*rows);
  }
}

Error damaged(const std::string& path) {
  return {ErrorKind::kMalformed, "the results do not fit together", path,
          "remove the file and run the sweep again"};
}

Result<SweepResult> read_result(Database& db) {
  SweepResult out;
  bool fits = true;
  const auto axes =
      each_row(db, "SELECT axis, key, value FROM axes ORDER BY axis, at", [&](const Statement& r) {
        if (r.whole(0) >= out.axes.size()) out.axes.push_back({r.text(1), {}});
        out.axes.back().values.push_back(r.text(2));
      });
  const auto traces = each_row(db, "SELECT name FROM traces ORDER BY trace",
                               [&](const Statement& r) { out.traces.push_back(r.text(0)); });
  const auto metrics =
      each_row(db, "SELECT name, unit FROM metrics ORDER BY metric", [&](const Statement& r) {
        out.metrics.push_back({r.text(0), r.text(1)});
      });
  std::map<std::uint64_t, std::size_t> at;
  const auto points =
      each_row(db, "SELECT point, left_out FROM points ORDER BY point", [&](const Statement& r) {
        at.emplace(r.whole(0), out.points.size());
        SweepPoint& p = out.points.emplace_back();
        p.number = r.whole(0);
        p.values.resize(out.axes.size());
        if (!r.nothing(1)) p.left_out = r.text(1);
        else p.metrics.assign(out.traces.size(), std::vector<MetricValue>(out.metrics.size()));
      });
  const auto values =
      each_row(db, "SELECT point, axis, value FROM point_values", [&](const Statement& r) {
        const auto found = at.find(r.whole(0));
        fits = fits && found != at.end() && r.whole(1) < out.axes.size();
        if (fits) out.points[found->second].values[r.whole(1)] = r.text(2);
      });
  const auto results = each_row(
      db, "SELECT point, trace, metric, value, missing FROM results", [&](const Statement& r) {
        const auto found = at.find(r.whole(0));
        fits = fits && found != at.end() && r.whole(1) < out.traces.size() &&
               r.whole(2) < out.metrics.size() && !out.points[found->second].metrics.empty();
        if (!fits) return;
        MetricValue& v = out.points[found->second].metrics[r.whole(1)][r.whole(2)];
        if (r.nothing(3)) v.missing = r.text(4);
        else v.value = r.real(3);
      });
  if (auto ok = first_error({axes, traces, metrics, points, values, results}); !ok)
    return ok.error();
  if (!fits) return damaged(db.path());
  return out;
}

Error another(const std::string& path, const std::string& name, const std::string& there,
              const std::string& here) {
  if (name == "version")
    return {ErrorKind::kUsage,
            fmt::format("the results are of warpmem {}, and this is {}", there, here), path,
            "give another file, or --force to begin anew"};
  return {ErrorKind::kUsage,
          fmt::format("the results are of another sweep: {} is {} there and {} here", name,
                      there.empty() ? "not given" : there, here.empty() ? "not given" : here),
          path, "give another file, or --force to begin anew"};
}

// What differs between a file and a plan.
Result<void> check_same(Database& db, const Plan& plan) {
  const auto there = read_identity(db);
  if (!there) return there.error();
  const auto value = [](const Identity& of, const std::string& name) {
    for (const auto& [n, v] : of)
      if (n == name) return v;
    return std::string();
  };
  for (const auto& [name, here] : plan.identity)
    if (const std::string said = value(*there, name); said != here)
      return another(db.path(), name, said, here);
  for (const auto& [name, said] : *there)
    if (const std::string here = value(plan.identity, name); said != here)
      return another(db.path(), name, said, here);
  const auto part = plan_value(db, "part");
  if (!part) return part.error();
  if (*part != plan.part) return another(db.path(), "--shard", *part, plan.part);
  return {};
}

void remove_file(const std::string& path) {
  std::error_code none;
  std::filesystem::remove(path, none);
}

void remove_database(const std::string& path) {
  for (const char* end : {"", "-wal", "-shm", "-journal"}) remove_file(path + end);
}

Error refused(const std::string& path, const char* what) {
  const int why = errno;
  return {
      why == ENOSPC || why == EDQUOT || why == EFBIG ? ErrorKind::kResources : ErrorKind::kUsage,
      fmt::format("cannot {}: {}", what, std::strerror(why)), path,
      "make room, or give a file in a folder that can be written"};
}

// A file of all points in their order, which takes its name as a whole.
Result<void> write_whole(const std::string& path, const Plan& plan, const SweepResult& result) {
  const std::string fresh = path + ".new";
  remove_database(fresh);
  {
    auto db = Database::open(fresh, Database::Mode::kCreate);
    if (!db) return db.error();
    auto ok = first_error({db->run("PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA "
                                   "synchronous = OFF; PRAGMA secure_delete = ON;"),
                           db->run(kApplication), db->run("BEGIN"), db->run(kSchema),
                           write_plan(*db, plan)});
    for (std::size_t i = 0; ok && i < result.points.size(); ++i)
      ok = write_point(*db, result.points[i]);
    if (ok) ok = db->run("COMMIT");
    if (ok) ok = db->close();
    if (!ok) {
      remove_database(fresh);
      return ok;
    }
  }
  const int file = ::open(fresh.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = file >= 0 && ::fsync(file) == 0;
  const Error failed = refused(path, "write the results");
  if (file >= 0) ::close(file);
  if (!synced) return failed;
  if (::rename(fresh.c_str(), path.c_str()) != 0) return refused(path, "write the results");
  return {};
}

}  // namespace

Result<Store> Store::open(const std::string& path, Plan plan, bool replace) {
  Store out;
  out.path_ = path;
  out.plan_ = std::move(plan);
  std::error_code none;
  if (!path.empty() && !replace && std::filesystem::exists(path, none)) {
    auto db = Database::open(path, Database::Mode::kRead);
    if (!db) return db.error();
    if (auto same = check_same(*db, out.plan_); !same) return same.error();
    out.db_ = std::move(*db);
    out.whole_ = true;
    remove_database(path + ".partial");
    return out;
  }
  auto db = Database::open(path.empty() ? ":memory:" : path + ".partial", Database::Mode::kCreate);
  if (!db) return db.error();
  out.db_ = std::move(*db);
  auto resumed = out.resume();
  if (!resumed && replace) {
    out.db_.reset();
    remove_database(path + ".partial");
    auto anew = Database::open(path + ".partial", Database::Mode::kCreate);
    if (!anew) return anew.error();
    out.db_ = std::move(*anew);
    resumed = out.resume();
  }
  if (!resumed) return resumed.error();
  return out;
}

Result<void> Store::resume() {
  // The log keeps what was committed whatever ends the process; a power failure may cost the latest
  // points.
  if (auto ok = first_error(
          {db_->run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA "
                    "synchronous = NORMAL;"),
           db_->run(kApplication)});
      !ok)
    return ok;
  bool begun = false;
  if (auto ok = each_row(*db_, "SELECT 1 FROM sqlite_master WHERE name = 'results'",
                         [&](const Statement&) { begun = true; });
      !ok)
    return ok;
  if (!begun)
    return first_error(
        {db_->run("BEGIN"), db_->run(kSchema), write_plan(*db_, plan_), db_->run("COMMIT")});
  if (auto same = check_same(*db_, plan_); !same) return same;
  return each_row(*db_, "SELECT point FROM points",
                  [&](const Statement& r) { finished_.insert(r.whole(0)); });
}

Result<void> Store::add(const SweepPoint& point) {
  if (auto ok = db_->run("BEGIN"); !ok) return ok;
  auto written = write_point(*db_, point);
  if (written) written = db_->run("COMMIT");
  if (!written) {
    (void)db_->run("ROLLBACK");
    return written;
  }
  finished_.insert(point.number);
  return {};
}

Result<SweepResult> Store::result() { return read_result(*db_); }

Result<void> Store::publish() {
  if (path_.empty() || whole_) return {};
  const auto all = result();
  if (!all) return all.error();
  if (auto ok = write_whole(path_, plan_, *all); !ok) return ok;
  if (auto ok = db_->close(); !ok) return ok;
  db_.reset();
  remove_database(path_ + ".partial");
  auto db = Database::open(path_, Database::Mode::kRead);
  if (!db) return db.error();
  db_ = std::move(*db);
  whole_ = true;
  return {};
}

Result<StoredSweep> read_store(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none))
    return Error{ErrorKind::kUsage, "there is no such file", path,
                 std::filesystem::exists(path + ".partial", none)
                     ? "its sweep is not finished: run the same command again"
                     : "give a file that warpmem explore wrote"};
  auto db = Database::open(path, Database::Mode::kRead);
  if (!db) return db.error();
  StoredSweep out;
  auto identity = read_identity(*db);
  if (!identity) {
    Error e = identity.error();
    e.kind = ErrorKind::kMalformed;
    e.message = "this is no file of results";
    e.fix = "give a file that warpmem explore wrote";
    return e;
  }
  out.identity = std::move(*identity);
  const auto part = plan_value(*db, "part"), points = plan_value(*db, "points");
  auto result = read_result(*db);
  if (!part) return part.error();
  if (!points) return points.error();
  if (!result) return result.error();
  out.part = *part;
  out.points = std::strtoull(points->c_str(), nullptr, 10);
  out.result = std::move(*result);
  return out;
}

Result<SweepResult> merge(const std::vector<std::string>& parts, const std::string& path,
                          bool replace) {
  std::error_code none;
  if (!replace && std::filesystem::exists(path, none))
    return Error{ErrorKind::kUsage, "the file is there already", path,
                 "give another one, or --force to replace it"};
  std::optional<StoredSweep> all;
  std::map<std::uint64_t, SweepPoint> points;
  for (const std::string& part : parts) {
    auto read = read_store(part);
    if (!read) return read.error();
    if (all) {
      for (std::size_t i = 0; i < std::max(all->identity.size(), read->identity.size()); ++i) {
        const auto none_there = std::pair<std::string, std::string>{};
        const auto& a = i < all->identity.size() ? all->identity[i] : none_there;
        const auto& b = i < read->identity.size() ? read->identity[i] : none_there;
        if (a != b) {
          Error e = another(part, b.first.empty() ? a.first : b.first, b.second, a.second);
          e.fix = "merge the parts of one sweep";
          return e;
        }
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
  if (!all) return Error{ErrorKind::kUsage, "there is nothing to merge", path, "name its parts"};
  if (points.size() != all->points)
    return Error{
        ErrorKind::kIncomplete,
        fmt::format("{} of the sweep's {} points are in these parts", points.size(), all->points),
        path, "give all parts, each of a sweep that has finished"};
  SweepResult result = all->result;
  for (auto& [number, p] : points) result.points.push_back(std::move(p));
  const Plan plan{all->identity, all->result, all->points, {}};
  if (auto ok = write_whole(path, plan, result); !ok) return ok.error();
  return result;
}

}  // namespace warpmem::sweep
