// The emulated runtime through its entry points, as a program calls them. One process, one runtime:
// tests that break it reset the device.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "api_support.hpp"

namespace warpmem::cudart {
namespace {

struct Registered {
  Registered() { register_kernels(WARPMEM_TEST_KERNELS); }
};
const Registered kRegistered;

TEST_CASE("a kernel computes, and constants and variables are the program's") {
  const std::vector<float> in = ramp(1000);
  std::vector<float> out(1000);
  float *a = device_array<float>(1000), *b = device_array<float>(1000);
  CHECK(cudaMemcpy(a, in.data(), 4000, kHostToDevice) == 0);
  CHECK(launch_scale(b, a, 1000) == 0);
  CHECK(cudaMemcpy(out.data(), b, 4000, kDeviceToHost) == 0);
  CHECK(out[999] == 1998.0f);
  const float three = 3;
  CHECK(cudaMemcpyToSymbol(&factor, &three, 4, 0, kHostToDevice) == 0);
  CHECK(launch_scale(b, a, 1000) == 0);
  CHECK(cudaMemcpy(out.data(), b, 4000, kDeviceToHost) == 0);
  CHECK(out[999] == 2997.0f);
  const float two = 2;
  CHECK(cudaMemcpyToSymbol(&factor, &two, 4, 0, kHostToDevice) == 0);
  std::size_t bytes = 0;
  CHECK(cudaGetSymbolSize(&bytes, &counter) == 0);
  CHECK(bytes == 4);
  CHECK(cudaMemcpyToSymbol(&factor, &two, 4, 1, kHostToDevice) == kInvalidValue);
  CHECK(cudaMemcpyToSymbol(&two, &two, 4, 0, kHostToDevice) == kInvalidSymbol);
  CHECK(cudaFree(a) == 0);
  CHECK(cudaFree(b) == 0);
  CHECK(cudaFree(b) == kInvalidValue);
  static_cast<void>(cudaGetLastError());
}

TEST_CASE("a kernel launches kernels: they run when it has ended, with all of theirs, tails last") {
  int* log = device_array<int>(32);
  const std::vector<int> start{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7};
  CHECK(cudaMemcpy(log, start.data(), start.size() * 4, kHostToDevice) == 0);
  int depth = 2;
  void* arguments[] = {&log, &depth};
  CHECK(cudaLaunchKernel(&launcher, {1, 1, 1}, {1, 1, 1}, arguments, 0, nullptr) == 0);
  CHECK(cudaDeviceSynchronize() == 0);
  std::vector<int> out(21);
  CHECK(cudaMemcpy(out.data(), log, out.size() * 4, kDeviceToHost) == 0);
  CHECK(std::vector<int>(out.begin(), out.begin() + 9) ==
        std::vector<int>{8, 12, 11, 10, 0, 1, 99, 2, 99});
  CHECK(out[20] == 0);
  void* just[] = {&log};
  CHECK(cudaLaunchKernel(&too_large, {1, 1, 1}, {1, 1, 1}, just, 0, nullptr) == 0);
  CHECK(cudaMemcpy(out.data(), log, 12, kDeviceToHost) == 0);
  CHECK(out[0] == kInvalidConfiguration);
  CHECK(out[1] == kInvalidConfiguration);
  CHECK(out[2] == 0);
  CHECK(cudaFree(log) == 0);
}

TEST_CASE("managed, pinned and registered memory is the host's and the kernel's") {
  void *managed = nullptr, *pinned = nullptr;
  CHECK(cudaMallocManaged(&managed, 256, 1) == 0);
  CHECK(cudaMallocHost(&pinned, 256) == 0);
  std::vector<float> own(64);
  CHECK(cudaHostRegister(own.data(), 256, 0) == 0);
  for (int i = 0; i < 64; ++i) static_cast<float*>(managed)[i] = static_cast<float>(i);
  CHECK(launch_scale(static_cast<float*>(pinned), static_cast<float*>(managed), 64) == 0);
  CHECK(launch_scale(own.data(), static_cast<float*>(pinned), 64) == 0);
  CHECK(cudaDeviceSynchronize() == 0);
  CHECK(own[63] == 252.0f);
  PointerAttributes attributes{};
  CHECK(cudaPointerGetAttributes(&attributes, managed) == 0);
  CHECK(attributes.type == 3);
  CHECK(cudaPointerGetAttributes(&attributes, pinned) == 0);
  CHECK(attributes.type == 1);
  CHECK(cudaHostUnregister(own.data()) == 0);
  CHECK(cudaPointerGetAttributes(&attributes, own.data()) == 0);
  CHECK(attributes.type == 0);
  CHECK(cudaFree(pinned) == kInvalidValue);
  CHECK(cudaFreeHost(pinned) == 0);
  CHECK(cudaFree(managed) == 0);
  static_cast<void>(cudaGetLastError());
}

TEST_CASE("copies with a pitch, in three dimensions, and to arrays move the right bytes") {
  void* pitched = nullptr;
  std::size_t pitch = 0;
  CHECK(cudaMallocPitch(&pitched, &pitch, 100, 7) == 0);
  CHECK(pitch % 512 == 0);
  std::vector<unsigned char> in(700), out(700);
  std::iota(in.begin(), in.end(), static_cast<unsigned char>(0));
  CHECK(cudaMemcpy2D(pitched, pitch, in.data(), 100, 100, 7, kHostToDevice) == 0);
  CHECK(cudaMemcpy2D(out.data(), 100, pitched, pitch, 100, 7, kDeviceToHost) == 0);
  CHECK(in == out);
  CHECK(cudaMemset2D(pitched, pitch, 9, 3, 7) == 0);
  CHECK(cudaMemcpy2D(out.data(), 100, pitched, pitch, 100, 7, kDeviceToHost) == 0);
  CHECK(out[602] == 9);
  CHECK(out[603] == in[603]);
  CHECK(cudaMemset(pitched, 0, pitch * 7 + 1) == kInvalidValue);

  PitchedPointer volume{};
  CHECK(cudaMalloc3D(&volume, {10, 5, 4}) == 0);
  std::vector<unsigned char> cube(200), back(200);
  std::iota(cube.begin(), cube.end(), static_cast<unsigned char>(3));
  Copy3D up{};
  up.source = {cube.data(), 10, 10, 5}, up.target = volume, up.extent = {10, 5, 4},
  up.kind = kHostToDevice;
  CHECK(cudaMemcpy3D(&up) == 0);
  Copy3D down{};
  down.source = volume, down.target = {back.data(), 10, 10, 5}, down.extent = {10, 5, 4},
  down.kind = kDeviceToHost;
  CHECK(cudaMemcpy3D(&down) == 0);
  CHECK(cube == back);

  Array* array = nullptr;
  const ChannelFormat format{32, 0, 0, 0, kChannelFloat};
  CHECK(cudaMallocArray(&array, &format, 16, 8, 0) == 0);
  const std::vector<float> texels = ramp(128);
  std::vector<float> read(128);
  CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), 64, 64, 8, kHostToDevice) == 0);
  CHECK(cudaMemcpy2DFromArray(read.data(), 32, array, 32, 4, 32, 4, kDeviceToHost) == 0);
  CHECK(read[0] == 72.0f);
  CHECK(read[31] == 127.0f);
  CHECK(cudaMemcpy2DToArray(array, 4, 0, texels.data(), 64, 64, 8, kHostToDevice) == kInvalidValue);
  ResourceDescription resource{};
  resource.type = kResourceArray, resource.array = array;
  TextureDescription sampling{};
  unsigned long long texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr) == 0);
  CHECK(texture != 0);
  CHECK(cudaDestroyTextureObject(texture) == 0);
  CHECK(cudaDestroyTextureObject(texture) == kInvalidValue);
  CHECK(cudaFreeArray(array) == 0);
  CHECK(cudaFree(volume.pointer) == 0);
  CHECK(cudaFree(pitched) == 0);
  static_cast<void>(cudaGetLastError());
}

