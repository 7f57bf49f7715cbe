// The knee of a curve: where more brings little. Kneedle (Satopaa, Albrecht, Irwin and Raghavan,
// "Finding a «Kneedle» in a Haystack", ICDCS workshops 2011), offline, without smoothing.
//
// The curve is put into a square; the distance from its diagonal has a maximum at a knee, which
// counts when the distance then falls by `sensitivity` mean steps of x before it rises again.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace warpmem::sweep {

// The index of the knee with the largest distance; nothing where the curve has none. `x` ascends.
std::optional<std::size_t> knee(std::span<const double> x, std::span<const double> y,
                                double sensitivity = 1);

}  // namespace warpmem::sweep
