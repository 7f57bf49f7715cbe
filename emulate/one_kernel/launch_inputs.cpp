#include "emulate/one_kernel/launch_inputs.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/run_files.hpp"
#include "base/units.hpp"

namespace warpmem::emulate {

Result<std::string> read_text(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none))
    return Error{ErrorKind::kUsage, "this is a folder, not a PTX file", path, "name a file in it"};
  std::ifstream in = open_to_read(path);
  std::stringstream text;
  text << in.rdbuf();
  if (!in)
    return Error{ErrorKind::kUsage, "cannot read the PTX file", path,
                 "compile one with: nvcc -ptx -lineinfo app.cu -o app.ptx"};
  return text.str();
}

Result<std::vector<std::byte>> pack_arguments(const LaunchFile& launch, const Kernel& kernel,
                                              Memory& memory, Buffers& buffers) {
  const auto& params = kernel.entry->params;
  if (params.size() != launch.arguments.size())
    return Error{ErrorKind::kUsage,
                 fmt::format("'{}' takes {} arguments, {} are given", demangled(kernel.entry->name),
                             params.size(), launch.arguments.size()),
                 launch.path, "give one [[args]] for each parameter, in order"};
  std::vector<std::byte> bytes(kernel.param_bytes);
  for (std::size_t i = 0; i < params.size(); ++i) {
    const Argument& a = launch.arguments[i];
    const Variable& p = *params[i];
    const auto wrong = [&](std::uint64_t given) {
      return Error{ErrorKind::kUsage,
                   fmt::format("parameter {} of '{}' has {} bytes, {} are given", i,
                               demangled(kernel.entry->name), p.bytes, given),
                   a.place, "check the argument's type"};
    };
    if (a.is_buffer) {
      if (p.bytes != 8) return wrong(8);
      std::uint64_t& at = buffers[a.name];
      if (at == 0) {
        at = memory.allocate(a.bytes, trace::AllocationKind::kDevice);
        if (at == 0)
          return Error{
              ErrorKind::kResources,
              fmt::format("buffer '{}' of {} bytes does not fit the GPU's memory", a.name, a.bytes),
              a.place, "make it smaller"};
        if (auto ok = fill_buffer(a, memory.host(at)); !ok) return ok.error();
      }
      const std::uint64_t address = at + a.offset;
      std::memcpy(bytes.data() + p.offset, &address, 8);
    } else if (!a.raw.empty()) {
      if (a.raw.size() != p.bytes) return wrong(a.raw.size());
      std::memcpy(bytes.data() + p.offset, a.raw.data(), a.raw.size());
    } else {
      if (size_of(a.type) != p.bytes) return wrong(size_of(a.type));
      std::memcpy(bytes.data() + p.offset, &a.bits, size_of(a.type));
    }
  }
  return bytes;
}

Result<void> check_required(const Kernel& kernel, const LaunchFile& launch) {
  const Function& f = *kernel.entry;
  const auto shown = [](const std::array<std::uint32_t, 3>& d) {
    return fmt::format("{} x {} x {}", d[0], d[1], d[2]);
  };
  if (f.required_block[0] && f.required_block != launch.block)
    return Error{ErrorKind::kUsage,
                 fmt::format("'{}' was compiled for blocks of {} threads", demangled(f.name),
                             shown(f.required_block)),
                 launch.path, "set block to that"};
  const std::uint64_t most = std::uint64_t{f.max_block[0]} * f.max_block[1] * f.max_block[2];
  if (most && std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2] > most)
    return Error{ErrorKind::kUsage,
                 fmt::format("'{}' was compiled for at most {} threads a block (__launch_bounds__)",
                             demangled(f.name), most),
                 launch.path, "make the block smaller"};
  if (f.required_cluster[0] && launch.cluster != f.required_cluster &&
      launch.cluster != Dim3{1, 1, 1})
    return Error{ErrorKind::kUsage,
                 fmt::format("'{}' was compiled for clusters of {} CTAs", demangled(f.name),
                             shown(f.required_cluster)),
                 launch.path, "leave cluster out"};
  return {};
}

Result<void> check_cooperative(const LaunchFile& launch, std::uint64_t sm_ctas,
                               const DeviceLimits& limits) {
  const std::uint64_t ctas = std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2],
                      most = sm_ctas * limits.sms;
  if (!launch.cooperative || ctas <= most) return {};
  return Error{ErrorKind::kUsage,
               fmt::format("a cooperative launch of {} CTAs: {} holds {} of them at once",
                           grouped(ctas), limits.name, grouped(most)),
               launch.path, "make the grid smaller, or leave cooperative out"};
}

Result<std::vector<WriteBack>> open_write_backs(const EmulateRequest& request,
                                                const LaunchFile& launch) {
  std::vector<WriteBack> out;
  for (const Argument& a : launch.arguments) {
    if (!a.is_buffer || a.write_back.empty()) continue;
    auto file = OutputFile::create(a.write_back, {request.overwrite, true});
    if (!file) return file.error();
    if (!file->place().note.empty() && request.note) request.note(file->place().note);
    out.push_back({&a, std::move(file).value()});
  }
  return out;
}

Result<void> write_back(std::vector<WriteBack>& files, const Memory& memory,
                        const Buffers& buffers) {
  for (WriteBack& w : files) {
    const auto* bytes = reinterpret_cast<const char*>(memory.host(buffers.at(w.argument->name)));
    if (auto ok = w.file.write({bytes, w.argument->bytes}); !ok) return ok;
    if (auto ok = w.file.publish(); !ok) return ok;
  }
  return {};
}

}  // namespace warpmem::emulate