TEST_CASE("launches that CUDA 13 refuses are refused with its codes") {
  CHECK(cudaLaunchKernel(&count, {1, 1, 1}, {1025, 1, 1}, nullptr, 0, nullptr) == kInvalidValue);
  CHECK(cudaLaunchKernel(&count, {0, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr) == kInvalidValue);
  CHECK(cudaLaunchKernel(&count, {1, 65536, 1}, {32, 1, 1}, nullptr, 0, nullptr) == kInvalidValue);
  CHECK(cudaLaunchKernel(&at_most_64, {1, 1, 1}, {65, 1, 1}, nullptr, 0, nullptr) == kInvalidValue);
  CHECK(cudaLaunchKernel(&count, {1, 1, 1}, {32, 1, 1}, nullptr, 49153, nullptr) == kInvalidValue);
  CHECK(cudaFuncSetAttribute(&count, 8, 65536) == 0);
  CHECK(cudaLaunchKernel(&count, {1, 1, 1}, {32, 1, 1}, nullptr, 65536, nullptr) == 0);
  CHECK(cudaLaunchKernel(&kRegistered, {1, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr) ==
        kInvalidDeviceFunction);
  // vmad.shr7 is refused where PTX runs; ptxas makes other instructions of it.
  const bool machine_code = std::string_view(std::getenv("WARPMEM_EMULATE_LEVEL")) == "sass";
  CHECK(cudaLaunchKernel(&unknown, {1, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr) ==
        (machine_code ? 0 : kInvalidPtx));
  CHECK(cudaLaunchCooperativeKernel(&count, {1 << 20, 1, 1}, {1024, 1, 1}, nullptr, 0, nullptr) ==
        kCooperativeLaunchTooLarge);
  Attribute cluster{};
  cluster.id = kAttributeCluster, cluster.value.cluster = {4, 1, 1};
  LaunchConfig config{{6, 1, 1}, {32, 1, 1}, 0, nullptr, &cluster, 1};
  CHECK(cudaLaunchKernelExC(&config, &count, nullptr) == kInvalidClusterSize);
  cluster.value.cluster.x = 16, config.grid.x = 16;
  CHECK(cudaLaunchKernelExC(&config, &count, nullptr) == kInvalidClusterSize);
  cluster.value.cluster.x = 4;
  config.grid.x = 8;
  CHECK(cudaLaunchKernelExC(&config, &count, nullptr) == 0);
  CHECK(cudaPeekAtLastError() == kInvalidClusterSize);
  CHECK(cudaGetLastError() == kInvalidClusterSize);
  CHECK(cudaGetLastError() == 0);
}

TEST_CASE("a stray access is sticky until the device is reset") {
  int* freed = device_array<int>(4);
  CHECK(cudaFree(freed) == 0);
  void* wild = nullptr;
  void* arguments[] = {&wild};
  for (auto [address, code] :
       {std::pair<void*, int>{nullptr, kIllegalAddress}, {freed, kIllegalAddress}}) {
    wild = address;
    CHECK(cudaLaunchKernel(&stray, {1, 1, 1}, {32, 1, 1}, arguments, 0, nullptr) == 0);
    CHECK(cudaPeekAtLastError() == 0);  // nobody has waited for it yet
    CHECK(cudaGetLastError() == 0);
    CHECK(cudaDeviceSynchronize() == code);
    CHECK(cudaGetLastError() == code);
    CHECK(cudaGetLastError() == 0);
    void* p = nullptr;
    CHECK(cudaMalloc(&p, 4) == code);
    CHECK(cudaPeekAtLastError() == code);
    int device = 7;
    CHECK(cudaGetDevice(&device) == 0);
    CHECK(device == 0);
    CHECK(cudaSetDevice(0) == 0);
    CHECK(cudaStreamSynchronize(nullptr) == code);
    CHECK(cudaDeviceReset() == 0);
    CHECK(cudaGetLastError() == 0);
  }
  char* bytes = device_array<char>(64);
  wild = bytes + 1;
  CHECK(cudaLaunchKernel(&stray, {1, 1, 1}, {32, 1, 1}, arguments, 0, nullptr) == 0);
  CHECK(cudaDeviceSynchronize() == kMisalignedAddress);
  CHECK(cudaDeviceReset() == 0);
}

TEST_CASE("a kernel that never ends is stopped by the limit") {
  CHECK(cudaLaunchKernel(&spin, {1, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr) == 0);
  CHECK(cudaDeviceSynchronize() == kTimeout);
  CHECK(cudaDeviceReset() == 0);
}

TEST_CASE("events tell a time that is the same in every run") {
  float* a = device_array<float>(1 << 20);
  Event *begin = nullptr, *end = nullptr;
  CHECK(cudaEventCreate(&begin) == 0);
  CHECK(cudaEventCreate(&end) == 0);
  Event* flagged = nullptr;
  for (unsigned flags = 0; flags < 9; ++flags)  // for other processes only without a time
    CHECK((cudaEventCreateWithFlags(&flagged, flags) == 0) ==
          (flags < 4 || flags == 6 || flags == 7));
  static_cast<void>(cudaGetLastError());
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, begin, end) == kInvalidResourceHandle);  // not recorded
  float times[2];
  for (float& t : times) {
    CHECK(cudaEventRecord(begin, nullptr) == 0);
    CHECK(launch_scale(a, a, 1 << 20) == 0);
    CHECK(cudaEventRecord(end, nullptr) == 0);
    CHECK(cudaEventSynchronize(end) == 0);
    CHECK(cudaEventElapsedTime(&t, begin, end) == 0);
  }
  CHECK(times[0] > 0);
  CHECK(times[0] == Approx(times[1]).epsilon(0.01));
  CHECK(cudaFree(a) == 0);
  static_cast<void>(cudaGetLastError());
}

TEST_CASE("copies take the link's time, from pinned memory less than from pageable") {
  constexpr std::size_t kBytes = 8 << 20;
  float* device = device_array<float>(kBytes / 4);
  void* pinned = nullptr;
  CHECK(cudaMallocHost(&pinned, kBytes) == 0);
  std::vector<std::byte> pageable(kBytes);
  Event *begin = nullptr, *end = nullptr;
  CHECK(cudaEventCreate(&begin) == 0);
  CHECK(cudaEventCreate(&end) == 0);
  const auto milliseconds = [&](const void* from) {
    float ms = 0;
    CHECK(cudaEventRecord(begin, nullptr) == 0);
    CHECK(cudaMemcpyAsync(device, from, kBytes, kHostToDevice, nullptr) == 0);
    CHECK(cudaEventRecord(end, nullptr) == 0);
    CHECK(cudaEventElapsedTime(&ms, begin, end) == kNotReady);  // nobody has waited for it
    CHECK(cudaEventSynchronize(end) == 0);
    CHECK(cudaEventElapsedTime(&ms, begin, end) == 0);
    return ms;
  };
  CHECK(milliseconds(pinned) == Approx(kBytes / 55e6 + 0.0043).epsilon(0.01));
  CHECK(milliseconds(pageable.data()) > 3 * kBytes / 55e6);
  static_cast<void>(cudaGetLastError());
  CHECK(cudaFreeHost(pinned) == 0);
  CHECK(cudaFree(device) == 0);
}

TEST_CASE("copies of two streams overlap where their directions differ") {
  constexpr std::size_t kBytes = 8 << 20;
  float* device = device_array<float>(kBytes / 2);
  void* host = nullptr;
  CHECK(cudaMallocHost(&host, 2 * kBytes) == 0);
  Stream* streams[2];
  for (Stream*& s : streams) CHECK(cudaStreamCreate(&s) == 0);
  Event *begin = nullptr, *end = nullptr, *other = nullptr;
  for (Event** e : {&begin, &end, &other}) CHECK(cudaEventCreate(e) == 0);
  auto* const bytes = static_cast<std::byte*>(host);
  const auto milliseconds = [&](bool both_ways) {
    CHECK(cudaDeviceSynchronize() == 0);
    CHECK(cudaEventRecord(begin, streams[0]) == 0);
    CHECK(cudaMemcpyAsync(device, bytes, kBytes, kHostToDevice, streams[0]) == 0);
    if (both_ways)
      CHECK(cudaMemcpyAsync(bytes + kBytes, device + kBytes / 4, kBytes, kDeviceToHost,
                            streams[1]) == 0);
    else
      CHECK(cudaMemcpyAsync(device + kBytes / 4, bytes + kBytes, kBytes, kHostToDevice,
                            streams[1]) == 0);
    CHECK(cudaEventRecord(other, streams[1]) == 0);
    CHECK(cudaStreamWaitEvent(streams[0], other, 0) == 0);
    CHECK(cudaEventRecord(end, streams[0]) == 0);
    CHECK(cudaEventSynchronize(end) == 0);
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end) == 0);
    return ms;
  };
  CHECK(milliseconds(true) < 0.6f * milliseconds(false));
  CHECK(milliseconds(false) > 2 * kBytes / 55e6);
  CHECK(cudaFreeHost(host) == 0);
  CHECK(cudaFree(device) == 0);
}

