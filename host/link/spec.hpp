// A GPU's link to its host, and what each step of a program costs there. Rates are bytes a
// nanosecond (GB/s), times nanoseconds.
#pragma once

namespace warpmem::host {

struct LinkSpec {
  double wire = 0;       // what the lanes carry in one direction: nothing is ever faster
  double to_device = 0;  // large copies from pinned memory
  double to_host = 0;    // ... to pinned memory
  double both = 0;       // both directions together
  double engines = 0;    // 1: copies of both directions take turns; 0: and with kernels

  // Pageable memory is copied to and from a pinned buffer by the host, piece by piece: the first
  // host_near bytes of a copy from its near cache, then up to host_cache, then from its memory.
  double pageable_to_device = 0, pageable_mid = 0, pageable_far = 0;
  double host_near = 0, host_cache = 0;
  double pageable_to_host = 0;
  double staging = 0;              // bytes of a piece
  double inline_bytes = 0;         // up to which a copy to the GPU lets the host go on
  double pageable_to_host_ns = 0;  // of a copy to the host beyond copy_to_host_ns

  double copy_to_device_ns = 0, copy_to_host_ns = 0;  // that a copy takes beside its bytes
  double turn_ns = 0;      // more, if the engine's copy before was of another stream
  double device_ns = 0;    // that a copy or a fill within the GPU takes beside its bytes
  double device_copy = 0;  // bytes copied within the GPU's memory
  double fill = 0;         // bytes set

  double kernel_ns = 0;  // of a kernel's time, before its first CTA: others run meanwhile
  double mark_ns = 0;    // that an event takes in its stream
  double change_ns = 0;  // from the end of a step to one elsewhere that follows it
  double call_ns = 0, launch_ns = 0;  // that a call takes the host; a kernel's launch
  double submit_ns = 0;               // from the end of the call to the GPU
  double wake_ns = 0;                 // from the end of a step to the host that waits for it
};

}  // namespace warpmem::host
