// The CUDA runtime's binary interface, as far as programs meet it: sizes, offsets and numbers of
// what crosses it. NVIDIA's headers are not needed to build this;
// tests/emulate/runtime/abi_check.cpp holds it against them where they are installed. CUDA 12 and
// 13 agree on all of this; where they differ (device properties, a few parameter lists) the files
// named *_12 and *_13 have it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpmem::cudart {

struct Dim {
  unsigned x, y, z;
};

// Opaque handles: what they point to is ours.
struct Stream;
struct Event;
struct Array;
struct MipmappedArray;
struct Graph;
struct GraphNode;
struct GraphExec;
struct Pool;
struct UserObject;
struct Function;

enum ChannelKind : int {
  kChannelSigned = 0,
  kChannelUnsigned = 1,
  kChannelFloat = 2,
  kChannelNone = 3
};

struct ChannelFormat {  // bits of each channel
  int x, y, z, w;
  ChannelKind kind;
};
struct PitchedPointer {
  void* pointer;
  std::size_t pitch, xsize, ysize;  // bytes, bytes, rows
};
struct Extent {
  std::size_t width, height, depth;
};
struct Position {
  std::size_t x, y, z;
};

enum CopyKind : int { kHostToHost, kHostToDevice, kDeviceToHost, kDeviceToDevice, kCopyDefault };

struct Copy3D {
  Array* source_array;
  Position source_position;
  PitchedPointer source;
  Array* target_array;
  Position target_position;
  PitchedPointer target;
  Extent extent;
  CopyKind kind;
};
struct Copy3DPeer {
  Array* source_array;
  Position source_position;
  PitchedPointer source;
  int source_device;
  Array* target_array;
  Position target_position;
  PitchedPointer target;
  int target_device;
  Extent extent;
};
struct CopyNodeParams {
  int flags;
  int reserved[3];
  Copy3D copy;
};
struct SetParams {
  void* target;
  std::size_t pitch;
  unsigned value;
  unsigned element_bytes;
  std::size_t width, height;  // elements, rows
};
using HostFunction = void (*)(void*);
struct HostParams {
  HostFunction function;
  void* data;
};

struct MemoryLocation {
  int type, id;
};
struct PoolProperties {
  int allocation_type, handle_types;
  MemoryLocation location;
  void* security;
  std::size_t max_bytes;
  unsigned short usage;
  unsigned char reserved[54];
};
struct AccessDescription {
  MemoryLocation location;
  int flags;
};
struct AllocParams {
  PoolProperties pool;
  const AccessDescription* access;
  std::size_t access_count, bytes;
  void* pointer;
};

struct KernelParams {
  void* function;
  Dim grid, block;
  unsigned shared_bytes;
  void** arguments;
  void** extra;
};

enum NodeType : int {
  kNodeKernel = 0,
  kNodeCopy = 1,
  kNodeSet = 2,
  kNodeHost = 3,
  kNodeGraph = 4,
  kNodeEmpty = 5,
  kNodeWaitEvent = 6,
  kNodeRecordEvent = 7,
  kNodeAlloc = 10,
  kNodeFree = 11,
  kNodeConditional = 13
};
struct ConditionalParams {
  unsigned long long handle;
  int type;
  unsigned size;
  Graph** bodies;  // out
};
struct NodeParams {
  NodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    KernelParams kernel;
    CopyNodeParams copy;
    SetParams set;
    HostParams host;
    struct {
      Graph* graph;
      int ownership;
    } child;
    struct {
      Event* event;
    } event;
    AllocParams alloc;
    struct {
      void* pointer;
    } free;
    ConditionalParams conditional;
  };
  long long reserved2;
};
struct EdgeData {
  unsigned char from_port, to_port, type, reserved[5];
};
struct InstantiateParams {
  unsigned long long flags;
  Stream* upload;
  GraphNode* error_node;
  int result;
};
struct UpdateResult {
  int result;
  GraphNode* error_node;
  GraphNode* error_from;
};

struct AccessPolicyWindow {
  void* base;
  std::size_t bytes;
  float hit_ratio;
  int hit, miss;
};
enum AttributeId : int {
  kAttributeWindow = 1,
  kAttributeCooperative = 2,
  kAttributeSync = 3,
  kAttributeCluster = 4,
  kAttributeClusterPolicy = 5,
  kAttributeSerialization = 6,
  kAttributeProgrammaticEvent = 7,
  kAttributePriority = 8,
  kAttributePreferredCluster = 11,
  kAttributeCompletionEvent = 12,
  kAttributeCarveout = 14
};
union AttributeValue {
  char pad[64];
  AccessPolicyWindow window;
  int number;  // cooperative, sync policy, priority, carve-out …
  Dim cluster;
  struct {
    Event* event;
    int flags, trigger_at_start;
  } event;
};
struct Attribute {
  AttributeId id;
  char pad[4];
  AttributeValue value;
};
struct LaunchConfig {
  Dim grid, block;
  std::size_t shared_bytes;
  Stream* stream;
  Attribute* attributes;
  unsigned attribute_count;
};

struct FunctionAttributes {
  std::size_t shared_bytes, const_bytes, local_bytes;
  int max_threads, registers, ptx_version, binary_version, cache_mode_ca, max_dynamic_shared,
      carveout;
  int cluster_must_be_set, cluster_width, cluster_height, cluster_depth, cluster_policy,
      cluster_nonportable;
  int reserved[16];
};
struct PointerAttributes {
  int type, device;  // 0 unregistered, 1 host, 2 device, 3 managed
  void* device_pointer;
  void* host_pointer;
  long reserved[8];
};

enum ResourceType : int { kResourceArray, kResourceMipmap, kResourceLinear, kResourcePitch2D };
struct ResourceDescription {
  ResourceType type;
  union {
    Array* array;
    MipmappedArray* mipmap;
    struct {
      void* pointer;
      ChannelFormat format;
      std::size_t bytes;
    } linear;
    struct {
      void* pointer;
      ChannelFormat format;
      std::size_t width, height, pitch;
    } pitch2d;
    int reserved[32];
  };
  unsigned flags;
};
struct TextureDescription {
  int address_mode[3];
  int filter, read_mode, srgb;
  float border[4];
  int normalised_coordinates;
  unsigned max_anisotropy;
  int mipmap_filter;
  float mipmap_bias, mipmap_min, mipmap_max;
  int no_trilinear_optimisation, seamless_cubemap;
};
struct ResourceView {
  int format;
  std::size_t width, height, depth;
  unsigned first_level, last_level, first_layer, last_layer;
  unsigned reserved[16];
};

struct FatBinaryWrapper {
  int magic;    // 0x466243b1
  int version;  // 1; 2: linked, `linked` lists the fat binaries that went in
  const unsigned char* data;
  const unsigned char* const* linked;
};

// Flags that programs pass.
constexpr unsigned kHostAllocMapped = 2, kArrayLayered = 1, kArraySurface = 2, kArrayCubemap = 4;
// Streams that are numbers: the legacy default stream (also null) and the per-thread one.
inline Stream* legacy_stream() { return reinterpret_cast<Stream*>(1); }
inline Stream* thread_stream() { return reinterpret_cast<Stream*>(2); }

}  // namespace warpmem::cudart
