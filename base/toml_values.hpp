// Values of a TOML file, each by its own type: nothing is converted or left at its default in
// silence. Errors name the file, the line, the value and what to write.
#pragma once

// The library names file streams where it reads files, and leaves it to us to say what they are.
#include <fstream>

#include <toml++/toml.h>

#include <string>
#include <string_view>

#include "base/read_number.hpp"

namespace warpmem {

// The whole of a text.
Result<toml::table> toml_table(std::string_view text, const std::string& file);
// "launch.toml, line 12"
std::string toml_place(const std::string& file, const toml::node& node);
// `-1`, `"64KiB"`, `true`: as the file has it, shortened.
std::string toml_shown(const toml::node& node);

Result<std::uint64_t> toml_whole(const toml::node& node, std::string_view key,
                                 const WholeRange& range, const std::string& file);
Result<double> toml_real(const toml::node& node, std::string_view key, const RealRange& range,
                         const std::string& file);
Result<bool> toml_flag(const toml::node& node, std::string_view key, const std::string& file);
Result<std::string> toml_text(const toml::node& node, std::string_view key,
                              const std::string& file);

}  // namespace warpmem
