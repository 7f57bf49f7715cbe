// Every other name that NVIDIA's libraries for CUDA 12 and 13 export: a program that calls one
// learns which, instead of dying in the loader.
#include <fmt/format.h>

#include <cstdio>
#include <set>
#include <string>

#include "emulate/cudart/runtime.hpp"

namespace {

int not_emulated(const char* name) {
  using namespace warpmem::cudart;
  static std::set<std::string>* told = new std::set<std::string>;
  if (Runtime* r = runtime()) {
    const std::lock_guard lock(r->mutex);
    if (told->insert(name).second)
      std::fputs(
          fmt::format("warpmem: {} is not emulated: it returns cudaErrorNotSupported\n", name)
              .c_str(),
          stderr);
  }
  return remember(kNotSupported);
}

}  // namespace

#define WARPMEM_NOT_EMULATED(X)                         \
  X(__cudaGetProcAddress)                               \
  X(cudaArrayGetPlane)                                  \
  X(cudaArrayGetSparseProperties)                       \
  X(cudaDestroyExternalMemory)                          \
  X(cudaDestroyExternalSemaphore)                       \
  X(cudaDeviceFlushGPUDirectRDMAWrites)                 \
  X(cudaDeviceGetHostAtomicCapabilities)                \
  X(cudaDeviceGetNvSciSyncAttributes)                   \
  X(cudaDeviceGetP2PAtomicCapabilities)                 \
  X(cudaDeviceRegisterAsyncNotification)                \
  X(cudaDeviceSetGraphMemAttribute)                     \
  X(cudaDeviceUnregisterAsyncNotification)              \
  X(cudaEGLStreamConsumerAcquireFrame)                  \
  X(cudaEGLStreamConsumerConnect)                       \
  X(cudaEGLStreamConsumerConnectWithFlags)              \
  X(cudaEGLStreamConsumerDisconnect)                    \
  X(cudaEGLStreamConsumerReleaseFrame)                  \
  X(cudaEGLStreamProducerConnect)                       \
  X(cudaEGLStreamProducerDisconnect)                    \
  X(cudaEGLStreamProducerPresentFrame)                  \
  X(cudaEGLStreamProducerReturnFrame)                   \
  X(cudaEventCreateFromEGLSync)                         \
  X(cudaExternalMemoryGetMappedBuffer)                  \
  X(cudaExternalMemoryGetMappedMipmappedArray)          \
  X(cudaGLGetDevices)                                   \
  X(cudaGLMapBufferObject)                              \
  X(cudaGLMapBufferObjectAsync)                         \
  X(cudaGLRegisterBufferObject)                         \
  X(cudaGLSetBufferObjectMapFlags)                      \
  X(cudaGLSetGLDevice)                                  \
  X(cudaGLUnmapBufferObject)                            \
  X(cudaGLUnmapBufferObjectAsync)                       \
  X(cudaGLUnregisterBufferObject)                       \
  X(cudaGetDriverEntryPointByVersion_ptsz)              \
  X(cudaGetDriverEntryPoint_ptsz)                       \
  X(cudaGetExportTable)                                 \
  X(cudaGraphAddExternalSemaphoresSignalNode)           \
  X(cudaGraphAddExternalSemaphoresWaitNode)             \
  X(cudaGraphExecExternalSemaphoresSignalNodeSetParams) \
  X(cudaGraphExecExternalSemaphoresWaitNodeSetParams)   \
  X(cudaGraphExternalSemaphoresSignalNodeGetParams)     \
  X(cudaGraphExternalSemaphoresSignalNodeSetParams)     \
  X(cudaGraphExternalSemaphoresWaitNodeGetParams)       \
  X(cudaGraphExternalSemaphoresWaitNodeSetParams)       \
  X(cudaGraphicsEGLRegisterImage)                       \
  X(cudaGraphicsGLRegisterBuffer)                       \
  X(cudaGraphicsGLRegisterImage)                        \
  X(cudaGraphicsMapResources)                           \
  X(cudaGraphicsResourceGetMappedEglFrame)              \
  X(cudaGraphicsResourceGetMappedMipmappedArray)        \
  X(cudaGraphicsResourceGetMappedPointer)               \
  X(cudaGraphicsResourceSetMapFlags)                    \
  X(cudaGraphicsSubResourceGetMappedArray)              \
  X(cudaGraphicsUnmapResources)                         \
  X(cudaGraphicsUnregisterResource)                     \
  X(cudaGraphicsVDPAURegisterOutputSurface)             \
  X(cudaGraphicsVDPAURegisterVideoSurface)              \
  X(cudaImportExternalMemory)                           \
  X(cudaImportExternalSemaphore)                        \
  X(cudaIpcCloseMemHandle)                              \
  X(cudaIpcGetEventHandle)                              \
  X(cudaIpcGetMemHandle)                                \
  X(cudaIpcOpenEventHandle)                             \
  X(cudaIpcOpenMemHandle)                               \
  X(cudaLaunchCooperativeKernelMultiDevice)             \
  X(cudaLibraryGetUnifiedFunction)                      \
  X(cudaLogsCurrent)                                    \
  X(cudaLogsDumpToFile)                                 \
  X(cudaLogsDumpToMemory)                               \
  X(cudaLogsRegisterCallback)                           \
  X(cudaLogsUnregisterCallback)                         \
  X(cudaMemDiscardAndPrefetchBatchAsync)                \
  X(cudaMemDiscardAndPrefetchBatchAsync_ptsz)           \
  X(cudaMemDiscardBatchAsync)                           \
  X(cudaMemDiscardBatchAsync_ptsz)                      \
  X(cudaMemGetDefaultMemPool)                           \
  X(cudaMemGetMemPool)                                  \
  X(cudaMemPoolExportPointer)                           \
  X(cudaMemPoolExportToShareableHandle)                 \
  X(cudaMemPoolImportFromShareableHandle)               \
  X(cudaMemPoolImportPointer)                           \
  X(cudaMemPrefetchBatchAsync)                          \
  X(cudaMemPrefetchBatchAsync_ptsz)                     \
  X(cudaMemSetMemPool)                                  \
  X(cudaMemcpy3DBatchAsync)                             \
  X(cudaMemcpy3DBatchAsync_ptsz)                        \
  X(cudaMemcpyArrayToArray)                             \
  X(cudaMemcpyArrayToArray_ptds)                        \
  X(cudaMipmappedArrayGetMemoryRequirements)            \
  X(cudaMipmappedArrayGetSparseProperties)              \
  X(cudaSetDoubleForDevice)                             \
  X(cudaSetDoubleForHost)                               \
  X(cudaSignalExternalSemaphoresAsync)                  \
  X(cudaSignalExternalSemaphoresAsync_ptsz)             \
  X(cudaSignalExternalSemaphoresAsync_v2)               \
  X(cudaSignalExternalSemaphoresAsync_v2_ptsz)          \
  X(cudaVDPAUGetDevice)                                 \
  X(cudaVDPAUSetVDPAUDevice)                            \
  X(cudaWaitExternalSemaphoresAsync)                    \
  X(cudaWaitExternalSemaphoresAsync_ptsz)               \
  X(cudaWaitExternalSemaphoresAsync_v2)                 \
  X(cudaWaitExternalSemaphoresAsync_v2_ptsz)

#define WARPMEM_REFUSE(name) \
  extern "C" int name() { return not_emulated(#name); }
WARPMEM_NOT_EMULATED(WARPMEM_REFUSE)
