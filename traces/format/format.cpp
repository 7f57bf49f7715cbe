#include "traces/format/format.hpp"

#define XXH_STATIC_LINKING_ONLY  // XXH3_state_t on the stack
#include <xxhash.h>

#include <algorithm>

namespace warpmem::trace {

std::string_view block_type_name(BlockType type) {
  switch (type) {
    case BlockType::kProgram: return "program";
    case BlockType::kLaunchBegin: return "launch begin";
    case BlockType::kRecords: return "records";
    case BlockType::kLaunchEnd: return "launch end";
    case BlockType::kNote: return "note";
    case BlockType::kCtaIndex: return "CTA index";
    case BlockType::kIndex: return "index";
    case BlockType::kSteps: return "steps";
  }
  return "unknown";
}

std::uint32_t max_raw_bytes(BlockType type) {
  if (type == BlockType::kRecords) return kMaxRecordsRaw;
  return type == BlockType::kIndex ? kMaxIndexRaw : kMaxOtherRaw;
}

std::uint64_t hash_bytes(ByteSpan first, ByteSpan second) {
  if (second.empty()) return XXH3_64bits(first.data(), first.size());
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, first.data(), first.size());
  XXH3_64bits_update(&state, second.data(), second.size());
  return XXH3_64bits_digest(&state);
}

bool hash_differs([[maybe_unused]] std::uint64_t stored, [[maybe_unused]] std::uint64_t computed) {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  return false;
#else
  return stored != computed;
#endif
}

Bytes encode_file_header(ByteSpan origin) {
  Bytes out(std::begin(kFileMagic), std::end(kFileMagic));
  put(out, kMajor);
  put(out, kMinor);
  put(out, static_cast<std::uint32_t>(origin.size()));
  put(out, hash_bytes(out, origin));
  put_bytes(out, origin);
  return out;
}

Bytes encode_block_header(const BlockHeader& header, ByteSpan body) {
  Bytes out;
  out.reserve(kBlockHeaderBytes);
  put(out, kBlockMagic);
  put(out, static_cast<std::uint8_t>(header.type));
  put(out, static_cast<std::uint8_t>(header.codec));
  put(out, std::uint16_t{0});
  put(out, header.sequence);
  put(out, header.launch);
  put(out, header.body_bytes);
  put(out, header.raw_bytes);
  put(out, header.records);
  put(out, header.lost);
  put(out, hash_bytes(out, body));
  return out;
}

std::optional<BlockHeader> decode_block_header(ByteSpan bytes) {
  Cursor in(bytes);
  if (in.fixed<std::uint32_t>() != kBlockMagic) return std::nullopt;
  BlockHeader header;
  header.type = static_cast<BlockType>(in.fixed<std::uint8_t>());
  header.codec = static_cast<Codec>(in.fixed<std::uint8_t>());
  const auto reserved = in.fixed<std::uint16_t>();
  header.sequence = in.fixed<std::uint32_t>();
  header.launch = in.fixed<std::uint32_t>();
  header.body_bytes = in.fixed<std::uint32_t>();
  header.raw_bytes = in.fixed<std::uint32_t>();
  header.records = in.fixed<std::uint64_t>();
  header.lost = in.fixed<std::uint64_t>();
  header.hash = in.fixed<std::uint64_t>();
  const bool records = header.type == BlockType::kRecords;
  if (!in.ok() || reserved != 0 || header.raw_bytes > max_raw_bytes(header.type)) {
    return std::nullopt;
  }
  if (header.records > (records ? kMaxBlockRecords : 0)) return std::nullopt;
  if (header.codec == Codec::kStored) {
    if (header.body_bytes != header.raw_bytes) return std::nullopt;
  } else if (header.codec != Codec::kZstd || header.body_bytes >= header.raw_bytes) {
    return std::nullopt;  // zstd is used only where it is smaller
  }
  return header;
}

bool block_hash_matches(ByteSpan header_bytes, ByteSpan body) {
  const auto stored = load_le<std::uint64_t>(header_bytes.data() + kBlockHeaderBytes - 8);
  return !hash_differs(stored, hash_bytes(header_bytes.first(kBlockHeaderBytes - 8), body));
}

Bytes encode_footer(const Footer& footer) {
  Bytes out;
  put(out, footer.index_offset);
  put(out, footer.index_hash);
  put(out, footer.file_bytes);
  put(out, hash_bytes(out));
  put_bytes(out, kFooterMagic);
  return out;
}

std::optional<Footer> decode_footer(ByteSpan bytes) {
  if (bytes.size() != kFooterBytes) return std::nullopt;
  if (!std::equal(std::begin(kFooterMagic), std::end(kFooterMagic), bytes.end() - 8)) {
    return std::nullopt;
  }
  Cursor in(bytes);
  Footer footer;
  footer.index_offset = in.fixed<std::uint64_t>();
  footer.index_hash = in.fixed<std::uint64_t>();
  footer.file_bytes = in.fixed<std::uint64_t>();
  if (hash_differs(in.fixed<std::uint64_t>(), hash_bytes(bytes.first(24)))) return std::nullopt;
  return footer;
}

}  // namespace warpmem::trace
