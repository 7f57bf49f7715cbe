#include "traces/format/opening.hpp"

#include <fmt/format.h>

#include "traces/format/records_codec.hpp"

namespace warpmem::trace {

Result<IndexBody> read_index(const Contents& out, const Footer& footer) {
  const InputFile& file = out.file;
  const std::uint64_t at = footer.index_offset;
  const Error bad = malformed(file, at, "the index is damaged", kUsePartial);
  const std::uint64_t end = file.size() - kFooterBytes;
  if (footer.file_bytes != file.size() || at < out.first_block || at > end ||
      end - at < kBlockHeaderBytes) {
    return malformed(file, end, "the footer does not fit the file", kUsePartial);
  }
  Bytes head, data, raw;
  if (auto read = file.read(at, kBlockHeaderBytes, head); !read) return read.error();
  const auto header = decode_block_header(head);
  if (!header || header->type != BlockType::kIndex || header->hash != footer.index_hash ||
      header->body_bytes != end - at - kBlockHeaderBytes) {
    return bad;
  }
  if (auto read = read_body(file, {*header, at}, data, raw); !read) return read.error();
  auto index =
      parse_index(ByteSpan(raw).first(header->raw_bytes), out.first_block, at, out.newer_minor);
  if (!index || header->sequence != index->blocks.size()) return bad;
  const std::uint64_t covered = index->blocks.empty()
                                    ? out.first_block
                                    : index->blocks.back().offset + kBlockHeaderBytes +
                                          index->blocks.back().header.body_bytes;
  if (covered != at) return bad;
  return std::move(*index);
}

Result<void> read_sealed(Contents& out, const Footer& footer, IndexBody index) {
  const InputFile& file = out.file;
  const Error bad = malformed(file, footer.index_offset, "the index is damaged", kUsePartial);
  Bytes data, raw;
  out.blocks = std::move(index.blocks);
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
  if (index.sites.size() != out.launches.size()) return bad;
  for (std::size_t i = 0; i < out.launches.size(); ++i) {
    for (const Site& site : index.sites[i]) out.sites[i].number_of(site);
    if (out.sites[i].size() != index.sites[i].size()) return bad;
  }
  out.quality.sealed = true;
  judge(out);
  for (const BlockEntry& entry : out.blocks) {
    const BlockHeader& block = entry.header;
    if (block.type == BlockType::kRecords && block.records > 0 &&
        !out.ctas[block.launch].names(block.sequence))
      return bad_block(file, entry, "the CTA index does not name it");
  }
  return {};
}

Result<bool> records_are_whole(const Contents& contents) {
  Bytes data, raw;
  for (const BlockEntry& entry : contents.blocks) {
    if (entry.header.type != BlockType::kRecords) continue;
    if (auto read = read_body(contents.file, entry, data, raw); !read) {
      if (read.error().kind == ErrorKind::kResources) return read.error();
      return false;
    }
    DecodedRecords directory;
    const ByteSpan body = ByteSpan(raw).first(entry.header.raw_bytes);
    if (decode_directory(body, directory) != nullptr ||
        misfit(contents, entry.header, directory.segments) != nullptr)
      return false;
  }
  return true;
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
  std::optional<IndexBody> index;
  if (footer) {
    Contents fresh(std::move(contents));
    auto found = read_index(fresh, *footer);
    if (!found && !options.allow_partial) return found.error();
    if (found) index = *found;
    auto read = found ? read_sealed(fresh, *footer, std::move(*found)) : found.error();
    if (!options.allow_partial) {
      if (!read) return read.error();
      return fresh;
    }
    if (read) {
      auto whole = records_are_whole(fresh);
      if (!whole) return whole.error();
      if (*whole) return fresh;
    }
    why = index ? "" : "the trace was read without its index: " + read.error().text();
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
  if (auto scanned = scan(contents, why, index ? &*index : nullptr); !scanned)
    return scanned.error();
  return contents;
}

}  // namespace warpmem::trace
