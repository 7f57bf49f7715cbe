// Special registers: what a thread can ask about itself and its launch.
#pragma once

#include <cstdint>
#include <string_view>

#include "emulate/ptx/types.hpp"

namespace warpmem::emulate {

enum class Special : std::uint32_t {
  kTidX, kTidY, kTidZ, kNtidX, kNtidY, kNtidZ, kCtaidX, kCtaidY, kCtaidZ, kNctaidX, kNctaidY, kNctaidZ,
  kLaneid, kWarpid, kNwarpid, kSmid, kNsmid, kGridid, kMaskEq, kMaskLe, kMaskLt, kMaskGe, kMaskGt,
  kClock, kClockHi, kClock64, kTimer, kTimerLo, kTimerHi,
  kClusterCtaidX, kClusterCtaidY, kClusterCtaidZ, kClusterNctaidX, kClusterNctaidY, kClusterNctaidZ,
  kClusteridX, kClusteridY, kClusteridZ, kNclusteridX, kNclusteridY, kNclusteridZ,
  kClusterCtarank, kClusterNctarank, kExplicitCluster, kDynamicShared, kTotalShared,
  kGridBarrier, kGridBarrierHi, kZero, kReserved, kReservedEnd, kAggregateShared
};

struct SpecialName {
  std::string_view name;
  Special what;
  Type type;
};
inline constexpr SpecialName kSpecialNames[] = {
    {"%tid.x", Special::kTidX, Type::kU32}, {"%tid.y", Special::kTidY, Type::kU32}, {"%tid.z", Special::kTidZ, Type::kU32},
    {"%ntid.x", Special::kNtidX, Type::kU32}, {"%ntid.y", Special::kNtidY, Type::kU32}, {"%ntid.z", Special::kNtidZ, Type::kU32},
    {"%ctaid.x", Special::kCtaidX, Type::kU32}, {"%ctaid.y", Special::kCtaidY, Type::kU32}, {"%ctaid.z", Special::kCtaidZ, Type::kU32},
    {"%nctaid.x", Special::kNctaidX, Type::kU32}, {"%nctaid.y", Special::kNctaidY, Type::kU32}, {"%nctaid.z", Special::kNctaidZ, Type::kU32},
    {"%laneid", Special::kLaneid, Type::kU32}, {"%warpid", Special::kWarpid, Type::kU32}, {"%nwarpid", Special::kNwarpid, Type::kU32},
    {"%smid", Special::kSmid, Type::kU32}, {"%nsmid", Special::kNsmid, Type::kU32}, {"%gridid", Special::kGridid, Type::kU64},
    {"%lanemask_eq", Special::kMaskEq, Type::kU32}, {"%lanemask_le", Special::kMaskLe, Type::kU32}, {"%lanemask_lt", Special::kMaskLt, Type::kU32},
    {"%lanemask_ge", Special::kMaskGe, Type::kU32}, {"%lanemask_gt", Special::kMaskGt, Type::kU32},
    {"%clock", Special::kClock, Type::kU32}, {"%clock_hi", Special::kClockHi, Type::kU32}, {"%clock64", Special::kClock64, Type::kU64},
    {"%globaltimer", Special::kTimer, Type::kU64}, {"%globaltimer_lo", Special::kTimerLo, Type::kU32}, {"%globaltimer_hi", Special::kTimerHi, Type::kU32},
    {"%cluster_ctaid.x", Special::kClusterCtaidX, Type::kU32}, {"%cluster_ctaid.y", Special::kClusterCtaidY, Type::kU32}, {"%cluster_ctaid.z", Special::kClusterCtaidZ, Type::kU32},
    {"%cluster_nctaid.x", Special::kClusterNctaidX, Type::kU32}, {"%cluster_nctaid.y", Special::kClusterNctaidY, Type::kU32}, {"%cluster_nctaid.z", Special::kClusterNctaidZ, Type::kU32},
    {"%clusterid.x", Special::kClusteridX, Type::kU32}, {"%clusterid.y", Special::kClusteridY, Type::kU32}, {"%clusterid.z", Special::kClusteridZ, Type::kU32},
    {"%nclusterid.x", Special::kNclusteridX, Type::kU32}, {"%nclusterid.y", Special::kNclusteridY, Type::kU32}, {"%nclusterid.z", Special::kNclusteridZ, Type::kU32},
    {"%cluster_ctarank", Special::kClusterCtarank, Type::kU32}, {"%cluster_nctarank", Special::kClusterNctarank, Type::kU32},
    {"%is_explicit_cluster", Special::kExplicitCluster, Type::kPred}, {"%dynamic_smem_size", Special::kDynamicShared, Type::kU32},
    {"%total_smem_size", Special::kTotalShared, Type::kU32}, {"%aggr_smem_size", Special::kAggregateShared, Type::kU32},
    // The driver's own registers: cooperative groups find the grid's barrier through the first two.
    {"%envreg1", Special::kGridBarrierHi, Type::kB32}, {"%envreg2", Special::kGridBarrier, Type::kB32}, {"%envreg0", Special::kZero, Type::kB32},
    {"%envreg3", Special::kZero, Type::kB32}, {"%envreg4", Special::kZero, Type::kB32}, {"%envreg5", Special::kZero, Type::kB32}, {"%envreg6", Special::kZero, Type::kB32},
    {"%pm0", Special::kZero, Type::kU32}, {"%pm1", Special::kZero, Type::kU32}, {"%pm2", Special::kZero, Type::kU32}, {"%pm3", Special::kZero, Type::kU32},
    // Shared memory that cooperative groups keep for themselves: behind the program's.
    {"%reserved_smem_offset_begin", Special::kReserved, Type::kB32}, {"%reserved_smem_offset_end", Special::kReservedEnd, Type::kB32},
    {"%reserved_smem_offset_cap", Special::kReservedEnd, Type::kB32}, {"%reserved_smem_offset_0", Special::kReserved, Type::kB32}, {"%reserved_smem_offset_1", Special::kReserved, Type::kB32}};

}  // namespace warpmem::emulate
