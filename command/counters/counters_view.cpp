#include "command/counters/counters_view.hpp"

namespace warpmem::command {

CounterGroup group_of(std::string_view metric) {
  struct Rule {
    std::string_view part;
    CounterGroup group;
  };
  // The first that is in the name decides.
  constexpr Rule kRules[] = {{"sm__cycles", CounterGroup::kTime},
                             {"gpu__time", CounterGroup::kTime},
                             {"inst_executed", CounterGroup::kInstructions},
                             {"lts__", CounterGroup::kL2},
                             {"dram__", CounterGroup::kDram},
                             {"l1tex__m_", CounterGroup::kPorts},
                             {"shared", CounterGroup::kShared},
                             {"local", CounterGroup::kLocal},
                             {"texture", CounterGroup::kTexture},
                             {"surface", CounterGroup::kTexture},
                             {"global", CounterGroup::kGlobal}};
  for (const Rule& rule : kRules)
    if (metric.find(rule.part) != std::string_view::npos) return rule.group;
  return CounterGroup::kOther;
}

const char* name_of(CounterGroup group) {
  switch (group) {
    case CounterGroup::kTime: return "time";
    case CounterGroup::kInstructions: return "instructions";
    case CounterGroup::kGlobal: return "L1, global memory";
    case CounterGroup::kLocal: return "L1, local memory";
    case CounterGroup::kShared: return "shared memory";
    case CounterGroup::kTexture: return "L1, textures and surfaces";
    case CounterGroup::kPorts: return "between L1 and L2";
    case CounterGroup::kL2: return "L2";
    case CounterGroup::kDram: return "DRAM";
    case CounterGroup::kOther: return "other";
  }
  return "";
}

}  // namespace warpmem::command
