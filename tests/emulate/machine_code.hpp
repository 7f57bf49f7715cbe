// Runs machine code given as nvdisasm prints it.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "emulate/sass/machine_kernel.hpp"
#include "tests/catch.hpp"

namespace warpmem::emulate::test {

struct MachineProgram {
  std::string kernel = "k";
  std::uint32_t params = 64;  // bytes, from c[0x0][0x210] on 9.0
  std::uint32_t static_shared = 0, local_bytes = 0;
  std::uint32_t cc = 90;  // compute capability x 10
};

class MachineCodeRun {
 public:
  // `text`: a listing with sections, or the lines of kernel "k" alone, without places.
  explicit MachineCodeRun(const std::string& text, const MachineProgram& program = {});

  template <class T>
  std::uint64_t buffer(const std::vector<T>& values) {
    const std::uint64_t at =
        memory_->allocate(values.size() * sizeof(T), trace::AllocationKind::kDevice);
    std::memcpy(memory_->host(at), values.data(), values.size() * sizeof(T));
    return at;
  }
  template <class T>
  std::vector<T> read(std::uint64_t at, std::size_t count) const {
    std::vector<T> values(count);
    std::memcpy(values.data(), memory_->host(at), count * sizeof(T));
    return values;
  }
  template <class T>
  void argument(T value) {
    params_.resize((params_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T) + sizeof(T));
    std::memcpy(params_.data() + params_.size() - sizeof(T), &value, sizeof(T));
  }
  Result<void> launch(Dim3 grid, Dim3 block);

  RunStatistics statistics;
  RunOptions options;
  std::string printed;

 private:
  MachineProgram program_;
  CubinContents contents_;
  record::Disassembly listing_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<LoadedModule> module_;
  std::unique_ptr<Kernel> kernel_;
  std::vector<std::byte> params_;
};

// Lines with the places that nvdisasm puts before them.
std::string placed(const std::string& lines);

}  // namespace warpmem::emulate::test
