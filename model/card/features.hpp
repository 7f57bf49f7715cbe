// What GPUs of a compute capability have: 90 is 9.0.
#pragma once

namespace warpmem::model {

constexpr bool has_async_copies(unsigned capability) { return capability >= 80; }  // cp.async
// Of CTAs; with them came CPCs, and shared memory of other SMs.
constexpr bool has_clusters(unsigned capability) { return capability >= 90; }
constexpr bool has_bulk_copies(unsigned capability) { return capability >= 90; }  // cp.async.bulk

}  // namespace warpmem::model
