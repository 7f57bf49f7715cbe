// Turns what a profiler prints in a cell into a number in base units: byte, sector, inst, cycle,
// ns, hz, %. Profilers scale for the eye ("1.05", "Mbyte") and write numbers the way the machine's
// locale does; a comparison needs neither.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpmem::validate {

// value_in_base = value_as_printed * factor
struct UnitScale {
  double factor = 1;
  std::string base;  // "byte", "ns", "byte/s", …; the text itself when it is not a known unit
  bool known = true;
};

// Decimal prefixes (Kbyte = 1000 byte), as Nsight Compute scales; binary ones are "Kibyte".
UnitScale unit_scale(std::string_view printed);

// How one file writes numbers. The same text means two things: "1.234" is 1.234 or 1234.
enum class NumberStyle {
  kPoint,  // 1,234,567.89
  kComma,  // 1.234.567,89
};

// What one text says about its file's style; nullopt when it fits both ("1234", "1,234").
std::optional<NumberStyle> style_evidence(std::string_view text);

struct ParsedNumber {
  std::optional<double> value;
  std::string missing;     // why there is no value: "the profiler printed n/a", "empty cell"
  bool text = false;       // not a number and not a known way of saying there is none
  bool no_result = false;  // nan and the like: the profiler tried to, and came to nothing
};

// Accepts thousands separators (131,072; 1,31,072 as in India; 131'072, 131’072 and 131 072),
// exponents, a leading "(!) ", and a trailing "(…)" of instances.
ParsedNumber parse_number(std::string_view text, NumberStyle style);

}  // namespace warpmem::validate
