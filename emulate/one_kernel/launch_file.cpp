#include "emulate/one_kernel/launch_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "base/nearest.hpp"
#include "base/run_files.hpp"
#include "base/toml_values.hpp"
#include "base/units.hpp"
#include "emulate/executor/half.hpp"

namespace warpmem::emulate {
namespace {

struct Bad {
  Error error;
};

// What a type holds.
struct Limits {
  double least, most;
};
Limits limits_of(Type type) {
  switch (type) {
    case Type::kF16: return {-65504, 65504};
    case Type::kBf16: return {-0x1.fep127, 0x1.fep127};
    case Type::kF32:
      return {std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max()};
    case Type::kF64:
      return {std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max()};
    default: break;
  }
  const double values = std::exp2(8.0 * size_of(type));
  return is_signed(type) ? Limits{-values / 2, values / 2 - 1} : Limits{0, values - 1};
}

class Reader {
 public:
  Reader(const std::string& path, LaunchFile& out) : path_(path), out_(out) {}

  void run(const toml::table& root) {
    only(root, {"entry", "grid", "block", "cluster", "dynamic_shared", "cooperative", "args"});
    out_.entry = text(root, "entry", true);
    out_.grid = dims(root, "grid", true);
    out_.block = dims(root, "block", true);
    out_.cluster = dims(root, "cluster", false);
    out_.dynamic_shared = static_cast<std::uint32_t>(bytes(root, "dynamic_shared", 1u << 30));
    if (const auto* n = root.get("cooperative"))
      out_.cooperative = taken(toml_flag(*n, "cooperative", path_));
    const toml::node* args = root.get("args");
    if (!args) return;
    if (!args->is_array())
      fail(*args, "args must be a list of tables", "write [[args]] before each argument");
    for (const toml::node& a : *args->as_array()) {
      if (!a.is_table())
        fail(a, "an argument must be a table", "write [[args]] before each argument");
      argument(*a.as_table());
    }
  }

 private:
  [[noreturn]] void fail(const toml::node& at, const std::string& message, const std::string& fix) {
    throw Bad{{ErrorKind::kUsage, message, toml_place(path_, at), fix}};
  }
  template <class T>
  static T taken(Result<T> value) {
    if (!value) throw Bad{value.error()};
    return *std::move(value);
  }

  void only(const toml::table& table, const std::vector<std::string>& known) {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const std::string near = nearest(name, known);
      std::string all;
      for (const std::string& k : known) all += (all.empty() ? "" : ", ") + k;
      fail(node, fmt::format("'{}' is not a key here", name),
           near.empty() ? "the keys are " + all : fmt::format("did you mean '{}'?", near));
    }
  }
  std::string text(const toml::table& t, const char* key, bool needed = false) {
    const toml::node* n = t.get(key);
    if (!n && needed)
      fail(t, fmt::format("'{}' is missing", key), fmt::format("add {} = \"…\"", key));
    if (!n) return {};
    return taken(toml_text(*n, key, path_));
  }
  std::uint32_t positive(const toml::node& n, const char* key) {
    return static_cast<std::uint32_t>(taken(toml_whole(n, key, {1, 0x7fffffff}, path_)));
  }
  Dim3 dims(const toml::table& t, const char* key, bool needed) {
    Dim3 d{1, 1, 1};
    const toml::node* n = t.get(key);
    if (!n && needed)
      fail(t, fmt::format("'{}' is missing", key),
           fmt::format("add {} = 128, or {} = [16, 8, 1] for x, y and z", key, key));
    if (!n) return d;
    if (!n->is_array()) return d[0] = positive(*n, key), d;
    const toml::array& list = *n->as_array();
    if (list.empty() || list.size() > 3)
      fail(*n, fmt::format("'{}' holds {} numbers", key, list.size()),
           fmt::format("write {} = 128, or {} = [16, 8, 1] for x, y and z", key, key));
    for (std::size_t i = 0; i < list.size(); ++i) d[i] = positive(list[i], key);
    return d;
  }
  std::uint64_t bytes(const toml::table& t, const char* key, std::uint64_t most) {
    const toml::node* n = t.get(key);
    if (!n) return 0;
    return taken(toml_whole(*n, key, {0, most, "bytes", true}, path_));
  }
  double real(const toml::table& t, const char* key, double usual) {
    using Numbers = std::numeric_limits<double>;
    const toml::node* n = t.get(key);
    return n ? taken(toml_real(*n, key, {Numbers::lowest(), Numbers::max()}, path_)) : usual;
  }

