// Texture fetches and surface accesses of a warp.
#pragma once

#include <array>

#include "emulate/executor/recorder.hpp"
#include "emulate/executor/texture.hpp"

namespace warpmem::emulate {

struct Fetch;
struct TextureLane;

class TextureUnit {
 public:
  TextureUnit(Running& run, Recorder& recorder) : run_(run), recorder_(recorder) {}
  void texture(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask);

 private:
  struct ReadTexels;  // by the warp's lanes
  struct Objects;     // that they name
  const Texture& object_of(const TextureLane& lane, Objects& last);
  void fetch(const TextureLane& lane, const Texture& object, ReadTexels& read);
  std::array<std::uint32_t, 4> sample(const TextureLane& lane, const Texture& object,
                                      const Fetch& f, bool exists, ReadTexels& read);

  Running& run_;
  Recorder& recorder_;
};

}  // namespace warpmem::emulate
