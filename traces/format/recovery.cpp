#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "traces/format/opening.hpp"
#include "traces/format/records_codec.hpp"

namespace warpmem::trace {
namespace {

constexpr std::size_t kSearchBytes = 1 << 20;  // read at once when looking for a block
constexpr int kMostTries = 1000;  // candidates looked at in a file: one made of them ends soon
constexpr std::size_t kMostSkipNotes = 20;

class Scan {
 public:
  Scan(Contents& out, const IndexBody* index) : out_(out), index_(index) {}

  Result<void> run() {
    while (offset_ < out_.file.size() && !ended_) {
      auto problem = take_block();
      if (!problem) return problem.error();
      if (*problem == nullptr) continue;
      auto next = find_block();
      if (!next) return next.error();
      if (!*next) {
        note_end(*problem);
        break;
      }
      skip_to(**next, *problem);
    }
    if (ended_ && offset_ < out_.file.size()) note_end("the footer is damaged");
    return {};
  }

  void finish() {
    for (std::size_t i = 0; i < runs_.size(); ++i) out_.ctas[i].add(runs_[i]);
    for (std::size_t i = 0; i < out_.launches.size();
         ++i)  // others say themselves how many they had
      if (!out_.ended[i] && i < skipped_.size()) out_.launches[i].end.lost += skipped_[i];
    if (skips_ > kMostSkipNotes)
      out_.quality.notes.push_back(
          fmt::format("{} more pieces of the file were skipped", skips_ - kMostSkipNotes));
  }

 private:
  // Takes in the block at offset_. A sentence: why it cannot.
  Result<const char*> take_block() {
    const InputFile& file = out_.file;
    if (file.size() - offset_ < kBlockHeaderBytes) return "the block header is cut short";
    if (auto read = file.read(offset_, kBlockHeaderBytes, head_); !read) return read.error();
    const auto header = decode_block_header(head_);
    if (!header || header->sequence != out_.blocks.size()) return "no block begins here";
    if (file.size() - offset_ - kBlockHeaderBytes < header->body_bytes)
      return "the block is cut short";
    const BlockEntry entry{*header, offset_};
    if (auto read = read_body(file, entry, data_, raw_); !read) {
      if (read.error().kind == ErrorKind::kResources) return read.error();
      return "the block is damaged";
    }
    const ByteSpan body = ByteSpan(raw_).first(header->raw_bytes);
    DecodedRecords directory;
    if (header->type == BlockType::kRecords) {
      if (const char* problem = decode_directory(body, directory)) return problem;
      if (header->launch < out_.launches.size())
        if (const char* problem = outside(out_.launches[header->launch].launch, directory.segments))
          return problem;
    }
    const bool begins =
        header->type == BlockType::kProgram || header->type == BlockType::kLaunchBegin;
    if (begins && unknown_skipped_) return "it may belong to what was skipped";
    if (const char* problem = apply(out_, entry, body)) return problem;
    if (header->type == BlockType::kRecords) {
      for (const Site& site : directory.sites) out_.sites[header->launch].number_of(site);
      runs_.resize(out_.launches.size());
      append_runs(directory.segments, header->sequence, runs_[header->launch]);
    }
    out_.blocks.push_back(entry);
    offset_ += kBlockHeaderBytes + header->body_bytes;
    if (header->type == BlockType::kIndex) {  // only the footer can follow
      ended_ = true;
      if (index_ != nullptr) offset_ += kFooterBytes;
    }
    return nullptr;
  }

