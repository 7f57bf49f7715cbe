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
  std::string id;      // its heading in DEVIATIONS.md
  std::string reason;  // one sentence
  // The largest errors that it covers (Comparison::judged): the model up to so much above the GPU's
  // count, and up to so much below. A count below cannot be more than 1 off, so that `below` is
  // less: every bound can be exceeded.
  double above = 0, below = 0;
  std::string of{};  // the metric whose count on the GPU the error is a share of; empty: the one
                     // that it is about
  bool covers(double error) const { return error <= above && error >= -below; }
};

class DeviationList {
 public:
  // TOML text with [[deviation]] tables: id, kernel, metric (regular expressions that must match
  // the whole name), reason, max_error; optional max_below, of, run and gpu. Unknown keys are
  // errors.
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
