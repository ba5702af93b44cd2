// Turns a parsed module into a Program: analysis of one function, then emission of its code.
#pragma once

#include <map>
#include <optional>

#include "emulator/exec/table.hpp"

namespace cugrade::emulator {

/// What a register is if it needs no row of its own: a row that never changes while the thread
/// runs, or another register.
struct Alias {
    enum class Kind : std::uint8_t { none, row, reg } kind = Kind::none;
    Operand row;
    std::int32_t reg = -1;
    std::optional<std::uint64_t> value;  ///< of all lanes, if it is known now
};

/// Which operands an instruction writes and reads, as register numbers.
struct Effects {
    std::vector<std::int32_t> defs, uses;
};
[[nodiscard]] Effects effects_of(const ptx::Function&, const ptx::Instruction&);

/// By instruction, and one more for the end: does a basic block begin there?
[[nodiscard]] std::vector<bool> first_of_blocks(const ptx::Function&);

/// Where each register lives. Rows are shared by registers that are never live together.
struct Allocation {
    std::vector<std::uint32_t> offset;  ///< by register; no_row: never live
    std::vector<std::int32_t> live_in;  ///< registers that may be read before they are written
    std::uint32_t bytes = 0;            ///< of the frame so far, a multiple of 64
    std::uint32_t rows = 0;             ///< most rows live at once
};
/// `canonical` maps a register to the one that holds its value, or -1 if it has no row.
[[nodiscard]] Allocation allocate_registers(const ptx::Function&,
                                            const std::vector<std::int32_t>& canonical,
                                            const std::vector<bool>& dead);

/// A 128-bit register is two rows of 8 bytes a lane, one behind the other.
[[nodiscard]] inline std::uint32_t row_bytes(ptx::Type type) {
    return ptx::bits(type) > 32 ? 8 : 4;
}
[[nodiscard]] std::optional<ptx::Type> type_named(std::string_view modifier);

class ModuleDecoder {
public:
    ModuleDecoder(Program& program, Arena& arena) : program_(program), arena_(arena) {}
    /// Fills the program. An error only if device memory for the variables is missing, or a
    /// variable refers to a symbol that is not there.
    Status run();

    Operand constant(std::uint64_t bits, std::uint32_t bytes);
    Operand launch_row(LaunchRow row);
    /// A special register that keeps its value while a thread runs; nullopt for the others.
    std::optional<Operand> special_row(std::string_view name);

    Program& program_;
    Arena& arena_;
    std::map<std::string, std::uint32_t, std::less<>> functions_;  ///< name to index
    std::map<std::string, const ptx::Variable*, std::less<>> variables_;
    std::map<std::string, std::uint64_t, std::less<>> shared_offsets_;  ///< module-level .shared

private:
    Status place_variables();
    Status initialise(const ptx::Variable&, std::uint64_t address);
    void place_shared();

    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> constants_;
    std::map<std::string, Operand, std::less<>> special_rows_;
};

/// Decodes one function into the end of Program::code.
class FunctionDecoder {
public:
    FunctionDecoder(ModuleDecoder& module, std::uint32_t index);
    void run();

private:
    enum class Keep : std::uint8_t { self, row4, row8 };  ///< what protects inactive lanes
    using Ref = Operand;

    // analysis (decode_analysis.cpp)
    void place_areas();
    void find_aliases();
    void alias_one(const ptx::Instruction&);
    [[nodiscard]] const Alias& resolved(std::int32_t reg) const;
    [[nodiscard]] std::optional<std::uint64_t> symbol_value(const ptx::Operand&) const;
    [[nodiscard]] std::optional<Ref> symbol_row(const ptx::Operand&, std::uint32_t bytes);

    // emission (decode.cpp)
    void decode(std::uint32_t n);
    void decode_one(const ptx::Instruction&);
    Ins& emit(Handler op, Keep keep, Ins ins);
    void reject();
    [[nodiscard]] const ptx::Operand& operand(const ptx::Instruction& i, std::size_t n) const {
        return source_.operands[i.first_operand + n];
    }
    Ref read(const ptx::Operand&, std::uint32_t bytes, ptx::Type type = ptx::Type::none);
    std::uint32_t write(const ptx::Operand&, std::uint32_t bytes);  ///< offset of the row
    std::uint32_t read_predicate(const ptx::Operand&);
    std::uint32_t write_predicate(const ptx::Operand&);
    void flush_writes();
    Ref temporary(std::uint32_t bytes);
    std::uint32_t list(const std::vector<Ref>&);
    [[nodiscard]] bool is_dead(const ptx::Operand&) const;
    [[nodiscard]] std::uint32_t bytes_of(const ptx::Operand&) const;
    static void set_a(Ins&, const Ref&);
    static void set_b(Ins&, const Ref&);
    static void set_c(Ins&, const Ref&);

    bool decode_table(const ptx::Instruction&);
    bool decode_mov(const ptx::Instruction&);
    bool decode_mov_wide(const ptx::Operand& to, const ptx::Operand& from);
    bool decode_cvt(const ptx::Instruction&);
    bool decode_cvt_pack(const ptx::Instruction&);
    bool decode_lop3(const ptx::Instruction&);
    bool decode_cvta(const ptx::Instruction&);
    bool decode_compare(const ptx::Instruction&);
    bool decode_memory(const ptx::Instruction&);
    bool decode_param(const ptx::Instruction&, bool is_load, ptx::Type, const ptx::Operand& address,
                      const ptx::Operand& value);
    bool decode_wide(const ptx::Instruction&, bool is_load);
    [[nodiscard]] std::optional<std::array<Ref, 2>> halves_of(const ptx::Operand&) const;
    bool decode_atomic(const ptx::Instruction&);
    bool decode_cp_async(const ptx::Instruction&);
    bool decode_control(const ptx::Instruction&);
    bool decode_call(const ptx::Instruction&);
    bool decode_barrier(const ptx::Instruction&);
    bool decode_warp(const ptx::Instruction&);
    bool decode_matrix(const ptx::Instruction&);
    [[nodiscard]] std::optional<Area> area_of(const ptx::Operand&) const;

    ModuleDecoder& module_;
    Program& program_;
    const std::uint32_t index_;
    const ptx::Function& source_;
    DecodedFunction& out_;
    std::vector<Alias> aliases_;
    std::vector<bool> single_;  ///< written by exactly one instruction, without a guard
    std::vector<bool> used_;
    Allocation registers_;
    std::uint32_t scratch_predicate_ = 0;
    std::uint32_t temp8_ = 0, temp4_ = 0;  ///< offsets of temporaries
    std::uint32_t temps8_used_ = 0, temps4_used_ = 0;
    std::vector<Area> variable_areas_;
    std::vector<std::uint64_t> variable_offsets_;  ///< .shared and .local of this function
    std::vector<std::uint32_t> start_;             ///< PTX index to code index
    std::uint32_t now_ = 0;                        ///< PTX index being decoded
    std::uint32_t guard_ = no_row;
    bool guard_negated_ = false;
    std::vector<Ins> after_;               ///< to emit behind the instruction: widening
    std::vector<std::uint32_t> branches_;  ///< code indices whose target is a PTX index
};

}  // namespace cugrade::emulator
