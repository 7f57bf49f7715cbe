#include "binary/fatbin/fat_binary.hpp"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>
#include <cctype>

#include <algorithm>
#include <cstring>

namespace warpmem::cudart {
namespace {

constexpr std::uint32_t kMagic = 0xBA55ED50;
constexpr std::size_t kHeaderBytes = 16, kEntryBytes = 64;
constexpr std::uint64_t kLz4Flag = 0x2000, kZstdFlag = 0x8000;
constexpr std::uint64_t kExactFlag = 0x100000, kFamilyFlag = 0x200000;
constexpr std::uint64_t kMostPlainBytes = std::uint64_t{1} << 31;

template <class T>
T at(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Error damaged(std::size_t offset, const std::string& what) {
  return {ErrorKind::kMalformed, "the program's fat binary is damaged: " + what,
          fmt::format("byte {}", offset), "build the program again"};
}

Result<FatEntry> read_entry(std::span<const std::byte> bytes, std::size_t offset, std::size_t end,
                            std::size_t& next) {
  if (end - offset < kEntryBytes) return damaged(offset, "an entry's header is cut short");
  const auto head = bytes.subspan(offset);
  const auto header = at<std::uint32_t>(head, 4);
  const auto body = at<std::uint64_t>(head, 8);
  if (header < kEntryBytes || header > end - offset)
    return damaged(offset + 4, fmt::format("an entry's header of {} bytes", header));
  if (body > end - offset - header)
    return damaged(offset + 8, fmt::format("an entry of {} bytes does not fit", body));
  FatEntry entry;
  const auto kind = at<std::uint16_t>(head, 0);
  entry.kind = kind == 1   ? FatEntry::Kind::kPtx
               : kind == 2 ? FatEntry::Kind::kMachineCode
                           : FatEntry::Kind::kOther;
  entry.architecture = at<std::uint32_t>(head, 28);
  const auto flags = at<std::uint64_t>(head, 40);
  const auto packed = at<std::uint32_t>(head, 16);
  std::uint64_t used = body;
  entry.exact = (flags & kExactFlag) != 0, entry.family = (flags & kFamilyFlag) != 0;
  if ((flags & (kLz4Flag | kZstdFlag)) != 0) {
    entry.packing = flags & kZstdFlag ? FatEntry::Packing::kZstd : FatEntry::Packing::kLz4;
    entry.plain_bytes = at<std::uint64_t>(head, 56);
    if (packed > body)
      return damaged(offset + 16, fmt::format("{} packed bytes in an entry of {}", packed, body));
    used = packed;
  }
  entry.bytes = bytes.subspan(offset + header, used);
  const auto name = at<std::uint32_t>(head, 32), length = at<std::uint32_t>(head, 36);
  if (length != 0 && name <= header && length <= header - name) {
    const char* text = reinterpret_cast<const char*>(head.data() + name);
    entry.name.assign(text, strnlen(text, length));
  }
  // Where in the header the options stand, and their length, are told by two words of the header.
  const auto words = at<std::uint32_t>(head, 20);
  if (words >= kEntryBytes && words <= header && header - words >= 8) {
    const auto options = at<std::uint32_t>(head, words);
    const auto count = at<std::uint32_t>(head, words + 4);
    if (options <= header && count <= header - options) {
      const char* text = reinterpret_cast<const char*>(head.data() + options);
      entry.options.assign(text, strnlen(text, count));
    }
  }
  next = offset + header + body;
  return entry;
}

// What so many packed bytes can be at most: LZ4 counts up by 255 a byte, and a block of zstd, four
// bytes and more, has 128 KiB.
std::uint64_t most_plain_bytes(const FatEntry& entry) {
  const std::uint64_t packed = entry.bytes.size();
  const std::uint64_t most =
      entry.packing == FatEntry::Packing::kLz4 ? 255 * packed + 64 : (packed / 4 + 1) << 17;
  return std::min(most, kMostPlainBytes);
}

Result<std::string> unpack(const FatEntry& entry) {
  if (entry.packing == FatEntry::Packing::kPlain)
    return std::string(reinterpret_cast<const char*>(entry.bytes.data()), entry.bytes.size());
  if (entry.plain_bytes > most_plain_bytes(entry))
    return damaged(0, fmt::format("{} bytes that {} packed ones are said to be", entry.plain_bytes,
                                  entry.bytes.size()));
  std::string text(entry.plain_bytes, '\0');
  const auto* from = reinterpret_cast<const char*>(entry.bytes.data());
  if (entry.packing == FatEntry::Packing::kLz4) {
    const int got = LZ4_decompress_safe(from, text.data(), static_cast<int>(entry.bytes.size()),
                                        static_cast<int>(text.size()));
    if (got < 0 || static_cast<std::size_t>(got) != text.size())
      return damaged(0, "its LZ4 data cannot be unpacked");
    return text;
  }
  const std::size_t got = ZSTD_decompress(text.data(), text.size(), from, entry.bytes.size());
  if (ZSTD_isError(got) || got != text.size())
    return damaged(0, "its zstd data cannot be unpacked");
  return text;
}

}  // namespace

Result<std::size_t> container_bytes(const std::byte* data) {
  const std::span<const std::byte> head(data, kHeaderBytes);
  if (at<std::uint32_t>(head, 0) != kMagic) return damaged(0, "it does not begin as one");
  const std::size_t header = at<std::uint16_t>(head, 6);
  const auto body = at<std::uint64_t>(head, 8);
  // Who goes from one container to the next must get on, and not around the end of all numbers.
  if (header < kHeaderBytes || header + body < body)
    return damaged(6, fmt::format("a header of {} bytes, {} behind it", header, body));
  return header + body;
}

Result<std::vector<FatEntry>> read_fat_binary(std::span<const std::byte> bytes) {
  std::vector<FatEntry> entries;
  std::size_t offset = 0;
  while (offset < bytes.size()) {
    const auto left = bytes.subspan(offset);
    if (left.size() < kHeaderBytes) {
      if (offset != 0) break;  // padding
      return damaged(offset, "its header is cut short");
    }
    if (at<std::uint32_t>(left, 0) != kMagic) {
      if (offset != 0) break;
      return damaged(offset, "it does not begin as one");
    }
    const std::size_t header = at<std::uint16_t>(left, 6);
    const auto body = at<std::uint64_t>(left, 8);
    if (header < kHeaderBytes || header > left.size() || body > left.size() - header)
      return damaged(offset,
                     fmt::format("{} bytes are announced, {} are there", body, left.size()));
    const std::size_t end = offset + header + body;
    std::size_t next = offset + header;
    while (next < end) {
      auto entry = read_entry(bytes, next, end, next);
      if (!entry) return entry.error();
      entries.push_back(std::move(*entry));
    }
    offset = end;
  }
  return entries;
}

Result<std::string> unpack_ptx(const FatEntry& entry) {
  if (entry.kind != FatEntry::Kind::kPtx)
    return Error{ErrorKind::kInternal, "an entry without PTX was to be unpacked", entry.name, ""};
  auto text = unpack(entry);
  if (!text) return text.error();
  if (const std::size_t end = text->find('\0'); end != std::string::npos) text->resize(end);
  return text;
}

Result<std::string> unpack_machine_code(const FatEntry& entry) {
  if (entry.kind != FatEntry::Kind::kMachineCode)
    return Error{ErrorKind::kInternal, "an entry without machine code was to be unpacked",
                 entry.name, ""};
  return unpack(entry);
}

namespace {

// Of those that run there the one that uses most of the GPU: code that only this GPU, or its
// family, can run goes before code for all.
template <class Runs>
const FatEntry* best_of(std::span<const FatEntry> entries, Runs&& runs) {
  const auto rank = [](const FatEntry& e) {
    return 4 * e.architecture + (e.exact ? 2 : 0) + (e.family ? 1 : 0);
  };
  const FatEntry* best = nullptr;
  for (const FatEntry& e : entries)
    if (runs(e) && (!best || rank(e) > rank(*best))) best = &e;
  return best;
}

}  // namespace

const FatEntry* choose_ptx(std::span<const FatEntry> entries, std::uint32_t cc) {
  // compute_90a runs on 9.0 only, compute_100f on 10.0 and its successors of the same family.
  const auto runs = [&](const FatEntry& e) {
    return e.kind == FatEntry::Kind::kPtx && e.architecture <= cc &&
           (!e.exact || e.architecture == cc) && (!e.family || e.architecture / 10 == cc / 10);
  };
  return best_of(entries, runs);
}

const FatEntry* choose_machine_code(std::span<const FatEntry> entries, std::uint32_t cc) {
  const auto runs = [&](const FatEntry& e) {
    return e.kind == FatEntry::Kind::kMachineCode && e.architecture <= cc &&
           e.architecture / 10 == cc / 10 && (!e.exact || e.architecture == cc);
  };
  return best_of(entries, runs);
}

const FatEntry* choose_newer_ptx(std::span<const FatEntry> entries, std::uint32_t cc) {
  const auto rank = [](const FatEntry& e) {  // what needs least of its GPU
    return 4 * e.architecture + (e.exact ? 2 : 0) + (e.family ? 1 : 0);
  };
  const FatEntry* best = nullptr;
  for (const FatEntry& e : entries)
    if (e.kind == FatEntry::Kind::kPtx && e.architecture > cc && (!best || rank(e) < rank(*best)))
      best = &e;
  return best;
}

std::string ptx_target(std::string_view ptx) {
  const std::size_t at = ptx.find(".target");
  const std::size_t begin = at == ptx.npos ? at : ptx.find("sm_", at);
  if (begin == ptx.npos) return {};
  return std::string(ptx.substr(begin, ptx.find_first_of(", \t\r\n", begin) - begin));
}

std::string for_older_gpu(std::string ptx, std::uint32_t cc) {
  cc = std::max(cc, kOldestCode);
  const std::string_view directive = ".target", arch = "sm_";
  const std::size_t at = ptx.find(directive);
  const std::size_t name = at == ptx.npos ? at : ptx.find(arch, at + directive.size());
  if (name == ptx.npos) return ptx;
  std::size_t end = name + arch.size();
  while (end < ptx.size() && std::isdigit(static_cast<unsigned char>(ptx[end]))) ++end;
  const bool only_there = end < ptx.size() && (ptx[end] == 'a' || ptx[end] == 'f');
  ptx.replace(name, end + (only_there ? 1 : 0) - name,
              fmt::format("sm_{}{}", cc, only_there && cc >= 90 ? "a" : ""));
  return ptx;
}

}  // namespace warpmem::cudart
