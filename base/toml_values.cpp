#include "base/toml_values.hpp"

#include <fmt/format.h>

namespace warpmem {
namespace {

std::string said(const toml::node& node, std::string_view key) {
  return fmt::format("{} = {}", key, toml_shown(node));
}

Error wrong_type(const toml::node& node, std::string_view key, const std::string& file,
                 std::string_view is, const std::string& fix) {
  return {ErrorKind::kUsage, fmt::format("{} is {}", said(node, key), is), toml_place(file, node),
          fix};
}

}  // namespace

// The library throws what is wrong, or returns it where the compiler allows no exceptions.
Result<toml::table> toml_table(std::string_view text, const std::string& file) {
  const auto refused = [&](const toml::parse_error& e) {
    return Error{ErrorKind::kUsage, fmt::format("not valid TOML: {}", e.description()),
                 fmt::format("{}, line {}", file, e.source().begin.line), "correct the line"};
  };
#if TOML_EXCEPTIONS
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& e) {
    return refused(e);
  }
#else
  toml::parse_result result = toml::parse(text);
  if (!result) return refused(result.error());
  return std::move(result).table();
#endif
}

std::string toml_place(const std::string& file, const toml::node& node) {
  return fmt::format("{}, line {}", file, node.source().begin.line);
}

std::string toml_shown(const toml::node& node) {
  constexpr std::size_t kMost = 40;
  if (node.is_integer()) return std::to_string(node.as_integer()->get());
  if (node.is_floating_point()) return fmt::format("{}", node.as_floating_point()->get());
  if (node.is_boolean()) return node.as_boolean()->get() ? "true" : "false";
  if (node.is_array()) return "[…]";
  if (node.is_table()) return "{…}";
  if (!node.is_string()) return "a date or a time";
  const std::string& text = node.as_string()->get();
  return text.size() > kMost ? '"' + text.substr(0, kMost) + "…\"" : '"' + text + '"';
}

Result<std::uint64_t> toml_whole(const toml::node& node, std::string_view key,
                                 const WholeRange& range, const std::string& file) {
  const std::string place = toml_place(file, node);
  if (node.is_integer())
    return check_whole(node.as_integer()->get(), range, said(node, key), place);
  if (range.sizes && node.is_string()) {
    auto value = read_whole(node.as_string()->get(), range, place);
    if (!value) {
      Error error = value.error();
      error.message = fmt::format("{}: {}", key, error.message);
      return error;
    }
    return value;
  }
  return wrong_type(node, key, file, "not a whole number", "write " + allowed(range));
}

Result<double> toml_real(const toml::node& node, std::string_view key, const RealRange& range,
                         const std::string& file) {
  const std::string place = toml_place(file, node);
  if (node.is_integer())
    return check_real(static_cast<double>(node.as_integer()->get()), range, said(node, key), place);
  if (node.is_floating_point())
    return check_real(node.as_floating_point()->get(), range, said(node, key), place);
  return wrong_type(node, key, file, "not a number", "write " + allowed(range));
}

Result<bool> toml_flag(const toml::node& node, std::string_view key, const std::string& file) {
  if (node.is_boolean()) return node.as_boolean()->get();
  return wrong_type(node, key, file, "neither true nor false",
                    fmt::format("write {} = true or {} = false, without quotes", key, key));
}

Result<std::string> toml_text(const toml::node& node, std::string_view key,
                              const std::string& file) {
  if (node.is_string()) return node.as_string()->get();
  return wrong_type(node, key, file, "not a text in quotes", fmt::format("write {} = \"…\"", key));
}

}  // namespace warpmem
