// Holds our words for CUDA's structures against NVIDIA's headers, where they are installed.
// Compiles or does not: there is nothing to run.
#include <cuda_runtime_api.h>

#include <cstddef>

#include "emulate/cudart/abi.hpp"
#include "emulate/cudart/device_properties.hpp"
#include "emulate/cudart/errors.hpp"

using namespace warpmem::cudart;

#define SAME_SIZE(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs))
#define SAME_PLACE(ours, our_field, theirs, their_field) \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field))

SAME_SIZE(Dim, dim3);
SAME_SIZE(ChannelFormat, cudaChannelFormatDesc);
SAME_SIZE(PitchedPointer, cudaPitchedPtr);
SAME_SIZE(Extent, cudaExtent);
SAME_SIZE(Position, cudaPos);
SAME_SIZE(Copy3D, cudaMemcpy3DParms);
SAME_PLACE(Copy3D, kind, cudaMemcpy3DParms, kind);
SAME_PLACE(Copy3D, target, cudaMemcpy3DParms, dstPtr);
SAME_SIZE(Copy3DPeer, cudaMemcpy3DPeerParms);
SAME_PLACE(Copy3DPeer, extent, cudaMemcpy3DPeerParms, extent);
SAME_SIZE(CopyNodeParams, cudaMemcpyNodeParams);
SAME_SIZE(SetParams, cudaMemsetParams);
SAME_SIZE(HostParams, cudaHostNodeParams);
SAME_SIZE(PoolProperties, cudaMemPoolProps);
SAME_SIZE(AccessDescription, cudaMemAccessDesc);
SAME_SIZE(AllocParams, cudaMemAllocNodeParams);
SAME_PLACE(AllocParams, pointer, cudaMemAllocNodeParams, dptr);
SAME_SIZE(KernelParams, cudaKernelNodeParams);
SAME_PLACE(KernelParams, arguments, cudaKernelNodeParams, kernelParams);
SAME_SIZE(NodeParams, cudaGraphNodeParams);
SAME_PLACE(NodeParams, kernel, cudaGraphNodeParams, kernel);
SAME_SIZE(ConditionalParams, cudaConditionalNodeParams);
SAME_PLACE(ConditionalParams, bodies, cudaConditionalNodeParams, phGraph_out);
SAME_PLACE(NodeParams, conditional, cudaGraphNodeParams, conditional);
SAME_SIZE(EdgeData, cudaGraphEdgeData);
SAME_SIZE(InstantiateParams, cudaGraphInstantiateParams);
SAME_SIZE(UpdateResult, cudaGraphExecUpdateResultInfo);
SAME_SIZE(AccessPolicyWindow, cudaAccessPolicyWindow);
SAME_SIZE(AttributeValue, cudaLaunchAttributeValue);
SAME_SIZE(Attribute, cudaLaunchAttribute);
SAME_PLACE(Attribute, value, cudaLaunchAttribute, val);
SAME_SIZE(LaunchConfig, cudaLaunchConfig_t);
SAME_PLACE(LaunchConfig, attributes, cudaLaunchConfig_t, attrs);
SAME_SIZE(FunctionAttributes, cudaFuncAttributes);
SAME_PLACE(FunctionAttributes, max_dynamic_shared, cudaFuncAttributes, maxDynamicSharedSizeBytes);
SAME_PLACE(FunctionAttributes, cluster_nonportable, cudaFuncAttributes,
           nonPortableClusterSizeAllowed);
SAME_PLACE(PointerAttributes, host_pointer, cudaPointerAttributes, hostPointer);
SAME_PLACE(ResourceDescription, linear.bytes, cudaResourceDesc, res.linear.sizeInBytes);
SAME_PLACE(ResourceDescription, pitch2d.pitch, cudaResourceDesc, res.pitch2D.pitchInBytes);
SAME_SIZE(TextureDescription, cudaTextureDesc);
SAME_PLACE(TextureDescription, normalised_coordinates, cudaTextureDesc, normalizedCoords);
SAME_PLACE(TextureDescription, mipmap_max, cudaTextureDesc, maxMipmapLevelClamp);
SAME_PLACE(ResourceView, first_layer, cudaResourceViewDesc, firstLayer);
static_assert(kAttributeCluster == static_cast<int>(cudaLaunchAttributeClusterDimension));
static_assert(kAttributeCarveout ==
              static_cast<int>(cudaLaunchAttributePreferredSharedMemoryCarveout));
static_assert(kCooperativeLaunchTooLarge == static_cast<int>(cudaErrorCooperativeLaunchTooLarge));
static_assert(kInvalidClusterSize == static_cast<int>(cudaErrorInvalidClusterSize));
static_assert(kUnsupportedLimit == static_cast<int>(cudaErrorUnsupportedLimit));
static_assert(kPeerAccessUnsupported == static_cast<int>(cudaErrorPeerAccessUnsupported));
static_assert(kInvalidChannelDescriptor == static_cast<int>(cudaErrorInvalidChannelDescriptor));
static_assert(kCaptureImplicit == static_cast<int>(cudaErrorStreamCaptureImplicit));
static_assert(kCaptureUnjoined == static_cast<int>(cudaErrorStreamCaptureUnjoined));

#if CUDART_VERSION >= 13000
using Properties = DeviceProperties13;
SAME_SIZE(ResourceDescription, cudaResourceDesc);
SAME_SIZE(PointerAttributes, cudaPointerAttributes);
SAME_SIZE(ResourceView, cudaResourceViewDesc);
#else
using Properties = DeviceProperties12;
#endif
SAME_SIZE(Properties, cudaDeviceProp);
SAME_PLACE(Properties, total_global_mem, cudaDeviceProp, totalGlobalMem);
SAME_PLACE(Properties, major, cudaDeviceProp, major);
SAME_PLACE(Properties, multi_processor_count, cudaDeviceProp, multiProcessorCount);
SAME_PLACE(Properties, max_texture_2d_layered, cudaDeviceProp, maxTexture2DLayered);
SAME_PLACE(Properties, surface_alignment, cudaDeviceProp, surfaceAlignment);
SAME_PLACE(Properties, l2_cache_size, cudaDeviceProp, l2CacheSize);
SAME_PLACE(Properties, shared_mem_per_multiprocessor, cudaDeviceProp, sharedMemPerMultiprocessor);
SAME_PLACE(Properties, cooperative_launch, cudaDeviceProp, cooperativeLaunch);
SAME_PLACE(Properties, shared_mem_per_block_optin, cudaDeviceProp, sharedMemPerBlockOptin);
SAME_PLACE(Properties, reserved_shared_mem_per_block, cudaDeviceProp, reservedSharedMemPerBlock);
SAME_PLACE(Properties, cluster_launch, cudaDeviceProp, clusterLaunch);