TEST_CASE("host functions run in their turn and may wait for other threads") {
  static int order = 0;
  order = 0;
  const std::uint32_t before = counted();
  static std::uint32_t seen;
  CHECK(cudaLaunchKernel(&count, {1, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr) == 0);
  CHECK(cudaLaunchHostFunc(
            nullptr, [](void* data) { ++*static_cast<int*>(data); }, &order) == 0);
  seen = counted();
  CHECK(order == 1);
  CHECK(seen == before + 32);
}

TEST_CASE("stream-ordered memory, memory info and the device's limits hold together") {
  std::size_t before = 0, during = 0, total = 0;
  CHECK(cudaMemGetInfo(&before, &total) == 0);
  void* p = nullptr;
  CHECK(cudaMallocAsync(&p, 1 << 20, nullptr) == 0);
  CHECK(cudaMemGetInfo(&during, &total) == 0);
  CHECK(before - during == 1 << 20);
  CHECK(cudaFreeAsync(p, nullptr) == 0);
  CHECK(cudaMemGetInfo(&during, &total) == 0);
  CHECK(before == during);
  CHECK(cudaMalloc(&p, total + 1) == 2);
  CHECK(std::string(cudaGetErrorName(cudaGetLastError())) == "cudaErrorMemoryAllocation");
  CHECK(std::string(cudaGetErrorString(700)) == "an illegal memory access was encountered");
  int ctas = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, &count, 1024, 0) == 0);
  CHECK(ctas == 2);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, &count, 32, 0) == 0);
  CHECK(ctas == 32);
  int sms = 0;
  CHECK(cudaDeviceGetAttribute(&sms, 16, 0) == 0);
  CHECK(sms == 132);
  CHECK(cudaSetDevice(1) == kInvalidDevice);
  FunctionAttributes attributes{};
  CHECK(cudaFuncGetAttributes(&attributes, &at_most_64) == 0);
  CHECK(attributes.max_threads == 64);
  static_cast<void>(cudaGetLastError());
}

