#include "traces/format/contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "traces/format/compression.hpp"
#include "traces/format/metadata.hpp"
#include "traces/format/opening.hpp"

namespace warpmem::trace {

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
                     "give a file written by warpmem record or warpmem emulate");
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
      const std::uint64_t counted = end->records;
      end->records = launch.end.records;
      end->lost = std::max(end->lost, launch.end.lost);
      if (counted > end->records) end->lost += counted - end->records;
      launch.end = *end;
      out.ended[header.launch] = true;
      return nullptr;
    }
    case BlockType::kNote: {
      auto note = parse_note(raw, newer);
      if (!note) return "the note is not well formed";
      if (const auto repeats = parse_repeats(*note)) out.repeats.push_back(*repeats);
      else out.quality.notes.push_back(std::move(*note));
      return nullptr;
    }
    case BlockType::kSteps:
      return parse_steps(raw, out.steps) ? nullptr : "the program's steps are not well formed";
    case BlockType::kCtaIndex:
    case BlockType::kIndex: return nullptr;
  }
  return newer ? nullptr : "it is of an unknown type";
}

void give_repeats(Contents& out) {
  if (out.repeats.empty()) return;
  std::unordered_map<std::uint32_t, LaunchSummary*> by_id;
  for (LaunchSummary& summary : out.launches) by_id.emplace(summary.launch.id, &summary);
  for (const Repeats& repeats : out.repeats)
    if (const auto at = by_id.find(repeats.launch); at != by_id.end())
      at->second->repeats = repeats;
    else out.quality.notes.push_back(repeats_note(repeats));
}

void judge(Contents& out) {
  give_repeats(out);
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
    // Of one that did not end its writer has said why.
    const bool told = std::ranges::any_of(quality.notes, [&](const std::string& note) {
      return note.starts_with(fmt::format("launch {} did not end", id)) ||
             note.starts_with("the kernel did not end");
    });
    if (end.truncated && !told) {
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

namespace {

__extension__ typedef unsigned __int128 Count;  // three numbers of 32 bits may have 96

Count count_of(const Dim3& d) { return Count{d[0]} * d[1] * d[2]; }

}  // namespace

const char* outside(const Launch& launch, std::span<const Segment> segments) {
  const Count ctas = count_of(launch.grid), warps = (count_of(launch.block) + 31) / 32;
  for (const Segment& s : segments) {
    if (s.cta >= ctas) return "it has records of a CTA that the grid has not";
    if (s.warp >= warps) return "it has records of a warp that the CTAs have not";
  }
  return nullptr;
}

const char* misfit(const Contents& contents, const BlockHeader& header,
                   std::span<const Segment> segments) {
  if (const char* problem = outside(contents.launches[header.launch].launch, segments))
    return problem;
  return contents.ctas[header.launch].fits(header.sequence, segments)
             ? nullptr
             : "the CTA index does not fit it";
}

Error bad_block(const InputFile& file, const BlockEntry& entry, const std::string& problem) {
  return {ErrorKind::kMalformed,
          fmt::format("the {} block is damaged: {}", block_type_name(entry.header.type), problem),
          fmt::format("{}, block {}, byte {}", file.path(), entry.header.sequence, entry.offset),
          "copy or record the trace again, or read the rest with --partial"};
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

}  // namespace warpmem::trace
