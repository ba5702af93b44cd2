// The parser's state and its token helpers. Each part of PTX is parsed in its own file: parser.cpp
// (a module and its directives), parse_declarations.cpp, parse_function.cpp, parse_operands.cpp and
// literals.cpp. Only these files include this header.
//
// Theory of operation. Recursive descent, one pass over the source. Everything that the AST names
// is a view into Module::source. Registers are the hot path: nvcc declares them as families (`.reg
// .b32 %r<812>`), so `%r17` is looked up as the stem `%r` and the number 17. Names may be declared
// anew in a nested `{ }` (every call sequence declares `param0`, and inlined assembly its own
// registers and labels), so a scope keeps what it hides in an undo log. Labels are resolved at the
// end of each function, because branches go forwards too.
//
// The text may be hostile. A short declaration can ask for many registers, a huge array or a huge
// file number, so each of these has a limit. Nesting is handled without recursion or has a limit,
// too.
//
// Syntax: PTX ISA 9.0, chapters 4 to 6 and 11.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/checked.hpp"
#include "emulator/ptx/lexer.hpp"
#include "emulator/ptx/literals.hpp"
#include "emulator/ptx/module.hpp"

namespace cugrade::ptx {

class Parser {
public:
    explicit Parser(Module& module) : module_(module), lexer_(module.source) { advance(); }

    void parse_module();

private:
    struct Linkage {
        bool external = false;
        bool weak = false;
        bool visible = false;
    };
    /// What precedes the name in a declaration: `.align 8 .b8`, `.attribute(.managed) .u32`.
    struct Declaration {
        Type type = Type::none;
        std::uint32_t align = 0;
        std::uint32_t vector = 1;
        bool managed = false;
    };
    /// What a name means in the function that is being parsed.
    struct Binding {
        enum Kind : std::uint8_t { nothing, reg, family, variable, parameter, result };
        Kind kind = nothing;
        std::int32_t index = -1;  ///< of the register (a family's first), variable or parameter
        std::uint32_t count = 1;  ///< of a family
    };
    using Names = std::unordered_map<std::string_view, Binding>;
    struct Hidden {
        Names* names;
        std::string_view name;
        Binding before;
    };
    struct Scope {
        std::int32_t parent = -1;
        std::size_t undo = 0;  ///< size of hidden_ when it was opened
    };
    struct LabelUse {
        std::string_view name;
        std::size_t at;
        std::int32_t scope;
        std::uint32_t operand;  ///< in Function::operands, or entry of a branch table
        std::int32_t table = -1;
        bool is_table = false;
    };
    struct Label {
        std::string_view name;
        std::int32_t scope;
        std::uint32_t target;  ///< instruction, or branch table
        bool is_table;
        std::size_t at;
        [[nodiscard]] auto key() const { return std::tuple(name, scope, is_table); }
    };

    // Tokens.
    [[noreturn]] void fail(std::string message, std::size_t at) const {
        throw SyntaxError{std::move(message), at};
    }
    [[noreturn]] void fail(std::string message) const { fail(std::move(message), token_.at); }
    void advance() {
        behind_ = token_.at + token_.text.size();
        token_ = lexer_.next();
    }
    bool accept(char c) {
        if (!token_.is(c)) return false;
        advance();
        return true;
    }
    bool accept_dotted(std::string_view s) {
        if (!token_.is_dotted(s)) return false;
        advance();
        return true;
    }
    [[nodiscard]] std::string found() const {
        if (token_.kind == TokenKind::end) return "the end of the file";
        return "`" + std::string(token_.text.substr(0, 40)) + "`";
    }
    void expect(char c) {
        if (!accept(c)) fail(std::string("expected `") + c + "`, found " + found());
    }
    std::string_view expect_name(const char* what) {
        if (token_.kind != TokenKind::name)
            fail(std::string("expected ") + what + ", found " + found());
        const std::string_view text = token_.text;
        advance();
        return text;
    }
    Number expect_number();
    std::uint64_t expect_count(const char* what, std::uint64_t limit);
    std::int64_t sum_of_offsets();
    [[nodiscard]] std::uint64_t size_within(std::uint64_t limit, Checked<> bytes,
                                            std::string_view name, std::size_t at) const;
    void skip_statement() {
        while (!token_.is(';') && token_.kind != TokenKind::end) advance();
        expect(';');
    }

    // Declarations.
    void parse_directive();
    void parse_section();
    void parse_file();
    void parse_loc();
    /// The number of a call in Module::inlined_calls.
    std::int32_t call_number(const InlinedCall&);
    Declaration parse_declaration();
    void parse_variables(Space, Linkage, std::vector<Variable>&);
    void parse_initialiser(Variable&, const std::vector<std::uint64_t>& dims, std::size_t depth);
    Initialiser parse_initialiser_element(Type);
    void parse_registers();
    std::int32_t add_register(std::string_view name, std::int32_t number, Type);
    void parse_parameters(std::vector<Parameter>&, Binding::Kind, std::uint64_t* bytes);
    void parse_function(bool entry, Linkage);
    void parse_function_directives();

    // Bodies.
    void parse_body();
    void parse_label(const Token& name);
    void parse_pragma();
    void parse_instruction();
    void parse_call();
    void parse_operand(std::vector<Operand>& out);
    Operand parse_simple_operand();
    Operand parse_vector(char close);
    void parse_address(std::vector<Operand>& out);
    void parse_named(Operand&);
    void use_label(std::uint32_t operand, const Token& label, bool table);
    void resolve_labels();
    [[nodiscard]] std::int32_t find_register(std::string_view) const;

    // Scopes.
    void open_scope();
    void close_scope();
    void bind(Names& names, std::string_view name, Binding binding) {
        Binding& slot = names[name];
        hidden_.push_back({&names, name, slot});
        slot = binding;
    }

    Module& module_;
    Lexer lexer_;
    Token token_;
    std::size_t behind_ = 0;  ///< where the token before token_ ends

    Function* function_ = nullptr;
    Names names_;
    Names families_;                    ///< by stem: "%r" of %r<7>
    bool names_end_in_digits_ = false;  ///< a name in names_ may look like a family's register
    std::vector<Hidden> hidden_;
    std::vector<Scope> scopes_;
    std::int32_t scope_ = 0;
    std::size_t scope_depth_ = 0;
    std::vector<Label> labels_;
    std::vector<LabelUse> label_uses_;
    std::set<std::string_view> bodies_;  ///< of the functions that are defined
    std::vector<Operand> operands_;  ///< of the instruction that is being parsed
    SourceLine source_, inlined_at_;
    std::uint32_t used_bytes_ = 0xFFFFFFFF;  ///< Instruction::used_bytes of the next instruction
    std::int32_t call_ = -1;                               ///< Instruction::call
    std::unordered_map<std::uint64_t, std::int32_t> calls_;  ///< by place of inlined code
    std::unordered_multimap<std::uint64_t, std::int32_t> call_numbers_;  ///< by line and outer call
    std::uint64_t register_total_ = 0, instruction_total_ = 0;
    Checked<> padding_total_{0};
};

}  // namespace cugrade::ptx
