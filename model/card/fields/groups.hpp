// The groups of a card's numbers, as its file has them: [sm], [shared], … A number is a row in its
// group's file (and a member of CardNumbers). A choice stands before the numbers that are used with
// it, and so do groups.
#pragma once

#include <span>

#include "model/card/fields/card_fields.hpp"
#include "model/card/fields/conditions.hpp"

namespace warpmem::model {

std::span<const CardField> access_fields();
std::span<const CardField> sm_fields();
std::span<const CardField> shared_fields();
std::span<const CardField> l1_fields();
std::span<const CardField> l2_fields();
std::span<const CardField> lrc_fields();
std::span<const CardField> port_fields();
std::span<const CardField> link_fields();
std::span<const CardField> constant_fields();
std::span<const CardField> code_fields();
std::span<const CardField> bulk_fields();
std::span<const CardField> remote_fields();
std::span<const CardField> driver_fields();
std::span<const CardField> lsu_fields();
std::span<const CardField> latency_fields();
std::span<const CardField> dram_fields();
std::span<const CardField> time_fields();
std::span<const CardField> launch_fields();
std::span<const CardField> topology_fields();
std::span<const CardField> texture_fields();
std::span<const CardField> reached_fields();
std::span<const CardField> emulate_fields();

inline constexpr std::span<const CardField> (*kCardGroups[])() = {
    access_fields,  sm_fields,       lsu_fields,     shared_fields,  l1_fields,       l2_fields,
    texture_fields, lrc_fields,      port_fields,    link_fields,    constant_fields, code_fields,
    bulk_fields,    remote_fields,   driver_fields,  latency_fields, dram_fields,     time_fields,
    launch_fields,  topology_fields, reached_fields, emulate_fields};

}  // namespace warpmem::model
