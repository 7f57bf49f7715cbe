// A card as what the emulator emulates: a device that programs ask about, and the limits of a
// launch.
#pragma once

#include "emulate/cudart/device.hpp"
#include "emulate/one_kernel/launch_file.hpp"
#include "model/card/card.hpp"

namespace warpmem::command {

cudart::Device device_of(const model::Card& card);
emulate::DeviceLimits limits_of(const model::Card& card);

}  // namespace warpmem::command
