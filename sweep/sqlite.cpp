#include "sweep/sqlite.hpp"

#include <sqlite3.h>

#include <utility>

namespace warpmem::sweep {

void Database::Close::operator()(sqlite3* db) const { sqlite3_close(db); }
void Statement::Finish::operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }

Result<Database> Database::open(const std::string& path, Mode mode) {
  Database out;
  out.path_ = path;
  sqlite3* db = nullptr;
  const int flags =
      mode == Mode::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int opened = sqlite3_open_v2(path.c_str(), &db, flags, nullptr);
  out.db_.reset(db);
  if (opened != SQLITE_OK) return out.error("open the results");
  sqlite3_extended_result_codes(db, 0);
  return out;
}

// What SQLite says of the file, as whose fault it is.
Error Database::error(const std::string& what) const {
  const int code = sqlite3_errcode(db_.get()) & 0xff;
  const std::string said = sqlite3_errmsg(db_.get());
  const std::string message = "cannot " + what + ": ";
  switch (code) {
    case SQLITE_FULL:
      return {ErrorKind::kResources, message + "the disk is full", path_,
              "make room and run the same command again: finished points are kept"};
    case SQLITE_IOERR:
      return {ErrorKind::kResources, message + said, path_,
              "check the disk and its quota, and run the same command again: finished points are "
              "kept"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorKind::kUsage, message + "another run is working on it", path_,
              "wait for it, or give another file"};
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return {ErrorKind::kMalformed, message + "it is no file of results", path_,
              "give a file that warpmem explore wrote, or another name"};
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
      return {ErrorKind::kUsage, message + said, path_,
              "give a file in a folder that is there and can be written"};
    default: break;
  }
  return {ErrorKind::kInternal, message + said, path_, "please report this"};
}

Result<void> Database::run(const std::string& sql) {
  if (sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return error("write the results");
  return {};
}

Result<Statement> Database::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
    return error("use the results");
  return Statement(*this, statement);
}

Result<void> Database::close() {
  if (sqlite3_close(db_.get()) != SQLITE_OK) return error("close the results");
  (void)db_.release();
  return {};
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
  return db_->error("use the results");
}

Result<void> Statement::done() {
  const auto row = step();
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
  if (!row) return row.error();
  return {};
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

}  // namespace warpmem::sweep