  void argument(const toml::table& t) {
    only(t, {"buffer", "type", "value", "bytes", "count", "size", "fill", "seed", "min", "max",
             "file", "write_back", "offset"});
    Argument a;
    a.place = toml_place(path_, t);
    const std::string type = text(t, "type");
    if (!type.empty()) {
      a.type = type_named(type);
      if (a.type == Type::kNone || a.type == Type::kPred || size_of(a.type) > 8)
        fail(*t.get("type"), fmt::format("'{}' is not a type", type),
             "write u8 to u64, s8 to s64, b8 to b64, f16, bf16, f32 or f64");
    }
    a.is_buffer = t.contains("buffer");
    if (!a.is_buffer) return scalar(t, a, type.empty());
    a.name = text(t, "buffer");
    for (const Argument& known : out_.arguments)
      if (known.is_buffer && known.name == a.name) {
        if (t.contains("size") || t.contains("count") || t.contains("fill"))
          fail(t, fmt::format("buffer '{}' is described twice", a.name),
               "give its size and contents once; name only the buffer the second time");
        a.bytes = known.bytes;
      }
    if (t.contains("offset")) a.offset = bytes(t, "offset", std::uint64_t{1} << 40);
    a.write_back = text(t, "write_back");
    if (a.bytes == 0) {
      if (const toml::node* n = t.get("count"))
        a.bytes = std::uint64_t{positive(*n, "count")} * size_of(a.type);
      if (t.contains("size")) {
        if (a.bytes)
          fail(t, fmt::format("buffer '{}' has a count and a size", a.name),
               "give 'count' (elements) or 'size' (bytes), not both");
        a.bytes = bytes(t, "size", std::uint64_t{1} << 40);
      }
      a.file = text(t, "file");
      note_input(a.file);
      if (a.bytes == 0 && !a.file.empty()) {
        std::error_code none;
        a.bytes = std::filesystem::file_size(a.file, none);
        if (none)
          fail(t, fmt::format("cannot read '{}': {}", a.file, none.message()),
               "give the file's path from where you start warpmem");
      }
      if (a.bytes == 0)
        fail(t, fmt::format("buffer '{}' has no size", a.name),
             "add count = … (elements) or size = \"…\" (bytes)");
      const std::string fill = text(t, "fill");
      const std::vector<std::string> fills = {"zeros", "ramp", "random", "file"};
      if (fill == "ramp") a.fill = Argument::Fill::kRamp;
      else if (fill == "random") a.fill = Argument::Fill::kRandom;
      else if (fill == "file" || (fill.empty() && !a.file.empty())) a.fill = Argument::Fill::kFile;
      else if (!fill.empty() && fill != "zeros") {
        const std::string near = nearest(fill, fills);
        fail(*t.get("fill"), fmt::format("'{}' is not a way to fill a buffer", fill),
             near.empty() ? "write zeros, ramp, random or file" : "did you mean '" + near + "'?");
      }
      if (a.fill == Argument::Fill::kFile && a.file.empty())
        fail(t, fmt::format("buffer '{}' is filled from a file that is not named", a.name),
             "add file = \"…\", or write fill = \"zeros\"");
      if (const toml::node* n = t.get("seed")) a.seed = taken(toml_whole(*n, "seed", {}, path_));
      draws(t, a);
    }
    out_.arguments.push_back(std::move(a));
  }

  // What random numbers lie between; whole ones are below max.
  void draws(const toml::table& t, Argument& a) {
    const Limits limits = limits_of(a.type);
    a.low = real(t, "min", 0);
    a.high = real(t, "max", is_float(a.type) ? 1 : std::min(256.0, limits.most + 1));
    if (!(a.low < a.high))
      fail(t, fmt::format("min = {} is not less than max = {}", a.low, a.high),
           "give a larger max or a smaller min");
    const double most = is_float(a.type) ? limits.most : limits.most + 1;
    const auto fits = [&](const char* key, double v) {
      if (v < limits.least || v > most)
        fail(t.contains(key) ? *t.get(key) : static_cast<const toml::node&>(t),
             fmt::format("{} = {} does not fit .{}", key, v, name_of(a.type)),
             fmt::format("write a number from {} to {}, or another type", limits.least, most));
    };
    fits("min", a.low), fits("max", a.high);
  }

