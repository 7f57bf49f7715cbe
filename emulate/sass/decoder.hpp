// Turns a kernel's machine instructions into Code, which the executor runs as it runs PTX's: a
// register is a row of 32 lanes of 32 bits, a predicate 32 bits, and constants are rows that the
// frame is born with. A row of the table (forms.cpp) says of an opcode which modifiers it may have
// and which function decodes it; what has no row, or another operand than its row knows, becomes an
// instruction that ends the launch when a lane comes to it, with its text, its place and why.
//
// An instruction of 64 bits works on two rows that follow each other. Where it is one of PTX's, it
// becomes several: the pairs are put together, and the result is taken apart (Inst::hidden).
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "emulate/executor/code.hpp"
#include "emulate/executor/constant_banks.hpp"
#include "emulate/executor/lanes.hpp"
#include "emulate/executor/special.hpp"
#include "emulate/sass/line.hpp"

namespace warpmem::emulate {

class MachineDecoder {
 public:
  struct Request {
    const Function* function = nullptr;  // a name for messages
    std::uint32_t cc = 90;               // compute capability x 10
    std::uint32_t reserved_shared = 0;   // bytes at the start of a CTA's window
    std::uint32_t params_at = 0;         // in bank 0: what lies before is the driver's
    // Offsets of code words that hold an address: what MOV's text shows of it is not its value.
    std::map<std::uint32_t, std::int64_t> relocated;  // by pc
  };
  explicit MachineDecoder(Request request) : request_(std::move(request)) {}

  Code run(const std::vector<trace::Instruction>& program);
  std::vector<BankRow>& bank_rows() { return bank_rows_; }
  std::set<std::string> unknown() const { return unknown_; }  // texts without a row

 private:
  using Operand = trace::SassOperand;
  using Decode = void (MachineDecoder::*)();
  struct Form {
    std::string_view opcode;
    std::string_view modifiers;  // allowed ones, a blank between them
    Decode decode;
    bool uniform = false;  // a uniform register is written: all lanes are active
  };
  static const Form kForms[];
  static const Form* find_form(std::string_view opcode);
  struct Unknown {
    std::string why;
  };
  [[noreturn]] void unknown(const std::string& why) const { throw Unknown{why}; }

  // A predicate that is read: its row, and whether its opposite is meant.
  struct Truth {
    std::uint32_t row;
    bool inverted;
  };

  // decoder.cpp
  void lay_out(const std::vector<MachineLine>& lines);
  void statement(const MachineLine& line);
  void refuse(const MachineLine& line, std::size_t first, const std::string& why);
  void finish(const std::vector<MachineLine>& lines);
  std::uint32_t allot(std::uint32_t bytes);
  std::uint32_t temporary();  // of 64 bits a lane, until the next statement
  std::uint32_t constant(const std::vector<std::uint32_t>& words);
  void known_place(std::uint32_t bank, std::uint32_t offset, std::uint32_t words) const;
  std::uint32_t bank_row(std::uint32_t bank, std::uint32_t offset, std::uint32_t words);
  Inst& emit(Kind kind);
  Inst& emit_hidden(Kind kind);
  Inst& compute(const std::string& handler);
  Inst& hidden_compute(const std::string& handler);
  void guard(Inst& in) const;
  bool has(std::string_view modifier) const;
  std::size_t count() const { return line_->operands.size(); }
  void expect(std::size_t low, std::size_t high) const;
  const Operand& at(std::size_t i) const;
  bool is_predicate(std::size_t i) const;
  std::uint32_t reg(std::uint32_t number) const { return 128 * number; }
  std::uint32_t source(std::size_t i, std::uint32_t words = 1);  // any modifier of it is refused
  std::uint32_t plain_source(const Operand& o, std::uint32_t words);
  std::uint32_t integer_source(std::size_t i, bool& negated);  // -R4 or ~R4: `negated`
  std::uint32_t float_source(std::size_t i);
  std::uint32_t double_pair(std::size_t i, bool& negated, bool* magnitude = nullptr);
  std::uint32_t joined(std::uint32_t pair);  // of two rows a row of 64 bits
  std::uint32_t double_row(std::size_t i);   // of 64 bits, with its sign
  std::uint32_t half_pair(std::size_t& i, bool bfloat, bool signs = true);  // behind which `i` is
  std::uint32_t half_row(std::size_t i, std::uint32_t shift_of_high);
  void from_row(std::uint32_t result, std::uint32_t bytes, std::size_t i = 0);
  std::uint32_t dest(std::size_t i, std::uint32_t words = 1) const;
  Truth truth(std::size_t i) const;
  std::uint32_t truth_row(std::size_t i);  // with the opposite computed, if it is meant
  void join_with(Inst& to, const Truth& with) const;
  std::uint32_t predicate_dest(std::size_t i) const;
  std::uint32_t number(std::size_t i) const;
  void float_mode(Inst& in);