  // The next whole block behind offset_.
  Result<std::optional<BlockEntry>> find_block() {
    const InputFile& file = out_.file;
    Bytes window;
    const std::uint32_t magic = kBlockMagic;
    std::uint8_t wanted[4];
    std::memcpy(wanted, &magic, 4);
    for (std::uint64_t at = offset_ + 1; at + kBlockHeaderBytes <= file.size();) {
      const auto bytes =
          static_cast<std::size_t>(std::min<std::uint64_t>(kSearchBytes, file.size() - at));
      if (auto read = file.read(at, bytes, window); !read) return read.error();
      for (auto found = window.begin();; ++found) {
        found = std::search(found, window.end(), wanted, wanted + 4);
        if (found == window.end()) break;
        auto block = whole_block(at + static_cast<std::uint64_t>(found - window.begin()));
        if (!block) return block.error();
        if (*block) return block;
      }
      if (bytes < kSearchBytes) break;
      at += bytes - 3;  // the magic may lie across
    }
    return std::optional<BlockEntry>();
  }

  Result<std::optional<BlockEntry>> whole_block(std::uint64_t at) {
    const InputFile& file = out_.file;
    const std::optional<BlockEntry> none;
    if (file.size() - at < kBlockHeaderBytes) return none;
    if (auto read = file.read(at, kBlockHeaderBytes, head_); !read) return read.error();
    const auto header = decode_block_header(head_);
    if (!header || header->sequence <= out_.blocks.size()) return none;
    // What lies between has room for so many headers.
    if (header->sequence - out_.blocks.size() > (at - offset_) / kBlockHeaderBytes) return none;
    if (file.size() - at - kBlockHeaderBytes < header->body_bytes) return none;
    if (++tries_ > kMostTries) return none;
    const BlockEntry entry{*header, at};
    if (auto read = read_body(file, entry, data_, raw_); !read) {
      if (read.error().kind == ErrorKind::kResources) return read.error();
      return none;
    }
    return std::optional<BlockEntry>(entry);
  }

  void skip_to(const BlockEntry& next, const char* problem) {
    const auto first = static_cast<std::uint32_t>(out_.blocks.size());
    std::uint64_t records = 0;
    for (std::uint32_t number = first; number < next.header.sequence; ++number) {
      BlockEntry lost;  // keeps the numbers of those behind it
      lost.offset = offset_;
      if (index_ != nullptr && number < index_->blocks.size()) {
        lost = index_->blocks[number];
        const BlockHeader& header = lost.header;
        records += header.records;
        if (header.type == BlockType::kProgram) out_.programs.push_back(lost_program());
        if (header.type == BlockType::kRecords && header.launch < out_.launches.size()) {
          skipped_.resize(out_.launches.size());
          skipped_[header.launch] += header.records;
        }
      } else {
        unknown_skipped_ = true;
      }
      out_.blocks.push_back(lost);
    }
    if (++skips_ <= kMostSkipNotes)
      out_.quality.notes.push_back(
          fmt::format("block {} at byte {}: {}; {} bytes were skipped{}", first, offset_, problem,
                      next.offset - offset_,
                      index_ == nullptr ? "" : fmt::format(", with {} records", records)));
    offset_ = next.offset;
  }

  static Program lost_program() {
    Program program;
    program.name = "n/a (its block is damaged)";
    return program;
  }

  void note_end(const char* problem) {
    out_.quality.unreadable_bytes = out_.file.size() - offset_;
    out_.quality.notes.push_back(
        fmt::format("block {} at byte {}: {}; the last {} bytes are not readable",
                    out_.blocks.size(), offset_, problem, out_.quality.unreadable_bytes));
  }

  Contents& out_;
  const IndexBody* index_;
  std::uint64_t offset_ = out_.first_block;
  Bytes head_, data_, raw_;
  std::vector<std::vector<CtaRun>> runs_;  // by launch
  std::vector<std::uint64_t> skipped_;     // records, by launch
  bool ended_ = false;                     // the index block was read
  bool unknown_skipped_ = false;
  std::size_t skips_ = 0;
  int tries_ = 0;
};

}  // namespace

Result<void> scan(Contents& out, const std::string& why, const IndexBody* index) {
  if (!why.empty()) out.quality.notes.push_back(why);
  out.quality.sealed = index != nullptr;
  Scan scan(out, index);
  if (auto done = scan.run(); !done) return done;
  scan.finish();
  judge(out);
  return {};
}

}  // namespace warpmem::trace