  void scalar(const toml::table& t, Argument& a, bool no_type) {
    if (const toml::node* n = t.get("bytes")) {  // a structure
      const std::string hex = text(t, "bytes");
      std::string digits;
      for (const char c : hex)
        if (c != ' ' && c != '_') digits += c;
      for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        char* end = nullptr;
        const std::string pair = digits.substr(i, 2);
        a.raw.push_back(static_cast<std::byte>(std::strtoul(pair.c_str(), &end, 16)));
        if (end != pair.c_str() + 2)
          fail(*n, fmt::format("'{}' is not a hexadecimal byte", pair),
               "write two of 0 to 9 and a to f for each byte, as bytes = \"00ff\"");
      }
      if (digits.size() % 2 || a.raw.empty())
        fail(*n, fmt::format("bytes = {} has {} digits", toml_shown(*n), digits.size()),
             "write two hexadecimal digits for each byte, as bytes = \"00ff\"");
      out_.arguments.push_back(std::move(a));
      return;
    }
    const toml::node* v = t.get("value");
    if (!v) fail(t, "an argument needs a value, or a buffer", "add value = … or buffer = \"…\"");
    if (!v->is_number() && !v->is_boolean())
      fail(*v, fmt::format("value = {} is not a number", toml_shown(*v)),
           "write a number without quotes, or bytes = \"…\" for a structure");
    if (no_type) fail(t, "an argument needs its type", "add type = \"u32\", \"f32\" …");
    const auto misfit = [&](auto least, auto most) {
      fail(*v, fmt::format("{} does not fit .{}", toml_shown(*v), name_of(a.type)),
           fmt::format("write a number from {} to {}, or another type", least, most));
    };
    if (is_float(a.type)) {
      const double d = *v->value<double>();
      const Limits limits = limits_of(a.type);
      if (std::isfinite(d) && (d < limits.least || d > limits.most))
        misfit(limits.least, limits.most);
      if (a.type == Type::kF64) a.bits = bits_as<std::uint64_t>(d);
      else if (a.type == Type::kF32) a.bits = bits_as<std::uint32_t>(static_cast<float>(d));
      else a.bits = a.type == Type::kF16 ? half_of(d) : bfloat_of(d);
    } else {
      if (v->is_floating_point())
        fail(*v,
             fmt::format("a .{} argument needs a whole number, not {}", name_of(a.type),
                         toml_shown(*v)),
             "leave the point out, or write type = \"f32\" or \"f64\"");
      const std::int64_t i = *v->value<std::int64_t>();
      const std::uint32_t n = size_of(a.type) * 8;
      if (n < 64)  // signed or not: the bits are the same
        if (const std::int64_t most = (std::int64_t{1} << n) - 1,
            least = -(std::int64_t{1} << (n - 1));
            i > most || i < least)
          misfit(least, most);
      a.bits = static_cast<std::uint64_t>(i);
    }
    out_.arguments.push_back(std::move(a));
  }

  const std::string& path_;
  LaunchFile& out_;
};

std::uint64_t next_random(std::uint64_t& state) {  // splitmix64
  state += 0x9E3779B97F4A7C15ull;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

void put_number(Type type, double value, std::byte* to) {
  std::uint64_t bits = 0;
  switch (type) {
    case Type::kF64: bits = bits_as<std::uint64_t>(value); break;
    case Type::kF32: bits = bits_as<std::uint32_t>(static_cast<float>(value)); break;
    case Type::kF16: bits = half_of(value); break;
    case Type::kBf16: bits = bfloat_of(value); break;
    default:
      bits = value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                       : static_cast<std::uint64_t>(value);
  }
  std::memcpy(to, &bits, size_of(type));
}

}  // namespace

Result<LaunchFile> parse_launch_file(const std::string& path, const std::string& text) {
  LaunchFile out;
  out.path = path;
  try {
    const toml::table root = toml::parse(text, path);
    Reader(path, out).run(root);
  } catch (const toml::parse_error& e) {
    return Error{
        ErrorKind::kUsage, std::string(e.description()),
        fmt::format("{}, line {}, column {}", path, e.source().begin.line, e.source().begin.column),
        "see docs/reference/launch-file.md for an example"};
  } catch (Bad& bad) {
    return std::move(bad.error);
  }
  return out;
}

