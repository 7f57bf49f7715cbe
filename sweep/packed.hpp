// What a sweep keeps, as bytes: the same sweep has the same ones. Its file is known by their hash,
// and the points of an unfinished sweep are kept in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sweep/plan.hpp"

namespace warpmem::sweep {

// Identity, axes, traces, metrics, the number of points; in the order of names where there is none.
std::string packed(const Plan& plan);
std::string packed(const SweepPoint& point);
// Nothing where the bytes are none.
std::optional<Plan> unpacked_plan(std::string_view bytes);
std::optional<SweepPoint> unpacked_point(std::string_view bytes);

std::uint64_t hash_of_bytes(std::string_view bytes);
// Of a plan and all points that are kept of it, in their order.
std::uint64_t hash_of_sweep(const Plan& plan, const std::vector<SweepPoint>& points);

}  // namespace warpmem::sweep
