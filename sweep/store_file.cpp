#include "sweep/store_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include "base/read_number.hpp"
#include "base/run_files.hpp"
#include "base/sqlite.hpp"
#include "sweep/packed.hpp"
#include "sweep/store.hpp"

namespace warpmem::sweep {
namespace {

struct Table {
  const char* name;
  const char* columns;
};
constexpr Table kTables[] = {
    {"identity", "name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"},
    {"plan", "name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"},
    {"axes",
     "axis INTEGER NOT NULL, at INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, "
     "PRIMARY KEY(axis, at)) WITHOUT ROWID"},
    {"traces", "trace INTEGER PRIMARY KEY, name TEXT NOT NULL)"},
    {"metrics", "metric INTEGER PRIMARY KEY, name TEXT NOT NULL, unit TEXT NOT NULL)"},
    {"points", "point INTEGER PRIMARY KEY, left_out TEXT)"},
    {"point_values",
     "point INTEGER NOT NULL, axis INTEGER NOT NULL, value TEXT NOT NULL, "
     "PRIMARY KEY(point, axis)) WITHOUT ROWID"},
    {"results",
     "point INTEGER NOT NULL, trace INTEGER NOT NULL, metric INTEGER NOT NULL, value REAL, "
     "missing TEXT, PRIMARY KEY(point, trace, metric)) WITHOUT ROWID"},
};
constexpr std::uint64_t kApplication = 0x776d7377;  // "wmsw"

std::string created(const Table& table) {
  return fmt::format("CREATE TABLE {}({}", table.name, table.columns);
}

std::string shown(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

// No fuzzer guesses a hash; what is behind it has to be safe by itself.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
constexpr bool kHashes = false;
#else
constexpr bool kHashes = true;
#endif

// ---- Writing ----

// Rows of one table, one after the other; the first failure stays.
class Rows {
 public:
  Rows(Database& db, const std::string& table, int columns)
      : statement_(
            db.prepare(fmt::format("INSERT INTO {} VALUES(?{})", table, repeated(columns)))) {
    if (!statement_) failed_ = statement_.error();
  }
  template <class... Values>
  void put(const Values&... values) {
    if (!failed_) return;
    int at = 0;
    (bind(++at, values), ...);
    failed_ = statement_->done();
  }
  const Result<void>& failed() const { return failed_; }

 private:
  static std::string repeated(int columns) {
    std::string out;
    for (int i = 1; i < columns; ++i) out += ", ?";
    return out;
  }
  void bind(int at, std::uint64_t value) { statement_->bind(at, value); }
  void bind(int at, const std::string& value) { statement_->bind(at, std::string_view(value)); }
  void bind(int at, const char* value) { statement_->bind(at, std::string_view(value)); }
  void bind(int at, const std::optional<double>& value) {
    if (value) statement_->bind(at, *value);
    else statement_->bind_nothing(at);
  }
  void bind(int at, const std::optional<std::string_view>& value) {
    if (value) statement_->bind(at, *value);
    else statement_->bind_nothing(at);
  }
  Result<Statement> statement_;
  Result<void> failed_;
};

std::optional<std::string_view> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
}

Result<void> write_plan(Database& db, const Plan& plan, std::size_t held, std::uint64_t hash) {
  Rows identity(db, "identity", 2), about(db, "plan", 2), axes(db, "axes", 4),
      traces(db, "traces", 2), metrics(db, "metrics", 3);
  for (const auto& [name, value] : plan.identity) identity.put(name, value);
  about.put("part", plan.part);
  about.put("points", std::to_string(plan.points));
  about.put("held", std::to_string(held));
  about.put("hash", shown(hash));
  for (std::uint64_t a = 0; a < plan.empty.axes.size(); ++a)
    for (std::uint64_t i = 0; i < plan.empty.axes[a].values.size(); ++i)
      axes.put(a, i, plan.empty.axes[a].key, plan.empty.axes[a].values[i]);
  for (std::uint64_t t = 0; t < plan.empty.traces.size(); ++t) traces.put(t, plan.empty.traces[t]);
  for (std::uint64_t m = 0; m < plan.empty.metrics.size(); ++m)
    metrics.put(m, plan.empty.metrics[m].name, plan.empty.metrics[m].unit);
  for (const Rows* rows : {&identity, &about, &axes, &traces, &metrics})
    if (!rows->failed()) return rows->failed();
  return {};
}

Result<void> write_points(Database& db, const std::vector<SweepPoint>& all) {
  Rows points(db, "points", 2), values(db, "point_values", 3), results(db, "results", 5);
  for (const SweepPoint& p : all) {
    points.put(p.number, unless_empty(p.left_out));
    for (std::uint64_t a = 0; a < p.values.size(); ++a) values.put(p.number, a, p.values[a]);
    for (std::uint64_t t = 0; t < p.metrics.size(); ++t)
      for (std::uint64_t m = 0; m < p.metrics[t].size(); ++m) {
        const MetricValue& v = p.metrics[t][m];
        results.put(p.number, t, m, v.known() ? std::optional(v.value) : std::nullopt,
                    unless_empty(v.missing));
      }
  }
  for (const Rows* rows : {&points, &values, &results})
    if (!rows->failed()) return rows->failed();
  return {};
}

// ---- Reading ----

Error damaged(const Database& db, const std::string& what) {
  return {ErrorKind::kMalformed, what, db.path(),
          "run its sweep again with --force: results that were damaged or changed are not used"};
}

// What a row that does not fit says of its file.
std::string misfit(const std::string& sql) {
  constexpr std::string_view kFrom = " FROM ";
  const auto at = sql.find(kFrom);
  if (at == std::string::npos) return "the heading of the file is damaged";
  const std::string table = sql.substr(at + kFrom.size());
  if (table == "sqlite_master")
    return "its tables are not those of this version: an older warpmem wrote it, or it was changed";
  return fmt::format("a row of the table '{}' does not fit the others",
                     table.substr(0, table.find(' ')));
}

// Each row of a table to `take`, which says whether it fits. A table has fewer rows, and less text
// in them, than the file has bytes: a file that says otherwise has no end.
template <class Take>
Result<void> each_row(const Database& db, const std::string& sql, std::string_view types,
                      Take&& take) {
  auto rows = db.prepare(sql);
  if (!rows) return rows.error();
  std::size_t taken = 0;
  for (;;) {
    const auto row = rows->step();
    if (!row) return row.error();
    if (!*row) return {};
    ++taken;
    for (int c = 0; c < static_cast<int>(types.size()); ++c)
      if (types[static_cast<std::size_t>(c)] == 't' || types[static_cast<std::size_t>(c)] == 'T')
        taken += rows->text(c).size();
    if (taken > db.size() || !rows->has(types) || !take(*rows)) return damaged(db, misfit(sql));
  }
}

// The tables of kTables as they were made, and nothing beside them: no view, no trigger, no index.
Result<void> check_tables(const Database& db) {
  std::map<std::string, std::uint64_t> said;
  for (const char* name : {"application_id", "page_size", "page_count"})
    if (auto ok = each_row(db, std::string("PRAGMA ") + name, "i",
                           [&](const Statement& r) { return said[name] = r.whole(0), true; });
        !ok)
      return ok;
  if (said["application_id"] != kApplication)
    return Error{ErrorKind::kMalformed, "it is no file of results, but another program's database",
                 db.path(), "give a file that warpmem explore wrote, or another name"};
  if (said["page_size"] * said["page_count"] != db.size())
    return damaged(db, "the file was cut short, or something was added to it");
  std::size_t known = 0;
  auto ok = each_row(db, "SELECT name, sql FROM sqlite_master", "tt", [&](const Statement& r) {
    const auto at = std::ranges::find_if(
        kTables, [&](const Table& t) { return r.text(0) == t.name && r.text(1) == created(t); });
    known += at != std::end(kTables);
    return at != std::end(kTables);
  });
  if (ok && known != std::size(kTables)) ok = damaged(db, "a table of the results is missing");
  return ok;
}

struct About {
  std::uint64_t held = 0;
  std::string hash;
};

Result<About> read_plan(const Database& db, Plan& plan) {
  std::map<std::string, std::string> about;
  auto ok = each_row(db, "SELECT name, value FROM identity", "tt", [&](const Statement& r) {
    return plan.identity.emplace_back(r.text(0), r.text(1)), true;
  });
  if (ok)
    ok = each_row(db, "SELECT name, value FROM plan", "tt",
                  [&](const Statement& r) { return about.emplace(r.text(0), r.text(1)).second; });
  std::vector<SweepAxis>& axes = plan.empty.axes;
  if (ok)
    ok = each_row(db, "SELECT axis, at, key, value FROM axes ORDER BY axis, at", "iitt",
                  [&](const Statement& r) {
                    if (r.whole(0) == axes.size()) axes.push_back({r.text(2), {}});
                    if (r.whole(0) + 1 != axes.size() || r.whole(1) != axes.back().values.size() ||
                        r.text(2) != axes.back().key)
                      return false;
                    axes.back().values.push_back(r.text(3));
                    return true;
                  });
  if (ok)
    ok = each_row(db, "SELECT trace, name FROM traces ORDER BY trace", "it",
                  [&](const Statement& r) {
                    plan.empty.traces.push_back(r.text(1));
                    return r.whole(0) + 1 == plan.empty.traces.size();
                  });
  if (ok)
    ok = each_row(db, "SELECT metric, name, unit FROM metrics ORDER BY metric", "itt",
                  [&](const Statement& r) {
                    plan.empty.metrics.push_back({r.text(1), r.text(2)});
                    return r.whole(0) + 1 == plan.empty.metrics.size();
                  });
  if (!ok) return ok.error();
  if (!about.contains("hash"))
    return Error{ErrorKind::kMalformed,
                 "the results have no hash that says that they are whole: they were changed",
                 db.path(), "run the sweep again with --force"};
  const auto number = [&](const char* name) {
    return read_whole(about[name], {0, kNoMost, ""}, name);
  };
  const auto points = number("points"), held = number("held");
  plan.part = about["part"];
  if (about.size() != 4 || !points || !held) return damaged(db, "the plan of the sweep is damaged");
  plan.points = *points;
  if (!sound(plan)) return damaged(db, "the plan of the sweep is damaged");
  return About{*held, about["hash"]};
}

Result<void> read_points(const Database& db, Plan& plan) {
  std::vector<SweepPoint>& all = plan.empty.points;
  const std::size_t traces = plan.empty.traces.size(), metrics = plan.empty.metrics.size();
  std::map<std::uint64_t, std::size_t> at;
  std::size_t replayed = 0;
  auto ok = each_row(
      db, "SELECT point, left_out FROM points ORDER BY point", "iT", [&](const Statement& r) {
        SweepPoint& p = all.emplace_back();
        p.number = r.whole(0);
        p.left_out = r.text(1);
        replayed += r.nothing(1);
        return at.emplace(p.number, all.size() - 1).second && r.nothing(1) == p.left_out.empty();
      });
  if (!ok) return ok;
  // Each result is a row of the file: a plan that asks for more is not believed.
  std::size_t expected = 0;
  if (__builtin_mul_overflow(replayed, traces, &expected) ||
      __builtin_mul_overflow(expected, metrics, &expected) || expected > db.size() ||
      all.size() * plan.empty.axes.size() > db.size())
    return damaged(db, "results of some points are missing");
  for (SweepPoint& p : all) {
    p.values.resize(plan.empty.axes.size());
    if (p.left_out.empty()) p.metrics.assign(traces, std::vector<MetricValue>(metrics));
  }
  ok = each_row(db, "SELECT point, axis, value FROM point_values", "iit", [&](const Statement& r) {
    const auto found = at.find(r.whole(0));
    if (found == at.end() || r.whole(1) >= plan.empty.axes.size()) return false;
    all[found->second].values[r.whole(1)] = r.text(2);
    return true;
  });
  if (!ok) return ok;
  std::size_t results = 0;
  ok = each_row(db, "SELECT point, trace, metric, value, missing FROM results", "iiiRT",
                [&](const Statement& r) {
                  const auto found = at.find(r.whole(0));
                  if (found == at.end() || r.whole(1) >= traces || r.whole(2) >= metrics ||
                      !all[found->second].left_out.empty() || r.nothing(3) == r.nothing(4))
                    return false;
                  MetricValue& v = all[found->second].metrics[r.whole(1)][r.whole(2)];
                  if (r.nothing(3)) v.missing = r.text(4);
                  else v.value = r.real(3);
                  ++results;
                  return !r.nothing(3) || !v.missing.empty();
                });
  if (ok && results != expected) ok = damaged(db, "results of some points are missing");
  return ok;
}

bool is_search(const Plan& plan) {
  return std::ranges::any_of(plan.identity,
                             [](const auto& row) { return row.first == "--objective"; });
}

}  // namespace

Result<std::string> file_of(const Plan& plan, const std::vector<SweepPoint>& points,
                            const std::string& path) {
  auto db = Database::fresh(path);
  if (!db) return db.error();
  std::string schema =
      fmt::format("PRAGMA page_size = 4096; PRAGMA application_id = {};BEGIN;", kApplication);
  for (const Table& table : kTables) schema += created(table) + ";";
  auto ok = db->run(schema);
  if (ok) ok = write_plan(*db, plan, points.size(), hash_of_sweep(plan, points));
  if (ok) ok = write_points(*db, points);
  if (ok) ok = db->run("COMMIT");
  if (!ok) return ok.error();
  return db->bytes();
}

Result<Plan> sweep_of(std::string bytes, const std::string& path) {
  auto db = Database::of(std::move(bytes), path);
  if (!db) return db.error();
  if (auto ok = check_tables(*db); !ok) return ok.error();
  Plan plan;
  const auto about = read_plan(*db, plan);
  if (!about) return about.error();
  if (auto ok = read_points(*db, plan); !ok) return ok.error();
  const auto& points = plan.empty.points;
  const bool all = is_search(plan) || points.size() == points_of_part(plan.part, plan.points);
  if (about->held != points.size() || !all) return damaged(*db, "some points are missing");
  if (!std::ranges::all_of(points, [&](const SweepPoint& p) { return fits(plan, p); }))
    return damaged(*db, "a point does not fit the axes of the sweep");
  if (kHashes && shown(hash_of_sweep(plan, points)) != about->hash)
    return damaged(*db, "the results are not those that were written: their hash is another one");
  return plan;
}

Result<StoredSweep> read_store(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none))
    return Error{ErrorKind::kUsage, "there is no such file", path,
                 std::filesystem::exists(path + ".partial", none)
                     ? "its sweep is not finished: run the same command again"
                     : "give a file that warpmem explore wrote"};
  if (std::filesystem::is_directory(path, none))
    return Error{ErrorKind::kUsage, "it is a folder", path,
                 "give a file that warpmem explore wrote"};
  std::ifstream in = open_to_read(path);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad())
    return Error{ErrorKind::kUsage, "the file cannot be read", path,
                 "check its permissions; give a file that warpmem explore wrote"};
  auto plan = sweep_of(std::move(bytes), path);
  if (!plan) return plan.error();
  return StoredSweep{std::move(plan->identity), std::move(plan->empty), plan->part, plan->points};
}

}  // namespace warpmem::sweep
