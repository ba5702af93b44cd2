// Turns a parsed module into a Program: analysis of one function, then emission of its code.
#pragma once

#include <map>
#include <optional>

#include "core/checked.hpp"
#include "emulator/ops/table.hpp"

namespace cugrade::emulator {

/// Stands for a register that needs no row of its own: a row that never changes while the thread
/// runs, or another register.
struct Alias {
    enum class Kind : std::uint8_t { none, row, reg } kind = Kind::none;
    Operand row;
    std::int32_t reg = -1;
    std::optional<std::uint64_t> value;  ///< the value in all lanes, if the decoder knows it
};

/// Which operands an instruction writes and reads, as register numbers.
struct Effects {
    std::vector<std::int32_t> defs, uses;
};
[[nodiscard]] Effects effects_of(const ptx::Function&, const ptx::Instruction&);

/// By instruction, and one more for the end: true if a basic block begins there.
[[nodiscard]] std::vector<bool> first_of_blocks(const ptx::Function&);

/// The basic blocks of a function and the edges between them.
struct Flow {
    std::vector<Effects> effects;         ///< by instruction
    std::vector<std::uint32_t> first;     ///< by block, and the number of instructions
    std::vector<std::uint32_t> block_of;  ///< by instruction, and one more for the end
    std::vector<std::vector<std::uint32_t>> successors;  ///< by block; blocks() is the end
    [[nodiscard]] std::size_t blocks() const { return successors.size(); }
};
[[nodiscard]] Flow flow_of(const ptx::Function&);

/// A fact that an instruction makes true: it has written `reg`, and nothing has written `sources`
/// since.
struct Fact {
    std::int32_t reg = -1;
    std::uint32_t at = 0;  ///< the only instruction that writes `reg`; it has no guard
    std::vector<std::int32_t> sources;
};
/// Which facts are true at every read of their `reg`, on every path from the entry to the read. At
/// most one fact a register.
[[nodiscard]] std::vector<bool> hold_at_uses(const Flow&, std::size_t registers,
                                             const std::vector<Fact>&);

/// Where each register lives. Rows are shared by registers that are never live together.
struct Allocation {
    std::vector<std::uint32_t> offset;  ///< by register; no_row: never live
    std::vector<std::int32_t> live_in;  ///< registers that may be read before they are written
    std::uint32_t bytes = 0;            ///< of the frame so far, a multiple of 64
    std::uint32_t rows = 0;             ///< most rows live at once
};
/// `canonical` maps a register to the one that holds its value, or -1 if it has no row. Without
/// `share` every register has a row of its own, which is live from the start.
[[nodiscard]] Allocation allocate_registers(const ptx::Function&, const Flow&,
                                            const std::vector<std::int32_t>& canonical,
                                            const std::vector<bool>& dead, bool share);

/// A 128-bit register is two successive rows of 8 bytes a lane.
[[nodiscard]] inline std::uint32_t row_bytes(ptx::Type type) {
    return ptx::bits(type) > 32 ? 8 : 4;
}
[[nodiscard]] std::optional<ptx::Type> type_named(std::string_view modifier);
/// The bits of FloatFlag that a modifier stands for; nullopt for other modifiers.
[[nodiscard]] std::optional<std::uint32_t> float_flag(std::string_view modifier);
/// A row of the tables of ../ops; nullptr if there is none.
[[nodiscard]] const OpRow* form_named(std::string_view form);
/// The state space that the modifiers name; generic if none.
[[nodiscard]] ptx::Space space_of(const ptx::Instruction&);
/// Modifiers of memory instructions that change nothing here: spaces, caches, scopes, orders.
[[nodiscard]] bool is_memory_hint(std::string_view modifier);
/// Where generic addresses of cvta's space begin; nullopt if there is no such space.
[[nodiscard]] std::optional<std::uint64_t> window_of_cvta(const ptx::Instruction&);

/// Places `bytes` bytes, aligned, behind `end`, moves `end` behind them and returns their offset.
/// nullopt if they would end beyond `limit`.
[[nodiscard]] std::optional<std::uint64_t> place(std::uint64_t& end, std::uint64_t bytes,
                                                 std::uint64_t align, std::uint64_t limit);

/// `function`: the function that declares the variable, if any.
[[nodiscard]] Error too_large(const ptx::Variable&, std::string_view space, std::uint64_t before,
                              std::uint64_t limit, std::string_view function = {});

/// The device memory that a module's variables take.
[[nodiscard]] Checked<> variable_bytes(const ptx::Module&);

class ModuleDecoder {
public:
    ModuleDecoder(Program& program, Arena& arena, bool optimise)
        : program_(program), arena_(arena), optimise_(optimise) {}
    /// Fills the program. An error if device memory for the variables is missing, a variable refers
    /// to a symbol that is not there, or a function is larger than any that hardware takes.
    Status run();

