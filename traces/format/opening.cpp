#include "traces/format/opening.hpp"

#include <fmt/format.h>

namespace warpmem::trace {

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
