// Every form from the machine code that ptxas makes of it, against the executor of PTX. Needs ptxas
// and nvdisasm. WARPMEM_FORMS_CC names compute capabilities ("80 90"); the quick tests take a tenth
// of the forms for 9.0, `./check --nightly` all of them for all.
#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/emulate/hardware/machine_forms.hpp"
#include "tests/emulate/hardware/run_form.hpp"

using namespace warpmem::emulate;
using namespace warpmem::emulate::hardware;

namespace {

constexpr std::uint32_t kBatch = 200;  // forms that ptxas compiles at once

struct Wanted {
  std::vector<std::uint32_t> capabilities;
  std::uint32_t each;  // how many forms one of them stands for
};

Wanted wanted() {
  if (const char* named = std::getenv("WARPMEM_FORMS_CC")) {
    Wanted w{{}, 1};
    std::istringstream words(named);
    for (std::uint32_t cc = 0; words >> cc;) w.capabilities.push_back(cc);
    return w;
  }
  if (std::getenv("WARPMEM_THOROUGH")) return {{75, 80, 86, 89, 90, 100, 120}, 1};
  return {{90}, 10};
}

// What 10.0 and later make products of single bits with; nobody says what it does.
constexpr std::string_view kNotThere = "MOVM.U4TO8.M832";

// What differs first, in words; empty: nothing.
std::string difference(std::uint32_t k, const MachineForm& machine) {
  const Form& form = forms()[k];
  if (!machine.results) return machine.why;
  const auto ptx = run_form(k);
  if (!ptx) return form.refused ? "" : ptx.error().text();
  for (std::uint32_t i = 0; i < kCases; ++i) {
    const std::uint64_t got = (*machine.results)[i], expected = (*ptx)[i];
    if (agrees(form, got, expected)) continue;
    std::string text = fmt::format("case {}: operands", i);
    for (std::uint32_t o = 0; o < form.operands.size(); ++o)
      text += fmt::format(" {:#x}", operand(form, o)[i]);
    return text + fmt::format(" gave {:#x}, from PTX {:#x}", got, expected);
  }
  return "";
}

}  // namespace

TEST_CASE("every form gives from its machine code what it gives from PTX", "[machine]") {
  const Toolkit toolkit = find_toolkit();
  if (!toolkit.complete()) {
    WARN("no ptxas or no nvdisasm: no form was run from its machine code");
    return;
  }
  const Wanted want = wanted();
  for (const std::uint32_t cc : want.capabilities) {
    std::uint32_t ran = 0, none = 0, differ = 0;
    for (std::uint32_t next = 0; next < forms().size();) {
      std::vector<std::uint32_t> numbers;
      for (; next < forms().size() && numbers.size() < kBatch; next += want.each)
        numbers.push_back(next);
      const auto batch = run_machine_forms(toolkit, cc, numbers);
      INFO((batch ? std::string() : batch.error().text()));
      REQUIRE(batch.ok());
      for (const auto& [k, machine] : *batch) {
        if (machine.no_such || machine.why.find(kNotThere) != std::string::npos) {
          ++none;
          continue;
        }
        const std::string what = difference(k, machine);
        ++ran, differ += !what.empty();
        if (!what.empty())
          FAIL_CHECK(fmt::format("{} on {}.{}: {}", forms()[k].name, cc / 10, cc % 10, what));
      }
    }
    CHECK(ran > 100);
    fmt::print("{}.{}: {} forms, {} differ, {} it has not\n", cc / 10, cc % 10, ran, differ, none);
  }
}
