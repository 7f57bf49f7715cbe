// The body of a records block. What decodes must, encoded again, decode to the same.
#include <cstdint>
#include <cstdlib>

#include "traces/format/records_codec.hpp"

using namespace warpmem::trace;

namespace {

bool decode(Bytes raw, DecodedRecords& out) {
  const std::size_t size = raw.size();
  raw.resize(size + kSlack);
  return decode_records(ByteSpan(raw).first(size), out) == nullptr;
}

bool same(const Record& a, const Record& b) {
  return a.base == b.base && a.stride == b.stride && a.mask == b.mask && a.site == b.site &&
         a.lanes == b.lanes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  DecodedRecords first, second;
  if (!decode(Bytes(data, data + size), first)) return 0;
  if (!decode(encode_records({first.sites, first.segments, first.records, first.lanes}), second)) {
    std::abort();
  }
  if (first.lanes != second.lanes || first.records.size() != second.records.size()) std::abort();
  for (std::size_t i = 0; i < first.records.size(); ++i) {
    if (!same(first.records[i], second.records[i])) std::abort();
  }
  return 0;
}
