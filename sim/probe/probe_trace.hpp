// A trace of small kernels that are made up to measure a card: their code, and what each warp of
// their launches accesses.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "traces/format/writer.hpp"

namespace warpmem::sim::probe {

// A kernel's machine code, with the control words that ptxas would give it, and the instructions of
// it that access memory.
struct Kernel {
  std::string name;
  std::vector<trace::Instruction> code;
  std::vector<trace::Site> sites;            // the first: a CTA begins; the last: it ends
  std::vector<std::uint32_t> loads, stores;  // of `sites`, in the order of the code

  std::uint32_t end() const { return static_cast<std::uint32_t>(sites.size() - 1); }
};

// What one warp of a launch does.
class Warp {
 public:
  Warp(std::uint64_t of_cta, std::uint32_t of_number) : cta(of_cta), number(of_number) {}
  // Lanes `mask` access base + lane * stride.
  void access(std::uint32_t site, std::uint64_t base, std::int32_t stride,
              std::uint32_t mask = ~0u) {
    trace::Record r;
    r.base = base, r.stride = stride, r.mask = mask, r.site = site;
    records.push_back(r);
  }
  const std::uint64_t cta;
  const std::uint32_t number;  // in the CTA
  std::vector<trace::Record> records;
};

struct Launch {
  const Kernel* kernel = nullptr;
  std::uint32_t ctas = 1, threads = 32;
  std::uint32_t shared = 0;  // bytes a CTA asks for
  std::function<void(Warp&)> fill;
  std::uint64_t host = 0;  // address from which on memory is the host's; 0: all is the GPU's
};

// Launches get their places in the list as ids.
Result<void> write_trace(const std::string& path, const std::vector<Launch>& launches);

}  // namespace warpmem::sim::probe
