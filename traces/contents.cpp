#include "traces/contents.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "traces/compression.hpp"
#include "traces/metadata.hpp"
#include "traces/records_codec.hpp"

namespace warpmem::trace {
namespace {

constexpr const char* kCopyAgain = "copy or record the trace again";
constexpr const char* kUsePartial = "read what precedes the damage with --partial";

Error malformed(const InputFile& file, std::uint64_t offset, std::string message, const char* fix) {
  return {ErrorKind::kMalformed, std::move(message),
          fmt::format("{}, byte {}", file.path(), offset), fix};
}

Result<void> read_file_header(Contents& out) {
  const InputFile& file = out.file;
  if (file.size() == 0) {
    return malformed(file, 0, "the file is empty", "record the trace again");
  }
  Bytes head;
  const auto have =
      static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), kFileHeaderBytes));
  if (auto read = file.read(0, have, head); !read) return read;
  if (!std::equal(head.begin(), head.begin() + std::min<std::ptrdiff_t>(have, 8), kFileMagic)) {
    return malformed(file, 0, "this is not a warpmem trace",
                     "give a file written by warpmem record, emulate or import");
  }
  const Error cut{ErrorKind::kIncomplete, "the file ends inside its header: it holds no records",
                  fmt::format("{}, byte {}", file.path(), file.size()), "record the trace again"};
  if (have < kFileHeaderBytes) return cut;
  Cursor in(head);
  in.bytes(8);
  const auto major = in.fixed<std::uint16_t>();
  const auto minor = in.fixed<std::uint16_t>();
  const auto origin_bytes = in.fixed<std::uint32_t>();
  out.header_hash = in.fixed<std::uint64_t>();
  if (major > kMajor) {
    return malformed(file, 8,
                     fmt::format("the trace is of format {}.{}; this version reads up to "
                                 "{}.x",
                                 major, minor, kMajor),
                     "use a newer warpmem");
  }
  if (major < kMajor || origin_bytes > kMaxOriginBytes) {
    return malformed(file, 8, "the file header is damaged", kCopyAgain);
  }
  if (file.size() < kFileHeaderBytes + origin_bytes) return cut;
  Bytes body;
  if (auto read = file.read(kFileHeaderBytes, origin_bytes, body); !read) return read;
  if (hash_differs(out.header_hash, hash_bytes(ByteSpan(head).first(16), body))) {
    return malformed(file, 0, "the file header is damaged: its hash differs", kCopyAgain);
  }
  out.newer_minor = minor > kMinor;
  auto origin = parse_origin(body, out.newer_minor);
  if (!origin)
    return malformed(file, kFileHeaderBytes, "the origin is not well formed", kCopyAgain);
  out.origin = std::move(*origin);
  out.first_block = kFileHeaderBytes + origin_bytes;
  if (out.newer_minor) {
    out.quality.notes.push_back(
        fmt::format("written in format {}.{}; what {}.{} does not know was skipped", major, minor,
                    kMajor, kMinor));
  }
  return {};
}

// Takes in one block that is not part of the index. Returns a sentence when it makes no sense here.
const char* apply(Contents& out, const BlockEntry& entry, ByteSpan raw) {
  const BlockHeader& header = entry.header;
  const bool newer = out.newer_minor;
  const bool of_launch = header.type == BlockType::kRecords ||
                         header.type == BlockType::kLaunchEnd ||
                         header.type == BlockType::kCtaIndex;
  if (of_launch && header.launch >= out.launches.size()) return "it belongs to no launch";
  switch (header.type) {
    case BlockType::kProgram: {
      auto program = parse_program(raw, newer);
      if (!program) return "the program is not well formed";
      out.programs.push_back(std::move(*program));
      return nullptr;
    }
    case BlockType::kLaunchBegin: {
      auto launch = parse_launch(raw, newer);
      if (!launch) return "the launch is not well formed";
      if (launch->program >= out.programs.size()) return "the launch names no program of this file";
      if (header.launch != out.launches.size()) return "the launch is out of order";
      out.launches.emplace_back().launch = std::move(*launch);
      out.ended.push_back(false);
      out.sites.emplace_back();
      out.ctas.emplace_back();
      return nullptr;
    }
    case BlockType::kRecords: {
      LaunchSummary& launch = out.launches[header.launch];
      if (out.ended[header.launch]) return "records follow the end of their launch";
      launch.blocks.push_back(header.sequence);
      launch.end.records += header.records;
      launch.end.lost = std::max(launch.end.lost, header.lost);
      return nullptr;
    }
    case BlockType::kLaunchEnd: {
      auto end = parse_launch_end(raw, newer);
      if (!end) return "the launch's end is not well formed";
      if (out.ended[header.launch]) return "the launch ends twice";
      LaunchSummary& launch = out.launches[header.launch];
      if (end->records != launch.end.records) {
        out.quality.notes.push_back(
            fmt::format("launch {}: {} records were counted when it ended, {} are in the file",
                        launch.launch.id, end->records, launch.end.records));
      }
      end->records = launch.end.records;
      end->lost = std::max(end->lost, launch.end.lost);
      launch.end = *end;
      out.ended[header.launch] = true;
      return nullptr;
    }
    case BlockType::kNote: {
      auto note = parse_note(raw, newer);
      if (!note) return "the note is not well formed";
      out.quality.notes.push_back(std::move(*note));
      return nullptr;
    }
    case BlockType::kCtaIndex:
    case BlockType::kIndex: return nullptr;
  }
  return newer ? nullptr : "it is of an unknown type";
}

