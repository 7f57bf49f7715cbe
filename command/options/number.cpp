#include "command/options/number.hpp"

#include <CLI/CLI.hpp>

#include "command/usage.hpp"

namespace warpmem::command {

namespace {

template <class T, class Read, class Take>
CLI::Option* add(CLI::App& app, const std::string& name, const std::string& help, Read read,
                 Take take) {
  return app.add_option_function<std::string>(
      name,
      [place = app.get_name() + " " + name, read, take](const std::string& text) {
        Result<T> value = read(text, place);
        if (!value) throw RefusedValue(value.error());
        take(*value);
      },
      help);
}

}  // namespace

CLI::Option* add_whole_option(CLI::App& app, const std::string& name, const WholeRange& range,
                              std::function<void(std::uint64_t)> take, const std::string& help) {
  const auto read = [range](const std::string& text, const std::string& place) {
    return read_whole(text, range, place);
  };
  return add<std::uint64_t>(app, name, help, read, std::move(take))->type_name("N");
}

CLI::Option* add_fraction_option(CLI::App& app, const std::string& name, double& fraction,
                                 const std::string& help) {
  const auto read = [](const std::string& text, const std::string& place) {
    return read_real(text, {0, 1, true}, place);
  };
  return add<double>(app, name, help, read, [&fraction](double value) { fraction = value; })
      ->type_name("FRACTION");
}

CLI::Option* add_range_option(CLI::App& app, const std::string& name, const std::string& unit,
                              std::function<void(const CountedRange&)> take,
                              const std::string& help) {
  const auto read = [unit](const std::string& text, const std::string& place) {
    return read_counted_range(text, unit, place);
  };
  return add<CountedRange>(app, name, help, read, std::move(take))->type_name("N|A:B");
}

}  // namespace warpmem::command
