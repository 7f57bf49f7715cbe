// The access rules, a row each (policy/table.hpp).
#pragma once

#define WARPMEM_ACCESS_RULES(ROW)            \
  ROW(half_warp_strict, kHalfWarpStrict)     \
  ROW(half_warp_segments, kHalfWarpSegments) \
  ROW(lines_or_segments, kLinesOrSegments)   \
  ROW(sub_requests, kSubRequests)            \
  ROW(sectors, kSectors)