// Lost records, launches without an end, and what was left out on request.
void judge(Contents& out) {
  Quality& quality = out.quality;
  for (std::size_t i = 0; i < out.launches.size(); ++i) {
    LaunchSummary& summary = out.launches[i];
    const auto id = summary.launch.id;
    const LaunchEnd& end = summary.end;
    quality.records += end.records;
    quality.lost += end.lost;
    summary.complete = out.ended[i] && end.lost == 0 && !end.truncated && end.skipped_ctas == 0;
    if (!out.ended[i]) quality.notes.push_back(fmt::format("launch {}: its end is missing", id));
    if (end.lost > 0)
      quality.notes.push_back(fmt::format("launch {}: {} records lost", id, end.lost));
    if (end.truncated) {
      quality.notes.push_back(fmt::format("launch {}: cut at the record limit given", id));
    }
    if (end.skipped_ctas > 0) {
      quality.notes.push_back(
          fmt::format("launch {}: {} CTAs left out on request", id, end.skipped_ctas));
    }
  }
  out.hash = content_hash(out.header_hash, out.blocks);
  for (auto& ctas : out.ctas) ctas.finish();
}

// An unsealed file, or one whose end is damaged: block after block up to the last whole one.
Result<void> scan(Contents& out, const std::string& why) {
  const InputFile& file = out.file;
  out.quality.notes.push_back(why);
  std::uint64_t offset = out.first_block;
  Bytes head, data, raw;
  std::vector<std::vector<CtaRun>> runs;
  const char* problem = nullptr;
  while (offset < file.size()) {
    problem = "the block header is cut short";
    if (file.size() - offset < kBlockHeaderBytes) break;
    if (auto read = file.read(offset, kBlockHeaderBytes, head); !read) return read;
    auto header = decode_block_header(head);
    problem = "no block begins here";
    if (!header || header->sequence != out.blocks.size()) break;
    problem = "the block is cut short";
    if (file.size() - offset - kBlockHeaderBytes < header->body_bytes) break;
    const BlockEntry entry{*header, offset};
    problem = "the block is damaged";
    if (auto read = read_body(file, entry, data, raw); !read) {
      if (read.error().kind == ErrorKind::kResources) return read;
      break;
    }
    const ByteSpan body = ByteSpan(raw).first(header->raw_bytes);
    DecodedRecords directory;
    if (header->type == BlockType::kRecords) {
      if ((problem = decode_directory(body, directory)) != nullptr) break;
    }
    if ((problem = apply(out, entry, body)) != nullptr) break;
    if (header->type == BlockType::kRecords) {
      for (const Site& site : directory.sites) out.sites[header->launch].number_of(site);
      runs.resize(out.launches.size());
      append_runs(directory.segments, header->sequence, runs[header->launch]);
    }
    out.blocks.push_back(entry);
    offset += kBlockHeaderBytes + header->body_bytes;
    problem = nullptr;
    if (header->type == BlockType::kIndex) break;  // only the footer can follow
  }
  for (std::size_t i = 0; i < runs.size(); ++i) out.ctas[i].add(runs[i]);
  out.quality.unreadable_bytes = file.size() - offset;
  if (out.quality.unreadable_bytes > 0) {
    out.quality.notes.push_back(fmt::format(
        "block {} at byte {}: {}; the last {} bytes are not readable", out.blocks.size(), offset,
        problem != nullptr ? problem : "the footer is damaged", out.quality.unreadable_bytes));
  }
  judge(out);
  return {};
}

