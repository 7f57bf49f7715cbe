// Numbers as people read them: grouped digits, byte sizes, durations. For tables and messages;
// machine formats (JSON, CSV) carry plain numbers in base units.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpmem {

std::string grouped(std::uint64_t value);    // 1234567 -> "1,234,567"
std::string number(double value);            // integers grouped, others with 4 digits: "0.1234"
std::string byte_size(std::uint64_t bytes);  // 262144 -> "256 KiB"; 1000 -> "1,000 B"
std::string duration(double seconds);        // 83.2 -> "1m23s"; 0.0042 -> "4.2 ms"

// "262144", "256KiB", "256 KiB", "1.5MiB", "2GB" (decimal) -> bytes; nothing if it is none.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace warpmem
