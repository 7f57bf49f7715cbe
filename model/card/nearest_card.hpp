// The built-in card of a GPU, or the one that comes nearest, by what a driver, a profiler or a
// trace says of the GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpmem::model {

// The built-in card of a GPU as drivers call it, "Tesla V100-SXM2-16GB (0)": of those whose
// `device` it holds, the one that says most. Nothing: there is no card of it.
std::optional<std::string> card_of_device(std::string_view device);

// A GPU by what is known of it; any of it may be lacking.
struct KnownGpu {
  std::string_view name;        // "Tesla K80"
  std::string_view capability;  // "3.7", or "sm_37"
  std::uint32_t sms = 0;
};
// The built-in card of the GPU, or the one that comes nearest: of a compute capability that is
// alike, and among those of a name or a number of SMs that is. Nothing: neither name nor capability
// is known.
struct NearCard {
  std::string name;
  bool own = false;
};
std::optional<NearCard> nearest_card(const KnownGpu& gpu);
extern const char* const kUsualCard;  // where nothing is said of a GPU

}  // namespace warpmem::model
