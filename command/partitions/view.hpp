// What each channel of DRAM moved: a table, a picture over time, JSON or CSV.
#pragma once

#include <string>

#include "model/card/card.hpp"
#include "sim/replay.hpp"
#include "views/style.hpp"

namespace warpmem::command {

struct PartitionsView {
  const model::Card& card;
  const std::string& trace;
  const sim::ReplayResult& result;
};

std::string partitions_text(const PartitionsView& view, const views::Terminal& terminal);
std::string partitions_json(const PartitionsView& view);
std::string partitions_csv(const PartitionsView& view);

}  // namespace warpmem::command