    Operand constant(std::uint64_t bits, std::uint32_t bytes);
    Operand launch_row(LaunchRow row);
    /// A special register that keeps its value while a thread runs; nullopt for the others.
    std::optional<Operand> special_row(std::string_view name);

    Program& program_;
    Arena& arena_;
    const bool optimise_;                                          ///< see MachineConfig::optimise
    std::map<std::string, std::uint32_t, std::less<>> functions_;  ///< name to index
    std::map<std::string, const ptx::Variable*, std::less<>> variables_;
    std::map<std::string, std::uint64_t, std::less<>> shared_offsets_;  ///< module-level .shared

private:
    Status place_variables();
    Status initialise(const ptx::Variable&, std::uint64_t address);
    Status place_shared();

    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> constants_;
    std::map<std::string, Operand, std::less<>> special_rows_;
};

/// Decodes one function into the end of Program::code.
class FunctionDecoder {
public:
    FunctionDecoder(ModuleDecoder& module, std::uint32_t index);
    Status run();

    // The parts from which opcodes (opcodes.hpp) are decoded: decode.cpp, operands.cpp.
    enum class Keep : std::uint8_t { self, row4, row8 };  ///< how inactive lanes keep their values
    using Ref = Operand;
    Ins& emit(Handler op, Keep keep, Ins ins);
    /// Makes this instruction a fault when a warp reaches it. `operand_name`: the unknown operand,
    /// if the opcode is known.
    void reject(std::string_view operand_name = {});
    /// The n-th operand. If the instruction has fewer: one of kind `none`, and the instruction is
    /// rejected as malformed.
    [[nodiscard]] const ptx::Operand& operand(const ptx::Instruction& i, std::size_t n) {
        static const ptx::Operand nothing;
        if (n < i.operand_count) return source_.operands[i.first_operand + n];
        malformed_ = true;
        return nothing;
    }
    [[nodiscard]] bool is_predicate(const ptx::Operand& o) const {
        return o.kind == ptx::OperandKind::reg &&
               source_.registers[static_cast<std::size_t>(o.reg)].type == ptx::Type::pred;
    }
    /// The n-th element of a vector; any other operand itself.
    [[nodiscard]] const ptx::Operand& element(const ptx::Operand& o, std::uint32_t n) const {
        return o.kind == ptx::OperandKind::vector ? source_.operands[o.first + n] : o;
    }
    Ref constant(std::uint64_t bits, std::uint32_t bytes) { return module_.constant(bits, bytes); }
    Ref read(const ptx::Operand&, std::uint32_t bytes, ptx::Type type = ptx::Type::none);
    std::uint32_t write(const ptx::Operand&, std::uint32_t bytes);  ///< offset of the row
    std::uint32_t read_predicate(const ptx::Operand&);
    std::uint32_t write_predicate(const ptx::Operand&);
    /// A row of 4 or 8 bytes a lane to use until the instruction is decoded; there are few of each
    /// width.
    Ref temporary(std::uint32_t bytes);
    std::uint32_t list(const std::vector<Ref>&);
    Ref address_row(const ptx::Operand& address, std::uint32_t symbol_bytes);
    std::uint32_t new_range() { return program_.range_count++; }  ///< for Ins::range
    [[nodiscard]] bool is_dead(const ptx::Operand&) const;
    [[nodiscard]] std::uint32_t bytes_of(const ptx::Operand&) const;
    static void set_a(Ins&, const Ref&);
    static void set_b(Ins&, const Ref&);
    static void set_c(Ins&, const Ref&);

    // The opcodes; a family shares a file, decode_*.cpp.
    bool decode_table(const ptx::Instruction&);
    bool decode_not(const ptx::Instruction&);
    bool decode_mov(const ptx::Instruction&);
    bool decode_cvta(const ptx::Instruction&);
    bool decode_isspacep(const ptx::Instruction&);
    bool decode_createpolicy(const ptx::Instruction&);
    bool decode_cvt(const ptx::Instruction&);
    bool decode_lop3(const ptx::Instruction&);
    bool decode_compare(const ptx::Instruction&);
    bool decode_memory(const ptx::Instruction&);
    bool decode_atomic(const ptx::Instruction&);
    bool decode_cp_async(const ptx::Instruction&);
    bool decode_fence(const ptx::Instruction&);
    bool decode_nothing(const ptx::Instruction&);
    bool decode_bra(const ptx::Instruction&);
    bool decode_brx(const ptx::Instruction&);
    bool decode_call(const ptx::Instruction&);
    bool decode_ret(const ptx::Instruction&);
    bool decode_exit(const ptx::Instruction&);
    bool decode_trap(const ptx::Instruction&);
    bool decode_nanosleep(const ptx::Instruction&);
    bool decode_barrier(const ptx::Instruction&);
    bool decode_activemask(const ptx::Instruction&);
    bool decode_elect(const ptx::Instruction&);
    bool decode_shfl(const ptx::Instruction&);
    bool decode_vote(const ptx::Instruction&);
    bool decode_match(const ptx::Instruction&);
    bool decode_redux(const ptx::Instruction&);
    bool decode_mma(const ptx::Instruction&);

private:
    static constexpr std::uint32_t not_replaceable = 0xFFFFFFFF;
    static constexpr std::uint32_t temporaries = 8;  ///< of each width

