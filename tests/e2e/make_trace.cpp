// Writes small traces for the end-to-end tests: make_trace KIND FILE.
//   copy     one launch of 8 CTAs x 4 warps that load and store consecutive 4-byte words
//   gather   the same with listed addresses, and two launches of two kernels
//   ptx      "copy" as an emulator leaves it that saw PTX alone
//   ptx+sass "copy" as one leaves it that had the machine code too
//   bare     "copy" without a program section
//   stuck    "copy" whose warps then wait at barriers for threads that never come
//   upper    "copy" of which lanes 4 to 31 take part alone
//   rows     "copy" whose warps load two rows of 16 words
//   lossy    sealed, but 5 records are known to be lost
//   evil     "copy" with names, code and a command line that would steer a terminal
//   damaged  "gather" with one bit flipped in the records of launch 0
//   misplaced   "copy" whose CTA index says that CTAs lie one warp further on
//   transposed  … whose CTA index says that each CTA is four of one warp
//   hollow   a launch whose records are lost: unsealed, cut behind its beginning
//   empty    a sealed trace without launches
//   large    "gather" with 512 times the CTAs, in one launch
//   unsealed "copy" as a crash leaves it: FILE is what FILE.partial held
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "traces/format/block_table.hpp"
#include "traces/format/compression.hpp"
#include "traces/format/cta_index.hpp"
#include "traces/format/writer.hpp"

namespace {

using namespace warpmem;
using namespace warpmem::trace;

constexpr std::uint32_t kCtas = 8;
constexpr std::uint32_t kWarps = 4;
constexpr std::uint64_t kSource = 0x7f0000000000;
constexpr std::uint64_t kTarget = 0x7f0000100000;

const std::vector<Site> kSites{{0x0, Op::kCtaBegin, Space::kNone, 0},
                               {0x20, Op::kLoad, Space::kGlobal, 4},
                               {0x40, Op::kStore, Space::kGlobal, 4},
                               {0x50, Op::kCtaEnd, Space::kNone, 0}};

// With a barrier behind the loads and stores.
const std::vector<Site> kStuckSites{{0x0, Op::kCtaBegin, Space::kNone, 0},
                                    {0x20, Op::kLoad, Space::kGlobal, 4},
                                    {0x40, Op::kStore, Space::kGlobal, 4},
                                    {0x48, Op::kBarrier, Space::kNone, 0},
                                    {0x50, Op::kCtaEnd, Space::kNone, 0}};

Program program(const std::string& name) {
  Program out;
  out.name = name;
  out.demangled = name + "(float*, const float*)";
  out.arch = "sm_90";
  out.registers = 16;
  out.files = {"", "copy.cu"};
  out.code = {{0x0, "S2R R0, SR_TID.X", 1, 3},   {0x10, "IMAD.WIDE R2, R0, 0x4, R2", 1, 4},
              {0x20, "LDG.E R4, [R2.64]", 1, 5}, {0x30, "IMAD.WIDE R6, R0, 0x4, R6", 1, 5},
              {0x40, "STG.E [R6.64], R4", 1, 5}, {0x50, "EXIT", 1, 6}};
  return out;
}

Launch launch(std::uint32_t id, std::uint32_t program, std::uint32_t ctas) {
  Launch out;
  out.id = id;
  out.program = program;
  out.grid = {ctas, 1, 1};
  out.block = {kWarps * 32, 1, 1};
  out.registers = 16;
  out.allocations = {{kSource, 1 << 20, AllocationKind::kDevice},
                     {kTarget, 1 << 20, AllocationKind::kDevice}};
  return out;
}

// Distinct addresses in no order, 4-byte aligned, within 64 KiB.
std::uint64_t scattered(std::uint64_t i) { return i * 2654435761U % 16384 * 4; }

enum class Loads { kConsecutive, kUpperLanes, kScattered, kTwoRows, kThenStuck };

void add_warp(BlockBuilder& builder, std::uint32_t cta, std::uint32_t warp, Loads loads) {
  const std::uint64_t first = 4 * 32 * (std::uint64_t{cta} * kWarps + warp);
  const auto& sites = loads == Loads::kThenStuck ? kStuckSites : kSites;
  std::vector<Record> records(sites.size());
  std::vector<std::uint64_t> lanes;
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    records[i].mask = ~std::uint32_t{0};
    records[i].site = i;
  }
  records[0].base = cta;  // the SM it ran on
  records[1].base = kSource + first;
  records[1].stride = 4;
  records[2].base = kTarget + first;
  records[2].stride = 4;
  if (loads == Loads::kUpperLanes) records[1].mask = records[2].mask = ~std::uint32_t{0} << 4;
  if (loads == Loads::kThenStuck) {
    records[3].base = warp % 2;  // its barrier …
    records[3].stride = 96;      // … at which 96 threads meet
  } else if (loads == Loads::kScattered || loads == Loads::kTwoRows) {
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
      const std::uint64_t offset = loads == Loads::kScattered
                                       ? scattered(first + lane)
                                       : first + lane / 16 * 4096 + lane % 16 * 4;
      lanes.push_back(kSource + offset);
    }
    records[1].base = 0;
    records[1].stride = 0;
    records[1].lanes = 0;
  }
  builder.add(cta, warp, records, sites, lanes);
}

template <class T>
void need(const Result<T>& result) {
  if (result) return;
  std::fprintf(stderr, "make_trace: %s\n", result.error().text().c_str());
  std::exit(exit_status(result.error().kind));
}

