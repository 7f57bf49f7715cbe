// Turns one function's statements into Code. decode_*.cpp hold the families of instructions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emulate/executor/lanes.hpp"
#include "emulate/ptx/program.hpp"

namespace warpmem::emulate {

struct DecodeFailure {
  Error error;
};

// The dotted pieces behind an opcode; each must be taken by somebody.
class Modifiers {
 public:
  explicit Modifiers(std::string_view opcode);
  std::string_view base() const { return base_; }
  bool take(std::string_view name);
  std::string_view take_one_of(std::initializer_list<std::string_view> names);  // empty: none
  std::string_view take_prefix(std::string_view prefix);                        // the whole piece
  Type take_type();  // the last piece when it is a type (ftz or relu may follow), else kNone
  std::string_view left() const { return pieces_.empty() ? std::string_view{} : pieces_.front(); }
  bool has(std::string_view name) const;
  const std::vector<std::string_view>& pieces() const { return pieces_; }

 private:
  std::string_view base_;
  std::vector<std::string_view> pieces_;
};

class Decoder {
 public:
  Decoder(Kernel& kernel, const Function& function, std::vector<const Function*>& reached);
  Code run();

 private:
  // decode.cpp
  [[noreturn]] void fail(const std::string& message, const std::string& fix = {},
                         std::size_t at = 0);
  [[noreturn]] void unsupported(std::string_view what = {});
  void statement(const Statement& s);
  void expect_operands(std::size_t low, std::size_t high);
  void all_taken(const Modifiers& m);
  std::uint32_t allot(std::uint32_t bytes);
  std::uint32_t slot(std::uint32_t number);
  std::uint32_t temporary(std::uint32_t lane_bytes) { return allot(lane_bytes * 32); }
  std::uint32_t constant(std::uint64_t value, std::uint32_t lane_bytes);
  std::uint32_t register_bytes(const Operand& o) const;
  std::uint32_t source(const Operand& o, Type type, bool relaxed = false);
  std::uint32_t dest(const Operand& o, Type type, bool relaxed = false);
  std::uint32_t predicate(const Operand& o);
  std::uint64_t number(const Operand& o);  // an integer literal
  bool address_constant(const Operand& o, std::uint64_t& value);
  bool special_register(std::string_view name, std::uint32_t& sub, Type& type) const;
  Inst& emit(Kind kind);
  Inst& emit_hidden(Kind kind);
  void go_round(std::uint32_t beginning);  // a statement
  Inst& emit_handler(const std::string& name);
  void add_mode(Inst& in, std::uint8_t fp, Type type);
  void finish_branches();
  void count_mentions();
  void number_blocks();
  void layout_variables();
  ParamSlot param_slot(const Variable* v);

  // decode_arithmetic.cpp
  bool arithmetic(Modifiers& m);
  void plain(Modifiers& m, int operands);
  void find_fusable();
  std::string free_sum(const Statement& s) const;
  const Statement* product_of(const Operand& o, std::string_view opcode) const;
  std::size_t fused_operand(const std::string& opcode) const;
  bool contract(std::string_view base, Type type, std::uint8_t fp);
  void half_arithmetic(Modifiers& m, int operands, Type type, const std::string& name, bool sat,
                       bool ftz);
  void carry_arithmetic(Modifiers& m, const std::string& name, int operands, Type type);
  void compare(Modifiers& m);
  void select(Modifiers& m);
  void bits(Modifiers& m);
  void integers(Modifiers& m, std::string name, int operands, Type type);
  void lop3_join(Modifiers& m, Type type);
  // decode_video.cpp
  bool video(Modifiers& m);
  // decode_convert.cpp
  bool conversion(Modifiers& m);
  void move(Modifiers& m);
  void convert(Modifiers& m);
  void convert_bytes(Modifiers& m, Type to, Type from, const Conversion& c);
  void convert_packed(Modifiers& m);
  void convert_address(Modifiers& m);
  // decode_memory.cpp
  bool memory(Modifiers& m);
  Access& new_access(Inst& in);
  void address(const Operand& o, Access& access);
  Space take_space(Modifiers& m, Access* access);
  void take_order(Modifiers& m);
  void load_store(Modifiers& m, bool load);
  void param_access(const Operand& memory, Access access, bool load);
  // An access at an offset from place `at` of so many bytes.
  void require_inside(const Operand& memory, const Access& access, std::uint32_t at,
                      std::uint64_t bytes, const char* what);
  void values_of(const Operand& o, Access& access, bool load);
  void atomic(Modifiers& m, bool reduction);
  static AtomicOp take_operation(Modifiers& m);
  void async_copy(Modifiers& m);
  // decode_control.cpp
  bool control(Modifiers& m);
  void branch();
  void call(Modifiers& m);
  void barrier(Modifiers& m);
  void warp_operation(Modifiers& m);
  // decode_texture.cpp
  bool texture(Modifiers& m);
  void texture_address(const Operand& o, TextureAccess& t, Type coordinates);
  void fetch(Modifiers& m);
  void surface(Modifiers& m);
  void query(Modifiers& m);
  // decode_matrix.cpp, decode_bulk.cpp
  bool matrix(Modifiers& m);
  void matrix_rows(Modifiers& m);
  void product(Modifiers& m, bool wide);
  void quad_product(Modifiers& m);
  void fragment(Modifiers& m);
  bool group(Modifiers& m);
  void group_product(Modifiers& m);
  void select_metadata(MatrixProduct& p, const Operand& selector);
  static std::size_t fragment_registers(const MatrixProduct& p, Fragment f, bool wide);
  void put_registers(std::vector<std::uint32_t>& list, const Operand& operand, std::size_t n,
                     Type type, bool result);
  bool bulk(Modifiers& m);
  void address_in_cluster(Modifiers& m);
  void rank_of_address(Modifiers& m);
  void copies_arrive(Modifiers& m);
  void pending_count(Modifiers& m);
  void mbarrier(Modifiers& m);
  void bulk_prefetch(Modifiers& m);
  void bulk_copy(Modifiers& m, AtomicOp reduction, Type type);
  void bulk_group(Modifiers& m);
  void asynchronous(Modifiers& m);
  // decode_tensor.cpp
  void tensor_copy(Modifiers& m, AtomicOp reduction);
  void tensor_map(Modifiers& m);

  Kernel& kernel_;
  const Function& f_;
  std::vector<const Function*>& reached_;
  const LoadedModule& loaded_;
  const Source& text_;
  Code code_;
  const Statement* s_ = nullptr;
  std::uint32_t s_number_ = 0;
  std::uint32_t frame_ = 0;
  std::vector<std::uint32_t> slots_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> constants_;
  std::vector<std::pair<std::uint32_t, std::pair<std::uint64_t, std::uint32_t>>> constant_list_;
  std::map<const Variable*, ParamSlot> param_slots_;
  std::map<const Variable*, std::uint32_t> local_offsets_;
  std::vector<std::uint32_t> first_of_;  // statement -> index of its first Inst
  std::uint32_t carry_ = kNoOffset;
  // Of each register in the body: how often it is named, written, and by which statement last.
  std::vector<std::uint32_t> mentions_, writes_, writer_;
  std::vector<std::uint32_t> block_of_;  // statement -> number of its basic block
  // Of each register: how often it is still named when fused sums name its factors instead, and by
  // how many sums that may yet be fused with it.
  std::vector<std::uint32_t> left_, fusable_;
};

}  // namespace warpmem::emulate
