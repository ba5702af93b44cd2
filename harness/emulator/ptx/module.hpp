// PTX as the parser leaves it: names resolved within their function, nothing decided about
// execution.
//
// A Module owns the source text; every string_view below points into it. Registers are numbered
// per function in order of declaration, labels are resolved to instruction indices, and each
// instruction carries the line of the student's source (from .loc) and its line in the PTX.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cugrade::ptx {

enum class Space : std::uint8_t { generic, global, shared, local, constant, param };

/// Fundamental types; the bit sizes are in `bits`.
enum class Type : std::uint8_t {
    none,
    pred,
    b8,
    b16,
    b32,
    b64,
    b128,
    u8,
    u16,
    u32,
    u64,
    s8,
    s16,
    s32,
    s64,
    f16,
    f16x2,
    bf16,
    bf16x2,
    f32,
    f64,
};
[[nodiscard]] int bits(Type);  ///< 0 for none, 1 for pred
[[nodiscard]] std::string_view name(Type);
[[nodiscard]] Type type_from_name(std::string_view);  ///< none if there is no such type
[[nodiscard]] bool is_float(Type);
[[nodiscard]] bool is_signed(Type);  ///< s8..s64

enum class OperandKind : std::uint8_t {
    none,
    reg,        ///< `reg`; `negated` for !%p
    immediate,  ///< `bits`: integers sign-extended to 64 bits, 0f/0d forms as their bit pattern
    special,    ///< %tid.x ...: `name` with the dot, e.g. "%tid.x"
    symbol,     ///< a variable or function used by name: `name`, `offset` (mov of an address)
    address,    ///< [base + offset]: base is a register (`reg` >= 0) or a symbol (`name`)
    vector,     ///< {a, b, c, d}: `count` elements at Function::operands[first ..]
    label,      ///< `target`: index of the instruction branched to
    sink,       ///< _
};

/// Where the name of a symbol or of an address's base was declared. The names of call sequences
/// (`param0`, `retval0`) recur in every scope, so `Operand::symbol`, not the name, identifies the
/// symbol.
enum class SymbolKind : std::uint8_t {
    module,     ///< a variable or function of the module, or of another one: by name
    variable,   ///< Function::variables[symbol]
    parameter,  ///< Function::params[symbol]
    result,     ///< Function::returns[symbol]
};

struct Operand {
    OperandKind kind = OperandKind::none;
    bool negated = false;
    SymbolKind symbol_kind = SymbolKind::module;
    std::int32_t symbol = -1;
    std::int32_t reg = -1;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t target = 0;
    std::int64_t offset = 0;
    std::uint64_t bits = 0;
    bool is_float_literal = false;  ///< written 0f..., 0d... or with a decimal point
    std::uint8_t float_bits = 0;    ///< 32 for 0f, 64 for 0d and for decimals
    std::string_view name;
};

// Forms with more structure than a list of operands:
//   setp.lt.s32 p|q, a, b         operands p, q, a, b, and Instruction::paired; so too shfl, match
//   call (r), f, (a, b), proto    always four: vector of results, callee (symbol or register),
//                                 vector of arguments, prototype (a symbol, or kind none);
//                                 absent lists are vectors of no element
//   bra L                         label: `target` is an instruction index, at most the number of
//                                 instructions (a label behind the last one)
//   brx.idx i, table              label: `target` is an index in Function::branch_tables
//   [base, {x, y}]                (textures, tensor maps) an address, then the vector as the next

/// The name as in the source, `scale(float*, int)`. A name that is not mangled is returned
/// unchanged, and so is one that could stand for more than `most` characters; by default, more than
/// any real one.
[[nodiscard]] std::string demangled(std::string_view name, double most = 512 << 20);

[[nodiscard]] inline bool is_any_of(std::string_view word,
                                    std::initializer_list<std::string_view> list) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

struct SourceLine {
    std::int32_t file = -1;  ///< index in Module::files; -1: not known
    std::int32_t line = 0;
    std::int32_t column = 0;
};

