// Copies of tiles of tensors, as a tensor map describes them, and changes of tensor maps.
#pragma once

#include "emulate/executor/bulk_copies.hpp"
#include "emulate/executor/tensor_map.hpp"

namespace warpmem::emulate {

class TensorCopies {
 public:
  TensorCopies(Running& run, Recorder& recorder, MemoryUnit& memory, BulkCopies& bulk)
      : run_(run), recorder_(recorder), memory_unit_(memory), bulk_(bulk) {}
  void tensor_copy(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                   std::uint32_t mask);
  // tensor_map_changes.cpp
  void tensor_map(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                  std::uint32_t mask);

 private:
  struct Tile;  // a copy by one lane
  struct Row;
  TensorMap map_of(Warp& warp, const Inst& in, const TensorCopy& t, const std::byte* frame,
                   std::uint32_t lane);
  void copy_tile(Warp& warp, const Inst& in, const Tile& tile, const std::byte* frame);
  // The tile for a CTA of the cluster; its reads are recorded the first time.
  void copy_rows(Warp& warp, const Inst& in, const Tile& tile, std::uint32_t rank, bool traced,
                 bool& begun);
  void tensor_row(Warp& warp, const Inst& in, const Tile& tile, const Row& row, bool traced,
                  bool& begun);
  std::byte* row_in_global(Warp& warp, const Inst& in, const Tile& tile, const Row& row,
                           bool traced, bool& begun);
  static void copy_piece(const Tile& tile, const Row& row, std::uint32_t at, std::uint32_t bytes,
                         std::byte* shared, std::byte* global);

  Running& run_;
  Recorder& recorder_;
  MemoryUnit& memory_unit_;
  BulkCopies& bulk_;
};

}  // namespace warpmem::emulate
