// Collects the records of one CTA, warp by warp, and hands them to a trace's block builder.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "traces/format/site_table.hpp"
#include "traces/format/writer.hpp"

namespace warpmem::emulate {

class Tracer {
 public:
  // Where blocks go: a trace, or whoever keeps them for now.
  using Append = std::function<Result<void>(trace::EncodedBlock)>;
  Tracer(Append append, std::uint32_t launch) : append_(std::move(append)), builder_(launch) {}
  // Of one CTA that runs ahead of its turn: keeps what it is told for take().
  Tracer collector() const;
  Result<void> take(Tracer& collected);
  bool takes_all() const {
    return most_records_ == ~std::uint64_t{0};
  }  // no limit on the number of records

  // What the trace says of RunStatistics::times.
  static std::vector<trace::TimesRun> times(const std::vector<std::uint64_t>& by_statement);

  void begin_cta(std::uint64_t cta, std::uint32_t warps);
  // `lanes`: 32 addresses, those of the mask valid.
  void access(std::uint64_t cta, std::uint32_t warp, const trace::Site& site, std::uint32_t mask,
              const std::uint64_t* lanes);
  // A record of a bulk copy, by one lane.
  void piece(std::uint64_t cta, std::uint32_t warp, const trace::Site& site, std::uint32_t lane,
             std::uint64_t address, trace::Piece piece);
  void mark(std::uint64_t cta, std::uint32_t warp, const trace::Site& site, std::uint32_t mask,
            std::uint64_t base, std::int32_t stride);
  // A loop without a record: its branch back at `pc` was taken `taken` times since the warp's last
  // record.
  void rounds(std::uint64_t cta, std::uint32_t warp, std::uint32_t pc, std::uint32_t mask,
              std::uint64_t taken);
  Result<void> end_cta(std::uint64_t cta);
  Result<void> flush_if_large(std::uint64_t cta);
  Result<void> finish();  // what is open goes out as it is
  std::uint64_t records() const { return records_; }

  // Traces only this fraction of the CTAs, the same ones in every run (record --ctas keeps those
  // too).
  void keep_fraction(double fraction);
  void stop_after(std::uint64_t records) { most_records_ = records; }
  bool stopped() const { return records_ >= most_records_; }
  std::uint64_t skipped() const { return skipped_; }  // CTAs left out so far

 private:
  explicit Tracer(std::uint32_t cta_limit) : builder_(0), cta_limit_(cta_limit) {}
  struct Cta {
    std::uint64_t number = 0;
    std::vector<std::vector<trace::Record>> warps;
    std::vector<std::uint64_t> lanes;
    std::size_t count = 0;
    std::size_t bytes = 0;  // as flush_if_large() last found it
    bool left_out = false;
  };
  Cta& find(std::uint64_t cta);
  void put(Cta& cta, std::uint32_t warp, const trace::Site& site, trace::Record record);
  Result<void> add(Cta& cta);
  Result<void> write(Cta& cta);

  struct Chunk {
    Cta cta;
    std::size_t sites;  // known when it was closed
  };

  Append append_;  // null: a collector
  std::vector<Chunk> chunks_;
  trace::BlockBuilder builder_;
  std::unique_ptr<trace::SiteTable> sites_ =
      std::make_unique<trace::SiteTable>();  // stays where it is
  trace::Site last_site_;
  std::uint32_t last_number_ = ~0u;
  std::vector<Cta> open_;
  std::size_t last_found_ = 0;  // in open_
  std::size_t open_bytes_ = 0;  // Cta::bytes of all
  std::uint64_t records_ = 0;
  std::uint64_t most_records_ = ~std::uint64_t{0};
  std::uint64_t skipped_ = 0;
  std::uint32_t cta_limit_ = ~0u;
};

}  // namespace warpmem::emulate
