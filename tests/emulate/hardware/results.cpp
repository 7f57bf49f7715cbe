#include "tests/emulate/hardware/results.hpp"

#include <zstd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "tests/emulate/hardware/textures.hpp"

namespace warpmem::emulate::hardware {
namespace {

constexpr const char* kMagic = "warpmem instruction results 1";

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Cursor {
 public:
  Cursor(const std::string& text, std::string path) : text_(text), path_(std::move(path)) {}
  std::string line() {
    const std::size_t end = text_.find('\n', at_);
    if (end == text_.npos) throw std::runtime_error(path_ + " is cut short");
    const std::string l = text_.substr(at_, end - at_);
    at_ = end + 1;
    return l;
  }
  std::uint64_t number(std::uint32_t bytes) {
    if (text_.size() - at_ < bytes) throw std::runtime_error(path_ + " is cut short");
    std::uint64_t v = 0;
    std::memcpy(&v, text_.data() + at_, bytes);
    at_ += bytes;
    return v;
  }
  bool ended() const { return at_ == text_.size(); }

 private:
  const std::string& text_;
  std::string path_;
  std::size_t at_ = 0;
};

void header(Cursor& in, const std::string& path, Results& r) {
  if (in.line() != kMagic) throw std::runtime_error(path + " holds no instruction results");
  r.gpu = in.line(), r.cuda = in.line(), r.date = in.line();
}
void textures(Cursor& in, Results& r) {
  for (std::size_t i = 0; i < texture_cases().size(); ++i) {
    std::vector<std::uint32_t> words(kFetches * 4);
    for (std::uint32_t& w : words) w = static_cast<std::uint32_t>(in.number(4));
    r.textures.push_back(std::move(words));
  }
}

}  // namespace

std::uint32_t hash_of(const std::uint64_t* values, std::size_t count) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < count; ++i) {
    h = (h ^ values[i]) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return static_cast<std::uint32_t>(h ^ h >> 32);
}

std::uint32_t fingerprint(const Form& form) {
  std::string all = form.name + '|' + form.body + '|' + form.result;
  for (const std::string& o : form.operands) all += '|' + o;
  std::vector<std::uint64_t> letters(all.begin(), all.end());
  return hash_of(letters.data(), letters.size());
}

std::vector<std::vector<std::uint64_t>> read_raw(const std::string& path, Results& rest) {
  const std::string text = read_file(path);
  Cursor in(text, path);
  header(in, path, rest);
  std::vector<std::vector<std::uint64_t>> all;
  for (const Form& f : forms()) {
    std::vector<std::uint64_t> v(kCases);
    for (std::uint64_t& x : v) x = in.number(bytes_of(f.result));
    all.push_back(std::move(v));
  }
  textures(in, rest);
  if (!in.ended()) throw std::runtime_error(path + " was recorded with other forms");
  return all;
}

void pack_results(const std::string& raw, const std::string& kept) {
  Results rest;
  const auto all = read_raw(raw, rest);
  std::string out =
      std::string(kMagic) + '\n' + rest.gpu + '\n' + rest.cuda + '\n' + rest.date + '\n';
  const auto put = [&](std::uint64_t v, std::uint32_t bytes) {
    out.append(reinterpret_cast<const char*>(&v), bytes);
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Form& f = forms()[i];
    put(fingerprint(f), 4);
    const std::uint32_t full = f.band.exact() ? kKept : kKeptBand;
    for (std::uint32_t k = 0; k < full; ++k) put(all[i][k], bytes_of(f.result));
    for (std::uint32_t k = full; f.band.exact() && k < kCases; k += kGroup)
      put(hash_of(&all[i][k], kGroup), 4);
  }
  for (const auto& words : rest.textures)
    for (const std::uint32_t w : words) put(w, 4);
  std::string packed(ZSTD_compressBound(out.size()), '\0');
  const std::size_t n = ZSTD_compress(packed.data(), packed.size(), out.data(), out.size(), 19);
  if (ZSTD_isError(n)) throw std::runtime_error(ZSTD_getErrorName(n));
  std::ofstream file(kept, std::ios::binary);
  file.write(packed.data(), static_cast<std::streamsize>(n));
  file.flush();
  if (!file) throw std::runtime_error("cannot write " + kept);
}

Results read_results(const std::string& path) {
  const std::string packed = read_file(path);
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > (1u << 28))
    throw std::runtime_error(path + " holds no instruction results");
  std::string text(size, '\0');
  if (ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size()) != size)
    throw std::runtime_error(path + " is damaged");
  Cursor in(text, path);
  Results r;
  header(in, path, r);
  for (const Form& f : forms()) {
    if (in.number(4) != fingerprint(f))
      throw std::runtime_error(
          path + ": '" + f.name +
          "' is not what was recorded there; record again (tests/emulate/hardware/README.md)");
    FormResults one;
    const std::uint32_t full = f.band.exact() ? kKept : kKeptBand;
    for (std::uint32_t k = 0; k < full; ++k) one.kept.push_back(in.number(bytes_of(f.result)));
    for (std::uint32_t k = full; f.band.exact() && k < kCases; k += kGroup)
      one.hashes.push_back(static_cast<std::uint32_t>(in.number(4)));
    r.forms.push_back(std::move(one));
  }
  textures(in, r);
  if (!in.ended()) throw std::runtime_error(path + " was recorded with other forms");
  return r;
}

}  // namespace warpmem::emulate::hardware
