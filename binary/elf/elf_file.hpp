// What is needed of an ELF file: its sections, the libraries it asks for, the functions it defines.
// Every access is checked, so that any bytes may be given.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpmem::cudart {

struct ElfFunction {
  std::string name;
  std::uint64_t address = 0;  // as the file counts, before it is loaded anywhere
};

// A 64-bit little-endian file whose bytes stay where they are while this is used.
class ElfFile {
 public:
  explicit ElfFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool valid() const {
    const auto head = at<Elf64_Ehdr>(0);
    return head && std::memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
           head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_ident[EI_DATA] == ELFDATA2LSB;
  }
  template <class T>
  std::optional<T> at(std::uint64_t offset) const {
    T value;
    if (offset > bytes_.size() || sizeof value > bytes_.size() - offset) return std::nullopt;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  std::string text(std::uint64_t offset) const;
  std::vector<Elf64_Shdr> sections() const;
  std::string name(const Elf64_Shdr& section) const;
  std::span<const std::byte> bytes_of(const Elf64_Shdr& section) const;

  // Functions that the file defines and whose names begin so; none when it was stripped.
  std::vector<ElfFunction> functions(std::initializer_list<std::string_view> beginnings) const;

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace warpmem::cudart
