// What an H200's card says to the emulator (cards/gpus/h200.toml), for tests that have no card.
#pragma once

#include "emulate/executor/wait_clocks.hpp"

namespace warpmem::emulate::test {

constexpr std::uint32_t kH200Sms = 132;
constexpr WaitClocks kH200Waits{.shared = 4, .load = 32, .answer = 128, .fence = 128};

}  // namespace warpmem::emulate::test
