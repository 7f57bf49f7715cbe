#include "tests/twin/random_addresses.hpp"

#include "tests/twin/index.hpp"

namespace warpmem::twin {
namespace {

using trace::Space;

// Lines of one set of the L1 of an H200, and lines of one set of an L2 of one column of sets.
template <class SetOf>
std::vector<std::uint64_t> lines_of_a_set(SetOf set_of) {
  constexpr std::uint64_t kFirst = RandomAddresses::kWindow / 128;
  std::vector<std::uint64_t> out;
  for (std::uint64_t line = kFirst; out.size() < 40; ++line)
    if (set_of(line) == set_of(kFirst)) out.push_back(line);
  return out;
}

}  // namespace

RandomAddresses::RandomAddresses(std::mt19937_64& random) : random_(random) {
  static const auto kOfL1 =
      lines_of_a_set([](std::uint64_t line) { return xor_matrix_of_512(line); });
  static const auto kOfL2 =
      lines_of_a_set([](std::uint64_t line) { return mixed_rows_set(line, 1024); });
  constexpr std::uint64_t kReaches[] = {512, 4096, 32768, 1 << 20, 1ull << 32};
  reach_ = kReaches[below(std::size(kReaches))];
  if (below(2)) crowded_ = below(2) ? kOfL1 : kOfL2;
}

std::uint64_t RandomAddresses::global(std::uint32_t alignment) {
  if (!crowded_.empty() && below(2))
    return crowded_[below(crowded_.size())] * 128 + below(128) / alignment * alignment;
  return kWindow + below(reach_) / alignment * alignment;
}

std::uint64_t RandomAddresses::address(Space space, std::uint32_t bytes) {
  switch (space) {
    case Space::kShared:
    case Space::kRemoteShared: return below(49152) / bytes * bytes;
    case Space::kLocal:
      // Below the frame, now and then.
      return below(8) ? below(256) / bytes * bytes : (1 << 24) - (1 + below(4)) * 16;
    default: return global(bytes);
  }
}

RandomAddresses::Lanes RandomAddresses::lanes(Space space, std::uint32_t bytes) {
  Lanes out;
  const auto width = static_cast<std::int32_t>(bytes);
  // Of global memory not below the window, whichever way the stride goes.
  const std::uint64_t first = address(space, bytes) + (space == Space::kLocal ? 0 : 32 * 512);
  switch (below(5)) {
    case 0:
    case 1: out.stride = width; break;
    case 2: out.stride = 0; break;
    case 3: {
      constexpr std::int32_t kTimes[] = {-1, 2, 3, 4, 5, 8, -4, 16, 32, 33};
      out.stride = width * kTimes[below(std::size(kTimes))];
      break;
    }
    default: break;
  }
  for (std::uint32_t l = 0; l < 32; ++l)
    out.address[l] = out.stride ? first + static_cast<std::uint64_t>(std::int64_t{*out.stride} * l)
                                : address(space, bytes);
  return out;
}

}  // namespace warpmem::twin
