#include <fmt/format.h>

#include "traces/format/opening.hpp"
#include "traces/format/records_codec.hpp"

namespace warpmem::trace {

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

}  // namespace warpmem::trace
