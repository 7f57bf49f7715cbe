// The records of one texture fetch or surface access of a warp, put together: the first says which
// lanes, further ones (trace::Op::kTexel) hold the texels that a filter mixes with the first.
#pragma once

#include <bit>

#include "model/texture/texture.hpp"
#include "sim/engine/sites.hpp"
#include "traces/format/record.hpp"

namespace warpmem::sim {

class TextureFetch {
 public:
  void begin(const trace::Record& r, const AccessPlan& plan, const std::uint64_t* lanes) {
    pc_ = plan.pc;
    access_.mask = r.mask;
    access_.texels = 0;
    access_.bytes = plan.bytes;
    access_.request_lanes = plan.request_lanes;
    access_.linear = plan.action == Action::kTexture && plan.by_number;
    access_.gathers = plan.gathers;
    add(r, lanes);
  }
  // Whether a record is of this fetch.
  bool continues(const AccessPlan& plan) const {
    return plan.action == Action::kTexel && plan.pc == pc_ &&
           access_.texels < model::TextureAccess::kMostTexels;
  }
  void add(const trace::Record& r, const std::uint64_t* lanes) {
    const auto k = static_cast<std::size_t>(access_.texels++);
    access_.has[k] = r.mask;
    const std::uint64_t* next = r.regular() ? nullptr : lanes + r.lanes;
    for (std::uint32_t rest = r.mask; rest; rest &= rest - 1) {
      const int l = std::countr_zero(rest);
      access_.address[k][static_cast<std::size_t>(l)] =
          next ? *next++ : r.base + static_cast<std::uint64_t>(std::int64_t{r.stride} * l);
    }
  }
  const model::TextureAccess& access() const { return access_; }

  // Takes the records of a fetch from a warp's position, which is at its first one; `more` makes
  // further records of the warp come in where these are at an end. False: there are none.
  template <class Position, class Plans, class More>
  Result<bool> take(Position& at, const Plans& plans, More&& more) {
    begin(*at.next, plans[at.next->site], at.lanes);
    ++at.next;
    while (true) {
      if (at.next == at.end) {
        Result<bool> came = more();
        if (!came || !*came) return came;
      }
      if (!continues(plans[at.next->site])) return true;
      add(*at.next, at.lanes);
      ++at.next;
    }
  }

 private:
  model::TextureAccess access_;
  std::uint32_t pc_ = 0;
};

// Whether a site's records are for TextureFetch.
inline bool is_texture(Action action) {
  return action == Action::kTexture || action == Action::kSurfaceLoad ||
         action == Action::kSurfaceStore;
}

}  // namespace warpmem::sim
