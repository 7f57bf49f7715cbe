// What every launch of a test needs: a GPU's memory with buffers in it, and a kernel's arguments.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "emulate/executor/executor.hpp"
#include "tests/catch.hpp"

namespace warpmem::emulate::test {

class Gpu {
 public:
  explicit Gpu(std::uint64_t bytes) {
    auto memory = Memory::create(bytes);
    if (!memory) FAIL(memory.error().text());
    memory_ = std::make_unique<Memory>(std::move(memory).value());
    options.print = [this](const std::string& text) { printed += text; };
  }
  // The launch's options name it.
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

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
  void argument(T value) {  // in order, each at its own alignment
    params_.resize((params_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T) + sizeof(T));
    std::memcpy(params_.data() + params_.size() - sizeof(T), &value, sizeof(T));
  }
  Memory& memory() { return *memory_; }

  RunStatistics statistics;
  RunOptions options;
  std::string printed;

 protected:
  // `trace_path`: empty for none.
  Result<void> run(const Kernel& kernel, const LaunchShape& shape, const std::string& trace_path);

  std::unique_ptr<Memory> memory_;
  std::unique_ptr<LoadedModule> module_;
  std::vector<std::byte> params_;
};

}  // namespace warpmem::emulate::test
