#include "model/l2/l2_sets.hpp"

#include "base/large_pages.hpp"

namespace warpmem::model {

template <unsigned N>
L2Sets<N>::L2Sets() : sets_(large_pages()) {}

template <unsigned N>
void L2Sets<N>::shape(std::uint32_t sets, const L2SideSpec& spec) {
  spec_ = spec;
  last_place_ = spec.ways - 1;
  sets_.resize(sets);
  bytes_.resize(sets_.size() * (spec.partial_ways + 1));
  clear();
}

template <unsigned N>
void L2Sets<N>::clear() {
  Set empty{};
  std::fill(std::begin(empty.tag), std::end(empty.tag), L2SetTag::kEmpty);
  // The first way is the oldest, so that they are taken in their order; those that the side does
  // not have stay behind it.
  for (unsigned place = 0; place < N; ++place)
    empty.order.put(place, place < spec_.ways ? spec_.ways - 1 - place : place);
  std::fill(sets_.begin(), sets_.end(), empty);
  marks_.clear();
  plain_ = N == 32 || spec_.ways == N;
  std::fill(bytes_.begin(), bytes_.end(), PartialBytes{});
  traffic_ = {};
}

template <unsigned N>
void L2Sets<N>::set_aside(std::uint64_t bytes) {
  persist_ways_ = persisting_ways(bytes, sets_.size() * spec_.line_bytes, spec_.ways);
}

template <unsigned N>
void L2Sets<N>::end_persisting() {
  for (Marks& m : marks_) m.persist = 0;
}

// Any read.
template <unsigned N>
L2Found L2Sets<N>::read_other(const L2SetTag& set_tag, std::uint8_t sectors, std::uint32_t piece,
                              Stay stay) {
  const L2Lookup found_at = find(set_tag);
  const std::uint8_t here = lookup(found_at);
  const auto missing = static_cast<std::uint8_t>(pieces_of(piece)[sectors & ~here & 15] & ~here);
  if (missing) fill(found_at, missing, stay);
  else if (found_at.way >= 0) mark(set_tag, found_at.way, stay);
  return {here, missing};
}

// The least recently used way that has any of these sectors.
template <unsigned N>
int L2Sets<N>::oldest(const Order& order, Sectors among) const {
  for (unsigned place = N; place-- > 0;) {
    const int way = order.at(place);
    if (sectors_of(among, way)) return way;
  }
  return -1;
}

template <unsigned N>
typename L2Sets<N>::PartialBytes* L2Sets<N>::partial_bytes(const L2SetTag& set_tag, int way) {
  PartialBytes* const first = &bytes_[std::size_t{set_tag.set} * (spec_.partial_ways + 1)];
  PartialBytes* const end = first + spec_.partial_ways + 1;
  for (PartialBytes* b = first; b != end; ++b)
    if (b->set_tag.tag == set_tag.tag && b->set_tag.set == set_tag.set) return b;
  const Set& s = sets_[set_tag.set];
  if (sectors_of(s.partial, way)) return nullptr;
  // A free entry: its line has no partial sectors any more.
  for (PartialBytes* b = first; b != end; ++b) {
    const int w = b->set_tag.set == set_tag.set ? find(b->set_tag).way : -1;
    if (w >= 0 && sectors_of(s.partial, w)) continue;
    *b = {set_tag, {}};
    return b;
  }
  return nullptr;
}

// Writes a way back and fills its partial sectors; it stays, clean.
template <unsigned N>
void L2Sets<N>::clean(Set& s, int way) {
  const std::uint8_t partial = sectors_of(s.partial, way), dirty = sectors_of(s.dirty, way);
  s.valid |= on_way(partial, way);
  s.dirty &= ~on_way(15, way);
  s.partial &= ~on_way(15, way);
  traffic_.add({sectors_in(partial), sectors_in(dirty | partial),
                static_cast<std::uint32_t>(&s - sets_.data()), s.tag[way]});
}

// The oldest way is dirty: it is written back, and the oldest of the clean ones goes instead. With
// none clean, the oldest itself.
template <unsigned N>
int L2Sets<N>::spare_dirty(Set& s, int oldest_way) {
  const Sectors dirty = s.dirty | s.partial;
  clean(s, oldest_way);
  for (unsigned place = last_place_; place-- > 0;) {
    const int way = s.order.at(place);
    if (!sectors_of(dirty, way)) return way;
  }
  return oldest_way;
}

// Of a plain side's set whose oldest way is dirty: the way that gives up its line, which is the
// most recently used one from now on.
template <unsigned N>
[[gnu::noinline]] int L2Sets<N>::make_room(Set& s) {
  const int way = spare_dirty(s, last_of_plain(s));
  s.order.promote(way);
  return way;
}

// The way to give up where some are marked: the oldest of the first to go; or else the oldest of
// those that do not persist, or of all where more persist than may. A dirty one is spared as
// elsewhere.
template <unsigned N>
int L2Sets<N>::replace_marked(Set& s, std::size_t set) {
  Marks& marks = marks_[set];
  const int last = this->last(s);
  if (s.tag[last] == L2SetTag::kEmpty) return last;
  const bool held = static_cast<std::uint32_t>(std::popcount(marks.persist)) <= persist_ways_;
  const Sectors dirty = s.dirty | s.partial;
  int turn = -1, clean_one = -1;
  const auto look = [&](bool first) {
    for (unsigned place = last_place_ + 1; place-- > 0;) {
      const int way = s.order.at(place);
      if ((marks.first >> way & 1) != first || (held && (marks.persist >> way & 1))) continue;
      if (turn < 0) turn = way;
      if (clean_one < 0 && !sectors_of(dirty, way)) clean_one = way;
    }
  };
  if (marks.first) look(true);
  if (clean_one < 0) look(false);
  if (sectors_of(dirty, turn)) clean(s, turn);
  const int gone = clean_one < 0 ? turn : clean_one;
  const auto others = static_cast<Ways>(~(1u << gone));
  marks.persist &= others;
  marks.first &= others;
  return gone;
}

template <unsigned N>
void L2Sets<N>::keep_whole_tag(const L2SetTag& set_tag, int way) {
  if (whole_tag_.empty()) whole_tag_.resize(sets_.size() * N);
  whole_tag_[std::size_t{set_tag.set} * N + static_cast<unsigned>(way)] = set_tag.tag;
}

// Of these ways with the set_tag's short tag, those with its whole tag.
template <unsigned N>
std::uint32_t L2Sets<N>::same_whole_tag(const L2SetTag& set_tag, std::uint32_t ways) const {
  std::uint32_t same = 0;
  for (; ways; ways &= ways - 1) {
    const auto way = static_cast<unsigned>(std::countr_zero(ways));
    if (whole_tag_[std::size_t{set_tag.set} * N + way] == set_tag.tag) same |= 1u << way;
  }
  return same;
}

template <unsigned N>
int L2Sets<N>::claim_unusual(Set& s, const L2SetTag& set_tag) {
  if (!marks_.empty()) return replace_marked(s, set_tag.set);
  const int way = last(s);
  return sectors_of(s.dirty | s.partial, way) ? spare_dirty(s, way) : way;
}

template <unsigned N>
void L2Sets<N>::mark_way(const L2SetTag& set_tag, int way, Stay stay) {
  if (marks_.empty()) {
    if (stay == Stay::kUnsaid || stay == Stay::kNormal) return;
    marks_.resize(sets_.size());
    plain_ = false;
  }
  Marks& m = marks_[set_tag.set];
  const auto bit = static_cast<Ways>(1u << way);
  const auto others = static_cast<Ways>(~bit);
  if (stay != Stay::kFirst) m.first &= others;
  else if (!(m.persist & bit)) m.first |= bit;
  if (stay == Stay::kNormal) m.persist &= others;
  if (stay == Stay::kPersist) m.persist |= bit;
}

// Keeps the bytes of sectors that are written in part; those whose bytes have all come are whole.
template <unsigned N>
std::uint8_t L2Sets<N>::write_pieces(const L2SetTag& set_tag, int way, std::uint8_t piece,
                                     const std::uint32_t* bytes) {
  Set& s = sets_[set_tag.set];
  std::uint8_t whole = 0;
  if (PartialBytes* b = partial_bytes(set_tag, way)) {
    for (int k = 0; k < 4; ++k) {
      if (!(piece >> k & 1)) continue;
      if (!(sectors_of(s.partial, way) >> k & 1)) b->bytes[k] = 0;
      b->bytes[k] |= bytes[k];
      if (b->bytes[k] == ~0u) whole = static_cast<std::uint8_t>(whole | 1u << k);
    }
  }
  s.partial |= on_way(static_cast<std::uint8_t>(piece & ~whole), way);
  return whole;
}

// Sectors of the lines that persist in a set, in which no more of them are than may.
template <unsigned N>
typename L2Sets<N>::Sectors L2Sets<N>::held(const Set& s) const {
  if (marks_.empty()) return 0;
  const std::uint32_t persist = marks_[static_cast<std::size_t>(&s - sets_.data())].persist;
  if (static_cast<std::uint32_t>(std::popcount(persist)) > persist_ways_) return 0;
  Sectors sectors = 0;
  for (std::uint32_t left = persist; left; left &= left - 1)
    sectors |= on_way(15, std::countr_zero(left));
  return sectors;
}

// Writes back what is more than may stay. Lines that persist stay as they are (measured:
// kernels/micro/l2_sliding.cu).
template <unsigned N>
void L2Sets<N>::keep_caps(Set& s) {
  if (s.partial && ways_with(s.partial) > spec_.partial_ways) clean(s, oldest(s.order, s.partial));
  const Sectors dirty = (s.dirty | s.partial) & ~held(s);
  if (ways_with(dirty) > spec_.dirty_ways) clean(s, oldest(s.order, dirty));
}

template <unsigned N>
void L2Sets<N>::drop(const L2SetTag& set_tag, std::uint8_t sectors) {
  const L2Lookup found_at = find(set_tag);
  if (found_at.way >= 0) sets_[set_tag.set].valid &= ~on_way(sectors & 15, found_at.way);
}

template <unsigned N>
void L2Sets<N>::discard(const L2SetTag& set_tag) {
  const L2Lookup found_at = find(set_tag);
  if (found_at.way < 0) return;
  const Sectors others = ~on_way(15, found_at.way);
  sets_[set_tag.set].valid &= others;
  sets_[set_tag.set].dirty &= others;
  sets_[set_tag.set].partial &= others;
}

template <unsigned N>
std::uint64_t L2Sets<N>::dirty_sectors() const {
  std::uint64_t n = 0;
  for (const Set& s : sets_) {
    const Sectors sectors = s.dirty | s.partial;
    n += static_cast<std::uint64_t>(std::popcount(static_cast<std::uint64_t>(sectors)));
    if constexpr (N == 32)
      n += static_cast<std::uint64_t>(std::popcount(static_cast<std::uint64_t>(sectors >> 64)));
  }
  return n;
}

template class L2Sets<16>;
template class L2Sets<32>;

}  // namespace warpmem::model
