// Every form on the emulator against what an H200 gave (README.md beside this file).
#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/emulate/hardware/results.hpp"
#include "tests/emulate/hardware/run_form.hpp"

using namespace warpmem::emulate::hardware;

namespace {

std::string shown(const Form& form, std::uint32_t i) {
  std::string text = fmt::format("{}, case {}: operands", form.name, i);
  for (std::uint32_t o = 0; o < form.operands.size(); ++o)
    text += fmt::format(" {:#x}", operand(form, o)[i]);
  return text;
}

}  // namespace

TEST_CASE(
    "every instruction form gives bit for bit what an H200 gave, approximations within their "
    "bands") {
  const Results results = read_results(WARPMEM_INSTRUCTION_RESULTS);
  REQUIRE(results.gpu.find("H200") != std::string::npos);
  REQUIRE(forms().size() > 1900);
  for (std::uint32_t k = 0; k < forms().size(); ++k) {
    const Form& form = forms()[k];
    const auto got = run_form(k);
    if (form.refused) {
      CHECK(!got.ok());
      if (!got)
        CHECK(got.error().text().find(form.name.substr(0, form.name.find_first_of(". "))) !=
              std::string::npos);
      continue;
    }
    if (!got) {
      FAIL_CHECK(form.name << ": " << got.error().text());
      continue;
    }
    const FormResults& hardware = results.forms[k];
    for (std::uint32_t i = 0; i < hardware.kept.size(); ++i)
      if (!agrees(form, (*got)[i], hardware.kept[i])) {
        FAIL_CHECK(shown(form, i) << fmt::format(" gave {:#x}; the H200 gave {:#x}", (*got)[i],
                                                 hardware.kept[i]));
        break;
      }
    for (std::uint32_t g = 0; g < hardware.hashes.size(); ++g) {
      const std::uint32_t first = kKept + g * kGroup;
      if (hash_of(&(*got)[first], kGroup) == hardware.hashes[g]) continue;
      FAIL_CHECK(form.name << fmt::format(": one of the cases {} to {} is not what the H200 gave",
                                          first, first + kGroup - 1));
      break;
    }
  }
}
