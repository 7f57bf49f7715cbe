// SQLite with errors as values: a database and its statements. A failure of the disk is an Error of
// kind kResources that names the file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace warpmem::sweep {

class Statement;

class Database {
 public:
  enum class Mode { kCreate, kRead };
  // Nobody else writes to it meanwhile.
  static Result<Database> open(const std::string& path, Mode mode);

  Result<void> run(const std::string& sql);
  Result<Statement> prepare(const std::string& sql);
  Error error(const std::string& what) const;
  const std::string& path() const { return path_; }
  Result<void> close();

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> db_;
};

class Statement {
 public:
  Statement(const Database& db, sqlite3_stmt* statement) : db_(&db), statement_(statement) {}
  // Parameters are numbered from 1, columns from 0.
  Statement& bind(int at, std::uint64_t value);
  Statement& bind(int at, double value);
  Statement& bind(int at, std::string_view value);
  Statement& bind_nothing(int at);
  // True: a row is there.
  Result<bool> step();
  // A statement without rows, and its parameters are free again.
  Result<void> done();
  std::uint64_t whole(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  bool nothing(int column) const;

 private:
  struct Finish {
    void operator()(sqlite3_stmt* s) const;
  };
  const Database* db_;
  std::unique_ptr<sqlite3_stmt, Finish> statement_;
};

}  // namespace warpmem::sweep
