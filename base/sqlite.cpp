#include "base/sqlite.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <climits>
#include <utility>

namespace warpmem {
namespace {

constexpr std::string_view kMagic = "SQLite format 3";  // and a zero
constexpr std::size_t kLeast = 512;                     // the smallest page

}  // namespace

void Database::Close::operator()(sqlite3* db) const { sqlite3_close_v2(db); }
void Statement::Finish::operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }

Result<Database> Database::fresh(const std::string& path) {
  Database out;
  out.path_ = path;
  sqlite3* db = nullptr;
  const int opened =
      sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  out.db_.reset(db);
  if (opened != SQLITE_OK) return out.error();
  return out;
}

Result<Database> Database::of(std::string bytes, const std::string& path) {
  if (bytes.size() < kLeast || !bytes.starts_with(kMagic))
    return Error{ErrorKind::kMalformed, "it is no file of results", path,
                 "give a file that warpmem explore wrote, or another name"};
  auto out = fresh(path);
  if (!out) return out;
  out->bytes_ = std::make_unique<std::string>(std::move(bytes));
  sqlite3* const db = out->db_.get();
  const auto size = static_cast<sqlite3_int64>(out->bytes_->size());
  auto* const at = reinterpret_cast<unsigned char*>(out->bytes_->data());
  if (sqlite3_deserialize(db, "main", at, size, size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
    return out->error();
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, static_cast<int>(std::min<sqlite3_int64>(size, INT_MAX)));
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  return out;
}

// Of bytes that are read whatever is wrong is wrong with them; a database of ours lacks memory, or
// is a bug.
Error Database::error() const {
  if (!db_ || (sqlite3_errcode(db_.get()) & 0xff) == SQLITE_NOMEM)
    return {ErrorKind::kResources, "out of memory", path_, "close other programs"};
  const std::string said = sqlite3_errmsg(db_.get());
  if (bytes_)
    return {ErrorKind::kMalformed, "the results cannot be read: " + said, path_,
            "give a file that warpmem explore wrote, or run its sweep again with --force"};
  return {ErrorKind::kInternal, "cannot write the results: " + said, path_, "please report this"};
}

Result<void> Database::run(const std::string& sql) {
  if (sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return error();
  return {};
}

Result<Statement> Database::prepare(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
    return error();
  return Statement(*this, statement);
}

Result<std::string> Database::bytes() const {
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> at(
      sqlite3_serialize(db_.get(), "main", &size, 0), sqlite3_free);
  if (!at)
    return Error{ErrorKind::kResources, "out of memory", path_,
                 "close other programs, and run the same command again: finished points are kept"};
  return std::string(reinterpret_cast<const char*>(at.get()), static_cast<std::size_t>(size));
}

Statement& Statement::bind(int at, std::uint64_t value) {
  sqlite3_bind_int64(statement_.get(), at, static_cast<sqlite3_int64>(value));
  return *this;
}
Statement& Statement::bind(int at, double value) {
  sqlite3_bind_double(statement_.get(), at, value);
  return *this;
}
Statement& Statement::bind(int at, std::string_view value) {
  sqlite3_bind_text(statement_.get(), at, value.data(), static_cast<int>(value.size()),
                    SQLITE_TRANSIENT);
  return *this;
}
Statement& Statement::bind_nothing(int at) {
  sqlite3_bind_null(statement_.get(), at);
  return *this;
}

Result<bool> Statement::step() {
  const int stepped = sqlite3_step(statement_.get());
  if (stepped == SQLITE_ROW) return true;
  if (stepped == SQLITE_DONE) return false;
  return db_->error();
}

Result<void> Statement::done() {
  const auto row = step();
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
  if (!row) return row.error();
  return {};
}

bool Statement::has(std::string_view types) const {
  for (int column = 0; column < static_cast<int>(types.size()); ++column) {
    const int there = sqlite3_column_type(statement_.get(), column);
    const char type = types[static_cast<std::size_t>(column)];
    if (there == SQLITE_NULL && (type == 'T' || type == 'R')) continue;
    const bool good =
        type == 'i' ? there == SQLITE_INTEGER && sqlite3_column_int64(statement_.get(), column) >= 0
        : type == 't' || type == 'T' ? there == SQLITE_TEXT
                                     : there == SQLITE_FLOAT;
    if (!good) return false;
  }
  return true;
}

std::uint64_t Statement::whole(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(statement_.get(), column));
}
double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }
std::string Statement::text(int column) const {
  const auto* const text = sqlite3_column_text(statement_.get(), column);
  return text
             ? std::string(reinterpret_cast<const char*>(text),
                           static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)))
             : std::string();
}
bool Statement::nothing(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

}  // namespace warpmem
