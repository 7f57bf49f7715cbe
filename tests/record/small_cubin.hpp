// A cubin made here: kernel `_Z1kPf` (24 registers, a frame of 160 bytes, 256 bytes of shared
// memory) for sm_90, and function `f`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace warpmem::record {

inline void put(std::vector<unsigned char>& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    out.push_back(i < 8 ? static_cast<unsigned char>(value >> 8 * i) : 0);
}

struct Part {
  std::string name;
  std::uint32_t type, link;
  std::vector<unsigned char> bytes;
  std::uint64_t size;  // of sections without bytes in the file
  std::uint32_t info = 0;
};

// 0x300 bytes of code, of which the second instruction is nvcc's "STS [R11], R0".
inline std::vector<unsigned char> code() {
  std::vector<unsigned char> bytes(16, 0);
  put(bytes, 0x000000000b007388, 8);
  put(bytes, 0x0101e20000000800, 8);
  bytes.resize(0x300);
  return bytes;
}

// `virtual_arch`: of the PTX that it says it was made of; 0: it does not say.
inline std::vector<unsigned char> small_cubin(unsigned virtual_arch = 0) {
  std::vector<unsigned char> strings{0}, symbols(24, 0), info;
  const auto text = [](std::vector<unsigned char>& table, const std::string& s) {
    const auto at = table.size();
    table.insert(table.end(), s.c_str(), s.c_str() + s.size() + 1);
    return at;
  };
  const auto symbol = [&](const std::string& name, unsigned other, unsigned section,
                          std::uint64_t size) {
    put(symbols, text(strings, name), 4);
    put(symbols, 2, 1);  // a function
    put(symbols, other, 1);
    put(symbols, section, 2);
    put(symbols, 0, 8);
    put(symbols, size, 8);
  };
  symbol("_Z1kPf", 0x10, 5, 0x300);
  symbol("f", 0, 6, 0x80);
  symbol("vprintf", 0, 0, 0);  // not in this file
  for (const auto& [attribute, value] : {std::pair{0x2f, 24}, std::pair{0x11, 160}}) {
    put(info, 4, 1);
    put(info, static_cast<unsigned>(attribute), 1);
    put(info, 8, 2);
    put(info, 1, 4);
    put(info, static_cast<unsigned>(value), 4);
  }
  // As nvcc 13 writes them for (float*, const float*, int, int).
  std::vector<unsigned char> own;
  for (const auto& [ordinal, offset, size] :
       {std::tuple{3, 0x14, 0x11f000}, std::tuple{2, 0x10, 0x11f000}, std::tuple{1, 8, 0x21f000},
        std::tuple{0, 0, 0x21f000}}) {
    put(own, 0x000c1704, 4);
    put(own, 0, 4);
    put(own, static_cast<unsigned>(ordinal), 2);
    put(own, static_cast<unsigned>(offset), 2);
    put(own, static_cast<unsigned>(size), 4);
  }
  // … and for __launch_bounds__(256), a block of 32 x 4 x 2, and clusters of two CTAs.
  for (const auto& [attribute, x, y, z] :
       {std::tuple{0x05, 256, 1, 1}, std::tuple{0x10, 32, 4, 2}, std::tuple{0x3d, 2, 1, 1}}) {
    put(own, 0x000c0004u | static_cast<unsigned>(attribute) << 8, 4);
    for (const int words : {x, y, z}) put(own, static_cast<unsigned>(words), 4);
  }
  put(own, 0x00ff1b03, 4);  // a value in the header itself
  put(own, 0x00080a04, 4);
  put(own, 0x1c, 4);
  put(own, 0x00180210, 4);
  put(own, 0x00105504, 4);  // spills at 0x40 and 0x20
  for (const unsigned word : {1u, 0x40u, 1u, 0x20u}) put(own, word, 4);
  std::vector<unsigned char> relocations;  // at 0x30 and 0x18
  for (const unsigned offset : {0x30u, 0x18u}) put(relocations, offset, 24);
  std::vector<unsigned char> note;  // as ptxas 13 writes it: a name of 12 bytes, 8 bytes, kind 1000
  put(note, 12, 4), put(note, 8, 4), put(note, 1000, 4);
  for (const char c : std::string("NVIDIA Corp\0", 12)) put(note, static_cast<unsigned char>(c), 1);
  put(note, 2, 2), put(note, virtual_arch, 2), put(note, 130, 4);
  std::vector<Part> parts{{"", 0, 0, {}, 0},
                          {".strtab", 3, 0, strings, 0},
                          {".symtab", 2, 1, symbols, 0},
                          {".nv.info", 0x70000000, 2, info, 0},
                          {".nv.info._Z1kPf", 0x70000000, 2, own, 0},
                          {".text._Z1kPf", 1, 2, code(), 0},
                          {".text.f", 1, 2, std::vector<unsigned char>(0x80), 0},
                          {".nv.shared._Z1kPf", 8, 0, {}, 1024 + 256},
                          {".nv.shared.reserved.0", 8, 0, {}, 0},
                          {".rela.text.f", 4, 2, relocations, 0, 6},
                          {virtual_arch ? ".note.nv.cuinfo" : ".other", 7, 0, note, 0},
                          {".shstrtab", 3, 0, {}, 0}};
  std::vector<std::size_t> names;
  for (const Part& part : parts) names.push_back(text(parts.back().bytes, part.name));
  std::vector<unsigned char> file(64, 0), table;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    put(table, names[i], 4);
    put(table, part.type, 4);
    put(table, 0, 16);
    put(table, file.size(), 8);
    put(table, part.bytes.empty() ? part.size : part.bytes.size(), 8);
    put(table, part.link, 4);
    put(table, part.info, 4);
    put(table, 0, 16);
    file.insert(file.end(), part.bytes.begin(), part.bytes.end());
  }
  std::vector<unsigned char> header;
  const unsigned char magic[] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x41, 8, 0, 0, 0, 0, 0, 0, 0};
  header.assign(magic, magic + 16);
  put(header, 0, 24);
  put(header, file.size(), 8);  // section table
  put(header, 90 << 8, 4);      // flags: sm_90
  put(header, 0, 8);
  put(header, parts.size(), 2);
  put(header, parts.size() - 1, 2);  // names
  std::copy(header.begin(), header.end(), file.begin());
  file.insert(file.end(), table.begin(), table.end());
  return file;
}

}  // namespace warpmem::record
