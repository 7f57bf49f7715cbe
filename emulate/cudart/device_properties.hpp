// cudaDeviceProp, field by field: a program reads it at fixed offsets. Names follow NVIDIA's
// documentation of the structure so that the two can be held side by side.
#pragma once

#include <cstddef>

namespace warpmem::cudart {

struct DeviceProperties13 {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luid_node_mask;
  std::size_t total_global_mem, shared_mem_per_block;
  int regs_per_block, warp_size;
  std::size_t mem_pitch;
  int max_threads_per_block, max_threads_dim[3], max_grid_size[3];
  std::size_t total_const_mem;
  int major, minor;
  std::size_t texture_alignment, texture_pitch_alignment;
  int multi_processor_count, integrated, can_map_host_memory;
  int max_texture_1d, max_texture_1d_mipmap, max_texture_2d[2], max_texture_2d_mipmap[2],
      max_texture_2d_linear[3];
  int max_texture_2d_gather[2], max_texture_3d[3], max_texture_3d_alt[3], max_texture_cubemap;
  int max_texture_1d_layered[2], max_texture_2d_layered[3], max_texture_cubemap_layered[2];
  int max_surface_1d, max_surface_2d[2], max_surface_3d[3], max_surface_1d_layered[2],
      max_surface_2d_layered[3];
  int max_surface_cubemap, max_surface_cubemap_layered[2];
  std::size_t surface_alignment;
  int concurrent_kernels, ecc_enabled, pci_bus_id, pci_device_id, pci_domain_id, tcc_driver,
      async_engine_count;
  int unified_addressing, memory_bus_width, l2_cache_size, persisting_l2_cache_max_size,
      max_threads_per_multi_processor;
  int stream_priorities_supported, global_l1_cache_supported, local_l1_cache_supported;
  std::size_t shared_mem_per_multiprocessor;
  int regs_per_multiprocessor, managed_memory, is_multi_gpu_board, multi_gpu_board_group_id,
      host_native_atomic_supported;
  int pageable_memory_access, concurrent_managed_access, compute_preemption_supported,
      can_use_host_pointer_for_registered_mem;
  int cooperative_launch;
  std::size_t shared_mem_per_block_optin;
  int pageable_memory_access_uses_host_page_tables, direct_managed_mem_access_from_host,
      max_blocks_per_multi_processor;
  int access_policy_max_window_size;
  std::size_t reserved_shared_mem_per_block;
  int host_register_supported, sparse_cuda_array_supported, host_register_read_only_supported;
  int timeline_semaphore_interop_supported, memory_pools_supported, gpu_direct_rdma_supported;
  unsigned gpu_direct_rdma_flush_writes_options;
  int gpu_direct_rdma_writes_ordering;
  unsigned memory_pool_supported_handle_types;
  int deferred_mapping_cuda_array_supported, ipc_event_supported, cluster_launch,
      unified_function_pointers;
  int device_numa_config, device_numa_id, mps_enabled, host_numa_id;
  unsigned gpu_pci_device_id, gpu_pci_subsystem_id;
  int host_numa_multinode_ipc_supported;
  int reserved[56];
};

struct DeviceProperties12 {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luid_node_mask;
  std::size_t total_global_mem, shared_mem_per_block;
  int regs_per_block, warp_size;
  std::size_t mem_pitch;
  int max_threads_per_block, max_threads_dim[3], max_grid_size[3], clock_rate;
  std::size_t total_const_mem;
  int major, minor;
  std::size_t texture_alignment, texture_pitch_alignment;
  int device_overlap, multi_processor_count, kernel_exec_timeout_enabled, integrated,
      can_map_host_memory, compute_mode;
  int max_texture_1d, max_texture_1d_mipmap, max_texture_1d_linear, max_texture_2d[2],
      max_texture_2d_mipmap[2], max_texture_2d_linear[3];
  int max_texture_2d_gather[2], max_texture_3d[3], max_texture_3d_alt[3], max_texture_cubemap;
  int max_texture_1d_layered[2], max_texture_2d_layered[3], max_texture_cubemap_layered[2];
  int max_surface_1d, max_surface_2d[2], max_surface_3d[3], max_surface_1d_layered[2],
      max_surface_2d_layered[3];
  int max_surface_cubemap, max_surface_cubemap_layered[2];
  std::size_t surface_alignment;
  int concurrent_kernels, ecc_enabled, pci_bus_id, pci_device_id, pci_domain_id, tcc_driver,
      async_engine_count;
  int unified_addressing, memory_clock_rate, memory_bus_width, l2_cache_size,
      persisting_l2_cache_max_size, max_threads_per_multi_processor;
  int stream_priorities_supported, global_l1_cache_supported, local_l1_cache_supported;
  std::size_t shared_mem_per_multiprocessor;
  int regs_per_multiprocessor, managed_memory, is_multi_gpu_board, multi_gpu_board_group_id,
      host_native_atomic_supported;
  int single_to_double_perf_ratio;
  int pageable_memory_access, concurrent_managed_access, compute_preemption_supported,
      can_use_host_pointer_for_registered_mem;
  int cooperative_launch, cooperative_multi_device_launch;
  std::size_t shared_mem_per_block_optin;
  int pageable_memory_access_uses_host_page_tables, direct_managed_mem_access_from_host,
      max_blocks_per_multi_processor;
  int access_policy_max_window_size;
  std::size_t reserved_shared_mem_per_block;
  int host_register_supported, sparse_cuda_array_supported, host_register_read_only_supported;
  int timeline_semaphore_interop_supported, memory_pools_supported, gpu_direct_rdma_supported;
  unsigned gpu_direct_rdma_flush_writes_options;
  int gpu_direct_rdma_writes_ordering;
  unsigned memory_pool_supported_handle_types;
  int deferred_mapping_cuda_array_supported, ipc_event_supported, cluster_launch,
      unified_function_pointers;
  int reserved[63];
};

}  // namespace warpmem::cudart
