#include "emulate/cudart/device.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "emulate/cudart/device_properties.hpp"

namespace warpmem::cudart {
namespace {

static_assert(sizeof(DeviceProperties13) == kPropertiesBytes13);
static_assert(sizeof(DeviceProperties12) == kPropertiesBytes12);

// Texture limits of compute capability 7.5 and later (CUDA programming guide, technical
// specifications).
constexpr int kT1 = 131072, kT2h = 65536, kT3 = 16384, kCube = 32768, kLayers = 2048,
              kCubeLayers = 2046;

constexpr char kUuid[] = "warpmem emulated";

struct Known {
  int id;
  int value;
};

// cudaDeviceAttr's as compute capability 7.0 and later have them.
constexpr Known kAlike[] = {
    {1, 1024},     {2, 1024},         {3, 1024},         {4, 64},       {5, 2147483647},
    {6, 65535},    {7, 65535},        {9, 65536},        {10, 32},      {11, 2147483647},
    {14, 512},     {15, 1},           {17, 0},           {18, 0},       {19, 1},
    {20, 0},       {21, kT1},         {22, kT1},         {23, kT2h},    {24, kT3},
    {25, kT3},     {26, kT3},         {27, kCube},       {28, kCube},   {29, kLayers},
    {30, 512},     {31, 1},           {33, 0},           {34, 0},       {35, 0},
    {41, 1},       {42, kCube},       {43, kLayers},     {45, kCube},   {46, kCube},
    {47, kT3 / 2}, {48, kT3 / 2},     {49, kT3 * 2},     {50, 0},       {51, 32},
    {52, kCube},   {53, kCube},       {54, kCubeLayers}, {55, kCube},   {56, kT1},
    {57, kT2h},    {58, kT3},         {59, kT3},         {60, kT3},     {61, kCube},
    {62, kLayers}, {63, kCube},       {64, kCube},       {65, kLayers}, {66, kCube},
    {67, kCube},   {68, kCubeLayers}, {69, 268435456},   {70, kT1},     {71, 65000},
    {72, 2097120}, {73, kCube},       {74, kCube},       {77, kCube},   {78, 1},
    {79, 1},       {80, 1},           {83, 1},           {84, 0},       {85, 0},
    {86, 0},       {88, 0},           {89, 1},           {90, 1},       {91, 1},
    {92, 0},       {93, 0},           {94, 0},           {95, 1},       {96, 0},
    {98, 1},       {99, 1},           {100, 0},          {101, 0},      {102, 1},
    {103, 0},      {104, 0},          {105, 0},          {107, 0},      {110, 0},
    {112, 0},      {113, 1},          {114, 0},          {115, 1},      {116, 0},
    {117, 0},      {118, 0},          {119, 0},          {121, 0},      {122, 0},
    {123, 0},      {124, 0},          {125, 0},          {127, 0},      {128, 0},
    {129, 0},      {130, 0},          {131, -1},         {132, 0},      {133, 0},
    {134, 0},      {135, 0},          {138, 0},          {139, 0},      {140, 0},
    {141, 0},      {142, 0},          {143, 0},          {144, 0},      {145, 0},
    {147, 0},
};

// What came with a compute capability, and what GPUs before it say (CUDA programming guides,
// features and technical specifications).
struct Since {
  int id;
  std::uint32_t capability;
  int before;
};
constexpr Since kSince[] = {
    {1, 20, 512}, {2, 20, 512}, {3, 20, 512}, {5, 30, 65535}, {7, 20, 1},  {31, 20, 0},
    {41, 20, 0},  {78, 35, 0},  {79, 20, 0},  {80, 20, 0},    {83, 30, 0}, {89, 60, 0},
    {90, 60, 0},  {91, 60, 0},  {95, 60, 0},  {115, 30, 0},
};

// How many single-precision operations go for one double-precision one (throughput table of the
// guide).
int single_to_double(std::uint32_t cc) {
  switch (cc) {
    case 13: return 8;
    case 20: return 2;
    case 35: return 3;
    case 60:
    case 70:
    case 80:
    case 90:
    case 100: return 2;
    default: return cc < 20 ? 0 : cc < 30 ? 12 : cc < 50 ? 24 : cc < 80 ? 32 : 64;
  }
}

// Those that follow from what a card says.
std::vector<Known> attributes_of(const Device& d) {
  const bool ampere = d.major >= 8, hopper = d.major >= 9;
  return {
      {12, d.sm_registers},
      {13, d.clock_khz},
      {16, d.sms},
      {32, d.ecc},
      {36, d.memory_clock_khz},
      {37, d.bus_bits},
      {38, d.l2_bytes},
      {39, d.sm_threads},
      {40, static_cast<int>(d.link.engines)},
      {75, d.major},
      {76, d.minor},
      {81, d.shared_sm()},
      {82, d.sm_registers},
      {8, std::min(49152, d.shared_optin)},
      {87, single_to_double(d.cc())},
      {97, d.shared_optin},
      {106, d.sm_ctas},
      {108, d.persisting_l2()},
      {109, d.major >= 9 ? 134217728
            : ampere     ? 134213632
                         : 0},
      {111, ampere ? d.shared_reserved : 0},
      {120, hopper ? 1 : 0},
      {126, hopper ? 4 : 1},
  };
}

template <class P>
void fill_common(const Device& d, P& p) {
  std::memset(static_cast<void*>(&p), 0, sizeof p);
  const auto a = [&](int id) { return attribute(d, id).value_or(0); };
  std::strncpy(p.name, d.name.c_str(), sizeof p.name - 1);
  std::memcpy(p.uuid, kUuid, 16);
  p.total_global_mem = d.memory_bytes;
  p.shared_mem_per_block = static_cast<std::size_t>(a(8)), p.regs_per_block = d.sm_registers,
  p.warp_size = 32, p.mem_pitch = 2147483647;
  p.max_threads_per_block = a(1);
  for (int i = 0; i < 3; ++i) p.max_threads_dim[i] = a(2 + i), p.max_grid_size[i] = a(5 + i);
  p.total_const_mem = 65536, p.major = d.major, p.minor = d.minor;
  p.texture_alignment = 512, p.texture_pitch_alignment = 32;
  p.multi_processor_count = d.sms, p.can_map_host_memory = 1;
  p.max_texture_1d = a(21), p.max_texture_1d_mipmap = a(77);
  p.max_texture_2d[0] = a(22), p.max_texture_2d[1] = a(23);
  p.max_texture_2d_mipmap[0] = a(73), p.max_texture_2d_mipmap[1] = a(74);
  for (int i = 0; i < 3; ++i) {
    p.max_texture_2d_linear[i] = a(70 + i), p.max_texture_3d[i] = a(24 + i),
    p.max_texture_3d_alt[i] = a(47 + i);
    p.max_texture_2d_layered[i] = a(27 + i), p.max_surface_3d[i] = a(58 + i),
    p.max_surface_2d_layered[i] = a(63 + i);
  }
  for (int i = 0; i < 2; ++i) {
    p.max_texture_2d_gather[i] = a(45 + i), p.max_texture_1d_layered[i] = a(42 + i),
    p.max_texture_cubemap_layered[i] = a(53 + i);
    p.max_surface_2d[i] = a(56 + i), p.max_surface_1d_layered[i] = a(61 + i),
    p.max_surface_cubemap_layered[i] = a(67 + i);
  }
  p.max_texture_cubemap = a(52), p.max_surface_1d = a(55), p.max_surface_cubemap = a(66),
  p.surface_alignment = 512;
  p.concurrent_kernels = a(31), p.ecc_enabled = a(32), p.async_engine_count = a(40);
  p.unified_addressing = a(41);
  p.memory_bus_width = d.bus_bits, p.l2_cache_size = d.l2_bytes,
  p.persisting_l2_cache_max_size = d.persisting_l2();
  p.max_threads_per_multi_processor = d.sm_threads;
  p.stream_priorities_supported = a(78), p.global_l1_cache_supported = a(79);
  p.local_l1_cache_supported = a(80);
  p.shared_mem_per_multiprocessor = static_cast<std::size_t>(d.shared_sm()),
  p.regs_per_multiprocessor = d.sm_registers, p.managed_memory = a(83);
  p.concurrent_managed_access = a(89), p.compute_preemption_supported = a(90);
  p.can_use_host_pointer_for_registered_mem = a(91), p.cooperative_launch = a(95);
  p.shared_mem_per_block_optin = static_cast<std::size_t>(d.shared_optin);
  p.max_blocks_per_multi_processor = d.sm_ctas, p.access_policy_max_window_size = a(109);
  p.reserved_shared_mem_per_block = static_cast<std::size_t>(a(111));
  p.host_register_supported = p.host_register_read_only_supported = 1;
  p.memory_pools_supported = a(115);
  p.cluster_launch = a(120);
}

template <class T>
bool read_number(std::string_view text, T& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

// "8/16/18", or nothing.
bool read_list(std::string_view text, std::vector<int>& out) {
  out.clear();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('/'), text.size());
    if (!read_number(text.substr(0, end), out.emplace_back()) || out.back() <= 0) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

// The plain numbers, by their keys in the text.
template <class D>
auto numbers_of(D& d) {
  using Number = std::pair<std::string_view, decltype(&d.sms)>;
  return std::array{Number{"sms", &d.sms},
                    Number{"sm_warps", &d.sm_warps},
                    Number{"sm_threads", &d.sm_threads},
                    Number{"sm_ctas", &d.sm_ctas},
                    Number{"sm_schedulers", &d.sm_schedulers},
                    Number{"sm_registers", &d.sm_registers},
                    Number{"register_unit", &d.register_unit},
                    Number{"shared_optin", &d.shared_optin},
                    Number{"shared_reserved", &d.shared_reserved},
                    Number{"shared_unit", &d.shared_unit},
                    Number{"l2", &d.l2_bytes},
                    Number{"clock", &d.clock_khz},
                    Number{"memory_clock", &d.memory_clock_khz},
                    Number{"bus", &d.bus_bits},
                    Number{"ecc", &d.ecc}};
}

template <class D>
auto long_numbers_of(D& d) {
  using Number = std::pair<std::string_view, decltype(&d.memory_bytes)>;
  return std::array{Number{"memory", &d.memory_bytes}, Number{"shared_wait", &d.waits.shared},
                    Number{"load_wait", &d.waits.load}, Number{"atomic_wait", &d.waits.answer},
                    Number{"fence_wait", &d.waits.fence}};
}

template <class D>
auto link_numbers_of(D& d) {
  using Number = std::pair<std::string_view, decltype(&d.link.wire)>;
  auto& l = d.link;
  return std::array{Number{"wire", &l.wire},
                    Number{"to_device", &l.to_device},
                    Number{"to_host", &l.to_host},
                    Number{"both", &l.both},
                    Number{"engines", &l.engines},
                    Number{"pageable_to_device", &l.pageable_to_device},
                    Number{"pageable_to_host", &l.pageable_to_host},
                    Number{"pageable_mid", &l.pageable_mid},
                    Number{"pageable_far", &l.pageable_far},
                    Number{"host_near", &l.host_near},
                    Number{"host_cache", &l.host_cache},
                    Number{"staging", &l.staging},
                    Number{"inline_bytes", &l.inline_bytes},
                    Number{"pageable_to_host_ns", &l.pageable_to_host_ns},
                    Number{"copy_to_device_ns", &l.copy_to_device_ns},
                    Number{"copy_to_host_ns", &l.copy_to_host_ns},
                    Number{"turn_ns", &l.turn_ns},
                    Number{"device_ns", &l.device_ns},
                    Number{"kernel_ns", &l.kernel_ns},
                    Number{"device_copy", &l.device_copy},
                    Number{"fill", &l.fill},
                    Number{"mark_ns", &l.mark_ns},
                    Number{"change_ns", &l.change_ns},
                    Number{"call_ns", &l.call_ns},
                    Number{"launch_ns", &l.launch_ns},
                    Number{"submit_ns", &l.submit_ns},
                    Number{"wake_ns", &l.wake_ns}};
}

// Takes one "key=value"; false: it is none.
bool read_item(std::string_view key, std::string_view value, Device& d) {
  if (key == "card") return d.card = value, !value.empty();
  if (key == "name") return d.name = value, !value.empty();
  if (key == "cc") {
    const std::size_t dot = std::min(value.find('.'), value.size());
    return dot < value.size() && read_number(value.substr(0, dot), d.major) &&
           read_number(value.substr(dot + 1), d.minor);
  }
  if (key == "rooms") return read_list(value, d.rooms);
  if (key == "configs") return read_list(value, d.shared_configs);
  for (const auto& [name, number] : numbers_of(d))
    if (key == name) return read_number(value, *number) && *number >= 0;
  for (const auto& [name, number] : long_numbers_of(d))
    if (key == name) return read_number(value, *number);
  for (const auto& [name, number] : link_numbers_of(d))
    if (key == name) return read_number(value, *number) && *number >= 0;
  return false;
}

}  // namespace

// An H200's driver counts so (cards/gpus/h200/clusters.csv): a cluster wants an SM of its GPC for
// each CTA, where the GPC is empty; SMs take what of them is left over together.
int Device::clusters(int ctas, int an_sm) const {
  constexpr int kMostAnSm = 8;  // CTAs of clusters, as an H200's driver says
  an_sm = std::min(an_sm, kMostAnSm);
  if (rooms.empty()) return sms * an_sm / ctas;
  int fit = 0;
  for (const int room : rooms)
    if (room >= ctas) fit += room * an_sm / ctas;
  return fit;
}

std::string to_text(const Device& d) {
  std::string text = fmt::format("card={};name={};cc={}.{}", d.card, d.name, d.major, d.minor);
  for (const auto& [name, number] : numbers_of(d)) text += fmt::format(";{}={}", name, *number);
  for (const auto& [name, number] : long_numbers_of(d))
    text += fmt::format(";{}={}", name, *number);
  for (const auto& [name, number] : link_numbers_of(d))
    text += fmt::format(";{}={}", name, *number);
  return text + fmt::format(";configs={};rooms={}", fmt::join(d.shared_configs, "/"),
                            fmt::join(d.rooms, "/"));
}

Result<Device> parse_device(const std::string& text) {
  Device d;
  std::set<std::string_view> given;
  const auto wrong = [](const std::string& message) {
    return Error{ErrorKind::kUsage, "WARPMEM_EMULATE_GPU: " + message, "",
                 "let `warpmem emulate` set this variable"};
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(';', at), text.size());
    const std::string_view item(text.data() + at, end - at);
    at = end + 1;
    const std::size_t equals = std::min(item.find('='), item.size());
    const std::string_view key = item.substr(0, equals),
                           value = equals < item.size() ? item.substr(equals + 1) : "";
    if (!read_item(key, value, d))
      return wrong(fmt::format("'{}' is not a fact about a GPU", item));
    given.insert(key);
  }
  constexpr std::size_t kOthers = 5;  // card, name, cc, configs, rooms
  const std::size_t all =
      kOthers + numbers_of(d).size() + long_numbers_of(d).size() + link_numbers_of(d).size();
  if (given.size() != all)
    return wrong(fmt::format("{} of a GPU's {} facts are missing", all - given.size(), all));
  return d;
}

std::optional<int> attribute(const Device& device, int which) {
  const auto same = [&](const Known& k) { return k.id == which; };
  for (const Since& s : kSince)
    if (s.id == which && device.cc() < s.capability) return s.before;
  if (const auto* k = std::find_if(std::begin(kAlike), std::end(kAlike), same);
      k != std::end(kAlike))
    return k->value;
  for (const Known& k : attributes_of(device))
    if (same(k)) return k.value;
  return std::nullopt;
}

void fill_properties_13(const Device& device, void* properties) {
  auto& p = *static_cast<DeviceProperties13*>(properties);
  fill_common(device, p);
  p.device_numa_id = -1, p.host_numa_id = -1;
}

void fill_properties_12(const Device& device, void* properties) {
  auto& p = *static_cast<DeviceProperties12*>(properties);
  fill_common(device, p);
  p.clock_rate = device.clock_khz, p.memory_clock_rate = device.memory_clock_khz;
  p.device_overlap = 1, p.max_texture_1d_linear = attribute(device, 69).value_or(0);
  p.single_to_double_perf_ratio = attribute(device, 87).value_or(0);
  p.cooperative_multi_device_launch = 0;
}

std::string uuid_text() {
  std::string text = "GPU";
  for (std::size_t i = 0; i < 16; ++i)
    text += fmt::format("{}{:02x}", i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                        kUuid[i]);
  return text;
}

}  // namespace warpmem::cudart
