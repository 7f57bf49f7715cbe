#include "traces/import/accel_sim_line.hpp"

#include <fmt/format.h>

#include <bit>

#include "traces/import/words.hpp"

namespace warpmem::imports {
namespace {

constexpr std::size_t kMostRegisters = 64;

Error malformed(const std::string& message) {
  return {ErrorKind::kMalformed,
          message,
          {},
          "trace it again; a file of Accel-Sim has one instruction of a warp in each line"};
}

bool read_dims(std::string_view text, Dim3& out) {
  if (!text.starts_with('(') || !text.ends_with(')')) return false;
  text = text.substr(1, text.size() - 2);
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t comma = d < 2 ? text.find(',') : text.size();
    if (comma == text.npos) return false;
    const auto n = whole_of<std::uint32_t>(text.substr(0, comma));
    if (!n || *n == 0) return false;
    out[d] = *n;
    text = text.substr(std::min(comma + 1, text.size()));
  }
  return true;
}

Result<void> read_registers(Words& words, std::vector<std::string_view>& out) {
  out.clear();
  const std::string_view count = words.next();
  const auto n = whole_of<std::size_t>(count);
  if (!n || *n > kMostRegisters)
    return malformed(fmt::format("'{}' is no number of registers", count));
  for (std::size_t i = 0; i < *n; ++i) {
    const std::string_view one = words.next();
    if (one.empty()) return malformed("the line ends among its registers");
    out.push_back(one);
  }
  return {};
}

Result<void> read_addresses(Words& words, AccelSimLine& out) {
  const std::string_view mode = words.next();
  const auto kind = whole_of<std::uint32_t>(mode);
  if (!kind) return malformed(fmt::format("'{}' is no form of addresses", mode));
  out.mode = *kind;
  out.addresses.clear();
  if (out.mode > 2) return {};  // of copies by a tensor map, which the caller leaves out
  const int lanes = std::popcount(out.mask);
  const auto address = [&]() -> std::optional<std::uint64_t> {
    return whole_of<std::uint64_t>(words.next(), 16);
  };
  if (lanes == 0) return {};
  const auto base = address();
  if (!base) return malformed("an address is missing, or is no hexadecimal number");
  out.addresses.push_back(*base);
  if (out.mode == 1) {
    const auto stride = whole_of<std::int64_t>(words.next());
    if (!stride) return malformed("the distance between lanes is missing, or is no number");
    const std::uint32_t run = out.mask >> std::countr_zero(out.mask);
    if ((run & (run + 1)) != 0)
      return malformed("lanes that are on are not neighbours, but have one distance");
    for (int l = 1; l < lanes; ++l)
      out.addresses.push_back(out.addresses.back() + static_cast<std::uint64_t>(*stride));
    return {};
  }
  for (int l = 1; l < lanes; ++l) {
    if (out.mode == 0) {
      const auto next = address();
      if (!next) return malformed(fmt::format("lane {} of {} has no address", l + 1, lanes));
      out.addresses.push_back(*next);
      continue;
    }
    const auto distance = whole_of<std::int64_t>(words.next());
    if (!distance) return malformed(fmt::format("lane {} of {} has no distance", l + 1, lanes));
    out.addresses.push_back(out.addresses.back() + static_cast<std::uint64_t>(*distance));
  }
  return {};
}

}  // namespace

Result<void> read_heading(std::string_view line, AccelSimHeading& heading) {
  const std::size_t equals = line.find('=');
  if (equals == line.npos) return {};
  const auto trimmed = [](std::string_view text) {
    const std::size_t from = text.find_first_not_of(' ');
    if (from == text.npos) return std::string_view{};
    return text.substr(from, text.find_last_not_of(' ') - from + 1);
  };
  const std::string_view key = trimmed(line.substr(1, equals - 1)),
                         value = trimmed(line.substr(equals + 1));
  const auto refused = [&] {
    return malformed(fmt::format("'{}' is no value of '{}'", value, key));
  };
  const auto number = [&](std::uint32_t& to) -> Result<void> {
    const auto n = whole_of<std::uint32_t>(value);
    if (!n) return refused();
    to = *n;
    return {};
  };
  const auto base = [&](std::uint64_t& to) -> Result<void> {
    const auto n = whole_of<std::uint64_t>(value, 16);
    if (!n) return refused();
    to = *n;
    return {};
  };
  if (key == "kernel name") heading.kernel = value;
  else if (key == "kernel id") return number(heading.id);
  else if (key == "grid dim") return read_dims(value, heading.grid) ? Result<void>() : refused();
  else if (key == "block dim") return read_dims(value, heading.block) ? Result<void>() : refused();
  else if (key == "shmem") return number(heading.shared);
  else if (key == "nregs") return number(heading.registers);
  else if (key == "binary version") return number(heading.binary);
  else if (key == "shmem base_addr") return base(heading.shared_base);
  else if (key == "local mem base_addr") return base(heading.local_base);
  else if (key == "nvbit version") heading.nvbit = value;
  else if (key == "accelsim tracer version") return number(heading.version);
  else if (key == "enable lineinfo") heading.lines = value == "1";
  else if (key == "cuda stream id")
    if (const auto n = whole_of<std::uint64_t>(value)) heading.stream = *n;
  return {};
}

Result<void> read_line(std::string_view text, const AccelSimHeading& heading, AccelSimLine& out) {
  Words words(text);
  if (heading.version < 3) {
    for (auto& c : out.cta) {
      c = whole_of<std::uint64_t>(words.next());
      if (!c) return malformed("the line does not begin with a CTA and a warp");
    }
    const auto warp = whole_of<std::uint32_t>(words.next());
    if (!warp) return malformed("the line does not begin with a CTA and a warp");
    out.warp = *warp;
  }
  out.source_line = 0;
  if (heading.lines) {
    const auto line = whole_of<std::uint32_t>(words.next());
    if (!line) return malformed("the line does not begin with that of the source");
    out.source_line = *line;
  }
  const auto pc = whole_of<std::uint32_t>(words.next(), 16);
  const auto mask = whole_of<std::uint32_t>(words.next(), 16);
  if (!pc || !mask) return malformed("the line has no pc and mask in hexadecimal");
  out.pc = *pc, out.mask = *mask;
  if (auto ok = read_registers(words, out.destinations); !ok) return ok;
  out.opcode = words.next();
  if (out.opcode.empty() || out.opcode.front() < 'A' || out.opcode.front() > 'Z')
    return malformed(fmt::format("'{}' is no opcode", out.opcode));
  if (auto ok = read_registers(words, out.sources); !ok) return ok;
  const std::string_view width = words.next();
  const auto bytes = whole_of<std::uint32_t>(width);
  if (!bytes) return malformed(fmt::format("'{}' is no number of bytes", width));
  out.memory = *bytes != 0;
  if (out.memory)
    if (auto ok = read_addresses(words, out); !ok) return ok;
  out.immediate = heading.version >= 5 ? whole_of<std::uint64_t>(words.next()) : std::nullopt;
  return {};
}

}  // namespace warpmem::imports
