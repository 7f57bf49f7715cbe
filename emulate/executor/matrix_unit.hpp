// Matrix instructions: loads and stores of matrices, and their products. They take a whole warp.
#pragma once

#include "emulate/executor/memory_unit.hpp"

namespace warpmem::emulate {

class MatrixUnit {
 public:
  MatrixUnit(Running& run, Recorder& recorder, MemoryUnit& memory)
      : run_(run), recorder_(recorder), memory_unit_(memory) {}
  // Any of them.
  void run(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask);

 private:
  void matrix_access(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                     std::uint32_t mask);
  void matrix_turn(Warp& warp, const Inst& in, std::byte* frame, std::uint32_t mask);
  void matrix_product(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                      std::uint32_t mask);
  void quad_product(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                    std::uint32_t mask);
  // fragments.cpp
  struct Tile;  // a fragment's elements
  void record_rows(const Tile& t);
  void record_fragment(const Tile& t);
  void move_elements(const Tile& t, std::uint32_t r, std::uint32_t e, std::uint32_t bytes,
                     std::uint32_t first);
  void fragment(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask);
  // group_products.cpp
  void record_reads(Warp& warp, const Inst& in, const Code& code, const GroupProduct& g,
                    std::uint32_t start);
  void group_product(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                     std::uint32_t mask);

  Running& run_;
  Recorder& recorder_;
  MemoryUnit& memory_unit_;
};

}  // namespace warpmem::emulate
