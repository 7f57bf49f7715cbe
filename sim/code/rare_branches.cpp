#include "sim/code/rare_branches.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/code/static_values.hpp"

namespace warpmem::sim {
namespace {

// What SASS compares with: FCHK asks whether a division is one of these, and the numbers are the
// smallest of full precision.
constexpr std::array<std::string_view, 5> kSigns = {"INF", "NAN", "FCHK", "1.175494350822287",
                                                    "2.225073858507201"};

}  // namespace

std::vector<bool> rare_branches(const trace::Program& program, const std::vector<CodeLine>& code) {
  constexpr std::size_t kBehind = 40;  // lines: the comparison stands a little before its branch
  std::vector<bool> out(code.size(), false);
  std::vector<StaticLine> lines;
  for (const trace::Instruction& i : program.code) lines.push_back(take_apart(i.text));
  for (std::size_t i = 0; i < code.size() && i < lines.size(); ++i) {
    if (code[i].target < 0 || lines[i].guard == kNoRegister) continue;
    for (std::size_t j = i; j-- > 0 && i - j <= kBehind;) {
      const std::vector<StaticRegister>& writes = lines[j].writes;
      if (std::find(writes.begin(), writes.end(), lines[i].guard) == writes.end()) continue;
      out[i] = std::any_of(kSigns.begin(), kSigns.end(), [&](std::string_view s) {
        return program.code[j].text.find(s) != std::string::npos;
      });
      break;
    }
  }
  return out;
}

}  // namespace warpmem::sim