TEST_CASE("what a program says of managed memory is what it is told") {
  void* p = nullptr;
  REQUIRE(cudaMallocManaged(&p, 8192, 1) == 0);
  const MemoryLocation gpu{1, 0}, host{2, 0};
  const auto asked = [&](int which) {
    int value = -77;
    CHECK(cudaMemRangeGetAttribute(&value, 4, which, p, 8192) == 0);
    return value;
  };
  CHECK((asked(1) == 0 && asked(2) == -2 && asked(4) == -2));
  CHECK(cudaMemAdvise(p, 8192, 1, gpu) == 0);
  CHECK(cudaMemAdvise(p, 8192, 3, host) == 0);
  CHECK(cudaMemAdvise(p, 8192, 5, gpu) == 0);
  CHECK(cudaMemPrefetchAsync(p, 8192, gpu, 0, nullptr) == 0);
  CHECK((asked(1) == 1 && asked(2) == -1 && asked(4) == 0));
  int users[3];
  CHECK(cudaMemRangeGetAttribute(users, sizeof users, 3, p, 8192) == 0);
  CHECK((users[0] == 0 && users[1] == -2 && users[2] == -2));
  CHECK(cudaMemAdvise(p, 8192, 2, gpu) == 0);
  CHECK(asked(1) == 0);
  CHECK(cudaMemAdvise(p, 8192, 7, gpu) == kInvalidValue);
  CHECK(cudaFreeAsync(p, nullptr) == kNotSupported);
  CHECK(cudaFree(p) == 0);
  static_cast<void>(cudaGetLastError());
}

