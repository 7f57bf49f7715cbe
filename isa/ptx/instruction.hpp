// One statement of PTX as a trace carries it: on one line, without its module, so that registers
// are names ("@%p1 ld.global.cg.f32 %f1, [%rd1+4];"). What it means to a memory simulator; the
// emulator's own decoder (emulate/ptx/) knows the rest.
//
// Left out: what it computes, and the sizes of registers.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmem::ptx {

// By what ptxas usually makes of them.
enum class CostClass : std::uint8_t {
  kSpecial,
  kDivide,
  kConvert,
  kCount,  // bits: popc, clz, bfind, brev
  kExchange,
  kRedux,
  kMatrix,
  kDouble,
  kFloat,
  kMultiply,
  kConstant,
  kOther,
};

struct Instruction {
  std::vector<std::string> words;          // "ld", "global", "cg", "f32"
  std::vector<std::string> operands;       // as they stand, without blanks
  std::vector<std::string> reads, writes;  // registers: "%rd1"; the guard's among the first
  bool guarded = false;
  std::optional<std::uint32_t> target;  // where a branch goes, from "// 0x0040" behind it

  std::string_view opcode() const { return words.empty() ? std::string_view() : words.front(); }
  bool has(std::string_view word) const;            // behind the opcode
  bool has_beginning(std::string_view with) const;  // … one that begins so
  // "cp", "async", "wait_group": the opcode is the first of these, and the words behind it begin
  // with the others, in their order.
  bool is(std::initializer_list<std::string_view> begin) const;

  bool is_branch() const { return opcode() == "bra"; }
  bool is_load() const { return words.size() > 1 && opcode() == "ld"; }
  bool is_store() const { return words.size() > 1 && opcode() == "st"; }
  bool loads_parameter() const { return is({"ld", "param"}); }
  bool may_reach_global() const;      // by its name, or by a generic address
  bool takes_from_elsewhere() const;  // its result is from memory, other lanes or a function
  bool ends() const { return opcode() == "ret" || opcode() == "exit"; }
  bool leaves_record() const;  // when some lane runs it
  bool commits_copies() const { return is({"cp", "async", "commit_group"}); }
  // Of cp.async.wait_group: how many groups it leaves under way.
  std::optional<std::uint32_t> leaves_groups() const;
  bool looks_for_copies() const;  // at an mbarrier, as bulk copies are waited for
  bool arrives_at_cluster() const { return is({"barrier", "cluster", "arrive"}); }
  bool waits_for_cluster() const { return is({"barrier", "cluster", "wait"}); }
  bool fences() const;        // waits for others beyond the CTA to see what the warp wrote
  bool acquires() const;      // what ptxas puts a CCTL.IVALL behind
  bool load_polls() const;    // asks for what others write
  bool atomic_polls() const;  // … and is a way to look at a word: cas, exch, an addition of 0
  std::string_view called() const;  // the function that a call names
  CostClass cost_class() const;
};

// Of a text that is no statement: without words.
Instruction decode_statement(std::string_view text);

}  // namespace warpmem::ptx
