// The L2 with its sides, the read coalescer in front and DRAM behind: who looks where, and counts.
#pragma once

#include "model/counters/launch_counters.hpp"
#include "tests/twin/l2_side.hpp"
#include "tests/twin/read_coalescer.hpp"

namespace warpmem::twin {

class L2 {
 public:
  explicit L2(const TwinSpec& spec);

  // Nothing of reads under way is left.
  void settle();
  // Nothing is left but lines that somebody else wrote.
  void flush();
  void set_aside(std::uint64_t bytes);
  void end_persisting();
  // Sectors that DRAM brings along in this launch.
  void fetch(std::uint32_t sectors) { fetch_sectors_ = sectors; }
  // What a launch has fetched by itself: its code, by each group of SMs.
  void fetch_code(std::uint64_t bytes, bool cold);

  struct ReadOptions {
    std::uint32_t fetch_sectors = 0;  // that DRAM brings along; 0: as the launch says
    Stay stay = Stay::kUnsaid;
    bool apart = false;
  };
  // Sectors of a line for an SM: the cycle in which they are back.
  std::uint64_t read(int sm, std::uint64_t line, Sectors sectors, std::uint64_t now,
                     ReadOptions how);
  // `again`: sectors that travel with an earlier request; `opens`: this is one of its own.
  void write(int sm, const Touch& written, Sectors again, bool opens, Stay stay);
  // An atomic's or a reduction's `passes` over a sector.
  std::uint64_t atomic(int sm, std::uint64_t line, std::uint32_t sector, std::uint64_t passes,
                       bool returns, std::uint64_t now, Stay stay);
  // To its home, for nobody; what it is there from now on, or that it is given up.
  void bring(int sm, std::uint64_t line, Sectors sectors, std::uint64_t now, Stay stay);
  void change(int sm, std::uint64_t line, Stay stay, bool discard);
  std::uint64_t read_host(Sectors sectors, std::uint64_t now);
  void write_host(Sectors sectors);

  model::L2Counters counters;

 private:
  void empty();
  std::uint32_t side_of(int sm) const { return spec_.l2.side_of_sm[static_cast<std::size_t>(sm)]; }
  void write_back(L2Side& side);
  std::uint64_t dram_wait(Sectors sectors, std::uint64_t now);

  const TwinSpec& spec_;
  std::uint32_t fetch_sectors_ = 1;
  std::vector<L2Side> sides_;
  std::optional<ReadCoalescer> coalescer_;
  std::uint64_t dram_free_ = 0;  // thousandths of a cycle: DRAM has done what it was asked for
};

}  // namespace warpmem::twin