Result<void> read_sealed(Contents& out, const Footer& footer) {
  const InputFile& file = out.file;
  const std::uint64_t at = footer.index_offset;
  const Error bad = malformed(file, at, "the index is damaged", kUsePartial);
  const std::uint64_t end = file.size() - kFooterBytes;
  if (footer.file_bytes != file.size() || at < out.first_block || at > end ||
      end - at < kBlockHeaderBytes) {
    return malformed(file, end, "the footer does not fit the file", kUsePartial);
  }
  Bytes head, data, raw;
  if (auto read = file.read(at, kBlockHeaderBytes, head); !read) return read;
  const auto header = decode_block_header(head);
  if (!header || header->type != BlockType::kIndex || header->hash != footer.index_hash ||
      header->body_bytes != end - at - kBlockHeaderBytes) {
    return bad;
  }
  if (auto read = read_body(file, {*header, at}, data, raw); !read) return read;
  auto index =
      parse_index(ByteSpan(raw).first(header->raw_bytes), out.first_block, at, out.newer_minor);
  if (!index || header->sequence != index->blocks.size()) return bad;
  const std::uint64_t covered = index->blocks.empty()
                                    ? out.first_block
                                    : index->blocks.back().offset + kBlockHeaderBytes +
                                          index->blocks.back().header.body_bytes;
  if (covered != at) return bad;
  out.blocks = std::move(index->blocks);
  for (const BlockEntry& entry : out.blocks) {
    const BlockHeader& block = entry.header;
    ByteSpan body;
    if (block.type != BlockType::kRecords) {
      if (auto read = read_body(file, entry, data, raw); !read) return read;
      body = ByteSpan(raw).first(block.raw_bytes);
    }
    if (const char* problem = apply(out, entry, body)) return bad_block(file, entry, problem);
    if (block.type != BlockType::kCtaIndex) continue;
    const auto runs = parse_runs(body, out.newer_minor);
    if (!runs) return bad_block(file, entry, "the CTA index is not well formed");
    for (const CtaRun& run : *runs) {
      // A segment holds at least one record, so a block cannot have more segments than records.
      const std::uint64_t segments = run.segment + std::uint64_t{run.count} * run.per_cta;
      if (run.block >= block.sequence || out.blocks[run.block].header.launch != block.launch ||
          segments > out.blocks[run.block].header.records) {
        return bad_block(file, entry, "the CTA index names segments that are not there");
      }
    }
    out.ctas[block.launch].add(*runs);
  }
  if (index->sites.size() != out.launches.size()) return bad;
  for (std::size_t i = 0; i < out.launches.size(); ++i) {
    for (const Site& site : index->sites[i]) out.sites[i].number_of(site);
    if (out.sites[i].size() != index->sites[i].size()) return bad;
  }
  out.quality.sealed = true;
  judge(out);
  return {};
}

}  // namespace

Error bad_block(const InputFile& file, const BlockEntry& entry, const std::string& problem) {
  return {ErrorKind::kMalformed,
          fmt::format("the {} block is damaged: {}", block_type_name(entry.header.type), problem),
          fmt::format("{}, block {}, byte {}", file.path(), entry.header.sequence, entry.offset),
          kCopyAgain};
}

Result<void> read_body(const InputFile& file, const BlockEntry& entry, Bytes& data, Bytes& raw) {
  const BlockHeader& expected = entry.header;
  if (auto read = file.read(entry.offset, kBlockHeaderBytes + expected.body_bytes, data); !read) {
    return read;
  }
  const ByteSpan head = ByteSpan(data).first(kBlockHeaderBytes);
  const ByteSpan body = ByteSpan(data).subspan(kBlockHeaderBytes);
  if (!block_hash_matches(head, body)) return bad_block(file, entry, "its hash differs");
  // The header lies under the hash, so with an equal hash only a foreign index could differ.
  const auto header = decode_block_header(head);
  if (!header) return bad_block(file, entry, "its header is not well formed");
  if (header->type != expected.type || header->codec != expected.codec ||
      header->sequence != expected.sequence || header->launch != expected.launch ||
      header->body_bytes != expected.body_bytes || header->raw_bytes != expected.raw_bytes ||
      header->records != expected.records || header->lost != expected.lost ||
      hash_differs(header->hash, expected.hash)) {
    return bad_block(file, entry, "its header is not what the index says");
  }
  if (const char* problem = decompress(header->codec, body, header->raw_bytes, raw)) {
    return bad_block(file, entry, problem);
  }
  return {};
}

Result<Contents> open_contents(const std::string& path, const OpenOptions& options) {
  auto file = InputFile::open(path);
  if (!file) return file.error();
  Contents contents(std::move(*file));
  if (auto read = read_file_header(contents); !read) return read.error();

  std::optional<Footer> footer;
  if (contents.file.size() >= contents.first_block + kFooterBytes) {
    Bytes tail;
    if (auto read = contents.file.read(contents.file.size() - kFooterBytes, kFooterBytes, tail);
        !read) {
      return read.error();
    }
    footer = decode_footer(tail);
  }
  std::string why = "the trace was not sealed: recording was cut short, or is still going on";
  if (footer) {
    Contents fresh(std::move(contents));
    if (!options.allow_partial) {
      if (auto read = read_sealed(fresh, *footer); !read) return read.error();
      return fresh;
    }
    // With --partial a damaged index is worked around; damage in a records block shows on decode.
    auto read = read_sealed(fresh, *footer);
    if (read) return fresh;
    why = "the trace was read without its index: " + read.error().text();
    auto again = InputFile::open(path);
    if (!again) return again.error();
    contents = Contents(std::move(*again));
    if (auto header = read_file_header(contents); !header) return header.error();
  } else if (!options.allow_partial) {
    return Error{ErrorKind::kIncomplete,
                 "the trace has no valid end: it was cut short, damaged, or is still being written",
                 fmt::format("{}, byte {}", path, contents.file.size()),
                 "read it up to its last whole block with --partial"};
  }
  if (auto scanned = scan(contents, why); !scanned) return scanned.error();
  return contents;
}

}  // namespace warpmem::trace
