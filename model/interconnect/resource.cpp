#include "model/interconnect/resource.hpp"

namespace warpmem::model {
namespace {

struct Names {
  const char *all, *one;
};
constexpr Names kNames[kResources] = {{"instruction issue", "issue of SM"},
                                      {"FMA pipes", "FMA pipe of SM"},
                                      {"ALU pipes", "ALU pipe of SM"},
                                      {"FP64 pipes", "FP64 pipe of SM"},
                                      {"XU pipes", "XU pipe of SM"},
                                      {"tensor pipes", "tensor pipe of SM"},
                                      {"MIO pipes", "MIO pipe of SM"},
                                      {"uniform pipes", "uniform pipe of SM"},
                                      {"even registers", "even registers of SM"},
                                      {"odd registers", "odd registers of SM"},
                                      {"constant caches", "constant cache of SM"},
                                      {"L1 and shared memory", "L1 and shared memory of SM"},
                                      {"texture units", "texture unit of SM"},
                                      {"SMs to SMs of a cluster", "path to other SMs of SM"},
                                      {"SM ports, out", "port out of SM"},
                                      {"SM ports, in", "port into SM"},
                                      {"L2 slices", "L2 slice"},
                                      {"L2 fabric", "L2 fabric to side"},
                                      {"DRAM activation", "activation of DRAM channel"},
                                      {"DRAM bus", "bus of DRAM channel"},
                                      {"host link", "host link"},
                                      {"CTA starts", "CTA starts"}};

}  // namespace

const char* name_of(Resource place) { return kNames[static_cast<std::size_t>(place)].all; }
const char* name_of_one(Resource place) { return kNames[static_cast<std::size_t>(place)].one; }

}  // namespace warpmem::model
