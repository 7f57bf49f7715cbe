// The text of a card and of a DRAM type, read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "model/card/card.hpp"

namespace warpmem::model {

// A card's or a DRAM type's text.
struct CardText {
  std::string name, compute_capability;
  std::string chip, year, device;        // of the GPU; not inherited
  std::string isa;                       // its instruction table
  std::string inherits, inherits_place;  // another card, and where it is named
  Card::GivenFields given;
};
// `file`: what messages call it. Nothing but fields of the DRAM's type when `dram_type`.
Result<CardText> read_card_text(std::string_view text, const std::string& file, bool dram_type);
// The numbers of a DRAM type, by its index in dram_type_names().
Result<Card::GivenFields> dram_type_fields(std::uint64_t type);

}  // namespace warpmem::model
