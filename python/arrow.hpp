// A table as an Arrow C stream (arrow.apache.org, "The Arrow C stream interface"): three plain
// structs by which pandas, polars, DuckDB and pyarrow take columns where they lie, without a copy
// and without a library of Arrow's here. The structs' members and their order are that page's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

}  // extern "C"

namespace warpmem::python {

// One column. Words are numbers of a list in which each stands once: of ten million counters there
// are a hundred names.
struct Column {
  enum class Kind : std::uint8_t { kWhole, kReal, kWord };
  Column() = default;
  Column(std::string named, Kind of) : name(std::move(named)), kind(of) {}

  std::string name;
  Kind kind = Kind::kWord;
  std::vector<std::int64_t> wholes;
  std::vector<double> reals;
  std::vector<std::int32_t> words;
  std::vector<std::uint8_t> known;  // a bit a row; empty: all rows have a value
  std::int64_t unknown = 0;

  void add_whole(std::int64_t value) { wholes.push_back(value); }
  void add_real(double value) { reals.push_back(value); }
  void add_word(std::string_view word);
  void add_nothing();  // n/a; the column's kind says where
  std::size_t rows() const;
  bool knows(std::size_t row) const {
    return known.empty() || (known[row / 8] >> row % 8 & 1) != 0;
  }
  std::string_view word(std::size_t row) const {
    return list[static_cast<std::size_t>(words[row])];
  }

  std::vector<std::string> list;  // the words
  std::unordered_map<std::string, std::int32_t> numbers;
  // The list as Arrow has it; made by seal().
  std::vector<std::int32_t> ends;
  std::string letters;
  void seal();
};

struct Table {
  std::vector<Column> columns;
  std::size_t rows() const { return columns.empty() ? 0 : columns.front().rows(); }
};

// One batch, which shares the table. The caller releases it.
ArrowArrayStream* stream_of(std::shared_ptr<const Table> table);

}  // namespace warpmem::python