void write_launch(TraceWriter& writer, std::uint32_t id, std::uint32_t program, Loads loads,
                  std::uint64_t lost, std::uint32_t ctas = kCtas) {
  need(writer.begin_launch(launch(id, program, ctas)));
  BlockBuilder builder(id);
  for (std::uint32_t cta = 0; cta < ctas; ++cta) {
    for (std::uint32_t warp = 0; warp < kWarps; ++warp) add_warp(builder, cta, warp, loads);
    if (builder.full()) need(writer.append(builder.take(lost)));
  }
  need(writer.append(builder.take(lost)));
  LaunchEnd end;
  end.lost = lost;
  need(writer.end_launch(id, end));
}

void make_evil(Program& program) {
  program.name = "_Zevil\x1b[2J";
  program.demangled = "evil\x1b[2J(\xff\xfe\r)";
  program.files[1] = "copy\x1b[2J.cu";
  program.code[2].text = "LDG.E R4, [R2.64] \x1b[2J\xc3";
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Where the n-th block of a type begins; its header is 48 bytes long.
std::size_t block_at(const std::string& bytes, char type, int n) {
  for (std::size_t at = 0; (at = bytes.find("WBLK", at)) != std::string::npos; ++at)
    if (bytes[at + 4] == type && n-- == 0) return at;
  std::abort();
}

ByteSpan span_of(const std::string& bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

// The trace with another CTA index, behind right hashes.
void replace_runs(const std::string& path, const std::vector<CtaRun>& runs) {
  const std::string bytes = bytes_of(path);
  const ByteSpan all = span_of(bytes);
  const auto footer = decode_footer(all.last(kFooterBytes));
  const auto at = static_cast<std::size_t>(footer->index_offset);
  BlockHeader header = *decode_block_header(all.subspan(at, kBlockHeaderBytes));
  Bytes raw;
  if (decompress(header.codec, all.subspan(at + kBlockHeaderBytes, header.body_bytes),
                 header.raw_bytes, raw))
    std::abort();
  const std::size_t first = block_at(bytes, 1, 0);
  IndexBody index = *parse_index(ByteSpan(raw).first(header.raw_bytes), first, at, false);
  Bytes out(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first));
  const auto put = [&](BlockHeader& h, ByteSpan body) {
    const Bytes head = encode_block_header(h, body);
    h.hash = load_le<std::uint64_t>(head.data() + kBlockHeaderBytes - 8);
    put_bytes(out, head);
    put_bytes(out, body);
  };
  for (BlockEntry& entry : index.blocks) {
    const auto from = static_cast<std::size_t>(entry.offset) + kBlockHeaderBytes;
    const ByteSpan old = all.subspan(from, entry.header.body_bytes);
    Bytes body(old.begin(), old.end());
    if (entry.header.type == BlockType::kCtaIndex) {
      body = put_runs(runs);
      entry.header.codec = Codec::kStored;
      entry.header.body_bytes = entry.header.raw_bytes = static_cast<std::uint32_t>(body.size());
    }
    put(entry.header, body);
  }
  const Bytes table = put_index(index);
  const std::uint64_t index_at = out.size();
  header.codec = Codec::kStored;
  header.body_bytes = header.raw_bytes = static_cast<std::uint32_t>(table.size());
  put(header, table);
  put_bytes(out, encode_footer({index_at, header.hash, out.size() + kFooterBytes}));
  write_bytes(path, {out.begin(), out.end()});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string kind = argv[1], path = argv[2];
  Origin origin;
  origin.tool = "warpmem make_trace";
  origin.command = "./copy";
  origin.gpu = "NVIDIA H200";
  origin.arch = "sm_90";
  origin.sms = 132;
  if (kind == "ptx") origin.level = Level::kPtx;
  if (kind == "ptx+sass") origin.level = Level::kPtxSass;
  if (kind == "evil") origin.command = "./copy \x1b]0;owned\x07 \xff";
  {
    auto writer = TraceWriter::create(path, origin, {.overwrite = true});
    need(writer);
    if (kind != "empty") {
      Program copy = program("copy");
      copy.level = origin.level;
      if (kind == "bare") copy.code.clear();
      if (kind == "evil") make_evil(copy);
      need(writer->add_program(copy));
      const Loads loads = kind == "gather" || kind == "damaged" || kind == "large"
                              ? Loads::kScattered
                          : kind == "upper" ? Loads::kUpperLanes
                          : kind == "rows"  ? Loads::kTwoRows
                          : kind == "stuck" ? Loads::kThenStuck
                                            : Loads::kConsecutive;
      write_launch(*writer, 0, 0, loads, kind == "lossy" ? 5 : 0,
                   kind == "large" ? 512 * kCtas : kCtas);
    }
    if (kind == "gather" || kind == "damaged") {
      need(writer->add_program(program("copy_again")));
      write_launch(*writer, 1, 1, Loads::kConsecutive, 0);
    }
    if (kind != "unsealed") need(writer->seal());
  }
  if (kind == "damaged") {
    std::string bytes = bytes_of(path);
    bytes[block_at(bytes, 3, 0) + 60] ^= 4;
    write_bytes(path, bytes);
  }
  // Block 2 has the records.
  if (kind == "misplaced") replace_runs(path, {{0, kCtas - 1, 1, 2, 1, kWarps}});
  if (kind == "transposed") replace_runs(path, {{0, kCtas * kWarps, 1, 2, 0, 1}});
  if (kind == "hollow") {
    const std::string bytes = bytes_of(path);
    write_bytes(path, bytes.substr(0, block_at(bytes, 3, 0)));
  }
  if (kind == "unsealed") std::filesystem::rename(path + ".partial", path);
  return 0;
}
