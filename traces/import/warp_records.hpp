// The records of one warp, from the instructions that it ran one after the other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "traces/format/record.hpp"
#include "traces/format/site_table.hpp"
#include "traces/import/traced_code.hpp"

namespace warpmem::imports {

// Where a generic address lies in shared and in local memory; 0: not known.
struct Windows {
  std::uint64_t shared = 0, local = 0;
};

class WarpRecords {
 public:
  WarpRecords(const TracedCode& code, Windows windows) : code_(code), windows_(windows) {}

  void begin(std::uint32_t exists);  // the lanes that the block's size gives the warp
  void run(std::uint32_t number, const AccelSimLine& line);
  void end();

  const std::vector<trace::Record>& records() const { return records_; }
  const std::vector<trace::Site>& sites() const { return sites_.sites(); }
  const std::vector<std::uint64_t>& lanes() const { return lanes_; }
  // Accesses of which the line does not say where, by opcode: they are not in the records.
  const std::map<std::string, std::uint64_t>& left_out() const { return left_out_; }

 private:
  struct Rounds {
    std::uint32_t position = 0;
    std::uint64_t taken = 0;
  };

  void access(std::uint32_t number, trace::Op op, trace::Space space, std::uint32_t bytes,
              std::uint32_t mask, const std::vector<std::uint64_t>& addresses);
  void copy(std::uint32_t number, const AccelSimLine& line);
  void end_copy();
  void mark(std::uint32_t pc, trace::Op op, std::uint32_t mask, std::uint64_t base);
  void put(const trace::Site& site, trace::Record record);
  void leave_rounds(std::optional<std::uint32_t> position);

  const TracedCode& code_;
  Windows windows_;
  trace::SiteTable sites_;
  std::vector<trace::Record> records_;
  std::vector<std::uint64_t> lanes_;
  std::map<std::string, std::uint64_t> left_out_;
  std::uint32_t exists_ = 0;
  std::uint32_t last_ = TracedCode::kNone;  // the instruction before
  std::optional<std::uint32_t> recorded_;   // position of the last record's
  std::vector<Rounds> rounds_;
  std::uint32_t copying_ = TracedCode::kNone;  // whose other side is to come
  std::uint32_t copy_mask_ = 0;
  std::vector<std::uint64_t> copy_addresses_;
};

}  // namespace warpmem::imports
