#include "python/arrow.hpp"

#include <array>
#include <cerrno>

namespace warpmem::python {
namespace {

constexpr std::int64_t kNullable = 2;  // ARROW_FLAG_NULLABLE

const char* format_of(Column::Kind kind) {
  switch (kind) {
    case Column::Kind::kWhole: return "l";
    case Column::Kind::kReal: return "g";
    case Column::Kind::kWord: break;
  }
  return "i";  // numbers of the dictionary's words
}

// What a schema or an array points to, and how long it lives: as long as it does.
struct SchemaNode {
  std::string name;
  std::vector<std::unique_ptr<ArrowSchema>> owned;
  std::vector<ArrowSchema*> children;
  std::unique_ptr<ArrowSchema> dictionary;
};
struct ArrayNode {
  std::shared_ptr<const Table> table;
  std::array<const void*, 3> buffers{};
  std::vector<std::unique_ptr<ArrowArray>> owned;
  std::vector<ArrowArray*> children;
  std::unique_ptr<ArrowArray> dictionary;
};

template <class Struct, class Node>
void release(Struct* out) {
  auto* const node = static_cast<Node*>(out->private_data);
  for (const auto& child : node->owned)
    if (child->release) child->release(child.get());
  if (node->dictionary && node->dictionary->release)
    node->dictionary->release(node->dictionary.get());
  delete node;
  out->release = nullptr;
}

void set(ArrowSchema& out, const char* format, std::string name, std::unique_ptr<SchemaNode> node) {
  node->name = std::move(name);
  out = {};
  out.format = format, out.name = node->name.c_str(), out.flags = kNullable;
  out.n_children = static_cast<std::int64_t>(node->children.size());
  out.children = node->children.data(), out.dictionary = node->dictionary.get();
  out.release = release<ArrowSchema, SchemaNode>, out.private_data = node.release();
}

void set(ArrowArray& out, std::size_t length, std::int64_t buffers,
         std::unique_ptr<ArrayNode> node) {
  out = {};
  out.length = static_cast<std::int64_t>(length);
  out.n_buffers = buffers, out.buffers = node->buffers.data();
  out.n_children = static_cast<std::int64_t>(node->children.size());
  out.children = node->children.data(), out.dictionary = node->dictionary.get();
  out.release = release<ArrowArray, ArrayNode>, out.private_data = node.release();
}

void schema_of(const Column& column, ArrowSchema& out) {
  auto node = std::make_unique<SchemaNode>();
  if (column.kind == Column::Kind::kWord) {
    node->dictionary = std::make_unique<ArrowSchema>();
    set(*node->dictionary, "u", "", std::make_unique<SchemaNode>());
  }
  set(out, format_of(column.kind), column.name, std::move(node));
}

void array_of(const std::shared_ptr<const Table>& table, const Column& column, ArrowArray& out) {
  auto node = std::make_unique<ArrayNode>();
  node->table = table;
  node->buffers[0] = column.known.empty() ? nullptr : column.known.data();
  switch (column.kind) {
    case Column::Kind::kWhole: node->buffers[1] = column.wholes.data(); break;
    case Column::Kind::kReal: node->buffers[1] = column.reals.data(); break;
    case Column::Kind::kWord: {
      node->buffers[1] = column.words.data();
      auto words = std::make_unique<ArrayNode>();
      words->table = table;
      words->buffers = {nullptr, column.ends.data(), column.letters.data()};
      node->dictionary = std::make_unique<ArrowArray>();
      set(*node->dictionary, column.list.size(), 3, std::move(words));
      break;
    }
  }
  set(out, column.rows(), 2, std::move(node));
  out.null_count = column.unknown;
}

struct Stream {
  std::shared_ptr<const Table> table;
  bool given = false;
};
Stream& of(ArrowArrayStream* stream) { return *static_cast<Stream*>(stream->private_data); }

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  auto node = std::make_unique<SchemaNode>();
  for (const Column& column : of(stream).table->columns) {
    node->owned.push_back(std::make_unique<ArrowSchema>());
    schema_of(column, *node->owned.back());
    node->children.push_back(node->owned.back().get());
  }
  set(*out, "+s", "", std::move(node));
  out->flags = 0;
  return 0;
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  *out = {};  // released: the stream is at its end
  Stream& s = of(stream);
  if (s.given) return 0;
  s.given = true;
  auto node = std::make_unique<ArrayNode>();
  for (const Column& column : s.table->columns) {
    node->owned.push_back(std::make_unique<ArrowArray>());
    array_of(s.table, column, *node->owned.back());
    node->children.push_back(node->owned.back().get());
  }
  set(*out, s.table->rows(), 1, std::move(node));
  return 0;
}

// No exception leaves a function of the interface.
template <int (*Get)(ArrowArrayStream*, ArrowSchema*)>
int guarded(ArrowArrayStream* stream, ArrowSchema* out) {
  try {
    return Get(stream, out);
  } catch (...) {
    return ENOMEM;
  }
}
template <int (*Get)(ArrowArrayStream*, ArrowArray*)>
int guarded(ArrowArrayStream* stream, ArrowArray* out) {
  try {
    return Get(stream, out);
  } catch (...) {
    return ENOMEM;
  }
}

}  // namespace

void Column::add_word(std::string_view word) {
  const auto [at, added] =
      numbers.try_emplace(std::string(word), static_cast<std::int32_t>(list.size()));
  if (added) list.emplace_back(word);
  words.push_back(at->second);
}

void Column::add_nothing() {
  const std::size_t row = rows();
  known.resize(row / 8 + 1, 0xff);
  known[row / 8] = static_cast<std::uint8_t>(known[row / 8] & ~(1u << row % 8));
  ++unknown;
  switch (kind) {
    case Kind::kWhole: wholes.push_back(0); break;
    case Kind::kReal: reals.push_back(0); break;
    case Kind::kWord:
      if (list.empty()) add_word("");
      else words.push_back(0);
  }
}

std::size_t Column::rows() const {
  switch (kind) {
    case Kind::kWhole: return wholes.size();
    case Kind::kReal: return reals.size();
    case Kind::kWord: break;
  }
  return words.size();
}

void Column::seal() {
  if (unknown > 0) known.resize((rows() + 7) / 8, 0xff);
  ends.assign(1, 0);
  letters.clear();
  for (const std::string& word : list) {
    letters += word;
    ends.push_back(static_cast<std::int32_t>(letters.size()));
  }
}

ArrowArrayStream* stream_of(std::shared_ptr<const Table> table) {
  auto stream = std::make_unique<ArrowArrayStream>();
  stream->get_schema = guarded<get_schema>;
  stream->get_next = guarded<get_next>;
  stream->get_last_error = [](ArrowArrayStream*) -> const char* { return "out of memory"; };
  stream->release = [](ArrowArrayStream* s) {
    delete static_cast<Stream*>(s->private_data);
    s->release = nullptr;
  };
  stream->private_data = new Stream{std::move(table)};
  return stream.release();
}

}  // namespace warpmem::python