  // decode_integer.cpp
  void add3();
  void add2();
  void multiply_add();
  void lea();
  void shift();
  void logic3();
  void predicate_logic3();
  void predicate_bits();
  void bits_predicate();
  void compare_integers();
  void select();
  void move();
  void absolute();
  void minmax();
  void choose_minmax(std::uint32_t d, std::uint32_t a, std::uint32_t b, Truth which,
                     const std::string& least_of, const std::string& most_of,
                     std::uint32_t sub = 0);
  void minmax_of_three();
  void difference();
  Truth truth_or_sign(std::size_t i);
  void permute();
  void count_bits();
  void find_bit();
  void reverse();
  void extend_sign();
  void bit_mask();
  void dot();
  void add_minmax();
  // decode_wide.cpp
  std::uint32_t wide_source(std::size_t i);
  void add_wide();
  void add_with_carries(std::size_t i, std::uint32_t carry);
  void select_wide();
  void move_wide();
  void compare_wide();
  void minmax_wide();
  void move_spare();
  // decode_float.cpp
  void add_float();
  void multiply_float();
  void fma_float();
  void minmax_float();
  void compare_floats();
  void select_float();
  void special_function();
  void special_function_of_half();
  void check_division();
  std::uint32_t magnitude(std::size_t i);
  void double_arithmetic();
  void compare_doubles();
  void minmax_double();
  void extreme_of_doubles();
  void set_halves();
  void minmax_halves();
  void minmax_of_three_halves();
  void half_arithmetic();
  void compare_halves();
  // decode_convert.cpp
  void convert(const char* handler, const Conversion& c, std::uint32_t a);
  void integer_to_float();
  void float_to_integer();
  void float_to_float();
  void convert_floats(Conversion c);
  void pack_floats();
  void round_float();
  void half_to_float();
  void convert_integer();
  std::uint32_t row_of_float(std::size_t i, std::uint32_t bytes);
  void pack_bytes();
  void pack_converted();
  void pack_integers();
  // decode_memory.cpp
  void load_constant();
  void load_global();
  void load_shared();
  void load_local();
  void load_generic();
  void store();
  AtomicOp operation() const;  // that its modifiers name
  void atomic();
  void async_copy();
  void matrix_load();
  void matrix_turn();
  void prefetch();
  std::uint32_t distance_from(std::uint32_t address, std::uint64_t window);
  void query_space();
  void tell_success(std::uint32_t p, std::uint32_t d, std::uint32_t old, std::uint32_t expected,
                    std::uint32_t words);
  // decode_matrix.cpp
  void kinds_of_product(MatrixProduct& p) const;
  void select_metadata(MatrixProduct& p, std::size_t i) const;
  void matrix_product();
  // decode_group.cpp
  void matrices_in_shared(GroupProduct& g, std::size_t i);
  void group_product();
  void change_registers();
  // decode_async.cpp
  void one_lane(Inst& in);
  std::uint32_t first_lane();
  void mbarrier();
  void begin_mbarrier(const Access& a);
  void end_mbarrier();
  void arrive(const Access& a);
  void copies_arrive();
  void expect_and_policy(std::size_t operands);
  std::uint32_t half_of_row(std::uint32_t row, std::uint32_t shift);
  void bulk_reduction(Access& write);
  void bulk_copy();
  void async_store();
  void bulk_prefetch();
  void tensor_copy();
  Access shared_at(std::uint32_t uniform) const;
  Access global_at(std::uint32_t uniform) const;
  std::uint32_t uniform_address(std::size_t i) const;
  // decode_texture.cpp
  void texture();
  void surface();
  std::size_t texture_object(TextureAccess& t, std::size_t i);
  std::size_t texture_coordinates(TextureAccess& t, bool level);
  void access_of(const Operand& o, Access& a);
  void load(Space space);
  void values(Access& a, std::uint32_t base, bool load);
  Access& new_access(Inst& in);
  // decode_control.cpp
  void branch();
  void jump_through_register();
  void call();
  void call_driver(std::uint32_t address);
  void return_();
  void exit();
  void begin_convergence();
  void converge();
  void break_convergence();
  void move_barrier();
  void warp_sync();
  void barrier();
  void barrier_result();
  void nothing();
  void fence();
  void yield();
  void trap();
  void special_register();
  void vote();
  void shuffle();
  void match();
  void reduce();
  void elect();
  void program_counter();
  void to_uniform();
  void cluster_arrive();
  void cluster_wait();
  std::uint32_t target(const Operand& o) const;

  Request request_;
  Code code_;
  const MachineLine* line_ = nullptr;
  const Form* form_ = nullptr;
  std::uint32_t statement_ = 0, frame_ = 0;
  std::uint32_t total_ = 0;  // instructions
  std::uint32_t barrier_count_ = 0, barrier_truth_ = 0;
  std::uint32_t lane_row_ = 0;
  std::uint32_t device_room_ = kNoOffset;       // for arguments of the device runtime
  std::uint32_t spills_ = 0;                    // 1: of a spilled register
  std::uint32_t registers_ = 0, uniforms_ = 0;  // rows
  std::uint32_t uniform_base_ = 0, predicates_ = 0, uniform_predicates_ = 0, barriers_ = 0;
  std::uint32_t true_ = 0, zero_ = 0, sink_ = 0;
  std::uint32_t spare_ = 0;  // Rpc, of which code makes two more registers
  std::vector<std::uint32_t> temporaries_;
  std::size_t taken_ = 0;  // of them, by this statement
  std::map<std::vector<std::uint32_t>, std::uint32_t> constants_;
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> banks_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> born_with_;  // row, value
  std::vector<BankRow> bank_rows_;
  std::vector<std::uint32_t> targets_;  // statements that a jump goes to, or that are resumed at
  std::set<std::string> unknown_;
};

}  // namespace warpmem::emulate
