// The compiler that a driver has for the PTX that programs load while they run: whether it
// takes it, what it writes into the program's logs, and the options that shape the code. ptxas is
// the same compiler and says the same; without one only what does not parse is refused, when the
// module is loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulate/toolkit/toolkit.hpp"

namespace warpmem::cudart {

// Options as cuModuleLoadDataEx and cuLinkCreate take them. The program's buffers must outlive it.
class JitOptions {
 public:
  JitOptions() = default;
  JitOptions(unsigned count, const int* options, void** values);

  bool verbose() const { return verbose_; }
  const std::vector<std::string>& of_ptxas() const { return words_; }
  // Fills the program's logs, as far as they have room, and says how much of them is used.
  void write(const std::string& error, const std::string& info) const;

 private:
  struct Log {
    char* buffer = nullptr;
    void** size = nullptr;  // in: the buffer's; out: what is used
    std::size_t room = 0;
    void fill(const std::string& text) const;
  };
  Log error_, info_;
  bool verbose_ = false;
  std::vector<std::string> words_;
};

// 0, or CUDA's error; `called` names the text in messages, `part`: it is still to be linked. PTX
// for newer GPUs than the card, or newer than ptxas, is taken as it is.
int compile(std::string_view ptx, std::uint32_t cc, const std::string& called,
            const JitOptions& options, bool part);

// How PTX begins that was linked: each part has been looked at.
extern const std::string_view kLinked;
// The parts of such PTX, each for ptxas, which wants a function declared before it is called; none:
// it is not known.
void remember_parts(const std::string& linked, std::vector<emulate::DeviceObject> parts);
std::vector<emulate::DeviceObject> parts_of(const std::string& linked);
// What a driver writes when it does not know what an image is.
extern const char* const kUnknownImage;

}  // namespace warpmem::cudart