TEST_CASE("a prefetch of managed memory takes the link's time, once") {
  constexpr std::size_t kBytes = 64 << 20;
  void* p = nullptr;
  REQUIRE(cudaMallocManaged(&p, kBytes, 1) == 0);
  Event *begin = nullptr, *end = nullptr;
  CHECK(cudaEventCreate(&begin) == 0);
  CHECK(cudaEventCreate(&end) == 0);
  const MemoryLocation gpu{1, 0};
  const auto milliseconds = [&] {
    float ms = 0;
    CHECK(cudaEventRecord(begin, nullptr) == 0);
    CHECK(cudaMemPrefetchAsync(p, kBytes, gpu, 0, nullptr) == 0);
    CHECK(cudaEventRecord(end, nullptr) == 0);
    CHECK(cudaEventSynchronize(end) == 0);
    CHECK(cudaEventElapsedTime(&ms, begin, end) == 0);
    return ms;
  };
  CHECK(milliseconds() > kBytes / 55e6);  // 32 blocks, each a copy
  CHECK(milliseconds() < 0.01f);          // it is there
  CHECK(cudaMemPrefetchAsync(p, kBytes + 1, gpu, 0, nullptr) == kInvalidValue);
  CHECK(cudaFree(p) == 0);
  static_cast<void>(cudaGetLastError());
}

