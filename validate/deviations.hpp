// Known deviations between the model and hardware: an error that is understood, or at least
// bounded, does not fail a validation, and one that has gone is reported so that its entry goes
// too. The list is validate/deviations.toml, built into the program; DEVIATIONS.md tells the
// causes.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpmem::validate {

struct Deviation {
  std::string id;        // its heading in DEVIATIONS.md
  std::string reason;    // one sentence
  double max_error = 0;  // largest symmetric error it covers, 2 covers everything
};

class DeviationList {
 public:
  // TOML text with [[deviation]] tables: id, kernel, metric (regular expressions that must match
  // the whole name), reason, max_error; optional run and gpu. Unknown keys are errors.
  static Result<DeviationList> parse(std::string_view toml, const std::string& place);
  // The list that ships with this build.
  static const DeviationList& shipped();
  DeviationList();
  ~DeviationList();
  DeviationList(DeviationList&&) noexcept;
  DeviationList& operator=(DeviationList&&) noexcept;

  const std::vector<Deviation>& entries() const;
  // The first entry that names this comparison, whatever its error.
  std::optional<std::size_t> find(std::string_view gpu, std::string_view run,
                                  std::string_view kernel, std::string_view metric) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpmem::validate
