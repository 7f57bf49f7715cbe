// A program's device code as nvcc would embed it, made here from PTX text: the tests need no nvcc.
#pragma once

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "calls.hpp"

namespace warpmem::cudart {

struct EntrySpec {
  std::uint16_t kind = 1;  // PTX
  std::uint32_t architecture = 70;
  std::uint64_t flags = 0x11;
  std::uint32_t packed = 0;
  std::uint64_t plain = 0;
  std::string bytes;
  std::string options = {};
};

inline std::string make_entry(const EntrySpec& e) {
  const std::uint32_t header =
      e.options.empty() ? 64 : 72 + static_cast<std::uint32_t>(e.options.size());
  std::string out(header, '\0');
  const auto put = [&](std::size_t at, auto value) {
    std::memcpy(out.data() + at, &value, sizeof value);
  };
  const std::size_t padded = (e.bytes.size() + 7) / 8 * 8;
  put(0, e.kind), put(2, std::uint16_t{0x101}), put(4, header), put(8, std::uint64_t{padded});
  put(16, e.packed), put(28, e.architecture), put(40, e.flags), put(56, e.plain);
  if (!e.options.empty()) {
    put(20, std::uint32_t{64}), put(64, std::uint32_t{72}),
        put(68, static_cast<std::uint32_t>(e.options.size()));
    std::memcpy(out.data() + 72, e.options.data(), e.options.size());
  }
  out += e.bytes;
  out.resize(header + padded, '\0');
  return out;
}

inline std::string make_container(const std::vector<EntrySpec>& entries) {
  std::string body;
  for (const EntrySpec& e : entries) body += make_entry(e);
  std::string out(16, '\0');
  const std::uint32_t magic = 0xBA55ED50;
  const std::uint16_t version = 1, header = 16;
  const std::uint64_t bytes = body.size();
  std::memcpy(out.data(), &magic, 4), std::memcpy(out.data() + 4, &version, 2),
      std::memcpy(out.data() + 6, &header, 2), std::memcpy(out.data() + 8, &bytes, 8);
  return out + body;
}

inline std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// The host's stand-ins for kernels and variables: their addresses are what counts.
inline char scale, count, stray, spin, at_most_64, unknown, launcher, too_large, count_down;
inline char counter, factor;

// Registers the kernels of kernels.ptx; the container stays alive as long as the program.
inline void register_kernels(const std::string& ptx_path) {
  static const std::string container = make_container({EntrySpec{.bytes = read_text(ptx_path)}});
  static FatBinaryWrapper wrapper{
      0x466243b1, 1, reinterpret_cast<const unsigned char*>(container.data()), nullptr};
  void** handle = __cudaRegisterFatBinary(&wrapper);
  const auto function = [&](const char& host, const char* name) {
    __cudaRegisterFunction(handle, &host, const_cast<char*>(name), name, -1, nullptr, nullptr,
                           nullptr, nullptr, nullptr);
  };
  function(scale, "scale"), function(count, "count"), function(stray, "stray"),
      function(spin, "spin"), function(at_most_64, "at_most_64"), function(unknown, "unknown"),
      function(launcher, "launcher"), function(too_large, "too_large"),
      function(count_down, "count_down");
  __cudaRegisterVar(handle, &counter, nullptr, "counter", 0, 4, 0, 0);
  __cudaRegisterVar(handle, &factor, nullptr, "factor", 0, 4, 1, 0);
  __cudaRegisterFatBinaryEnd(handle);
}

}  // namespace warpmem::cudart
