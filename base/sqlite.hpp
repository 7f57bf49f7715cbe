// SQLite with errors as values: a database in memory and its statements. What is read may be
// anybody's: SQLite never opens a file here, so that it neither waits for locks nor looks for files
// beside it, and what it says of bytes is an Error of kind kMalformed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace warpmem {

class Statement;

class Database {
 public:
  // An empty one; `path` is for messages.
  static Result<Database> fresh(const std::string& path);
  // What `bytes` hold, to be read.
  static Result<Database> of(std::string bytes, const std::string& path);

  Result<void> run(const std::string& sql);
  Result<Statement> prepare(const std::string& sql) const;
  Error error() const;
  const std::string& path() const { return path_; }
  std::size_t size() const { return bytes_ ? bytes_->size() : 0; }  // of what is read
  // The whole of it, as a file has it.
  Result<std::string> bytes() const;

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  std::string path_;
  std::unique_ptr<std::string> bytes_;  // outlives db_, which reads them where they are
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
  // Whether the row's columns are of these types, a letter each: 'i' a whole number from 0 on, 't'
  // a text, 'r' a number; a capital one: or nothing.
  bool has(std::string_view types) const;
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

}  // namespace warpmem
