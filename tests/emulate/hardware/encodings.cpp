#include "tests/emulate/hardware/encodings.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace warpmem::emulate::hardware {
namespace {

constexpr const char* kMagic = "warpmem machine encodings 1";

std::string unpacked(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  const std::string packed{std::istreambuf_iterator<char>(in), {}};
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > (1u << 28))
    throw std::runtime_error(path + " holds no machine encodings");
  std::string text(size, '\0');
  if (ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size()) != size)
    throw std::runtime_error(path + " is damaged");
  return text;
}

// What stands before and behind the instruction, as nvdisasm would print it.
std::string before() {
  std::string out =
      "S2R R0, SR_TID.X ;\nS2UR UR4, SR_CTAID.X ;\nMOV R36, 0x100 ;\n"
      "LDC.64 R32, c[0x0][0x210] ;\nLDC.64 R34, c[0x0][0x218] ;\nIMAD R0, R36, UR4, R0 ;\n"
      "ULDC.64 UR4, c[0x0][0x208] ;\nIMAD.WIDE.U32 R2, R0, 0x30, R34 ;\n"
      "IMAD.WIDE.U32 R32, R0, 0x40, R32 ;\nLDG.E.128 R4, desc[UR4][R2.64] ;\n"
      "LDG.E.128 R8, desc[UR4][R2.64+0x10] ;\nLDG.E.128 R12, desc[UR4][R2.64+0x20] ;\n";
  for (int k = 0; k < 7; ++k)
    out += fmt::format("LOP3.LUT P{}, RZ, R15, {:#x}, RZ, 0xc0, !PT ;\n", k, 1 << k);
  out += "CS2R R16, SRZ ;\nCS2R R18, SRZ ;\n";
  for (int r = 4; r < 20; ++r) out += fmt::format("R2UR UR{0}, R{0} ;\n", r);
  for (int k = 0; k < 7; ++k)
    out += fmt::format(
        "LOP3.LUT R37, R15, {:#x}, RZ, 0xc0, !PT ;\nR2UR UR20, R37 ;\n"
        "UISETP.NE.AND UP{}, UPT, UR20, 0x0, UPT ;\n",
        1 << (k + 8), k);
  return out;
}

std::string behind() {
  std::string out = "P2R R20, PR, RZ, 0x7f ;\n";
  for (int k = 0; k < 4; ++k) out += fmt::format("MOV R{}, UR{} ;\n", 21 + k, 16 + k);
  for (int k = 0; k < 7; ++k)
    out += fmt::format("USEL UR20, URZ, 0x1, UP{} ;\nMOV R{}, UR20 ;\n", k, 25 + k);
  out += "ULDC.64 UR4, c[0x0][0x208] ;\n";
  for (int k = 0; k < 4; ++k)
    out += fmt::format("STG.E.128 desc[UR4][R32.64{}], R{} ;\n",
                       k == 0 ? std::string() : fmt::format("+{:#x}", 16 * k), 16 + 4 * k);
  return out + "EXIT ;\n";
}

}  // namespace

Encodings read_encodings(const std::string& path) {
  const std::string text = unpacked(path);
  std::istringstream in(text);
  const auto line = [&] {
    std::string l;
    if (!std::getline(in, l)) throw std::runtime_error(path + " is cut short");
    return l;
  };
  if (line() != kMagic) throw std::runtime_error(path + " holds no machine encodings");
  Encodings e;
  e.gpu = line(), e.driver = line(), e.date = line();
  e.all.resize(std::stoul(line()));
  for (Encoding& one : e.all) {
    const std::string l = line();
    if (l.size() < 37) throw std::runtime_error(path + ": a line is cut short");
    one.origin = static_cast<Origin>(l[0]);
    one.low = std::stoull(l.substr(2, 16), nullptr, 16);
    one.high = std::stoull(l.substr(19, 16), nullptr, 16);
    one.text = l.substr(36);
  }
  const auto words = [&](std::uint32_t* to, std::size_t count) {
    if (!in.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(4 * count)))
      throw std::runtime_error(path + " is cut short");
  };
  e.input.resize(std::size_t{kEncodingThreads} * kEncodingWords);
  words(e.input.data(), e.input.size());
  for (Encoding& one : e.all) words(one.hashes.data(), one.hashes.size());
  return e;
}

std::string listing_of(const Encoding& encoding, const std::string& kernel) {
  static const std::string kBefore = before(), kBehind = behind();
  std::istringstream lines(kBefore + encoding.text + " ;\n" + kBehind);
  std::string out = ".section\t.text." + kernel + ",\"ax\",@progbits\n", line;
  for (std::uint32_t pc = 0; std::getline(lines, line); pc += 16)
    out += fmt::format("/*{:04x}*/ {}\n", pc, line);
  return out;
}

std::uint64_t hash_of_warp(const std::uint32_t* words) {
  std::uint64_t h = 1469598103934665603u;
  for (std::size_t i = 0; i < std::size_t{32} * kEncodingResults; ++i) {
    h = (h ^ words[i]) * 1099511628211u;
    h ^= h >> 29;
  }
  return h;
}

std::uint32_t hash_of_group(const std::uint64_t* warps) {
  std::uint64_t h = 0;
  for (std::uint32_t w = 0; w < kEncodingThreads / 32 / kEncodingGroups; ++w)
    h = (h ^ warps[w]) * 0x9e3779b97f4a7c15u;
  return static_cast<std::uint32_t>(h ^ h >> 32);
}

}  // namespace warpmem::emulate::hardware
