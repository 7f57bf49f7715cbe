#include "tests/emulate/hardware/machine_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "binary/disassembly/disassembly.hpp"
#include "emulate/sass/machine_kernel.hpp"
#include "tests/emulate/hardware/run_form.hpp"

namespace warpmem::emulate::hardware {
namespace {

// The PTX of these forms, and on which line each of them begins.
struct Batch {
  std::string text;
  std::map<std::size_t, std::uint32_t> begins;
};

Batch batch_of(const std::vector<std::uint32_t>& numbers, std::uint32_t cc) {
  // 8.7 is the first version that knows sm_120.
  Batch b{fmt::format(".version 8.7\n.target sm_{}\n.address_size 64\n", cc), {}};
  for (const std::uint32_t k : numbers) {
    b.begins[1 + static_cast<std::size_t>(std::ranges::count(b.text, '\n'))] = k;
    b.text += kernel_of(k);
  }
  return b;
}

// Whose lines ptxas complains about: "ptxas /tmp/x, line 37; error   : …".
std::set<std::uint32_t> refused_in(const Batch& batch, const std::string& said) {
  std::set<std::uint32_t> out;
  constexpr std::string_view kLine = ", line ";
  for (std::size_t at = said.find(kLine); at != said.npos; at = said.find(kLine, at + 1)) {
    const std::size_t end = said.find('\n', at), error = said.find("error", at);
    if (error == said.npos || error > end) continue;
    const auto line = std::strtoul(said.c_str() + at + kLine.size(), nullptr, 10);
    const auto next = batch.begins.upper_bound(line);
    if (next != batch.begins.begin()) out.insert(std::prev(next)->second);
  }
  return out;
}

void run_all(const Toolkit& toolkit, const Cubin& image, const std::vector<std::uint32_t>& numbers,
             std::map<std::uint32_t, MachineForm>& out, Error& error) {
  const auto failed = [&](const Error& e) { error = e; };
  auto contents = read_cubin(image, "forms.cubin");
  if (!contents) return failed(contents.error());
  auto memory = Memory::create(std::uint64_t{1} << 30);
  if (!memory) return failed(memory.error());
  auto loaded = LoadedModule::load(module_of(*contents, "forms.cubin"), *memory);
  if (!loaded) return failed(loaded.error());
  std::vector<std::uint32_t> symbols;
  for (const record::CubinFunction& f : contents->cubin.functions)
    if (f.kernel) symbols.push_back(f.symbol);
  auto listing = record::disassemble(toolkit.nvdisasm, image, symbols);
  if (!listing) return failed(listing.error());
  for (const std::uint32_t k : numbers) {
    MachineForm& form = out[k];
    auto kernel =
        build_machine_kernel(**loaded, *contents, image, "k" + std::to_string(k), *listing);
    if (!kernel) {
      form.why = kernel.error().text();
      continue;
    }
    auto results = launch_form(forms()[k], **kernel, *memory);
    if (results) form.results = std::move(*results);
    else form.why = results.error().text();
  }
}

}  // namespace

Result<std::map<std::uint32_t, MachineForm>> run_machine_forms(const Toolkit& toolkit,
                                                               std::uint32_t cc,
                                                               std::vector<std::uint32_t> numbers) {
  std::map<std::uint32_t, MachineForm> out;
  // ptxas stops at the first kinds of mistakes and tells the others when those are gone.
  while (!numbers.empty()) {
    const Batch batch = batch_of(numbers, cc);
    auto said = try_assembling(toolkit.ptxas, batch.text, fmt::format("sm_{}", cc), {});
    if (!said) return said.error();
    if (said->good) {
      Error error;
      run_all(toolkit, said->code, numbers, out, error);
      if (!error.message.empty()) return error;
      break;
    }
    const std::set<std::uint32_t> refused = refused_in(batch, said->text);
    if (refused.empty()) return Error{ErrorKind::kEnvironment, said->text, toolkit.ptxas, ""};
    for (const std::uint32_t k : refused) {
      out[k].no_such = true;
      std::erase(numbers, k);
    }
  }
  return out;
}

}  // namespace warpmem::emulate::hardware
