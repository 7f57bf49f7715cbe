#include "traces/format/block_table.hpp"

#include "traces/format/metadata.hpp"

namespace warpmem::trace {

Bytes put_index(const IndexBody& index) {
  Bytes out;
  put_varint(out, index.blocks.size());
  for (const BlockEntry& entry : index.blocks) {
    const BlockHeader& header = entry.header;
    put(out, static_cast<std::uint8_t>(header.type));
    put(out, static_cast<std::uint8_t>(header.codec));
    put_varint(out, header.launch);
    put_varint(out, header.body_bytes);
    put_varint(out, header.raw_bytes);
    put_varint(out, header.records);
    put_varint(out, header.lost);
    put(out, header.hash);
  }
  put_varint(out, index.sites.size());
  for (const auto& sites : index.sites) {
    put_varint(out, sites.size());
    for (const Site& site : sites) put_site(out, site);
  }
  return out;
}

std::optional<IndexBody> parse_index(ByteSpan bytes, std::uint64_t first_offset,
                                     std::uint64_t file_bytes, bool newer) {
  Cursor in(bytes);
  IndexBody index;
  index.blocks.resize(in.count(15));
  std::uint64_t offset = first_offset;
  std::uint32_t sequence = 0;
  for (BlockEntry& entry : index.blocks) {
    BlockHeader& header = entry.header;
    header.type = static_cast<BlockType>(in.fixed<std::uint8_t>());
    header.codec = static_cast<Codec>(in.fixed<std::uint8_t>());
    header.sequence = sequence++;
    header.launch = in.varint32();
    header.body_bytes = in.varint32();
    header.raw_bytes = in.varint32();
    header.records = in.varint();
    header.lost = in.varint();
    header.hash = in.fixed<std::uint64_t>();
    entry.offset = offset;
    offset += kBlockHeaderBytes + header.body_bytes;
    if (!in.ok() || offset > file_bytes) return std::nullopt;
  }
  index.sites.resize(in.count(1));
  for (auto& sites : index.sites) {
    sites.resize(in.count(4));
    for (Site& site : sites) site = parse_site(in);
  }
  if (!in.ok() || !(in.at_end() || newer)) return std::nullopt;
  return index;
}

std::uint64_t content_hash(std::uint64_t file_header_hash, const std::vector<BlockEntry>& blocks) {
  Bytes hashes;
  put(hashes, file_header_hash);
  for (const BlockEntry& entry : blocks) {
    const BlockType type = entry.header.type;
    if (type != BlockType::kCtaIndex && type != BlockType::kIndex) put(hashes, entry.header.hash);
  }
  return hash_bytes(hashes);
}

}  // namespace warpmem::trace