Result<LaunchFile> read_launch_file(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none))
    return Error{ErrorKind::kUsage, "this is a folder, not a launch description", path,
                 "name a file in it; docs/reference/launch-file.md shows how to write one"};
  std::ifstream in = open_to_read(path);
  std::stringstream text;
  text << in.rdbuf();
  if (!in)
    return Error{ErrorKind::kUsage, "cannot read the launch description", path,
                 "write one as docs/reference/launch-file.md shows"};
  return parse_launch_file(path, text.str());
}

Result<void> check_limits(const LaunchFile& l, std::uint32_t static_shared,
                          const DeviceLimits& limits) {
  const auto bad = [&](const std::string& message, const std::string& fix) {
    return Error{ErrorKind::kUsage, message, l.path, fix};
  };
  constexpr char kAxis[] = "xyz";
  for (std::size_t i = 0; i < 3; ++i) {
    if (l.block[i] > limits.block[i])
      return bad(fmt::format("block.{} is {}: {} allows {}", kAxis[i], l.block[i], limits.name,
                             limits.block[i]),
                 "make the block smaller");
    if (l.grid[i] > limits.grid[i])
      return bad(fmt::format("grid.{} is {}: {} allows {}", kAxis[i], l.grid[i], limits.name,
                             limits.grid[i]),
                 "make the grid smaller");
    if (l.grid[i] % l.cluster[i])
      return bad(fmt::format("grid.{} is {}, not a multiple of the cluster's {}", kAxis[i],
                             l.grid[i], l.cluster[i]),
                 "make the grid a whole number of clusters");
  }
  const std::uint64_t threads = std::uint64_t{l.block[0]} * l.block[1] * l.block[2];
  if (threads > limits.block_threads)
    return bad(fmt::format("a block of {} threads: {} allows {}", threads, limits.name,
                           limits.block_threads),
               "make the block smaller");
  const std::uint64_t ctas = std::uint64_t{l.cluster[0]} * l.cluster[1] * l.cluster[2];
  if (ctas > limits.cluster_ctas)
    return bad(
        fmt::format("a cluster of {} CTAs: {} allows {}", ctas, limits.name, limits.cluster_ctas),
        "make the cluster smaller");
  const std::uint64_t shared = std::uint64_t{l.dynamic_shared} + static_shared;
  if (shared > limits.shared_bytes)
    return bad(fmt::format("{} of shared memory a block: {} allows {}", byte_size(shared),
                           limits.name, byte_size(limits.shared_bytes)),
               "ask for less dynamic_shared");
  return {};
}

Result<void> fill_buffer(const Argument& a, std::byte* to) {
  if (a.fill == Argument::Fill::kZeros) return {};
  if (a.fill == Argument::Fill::kFile) {
    std::ifstream in = open_to_read(a.file);
    in.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(a.bytes));
    if (in.gcount() == 0 || in.bad())
      return Error{ErrorKind::kUsage, fmt::format("cannot read '{}'", a.file), a.place,
                   "give the file's path from where you start warpmem"};
    if (static_cast<std::uint64_t>(in.gcount()) < a.bytes)
      return Error{ErrorKind::kUsage,
                   fmt::format("'{}' has {} bytes, the buffer {}", a.file, in.gcount(), a.bytes),
                   a.place, "make the buffer as large as the file"};
    return {};
  }
  const std::uint32_t step = size_of(a.type);
  std::uint64_t state = a.seed;
  for (std::uint64_t i = 0; (i + 1) * step <= a.bytes; ++i) {
    if (a.fill == Argument::Fill::kRamp) {
      if (is_float(a.type)) put_number(a.type, static_cast<double>(i), to + i * step);
      else std::memcpy(to + i * step, &i, step);
      continue;
    }
    const double unit = static_cast<double>(next_random(state) >> 11) * 0x1p-53;
    const double v = a.low + unit * (a.high - a.low);
    put_number(a.type, is_float(a.type) ? v : std::floor(v), to + i * step);
  }
  return {};
}

}  // namespace warpmem::emulate
