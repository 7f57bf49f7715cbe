// One lane's part of a texture fetch or a surface access.
#pragma once

#include "emulate/executor/running.hpp"
#include "emulate/executor/texture.hpp"

namespace warpmem::emulate {

struct TextureLane {
  Warp& warp;
  const Inst& in;
  const TextureAccess& t;
  std::byte* frame;
  std::uint32_t number;

  // What the lane has in the register at this offset.
  std::uint32_t word(std::uint32_t offset) const {
    return reinterpret_cast<const std::uint32_t*>(frame + offset)[number];
  }
  bool is_surface() const {
    using What = TextureAccess::What;
    return t.what == What::kSurfaceLoad || t.what == What::kSurfaceStore ||
           t.what == What::kSurfaceReduce;
  }
};

// surfaces.cpp. x counts bytes, y and z texels. The device address, or 0 where nothing is touched.
std::uint64_t surface_access(Running& run, const TextureLane& lane, const Texture& object);

}  // namespace warpmem::emulate
