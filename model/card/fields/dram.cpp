// DRAM: how it is organised, and its times.
#include "model/card/fields/groups.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"dram.type", "type", &CardNumbers::dram_type,
     "of which the numbers are that this card does not give (cards/dram)", {.words = dram_type_names}},
    {"dram.map", "kind", &CardNumbers::dram_map,
     "how addresses spread over channels and banks", {.words = dram_map_names}},
    {"dram.refresh", "kind", &CardNumbers::dram_refresh,
     "what a refresh blocks: no bank (it is part of the bandwidth), one, all",
     {.words = dram_refresh_names, .of_dram_type = true}},
    {"dram.sectors_per_kilocycle", "sectors", &CardNumbers::dram_sectors_per_kilocycle,
     "DRAM bandwidth in 1,000 SM cycles", {.of_dram_type = true}},
    {"dram.channels", "channels", &CardNumbers::dram_channels,
     "DRAM channels with a data bus each", {.most = 4096}},
    {"dram.devices", "devices", &CardNumbers::dram_devices,
     "chips or stacks of DRAM, each with its own clock of refreshes"},
    {"dram.banks", "banks", &CardNumbers::dram_banks,
     "banks a channel", {.of_dram_type = true, .most = 1024}},
    {"dram.row", "bytes", &CardNumbers::dram_row_bytes, "row of a bank", {.of_dram_type = true}},
    {"dram.activate_permille", "millicycles", &CardNumbers::dram_activate_permille,
     "between two rows opened in a channel", {.of_dram_type = true}},
    {"dram.row_cycles", "cycles", &CardNumbers::dram_row_cycles,
     "between two rows opened in a bank", {.of_dram_type = true}},
    {"dram.turnaround_cycles", "cycles", &CardNumbers::dram_turnaround_cycles,
     "a channel's bus loses when it turns from writing to reading", {.of_dram_type = true, .zero = true}},
    {"dram.switch_cycles", "cycles", &CardNumbers::dram_switch_cycles,
     "a channel loses when it stops reading to write", {.zero = true}},
    {"dram.write_batch", "sectors", &CardNumbers::dram_write_batch,
     "that wait in a channel at most to be written, while others are read", {.most = 65536}},
    {"dram.write_permille", "millicycles", &CardNumbers::dram_write_permille,
     "of a channel's bus that the writes of a line take at least", {.zero = true}},
    {"dram.interleave", "bytes", &CardNumbers::dram_interleave_bytes, "side by side in one channel"},
    {"dram.rate_mbps", "Mbit/s", &CardNumbers::dram_rate_mbps,
     "on each pin of a channel", {.of_dram_type = true}},
    {"dram.width_bits", "bits", &CardNumbers::dram_width_bits,
     "of a channel's data bus", {.of_dram_type = true}},
    {"dram.burst", "transfers", &CardNumbers::dram_burst,
     "on each pin for a column command", {.of_dram_type = true}},
    {"dram.t_cl_ps", "ps", &CardNumbers::dram_t_cl_ps,
     "tCL: from a read command to its data", {.of_dram_type = true}},
    {"dram.t_wl_ps", "ps", &CardNumbers::dram_t_wl_ps,
     "tWL: from a write command to its data", {.of_dram_type = true}},
    {"dram.t_rcd_ps", "ps", &CardNumbers::dram_t_rcd_ps,
     "tRCD: from opening a row to its first command", {.of_dram_type = true}},
    {"dram.t_rp_ps", "ps", &CardNumbers::dram_t_rp_ps,
     "tRP: closing a row", {.of_dram_type = true, .used_if = {&kSomeRefresh}}},
    {"dram.t_rc_ps", "ps", &CardNumbers::dram_t_rc_ps,
     "tRC: between two rows opened in a bank", {.of_dram_type = true}},
    {"dram.t_rrd_ps", "ps", &CardNumbers::dram_t_rrd_ps,
     "tRRD: between two rows opened in a channel", {.of_dram_type = true}},
    {"dram.t_faw_ps", "ps", &CardNumbers::dram_t_faw_ps,
     "tFAW: in which four rows may be opened in a channel", {.of_dram_type = true}},
    {"dram.t_rtw_ps", "ps", &CardNumbers::dram_t_rtw_ps,
     "tRTW: from a read command to a write command", {.of_dram_type = true}},
    {"dram.t_wtr_ps", "ps", &CardNumbers::dram_t_wtr_ps,
     "tWTR: from a write's data to a read command", {.of_dram_type = true}},
    {"dram.t_refi_ps", "ps", &CardNumbers::dram_t_refi_ps,
     "tREFI: between two refreshes of a bank", {.of_dram_type = true, .used_if = {&kSomeRefresh}}},
    {"dram.t_rfc_ps", "ps", &CardNumbers::dram_t_rfc_ps,
     "tRFC: a refresh of all banks", {.of_dram_type = true, .used_if = {&kAllRefresh}}},
    {"dram.t_rfc_bank_ps", "ps", &CardNumbers::dram_t_rfc_bank_ps,
     "tRFCpb: a refresh of one bank", {.of_dram_type = true, .used_if = {&kBankRefresh}}},
};
// clang-format on

}  // namespace

std::span<const CardField> dram_fields() { return kRows; }

}  // namespace warpmem::model