TEST_CASE("a carve-out decides how many CTAs there is shared memory for") {
  int ctas = 0;
  std::size_t bytes = 0;
  const auto resident = [&](std::size_t shared) {
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, &at_most_64, 64, shared) == 0);
    return ctas;
  };
  const auto room = [&](int n) {
    const int code = cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &at_most_64, n, 64);
    return code == 0 ? static_cast<int>(bytes) : -code;
  };
  // As an H200 (driver 580, CUDA 13) says of a kernel without shared memory of its own.
  const int percent[] = {-1, 0, 10, 25, 50, 75, 100};
  const int of_8000[] = {25, 1, 3, 7, 14, 22, 25}, of_1000[] = {32, 4, 16, 32, 32, 32, 32};
  const int for_8[] = {29184, 1024, 4096, 8192, 16896, 25088, 29184};
  for (int i = 0; i < 7; ++i) {
    CHECK(cudaFuncSetAttribute(&at_most_64, 9, percent[i]) == 0);
    CHECK(resident(8000) == of_8000[i]);
    CHECK(resident(1000) == of_1000[i]);
    CHECK(room(8) == for_8[i]);
    CHECK(room(1) == 49152);
  }
  CHECK(cudaFuncSetAttribute(&at_most_64, 9, 0) == 0);
  CHECK(room(16) == -kInvalidValue);
  CHECK(cudaFuncSetAttribute(&at_most_64, 9, -1) == 0);
  CHECK(cudaFuncSetCacheConfig(&at_most_64, 2) == 0);  // L1
  CHECK(resident(0) == 8);
  CHECK(cudaFuncSetCacheConfig(&at_most_64, 3) == 0);  // both alike
  CHECK(resident(12000) == 10);
  CHECK(cudaFuncSetCacheConfig(&at_most_64, 0) == 0);
  CHECK(resident(0) == 32);
  static_cast<void>(cudaGetLastError());
}

