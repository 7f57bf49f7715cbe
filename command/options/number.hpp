// Options that take a number: each with the range in which it may lie (base/read_number.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/read_number.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpmem::command {

// `name`: "--limit"; `take` gets the number.
CLI::Option* add_whole_option(CLI::App& app, const std::string& name, const WholeRange& range,
                              std::function<void(std::uint64_t)> take, const std::string& help);
// Above 0 and at most 1.
CLI::Option* add_fraction_option(CLI::App& app, const std::string& name, double& fraction,
                                 const std::string& help);
// "A:B", of `unit` ("launches").
CLI::Option* add_range_option(CLI::App& app, const std::string& name, const std::string& unit,
                              std::function<void(const CountedRange&)> take,
                              const std::string& help);

}  // namespace warpmem::command
