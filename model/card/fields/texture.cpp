// The cache of textures, where it is not the L1.
#include "model/card/fields/groups.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"texture.size",
     "bytes",
     &CardNumbers::texture_bytes,
     "an SM's cache of textures and of read-only loads; 0: they lie in the L1",
     {.zero = true,
      .most = 4 << 20,
      .used_if = {&kEarly},
      .otherwise = {"0", "as compute capability 5.0 and later"}}},
    {"texture.line",
     "bytes",
     &CardNumbers::texture_line,
     "its lines",
     {.most = 128, .used_if = {&kTextureCache}, .otherwise = {"32", "one sector"}}},
    {"texture.ways",
     "ways",
     &CardNumbers::texture_ways,
     "its associativity",
     {.most = 64, .used_if = {&kTextureCache}}},
    {"texture.sms",
     "SMs",
     &CardNumbers::texture_sms,
     "that share such a cache, those of a TPC",
     {.most = 64, .used_if = {&kTextureCache}, .otherwise = {"1", "an SM's own"}}},
    {"texture.second_size",
     "bytes",
     &CardNumbers::texture_second_bytes,
     "a second cache of textures, in the partitions of memory, all together; 0: none",
     {.zero = true,
      .most = 4 << 20,
      .used_if = {&kTextureCache, &kNoL2},
      .otherwise = {"0", "none is known"}}},
    {"texture.second_line",
     "bytes",
     &CardNumbers::texture_second_line,
     "its lines",
     {.most = 256, .used_if = {&kSecondTexture}}},
    {"texture.second_ways",
     "ways",
     &CardNumbers::texture_second_ways,
     "its associativity",
     {.most = 64, .used_if = {&kSecondTexture}}},
};
// clang-format on

}  // namespace

std::span<const CardField> texture_fields() { return kRows; }

}  // namespace warpmem::model