TEST_CASE("memory that is allocated beside a capture ends it, unless the thread says it may") {
  Stream* stream = nullptr;
  Graph* graph = nullptr;
  void* p = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == 0);
  CHECK(cudaStreamBeginCapture(stream, 0) == 0);
  CHECK(cudaMalloc(&p, 4) == kCaptureUnsupported);
  CHECK(cudaStreamEndCapture(stream, &graph) == kCaptureInvalidated);
  CHECK(cudaStreamBeginCapture(stream, 0) == 0);
  int mode = 2;
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode) == 0);
  CHECK(cudaMalloc(&p, 4) == 0);
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode) == 0);
  CHECK(cudaStreamEndCapture(stream, &graph) == 0);
  CHECK(cudaGraphDestroy(graph) == 0);
  CHECK(cudaFree(p) == 0);
  CHECK(cudaStreamDestroy(stream) == 0);
  static_cast<void>(cudaGetLastError());
}

TEST_CASE("a batch of copies is done, and the GPU is nobody's peer") {
  std::vector<int> in{1, 2, 3, 4}, out(4);
  int* device = device_array<int>(4);
  void *to[] = {device, device + 2}, *from[] = {in.data(), in.data() + 2};
  const std::size_t bytes[] = {8, 8};
  CHECK(cudaMemcpyBatchAsync(to, from, bytes, 2, nullptr, nullptr, 0, nullptr) == 0);
  CHECK(cudaMemcpy(out.data(), device, 16, kDeviceToHost) == 0);
  CHECK(out == in);
  CHECK(cudaMemcpyBatchAsync(to, from, bytes, 0, nullptr, nullptr, 0, nullptr) == kInvalidValue);
  CHECK(cudaFree(device) == 0);
  CHECK(cudaDeviceEnablePeerAccess(0, 0) == kPeerAccessUnsupported);
  CHECK(cudaDeviceEnablePeerAccess(1, 0) == kInvalidDevice);
  static_cast<void>(cudaGetLastError());
}

TEST_CASE("PTX that a program loads while it runs has kernels to launch") {
  const std::string ptx = read_text(WARPMEM_TEST_KERNELS);
  void *library = nullptr, *kernel = nullptr;
  CHECK(cudaLibraryLoadData(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0) == 0);
  CHECK(cudaLibraryGetKernel(&kernel, library, "count") == 0);
  const std::uint32_t before = counted();
  CHECK(cudaLaunchKernel(kernel, {1, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr) == 0);
  CHECK(cudaDeviceSynchronize() == 0);
  CHECK(counted() == before);  // a library has variables of its own
  CHECK(cudaLibraryGetKernel(&kernel, library, "nobody") == 500);
  static_cast<void>(cudaGetLastError());
}

TEST_CASE("a call that is not emulated says so and fails") {
  char handle[64];
  CHECK(cudaIpcGetMemHandle(handle, nullptr) == kNotSupported);
  static_cast<void>(cudaGetLastError());
}

}  // namespace
}  // namespace warpmem::cudart