    // analysis (decode_analysis.cpp)
    Status place_areas();
    [[nodiscard]] Status check_liveness() const;
    Status lay_out_frame();
    void find_aliases();
    void find_replaceable();
    void alias_one(const ptx::Instruction&);
    void alias_parameter(const ptx::Instruction&);
    void alias_register(const ptx::Operand& to, std::int32_t source);
    void drop_stale_copies();
    [[nodiscard]] bool is_replaceable(const ptx::Operand& o) const {
        return o.kind == ptx::OperandKind::reg &&
               written_at_[static_cast<std::size_t>(o.reg)] != not_replaceable;
    }
    [[nodiscard]] const Alias& resolved(std::int32_t reg) const;
    /// The register that is no copy of another one, from which `reg` is copied step by step.
    /// alias_register makes no circles.
    [[nodiscard]] std::int32_t end_of_copies(std::int32_t reg) const;
    [[nodiscard]] std::optional<std::uint64_t> symbol_value(const ptx::Operand&) const;
    [[nodiscard]] std::optional<Ref> symbol_row(const ptx::Operand&, std::uint32_t bytes);

    void decode(std::uint32_t n);
    void decode_one(const ptx::Instruction&);
    void flush_writes();
    bool decode_mov_wide(const ptx::Operand& to, const ptx::Operand& from);
    bool decode_cvt_pack(const ptx::Instruction&);
    bool decode_param(const ptx::Instruction&, bool is_load, ptx::Type, const ptx::Operand& address,
                      const ptx::Operand& value);
    bool decode_fixed_load(const ptx::Operand& address, ptx::Type, const ptx::Operand& value,
                           std::uint32_t bytes, Ins);
    void place_elements(Ins&, const ptx::Operand& value, bool is_load, ptx::Type,
                        std::uint32_t bytes);
    bool decode_wide(const ptx::Instruction&, bool is_load);
    [[nodiscard]] std::optional<std::array<Ref, 2>> halves_of(const ptx::Operand&) const;
    bool decode_atomic_wide(const ptx::Instruction&, Handler, Ins, bool is_cas);
    bool decode_atomic_vector(const ptx::Instruction&, Handler, const Ins&, ptx::Type,
                              std::uint32_t count, Use unread);
    void keep_from_results(const ptx::Operand& results, std::vector<Ref>& values);
    std::uint32_t member_list(const ptx::Instruction&, std::size_t mask);
    [[nodiscard]] std::optional<Area> area_of(const ptx::Operand&) const;

    ModuleDecoder& module_;
    Program& program_;
    const std::uint32_t index_;
    const ptx::Function& source_;
    DecodedFunction& out_;
    const Flow flow_;
    std::vector<Alias> aliases_;
    /// By register: the only instruction that writes it, if it has no guard and always runs before
    /// the register is read; otherwise `not_replaceable`.
    std::vector<std::uint32_t> written_at_;
    std::vector<bool> used_;
    Allocation registers_;
    std::uint32_t scratch_predicate_ = 0;
    std::uint32_t temp8_ = 0, temp4_ = 0;  ///< offsets of temporaries
    std::uint32_t temps8_used_ = 0, temps4_used_ = 0;
    std::vector<Area> variable_areas_;
    std::vector<std::uint64_t> variable_offsets_;  ///< .shared and .local of this function
    std::vector<std::uint32_t> start_;             ///< PTX index to code index
    std::uint32_t now_ = 0;                        ///< PTX index being decoded
    bool malformed_ = false;  ///< the instruction lacks operands, or has them of the wrong kind
    std::uint32_t guard_ = no_row;
    bool guard_negated_ = false;
    std::vector<Ins> after_;               ///< to emit behind the instruction: widening
    std::vector<std::uint32_t> branches_;  ///< code indices whose target is a PTX index
};

}  // namespace cugrade::emulator
