#include "binary/cubin/kept_ptx.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "binary/elf/elf_file.hpp"

namespace warpmem::record {
namespace {

constexpr std::string_view kSection = ".warpmem_ptx";
constexpr std::uint64_t kAlign = 16;

std::span<const std::byte> as_bytes(std::span<const unsigned char> image) {
  return std::as_bytes(image);
}

void append(std::vector<unsigned char>& to, const void* from, std::size_t bytes) {
  const auto* begin = static_cast<const unsigned char*>(from);
  to.insert(to.end(), begin, begin + bytes);
}

std::uint64_t aligned_end(std::vector<unsigned char>& image) {
  image.resize((image.size() + kAlign - 1) / kAlign * kAlign);
  return image.size();
}

}  // namespace

Result<std::vector<unsigned char>> keep_ptx(std::span<const unsigned char> cubin,
                                            const KeptPtx& kept) {
  const Error no_elf{ErrorKind::kMalformed, "this is no cubin, so that no PTX can be kept in it",
                     "", "make machine code for one GPU (-cubin)"};
  const cudart::ElfFile elf(as_bytes(cubin));
  if (!elf.valid()) return no_elf;
  auto head = *elf.at<Elf64_Ehdr>(0);
  std::vector<Elf64_Shdr> sections = elf.sections();
  if (head.e_shstrndx >= sections.size() || sections.size() != head.e_shnum) return no_elf;
  const auto names = elf.bytes_of(sections[head.e_shstrndx]);
  std::vector<unsigned char> out(cubin.begin(), cubin.end());

  // Behind what is there: the text, the names of sections with one more, the table of sections with
  // one more.
  const std::string text = kept.ptxas + '\n' + kept.options + '\n' + kept.ptx;
  Elf64_Shdr own{};
  own.sh_name = static_cast<Elf64_Word>(names.size()), own.sh_type = SHT_PROGBITS,
  own.sh_addralign = 1;
  own.sh_offset = aligned_end(out), own.sh_size = text.size();
  append(out, text.data(), text.size());
  Elf64_Shdr& strings = sections[head.e_shstrndx];
  strings.sh_offset = aligned_end(out), strings.sh_size = names.size() + kSection.size() + 1;
  append(out, names.data(), names.size());
  append(out, kSection.data(), kSection.size());
  out.push_back(0);
  sections.push_back(own);
  head.e_shoff = aligned_end(out), head.e_shnum = static_cast<Elf64_Half>(sections.size());
  append(out, sections.data(), sections.size() * sizeof(Elf64_Shdr));
  std::memcpy(out.data(), &head, sizeof head);
  return out;
}

std::optional<KeptPtx> kept_ptx(std::span<const unsigned char> cubin) {
  const cudart::ElfFile elf(as_bytes(cubin));
  if (!elf.valid()) return std::nullopt;
  for (const Elf64_Shdr& s : elf.sections()) {
    if (elf.name(s) != kSection) continue;
    const auto bytes = elf.bytes_of(s);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::size_t first = text.find('\n'),
                      second = first == text.npos ? first : text.find('\n', first + 1);
    if (second == text.npos) return std::nullopt;
    const std::string_view ptx = text.substr(second + 1);
    return KeptPtx{std::string(ptx.substr(0, ptx.find('\0'))), std::string(text.substr(0, first)),
                   std::string(text.substr(first + 1, second - first - 1))};
  }
  return std::nullopt;
}

std::size_t elf_bytes(const void* image) {
  Elf64_Ehdr head;
  if (std::memcmp(image, ELFMAG, SELFMAG) != 0) return 0;
  std::memcpy(&head, image, sizeof head);
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shentsize != sizeof(Elf64_Shdr)) return 0;
  const auto* bytes = static_cast<const unsigned char*>(image);
  std::uint64_t end = std::max<std::uint64_t>(
      sizeof head, head.e_shoff + std::uint64_t{head.e_shnum} * sizeof(Elf64_Shdr));
  end =
      std::max<std::uint64_t>(end, head.e_phoff + std::uint64_t{head.e_phnum} * sizeof(Elf64_Phdr));
  for (unsigned i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes + head.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_NOBITS) end = std::max(end, section.sh_offset + section.sh_size);
  }
  return end;
}

}  // namespace warpmem::record
