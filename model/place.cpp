#include "model/place.hpp"

#include <cstddef>

namespace warpmem::model {

const char* name_of(Place place) {
  constexpr const char* kNames[] = {
      "instruction issue", "L1 and shared memory", "SM ports, out", "SM ports, in",
      "L2 slices",         "DRAM activation",      "DRAM bus",      "host link"};
  return kNames[static_cast<std::size_t>(place)];
}

const char* name_of_one(Place place) {
  constexpr const char* kNames[] = {"issue of SM",         "L1 of SM", "port out of SM",
                                    "port into SM",        "L2 slice", "activation of DRAM channel",
                                    "bus of DRAM channel", "host link"};
  return kNames[static_cast<std::size_t>(place)];
}

}  // namespace warpmem::model