struct Instruction {
    std::int32_t guard = -1;  ///< predicate register, -1: unconditional
    bool guard_negated = false;
    std::string_view opcode;                     ///< "ld"
    std::array<std::string_view, 16> modifiers;  ///< "global", "nc", "v4", "u32": without the dots
    std::uint8_t modifier_count = 0;
    std::uint32_t first_operand = 0;  ///< in Function::operands
    std::uint8_t operand_count = 0;
    bool paired = false;  ///< written p|q: operands 0 and 1 are both destinations
    bool is_meeting = false;  ///< a barrier for those threads that come, which no text can ask for
    /// For a load: one bit for each byte that the program uses, from .pragma "used_bytes_mask".
    std::uint32_t used_bytes = 0xFFFFFFFF;
    /// An experiment: lanes with an address outside of all memory load 0, and store nothing.
    bool ignores_outside = false;
    SourceLine source;          ///< innermost
    SourceLine inlined_at;      ///< outermost place in the kernel, where .loc says inlined_at
    std::int32_t call = -1;     ///< of Module::inlined_calls, the innermost; -1: not inlined
    std::int32_t ptx_line = 0;  ///< 1-based
    std::string_view text;      ///< the whole instruction, for messages

    [[nodiscard]] bool has(std::string_view modifier) const {
        for (int i = 0; i < modifier_count; ++i)
            if (modifiers[static_cast<std::size_t>(i)] == modifier) return true;
        return false;
    }
};

struct Register {
    std::string_view name;  ///< for %r<7>: the stem "%r"; `number` tells them apart
    std::int32_t number = -1;
    Type type = Type::none;
};

/// An initialiser's element: bits, or the address of a symbol.
struct Initialiser {
    std::uint64_t bits = 0;
    std::string_view symbol;  ///< empty: plain bits
    bool generic = false;     ///< generic(symbol)
    std::int64_t offset = 0;
    std::int32_t byte = -1;  ///< 0xFF00(symbol): only byte 1 of the address; -1: all of it
};

struct Variable {
    std::string_view name;
    Space space = Space::global;
    Type type = Type::b8;
    std::uint32_t align = 1;
    std::uint64_t bytes = 0;  ///< 0 with is_extern: dynamic shared memory
    bool is_extern = false;
    bool is_visible = false;
    bool is_weak = false;  ///< .weak or .common: other modules may define the same
    bool is_managed = false;
    std::vector<Initialiser> init;  ///< elements of `type`; the rest is zero
};

struct Parameter {
    std::string_view name;
    Type type = Type::b8;
    std::uint32_t align = 1;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;  ///< in the parameter block, naturally aligned
    std::int32_t reg = -1;     ///< for .reg parameters of a .func
};

struct Function {
    std::string_view name;
    bool is_entry = false;
    bool is_declaration = false;  ///< no body; a definition may follow as a Function of its own
    bool is_visible = false;
    bool is_weak = false;
    std::vector<Parameter> returns;
    std::vector<Parameter> params;
    std::uint64_t param_bytes = 0;
    std::vector<Register> registers;
    std::vector<Variable> variables;  ///< .shared, .local and .param declared in the body
    std::vector<Instruction> instructions;
    std::vector<Operand> operands;
    std::vector<std::vector<std::uint32_t>>
        branch_tables;              ///< .branchtargets, by brx.idx operand target
    std::uint32_t max_threads = 0;  ///< .maxntid product; 0: none
    std::uint32_t reg_limit = 0;
};

/// Calls in calls that are followed. Chosen: more than anybody writes; hostile code may have any
/// number.
inline constexpr int most_inlined = 64;

/// A call that the compiler has replaced by the function's body.
struct InlinedCall {
    SourceLine place;
    std::int32_t outer = -1;  ///< the call that the calling function came by; -1: none
};

struct Module {
    std::string source;
    int target = 0;         ///< 75 for sm_75
    bool is_debug = false;  ///< compiled with -G
    int version_major = 0, version_minor = 0;
    std::vector<std::string> files;  ///< .file directives, by index
    std::vector<InlinedCall> inlined_calls;
    std::vector<Variable> variables;
    std::vector<Function> functions;
    /// In a linked module, the names above point into these texts, too, beside `source`.
    std::vector<std::unique_ptr<Module>> parts;
    std::deque<std::string> renamed;
    /// Of a copy: the names above point into the texts of this one, too.
    std::shared_ptr<const Module> original;

    Module() = default;
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;
};

/// A copy that can be changed.
[[nodiscard]] std::unique_ptr<Module> copy_of(std::shared_ptr<const Module> original);

}  // namespace cugrade::ptx
