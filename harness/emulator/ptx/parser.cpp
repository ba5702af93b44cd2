// A recursive-descent parser for PTX, one pass over the source.
//
// Everything that the AST names is a view into Module::source. Registers are the hot path: nvcc
// declares them as families (`.reg .b32 %r<812>`), so `%r17` is looked up as the stem `%r` and the
// number 17. Names may be declared anew in a nested `{ }` (every call sequence declares `param0`,
// and inlined assembly its own registers and labels), so a scope keeps what it hides in an undo
// log. Labels are resolved at the end of each function, because branches go forwards too.
//
// The text may be hostile: whatever a declaration can blow up without writing it out (registers,
// array sizes, file numbers) has a limit, and every nesting is either iterative or has one.
//
// Syntax: PTX ISA 9.0, chapters 4 to 6 and 11.
#include "emulator/ptx/parser.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>

#include "emulator/ptx/lexer.hpp"

namespace cugrade::ptx {
namespace {

constexpr std::size_t max_source = std::size_t{256} << 20;
constexpr std::uint64_t max_registers_per_function = 1 << 18;
constexpr std::uint64_t max_registers = 1 << 22;
constexpr std::uint64_t max_instructions = 1 << 22;
constexpr std::uint64_t max_variable_bytes = std::uint64_t{1} << 40;
constexpr std::uint64_t max_parameter_bytes = 1 << 20;
constexpr std::uint64_t max_file_index = 1 << 16;
constexpr std::uint64_t max_align = 1 << 16;
constexpr std::size_t max_scopes = 256;
constexpr std::size_t max_operands = 64;

constexpr std::string_view specials[] = {"aggr_smem_size",
                                         "clock",
                                         "clock64",
                                         "clock_hi",
                                         "cluster_ctaid",
                                         "cluster_ctarank",
                                         "cluster_nctaid",
                                         "cluster_nctarank",
                                         "clusterid",
                                         "ctaid",
                                         "current_graph_exec",
                                         "dynamic_smem_size",
                                         "globaltimer",
                                         "globaltimer_hi",
                                         "globaltimer_lo",
                                         "gridid",
                                         "is_explicit_cluster",
                                         "laneid",
                                         "lanemask_eq",
                                         "lanemask_ge",
                                         "lanemask_gt",
                                         "lanemask_le",
                                         "lanemask_lt",
                                         "nclusterid",
                                         "nctaid",
                                         "nsmid",
                                         "ntid",
                                         "nwarpid",
                                         "smid",
                                         "tid",
                                         "total_smem_size",
                                         "warpid"};
constexpr std::string_view numbered_specials[] = {"envreg", "pm", "reserved_smem_offset_"};

bool is_special(std::string_view percent_name) {
    const std::string_view s = percent_name.substr(1);
    return std::binary_search(std::begin(specials), std::end(specials), s) ||
           std::any_of(std::begin(numbered_specials), std::end(numbered_specials),
                       [&](std::string_view stem) { return s.starts_with(stem); });
}

struct Number {
    std::uint64_t bits = 0;
    std::uint8_t float_bits = 0;  ///< 0: an integer
};

std::optional<Number> to_number(std::string_view s) {
    const auto whole = [](std::string_view digits, int base) -> std::optional<Number> {
        std::uint64_t v = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), v, base);
        if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size())
            return {};
        return Number{v, 0};
    };
    if (s.size() > 1 && s[0] == '0') {
        const char c = s[1];
        if (c == 'f' || c == 'F' || c == 'd' || c == 'D') {
            const bool wide = c == 'd' || c == 'D';
            auto n = s.size() == (wide ? 18u : 10u) ? whole(s.substr(2), 16) : std::nullopt;
            if (n) n->float_bits = wide ? 64 : 32;
            return n;
        }
    }
    if (s.find('.') != s.npos || ((s.find('e') != s.npos || s.find('E') != s.npos) &&
                                  s.substr(0, 2) != "0x" && s.substr(0, 2) != "0X")) {
        double v = 0;
        const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
        if (error != std::errc{} || end != s.data() + s.size()) return {};
        Number n{0, 64};
        std::memcpy(&n.bits, &v, sizeof v);
        return n;
    }
    if (s.back() == 'U' || s.back() == 'u') s.remove_suffix(1);
    if (s.size() > 1 && s[0] == '0') {
        if (s[1] == 'x' || s[1] == 'X') return whole(s.substr(2), 16);
        if (s[1] == 'b' || s[1] == 'B') return whole(s.substr(2), 2);
        return whole(s.substr(1), 8);
    }
    return whole(s, 10);
}

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
    void skip_statement() {
        while (!token_.is(';') && token_.kind != TokenKind::end) advance();
        expect(';');
    }

    // Declarations.
    void parse_directive();
    void parse_section();
    void parse_file();
    void parse_loc();
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
    bool names_end_in_digits_ = false;  ///< some name of names_ might be taken for a family's
    std::vector<Hidden> hidden_;
    std::vector<Scope> scopes_;
    std::int32_t scope_ = 0;
    std::size_t scope_depth_ = 0;
    std::vector<Label> labels_;
    std::vector<LabelUse> label_uses_;
    std::vector<Operand> operands_;  ///< of the instruction that is being parsed
    SourceLine source_, inlined_at_;
    std::unordered_map<std::uint64_t, SourceLine> outermost_;  ///< by place of an inlined call
    std::uint64_t register_total_ = 0, instruction_total_ = 0;
};

// ------------------------------------------------------------------------------------- numbers

Number Parser::expect_number() {
    const bool negative = accept('-');
    if (token_.kind == TokenKind::name && token_.text == "WARP_SZ") {
        advance();
        return {32, 0};
    }
    if (token_.kind != TokenKind::number) fail("expected a number, found " + found());
    auto n = to_number(token_.text);
    if (!n)
        fail("`" + std::string(token_.text.substr(0, 40)) + "` is not a number that fits 64 bits");
    if (negative) {
        if (n->float_bits == 0)
            n->bits = 0 - n->bits;
        else
            n->bits ^= std::uint64_t{1} << (n->float_bits - 1);
    }
    advance();
    return *n;
}

std::uint64_t Parser::expect_count(const char* what, std::uint64_t limit) {
    const std::size_t at = token_.at;
    if (token_.is('-')) fail(std::string(what) + " cannot be negative");
    const Number n = expect_number();
    if (n.float_bits != 0) fail(std::string(what) + " must be an integer", at);
    if (n.bits > limit)
        fail(std::string(what) + " is " + std::to_string(n.bits) + ", more than the limit of " +
                 std::to_string(limit),
             at);
    return n.bits;
}

/// `+ 4 - 8 + -4`, or nothing.
std::int64_t Parser::sum_of_offsets() {
    std::uint64_t sum = 0;
    while (token_.is('+') || token_.is('-')) {
        const bool minus = token_.is('-');
        advance();
        const std::size_t at = token_.at;
        const Number n = expect_number();
        if (n.float_bits != 0) fail("an address offset must be an integer", at);
        sum += minus ? 0 - n.bits : n.bits;
    }
    return static_cast<std::int64_t>(sum);
}

// -------------------------------------------------------------------------------- declarations

void Parser::parse_module() {
    while (token_.kind != TokenKind::end) {
        if (token_.is('@')) {  // "@@DWARF ..." of old debuggers
            const std::size_t at = token_.at;
            advance();
            if (!token_.is('@')) fail("expected a directive, found `@`", at);
            lexer_.skip_line();
            advance();
        } else if (token_.kind == TokenKind::dotted) {
            parse_directive();
        } else if (!accept(';')) {
            fail("expected a directive, found " + found());
        }
    }
    // A .loc may name a file before (or without) its .file directive.
    const auto known = static_cast<std::int64_t>(module_.files.size());
    for (Function& f : module_.functions)
        for (Instruction& i : f.instructions)
            for (SourceLine* s : {&i.source, &i.inlined_at})
                if (s->file >= known) *s = {};
}

void Parser::parse_directive() {
    Linkage linkage;
    for (;;) {
        if (accept_dotted("extern")) {
            linkage.external = true;
        } else if (accept_dotted("weak") || accept_dotted("common")) {
            linkage.weak = true;
        } else if (accept_dotted("visible")) {
            linkage.visible = true;
        } else {
            break;
        }
    }
    const Token directive = token_;
    if (accept_dotted("version")) {
        if (token_.kind != TokenKind::number) fail("expected the version, found " + found());
        const char* end = token_.text.data() + token_.text.size();
        const auto [dot, e1] = std::from_chars(token_.text.data(), end, module_.version_major);
        if (e1 != std::errc{} || dot == end || *dot != '.' ||
            std::from_chars(dot + 1, end, module_.version_minor).ec != std::errc{})
            fail("expected a version such as 9.0, found " + found());
        advance();
    } else if (accept_dotted("target")) {
        do {
            const std::string_view target = expect_name("a target such as sm_75");
            if (target.starts_with("sm_"))
                std::from_chars(target.data() + 3, target.data() + target.size(), module_.target);
        } while (accept(','));
    } else if (accept_dotted("address_size")) {
        const std::size_t at = token_.at;
        if (expect_count("the address size", 64) != 64)
            fail("only 64-bit addresses are supported", at);
    } else if (accept_dotted("file")) {
        parse_file();
    } else if (accept_dotted("section")) {
        parse_section();
    } else if (accept_dotted("loc")) {
        parse_loc();
    } else if (accept_dotted("entry")) {
        parse_function(true, linkage);
    } else if (accept_dotted("func")) {
        parse_function(false, linkage);
    } else if (accept_dotted("global")) {
        parse_variables(Space::global, linkage, module_.variables);
    } else if (accept_dotted("const")) {
        parse_variables(Space::constant, linkage, module_.variables);
    } else if (accept_dotted("shared")) {
        parse_variables(Space::shared, linkage, module_.variables);
    } else if (accept_dotted("alias") || accept_dotted("pragma")) {
        skip_statement();
    } else {
        fail("expected a directive of a module, found " + found(), directive.at);
    }
}

void Parser::parse_section() {
    advance();  // the section's name
    if (!token_.is('{')) fail("expected `{`, found " + found());
    lexer_.skip_block();
    advance();
}

void Parser::parse_file() {
    const std::uint64_t index = expect_count("a file number", max_file_index);
    if (token_.kind != TokenKind::string) fail("expected a file name, found " + found());
    if (index >= module_.files.size()) module_.files.resize(index + 1);
    module_.files[index] = token_.text;
    advance();
    while (accept(',')) expect_number();  // time stamp, size
}

void Parser::parse_loc() {
    const auto parse_place = [&] {
        SourceLine s;
        s.file = static_cast<std::int32_t>(expect_count("a file number", max_file_index));
        s.line = static_cast<std::int32_t>(expect_count("a line number", 0x7FFFFFFF));
        s.column = static_cast<std::int32_t>(expect_count("a column number", 0x7FFFFFFF));
        return s;
    };
    const auto key = [](const SourceLine& s) {
        return static_cast<std::uint64_t>(s.line) << 32 |
               (static_cast<std::uint64_t>(s.file) << 16 & 0xFFFF0000) |
               (static_cast<std::uint64_t>(s.column) & 0xFFFF);
    };
    const SourceLine source_before = source_, inlined_before = inlined_at_;
    source_ = parse_place();
    inlined_at_ = {};
    while (accept(',')) {
        const std::string_view attribute = expect_name("function_name or inlined_at");
        if (attribute == "function_name") {
            expect_name("a label");
            sum_of_offsets();
        } else if (attribute == "inlined_at") {
            // The place of the call; if that call was itself inlined, its own .loc came before.
            inlined_at_ = parse_place();
            if (auto it = outermost_.find(key(inlined_at_)); it != outermost_.end())
                inlined_at_ = it->second;
        } else {
            fail("expected function_name or inlined_at, found `" + std::string(attribute) + "`");
        }
    }
    if (source_.line == 0) {
        // Instructions of the compiler's own making belong to the line before, if to any.
        source_ = source_before;
        inlined_at_ = inlined_before;
        return;
    }
    if (inlined_at_.file >= 0)
        outermost_[key(source_)] = inlined_at_;
    else
        outermost_.erase(key(source_));
}

Parser::Declaration Parser::parse_declaration() {
    Declaration d;
    while (token_.kind == TokenKind::dotted) {
        if (accept_dotted("align")) {
            const std::size_t at = token_.at;
            d.align = static_cast<std::uint32_t>(expect_count("an alignment", max_align));
            if (d.align == 0 || (d.align & (d.align - 1)) != 0)
                fail("an alignment must be a power of two", at);
        } else if (accept_dotted("attribute")) {
            expect('(');
            while (!token_.is(')') && token_.kind != TokenKind::end) {
                d.managed |= token_.is_dotted("managed");
                advance();
            }
            expect(')');
        } else if (accept_dotted("v2")) {
            d.vector = 2;
        } else if (accept_dotted("v4")) {
            d.vector = 4;
        } else if (accept_dotted("ptr")) {
            // About what the pointer points to: nothing that execution depends on.
            while (token_.kind == TokenKind::dotted) {
                const bool align = token_.is_dotted("align");
                advance();
                if (align) expect_count("an alignment", max_align);
            }
        } else {
            const Type t = type_from_name(token_.text.substr(1));
            if (t == Type::none)
                fail("`" + std::string(token_.text.substr(0, 40)) +
                     "` is not a type that is supported here");
            if (d.type != Type::none) fail("a second type in one declaration");
            d.type = t;
            advance();
        }
    }
    if (d.type == Type::none) fail("expected a type, found " + found());
    return d;
}

void Parser::parse_variables(Space space, Linkage linkage, std::vector<Variable>& out) {
    const Declaration d = parse_declaration();
    if (d.type == Type::pred) fail("a variable in memory cannot be a predicate");
    const auto element = static_cast<std::uint64_t>(bits(d.type)) / 8;
    do {
        Variable v;
        v.space = space;
        v.type = d.type;
        v.align = std::max(d.align, static_cast<std::uint32_t>(element * d.vector));
        v.is_extern = linkage.external;
        v.is_weak = linkage.weak;
        v.is_visible = linkage.visible;
        v.is_managed = d.managed;
        const std::size_t at = token_.at;
        v.name = expect_name("a variable's name");
        std::vector<std::uint64_t> dims;  // empty: a scalar; a first 0: as many as are initialised
        while (accept('[')) {
            dims.push_back(token_.is(']') ? 0
                                          : expect_count("an array's size", max_variable_bytes));
            if (dims.size() > 16) fail("too many dimensions");
            expect(']');
        }
        if (d.vector > 1) dims.push_back(d.vector);
        if (dims.empty() && token_.is('=')) {
            advance();
            v.init.push_back(parse_initialiser_element(v.type));
        } else if (accept('=')) {
            parse_initialiser(v, dims, 0);
        }
        if (!dims.empty() && dims.front() == 0) {
            std::uint64_t row = 1;
            for (std::size_t i = 1; i < dims.size(); ++i) row *= dims[i] ? dims[i] : 1;
            dims.front() = (v.init.size() + row - 1) / row;
        }
        v.bytes = element;
        for (std::uint64_t n : dims)
            if (__builtin_mul_overflow(v.bytes, n, &v.bytes) || v.bytes > max_variable_bytes)
                fail("`" + std::string(v.name.substr(0, 60)) + "` is too large", at);
        if (v.init.size() * element > v.bytes)
            fail("`" + std::string(v.name.substr(0, 60)) + "` has more initialisers than elements",
                 at);
        if (function_ != nullptr)
            bind(names_, v.name, {Binding::variable, static_cast<std::int32_t>(out.size())});
        out.push_back(std::move(v));
    } while (accept(','));
    expect(';');
}

void Parser::parse_initialiser(Variable& v, const std::vector<std::uint64_t>& dims,
                               std::size_t depth) {
    if (depth >= dims.size()) fail("more braces than dimensions");
    expect('{');
    const std::size_t start = v.init.size();
    if (!token_.is('}')) {
        do {
            if (token_.is('{'))
                parse_initialiser(v, dims, depth + 1);
            else
                v.init.push_back(parse_initialiser_element(v.type));
        } while (accept(','));
    }
    expect('}');
    // An inner list that is too short leaves the rest of its row zero. Only as much is stored as
    // rows have elements written, so a huge row cannot be had for two braces.
    if (depth > 0 && token_.is(',')) {
        std::uint64_t row = 1;
        for (std::size_t i = depth; i < dims.size(); ++i)
            if (__builtin_mul_overflow(row, dims[i], &row) || row > (1 << 20))
                fail("a row is too long to be initialised in part");
        const std::size_t written = v.init.size() - start;
        if (written < row) v.init.resize(start + row);
        if (v.init.size() > (std::size_t{1} << 24)) fail("too many initialisers");
    }
}

Initialiser Parser::parse_initialiser_element(Type type) {
    Initialiser e;
    const auto parse_symbol = [&] {
        e.symbol = expect_name("a symbol");
        if (e.symbol == "generic" && accept('(')) {
            e.generic = true;
            e.symbol = expect_name("a symbol");
            e.offset = sum_of_offsets();
            expect(')');
        }
        e.offset += sum_of_offsets();
    };
    if (token_.kind == TokenKind::name && token_.text != "WARP_SZ") {
        parse_symbol();
        return e;
    }
    const std::size_t at = token_.at;
    const Number n = expect_number();
    if (accept('(')) {  // 0xFF00(symbol): one byte of an address
        for (int byte = 0; byte < 8; ++byte)
            if (n.bits == std::uint64_t{0xFF} << (8 * byte)) e.byte = byte;
        if (e.byte < 0) fail("the mask of a symbol must be 0xFF shifted by whole bytes", at);
        parse_symbol();
        expect(')');
        return e;
    }
    e.bits = n.bits;
    if (is_float(type) && type != Type::f64 && n.float_bits == 64) {
        if (type != Type::f32) fail("a decimal cannot initialise a 16-bit float here", at);
        double wide = 0;
        std::memcpy(&wide, &n.bits, sizeof wide);
        const auto narrow = static_cast<float>(wide);
        std::uint32_t pattern = 0;
        std::memcpy(&pattern, &narrow, sizeof pattern);
        e.bits = pattern;
    }
    if (bits(type) < 64) e.bits &= (std::uint64_t{1} << bits(type)) - 1;
    return e;
}

std::int32_t Parser::add_register(std::string_view name, std::int32_t number, Type type) {
    function_->registers.push_back({name, number, type});
    return static_cast<std::int32_t>(function_->registers.size()) - 1;
}

void Parser::parse_registers() {
    const Declaration d = parse_declaration();
    if (d.vector > 1) fail("vector registers are not supported; nvcc declares scalars");
    do {
        const std::size_t at = token_.at;
        const std::string_view name = expect_name("a register's name");
        std::uint64_t count = 1;
        const bool family = accept('<');
        if (family) {
            count = expect_count("the number of registers", max_registers_per_function);
            expect('>');
        }
        register_total_ += count;
        if (function_->registers.size() + count > max_registers_per_function ||
            register_total_ > max_registers)
            fail("too many registers", at);
        const auto first = static_cast<std::int32_t>(function_->registers.size());
        if (family) {
            for (std::uint64_t i = 0; i < count; ++i)
                add_register(name, static_cast<std::int32_t>(i), d.type);
            bind(families_, name, {Binding::family, first, static_cast<std::uint32_t>(count)});
        } else {
            add_register(name, -1, d.type);
            names_end_in_digits_ |= name.back() >= '0' && name.back() <= '9';
            bind(names_, name, {Binding::reg, first});
        }
    } while (accept(','));
    expect(';');
}

void Parser::parse_parameters(std::vector<Parameter>& out, Binding::Kind kind,
                              std::uint64_t* bytes) {
    expect('(');
    std::uint64_t end = 0;
    while (!token_.is(')')) {
        Parameter p;
        const bool in_register = token_.is_dotted("reg");
        if (!in_register && !token_.is_dotted("param"))
            fail("expected a parameter, found " + found());
        advance();
        const Declaration d = parse_declaration();
        p.type = d.type;
        if (!in_register && d.type == Type::pred) fail("a parameter cannot be a predicate");
        const auto element = static_cast<std::uint64_t>(bits(d.type) + 7) / 8 * d.vector;
        const std::size_t at = token_.at;
        p.name = expect_name("a parameter's name");
        p.align = std::max(d.align, static_cast<std::uint32_t>(element));
        p.bytes = element;
        while (accept('[')) {
            const std::uint64_t n =
                token_.is(']') ? 0 : expect_count("an array's size", max_parameter_bytes);
            expect(']');
            p.bytes *= n;
            if (p.bytes > max_parameter_bytes) fail("this parameter is too large", at);
        }
        p.offset = (end + p.align - 1) / p.align * p.align;
        end = p.offset + p.bytes;
        if (end > max_parameter_bytes) fail("the parameters are too large", at);
        if (in_register) {
            if (++register_total_ > max_registers) fail("too many registers", at);
            p.reg = add_register(p.name, -1, d.type);
            names_end_in_digits_ = true;
            bind(names_, p.name, {Binding::reg, p.reg});
        } else {
            bind(names_, p.name, {kind, static_cast<std::int32_t>(out.size())});
        }
        out.push_back(p);
        if (!accept(',') && !token_.is(')')) fail("expected `,` or `)`, found " + found());
    }
    expect(')');
    if (bytes != nullptr) *bytes = end;
}

void Parser::parse_function_directives() {
    while (token_.kind == TokenKind::dotted) {
        if (accept_dotted("pragma")) {
            skip_statement();
            continue;
        }
        const bool threads = token_.is_dotted("maxntid") || token_.is_dotted("reqntid");
        const bool registers = token_.is_dotted("maxnreg");
        advance();
        std::uint64_t product = 1;
        while (token_.kind == TokenKind::number) {
            product *= expect_count("a launch bound", 0xFFFF);
            if (product > 0xFFFFFFFF) product = 0xFFFFFFFF;
            if (!accept(',')) break;
        }
        if (threads) function_->max_threads = static_cast<std::uint32_t>(product);
        if (registers) function_->reg_limit = static_cast<std::uint32_t>(product);
    }
}

void Parser::parse_function(bool entry, Linkage linkage) {
    Function f;
    function_ = &f;
    f.is_entry = entry;
    f.is_weak = linkage.weak;
    f.is_visible = linkage.visible;
    names_.clear();
    families_.clear();
    names_end_in_digits_ = false;
    hidden_.clear();
    scopes_.assign(1, {});
    scope_ = 0;
    scope_depth_ = 0;
    labels_.clear();
    label_uses_.clear();
    outermost_.clear();
    source_ = inlined_at_ = {};

    parse_function_directives();  // .noreturn and its like may stand before the name, too
    if (token_.is('(')) parse_parameters(f.returns, Binding::result, nullptr);
    f.name = expect_name("a function's name");
    if (token_.is('(')) parse_parameters(f.params, Binding::parameter, &f.param_bytes);
    parse_function_directives();
    if (accept(';')) {
        f.is_declaration = true;
    } else {
        parse_body();
        resolve_labels();
    }
    function_ = nullptr;
    module_.functions.push_back(std::move(f));
}

// -------------------------------------------------------------------------------------- bodies

void Parser::open_scope() {
    if (++scope_depth_ > max_scopes) fail("too many nested blocks");
    scopes_.push_back({scope_, hidden_.size()});
    scope_ = static_cast<std::int32_t>(scopes_.size()) - 1;
}

void Parser::close_scope() {
    const Scope& scope = scopes_[static_cast<std::size_t>(scope_)];
    while (hidden_.size() > scope.undo) {
        const Hidden& h = hidden_.back();
        (*h.names)[h.name] = h.before;
        hidden_.pop_back();
    }
    scope_ = scope.parent;
    --scope_depth_;
}

void Parser::parse_body() {
    expect('{');
    for (;;) {
        if (token_.kind == TokenKind::name || token_.is('@')) {
            parse_instruction();
        } else if (token_.kind == TokenKind::dotted) {
            const Token directive = token_;
            Linkage linkage;
            if (accept_dotted("extern")) linkage.external = true;
            if (accept_dotted("loc")) {
                parse_loc();
            } else if (accept_dotted("reg")) {
                parse_registers();
            } else if (accept_dotted("param")) {
                parse_variables(Space::param, linkage, function_->variables);
            } else if (accept_dotted("local")) {
                parse_variables(Space::local, linkage, function_->variables);
            } else if (accept_dotted("shared")) {
                parse_variables(Space::shared, linkage, function_->variables);
            } else if (accept_dotted("global")) {
                parse_variables(Space::global, linkage, function_->variables);
            } else if (accept_dotted("const")) {
                parse_variables(Space::constant, linkage, function_->variables);
            } else if (accept_dotted("pragma")) {
                skip_statement();
            } else if (accept_dotted("file")) {
                parse_file();
            } else if (accept_dotted("section")) {
                parse_section();
            } else {
                fail("expected a statement, found " + found(), directive.at);
            }
        } else if (accept('{')) {
            open_scope();
        } else if (accept('}')) {
            if (scope_depth_ == 0) return;
            close_scope();
        } else if (!accept(';')) {
            fail("expected a statement, found " + found());
        }
    }
}

void Parser::parse_label(const Token& name) {
    if (accept_dotted("branchtargets")) {
        const auto table = static_cast<std::int32_t>(function_->branch_tables.size());
        auto& entries = function_->branch_tables.emplace_back();
        labels_.push_back({name.text, scope_, static_cast<std::uint32_t>(table), true, name.at});
        do {
            const Token target = token_;
            expect_name("a label");
            label_uses_.push_back({target.text, target.at, scope_,
                                   static_cast<std::uint32_t>(entries.size()), table, false});
            entries.push_back(0);
        } while (accept(','));
        expect(';');
    } else if (token_.is_dotted("callprototype") || token_.is_dotted("calltargets")) {
        skip_statement();  // arguments are passed by position: nothing is needed of them
    } else {
        labels_.push_back({name.text, scope_,
                           static_cast<std::uint32_t>(function_->instructions.size()), false,
                           name.at});
    }
}

void Parser::parse_instruction() {
    const Token start = token_;
    Instruction i;
    i.ptx_line = start.line;
    i.source = source_;
    i.inlined_at = inlined_at_;
    if (accept('@')) {
        i.guard_negated = accept('!');
        const std::size_t at = token_.at;
        const std::string_view guard = expect_name("a predicate");
        i.guard = find_register(guard);
        if (i.guard < 0 ||
            function_->registers[static_cast<std::size_t>(i.guard)].type != Type::pred)
            fail("`" + std::string(guard.substr(0, 40)) + "` is not a predicate register", at);
    }
    const Token opcode = token_;
    i.opcode = expect_name("an instruction");
    if (i.guard < 0 && accept(':')) return parse_label(opcode);
    while (token_.kind == TokenKind::dotted) {
        if (i.modifier_count == i.modifiers.size()) fail("more modifiers than any instruction has");
        i.modifiers[i.modifier_count++] = token_.text.substr(1);
        advance();
    }

    operands_.clear();
    std::int32_t label_operand = -1;
    Token label;
    if (i.opcode == "call") {
        parse_call();
    } else if (!token_.is(';')) {
        if (i.opcode == "bra") label_operand = 0;
        if (i.opcode == "brx") label_operand = 1;
        do {
            if (static_cast<std::int32_t>(operands_.size()) == label_operand) {
                label = token_;
                expect_name("a label");
                operands_.emplace_back().kind = OperandKind::label;
                operands_.back().name = label.text;
                continue;
            }
            parse_operand(operands_);
            if (accept('|')) {
                if (operands_.size() != 1) fail("only the first operand can be a pair");
                i.paired = true;
                parse_operand(operands_);
            }
        } while (accept(','));
        if (operands_.size() > max_operands) fail("more operands than any instruction has");
        if (label_operand >= static_cast<std::int32_t>(operands_.size()))
            fail("expected a label, found " + found());
    }
    i.text = std::string_view(module_.source).substr(start.at, behind_ - start.at);
    expect(';');

    if (++instruction_total_ > max_instructions) fail("too many instructions", start.at);
    i.first_operand = static_cast<std::uint32_t>(function_->operands.size());
    i.operand_count = static_cast<std::uint8_t>(operands_.size());
    if (label_operand >= 0)
        use_label(i.first_operand + static_cast<std::uint32_t>(label_operand), label,
                  i.opcode == "brx");
    function_->operands.insert(function_->operands.end(), operands_.begin(), operands_.end());
    function_->instructions.push_back(i);
}

void Parser::parse_call() {
    const auto none = [&] {
        Operand o;
        o.kind = OperandKind::vector;
        o.first = static_cast<std::uint32_t>(function_->operands.size());
        return o;
    };
    operands_.push_back(none());
    if (accept('(')) {
        operands_.back() = parse_vector(')');
        expect(',');
    }
    operands_.push_back(parse_simple_operand());
    const OperandKind callee = operands_.back().kind;
    if (callee != OperandKind::symbol && callee != OperandKind::reg)
        fail("expected a function to call, found something else before " + found());
    operands_.push_back(none());
    operands_.emplace_back();
    if (!accept(',')) return;
    if (accept('(')) {
        operands_[2] = parse_vector(')');
        if (!accept(',')) return;
    }
    operands_[3].kind = OperandKind::symbol;
    operands_[3].name = expect_name("a prototype");
}

/// Elements up to `close`, the opening bracket being consumed.
Operand Parser::parse_vector(char close) {
    Operand v;
    v.kind = OperandKind::vector;
    v.first = static_cast<std::uint32_t>(function_->operands.size());
    if (!token_.is(close)) {
        do {
            // A nested vector would put its elements among ours.
            const Operand element = parse_simple_operand();
            function_->operands.push_back(element);
            if (++v.count > 4096) fail("too many elements");
        } while (accept(','));
    }
    expect(close);
    return v;
}

void Parser::parse_operand(std::vector<Operand>& out) {
    if (accept('{')) {
        out.push_back(parse_vector('}'));
    } else if (accept('[')) {
        parse_address(out);
    } else {
        out.push_back(parse_simple_operand());
    }
}

Operand Parser::parse_simple_operand() {
    Operand o;
    if (token_.kind == TokenKind::number || token_.is('-') ||
        (token_.kind == TokenKind::name && token_.text == "WARP_SZ")) {
        const Number n = expect_number();
        o.kind = OperandKind::immediate;
        o.bits = n.bits;
        o.is_float_literal = n.float_bits != 0;
        o.float_bits = n.float_bits;
        return o;
    }
    const bool negated = accept('!');
    if (token_.kind != TokenKind::name) fail("expected an operand, found " + found());
    if (token_.text == "_") {
        advance();
        o.kind = OperandKind::sink;
        return o;
    }
    parse_named(o);
    if (negated) {
        if (o.kind != OperandKind::reg) fail("only a predicate can be negated by `!`");
        o.negated = true;
    }
    if (o.kind == OperandKind::symbol) o.offset = sum_of_offsets();
    return o;
}

/// A register, special register or symbol.
void Parser::parse_named(Operand& o) {
    const Token name = token_;
    o.reg = find_register(name.text);
    advance();
    if (o.reg >= 0) {
        o.kind = OperandKind::reg;
        if (token_.kind == TokenKind::dotted)
            fail("a component of a vector register is not supported");
        return;
    }
    if (name.text.front() == '%') {
        if (!is_special(name.text))
            fail("`" + std::string(name.text.substr(0, 40)) +
                     "` is neither declared nor a special register",
                 name.at);
        o.kind = OperandKind::special;
        o.name = name.text;
        if (token_.kind == TokenKind::dotted) {
            advance();
            o.name = std::string_view(module_.source).substr(name.at, behind_ - name.at);
        }
        return;
    }
    o.kind = OperandKind::symbol;
    o.name = name.text;
    if (const auto it = names_.find(name.text); it != names_.end()) {
        switch (it->second.kind) {
            case Binding::variable: o.symbol_kind = SymbolKind::variable; break;
            case Binding::parameter: o.symbol_kind = SymbolKind::parameter; break;
            case Binding::result: o.symbol_kind = SymbolKind::result; break;
            default: return;
        }
        o.symbol = it->second.index;
    }
}

void Parser::parse_address(std::vector<Operand>& out) {
    Operand o;
    if (token_.kind == TokenKind::name && token_.text != "WARP_SZ") {
        parse_named(o);
        if (o.kind == OperandKind::special) fail("a special register cannot be an address");
        o.offset = sum_of_offsets();
    } else {
        const std::size_t at = token_.at;
        const Number n = expect_number();
        if (n.float_bits != 0) fail("an address must be an integer", at);
        o.offset = static_cast<std::int64_t>(n.bits + static_cast<std::uint64_t>(sum_of_offsets()));
    }
    o.kind = OperandKind::address;
    out.push_back(o);
    while (accept(',')) {
        if (accept('{'))
            out.push_back(parse_vector('}'));
        else
            out.push_back(parse_simple_operand());
    }
    expect(']');
}

std::int32_t Parser::find_register(std::string_view name) const {
    const bool numbered = name.back() >= '0' && name.back() <= '9';
    if (!numbered || names_end_in_digits_) {
        const auto it = names_.find(name);
        if (it != names_.end() && it->second.kind == Binding::reg) return it->second.index;
        if (!numbered) return -1;
    }
    std::size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
    std::uint32_t number = 0;
    if (std::from_chars(name.data() + digits, name.data() + name.size(), number).ec != std::errc{})
        return -1;
    const auto it = families_.find(name.substr(0, digits));
    if (it == families_.end() || it->second.kind != Binding::family || number >= it->second.count)
        return -1;
    return it->second.index + static_cast<std::int32_t>(number);
}

void Parser::use_label(std::uint32_t operand, const Token& label, bool table) {
    label_uses_.push_back({label.text, label.at, scope_, operand, -1, table});
}

void Parser::resolve_labels() {
    const auto by_key = [](const Label& a, const Label& b) { return a.key() < b.key(); };
    std::sort(labels_.begin(), labels_.end(), by_key);
    const auto twice =
        std::adjacent_find(labels_.begin(), labels_.end(),
                           [](const Label& a, const Label& b) { return a.key() == b.key(); });
    if (twice != labels_.end())
        fail("label `" + std::string(twice->name.substr(0, 60)) + "` is defined twice",
             std::max(twice->at, std::next(twice)->at));
    for (const LabelUse& use : label_uses_) {
        const Label* found_label = nullptr;
        for (std::int32_t s = use.scope; s >= 0 && found_label == nullptr;
             s = scopes_[static_cast<std::size_t>(s)].parent) {
            const Label wanted{use.name, s, 0, use.is_table, 0};
            const auto it = std::lower_bound(labels_.begin(), labels_.end(), wanted, by_key);
            if (it != labels_.end() && it->key() == wanted.key()) found_label = &*it;
        }
        if (found_label == nullptr)
            fail("there is no label `" + std::string(use.name.substr(0, 60)) + "` to branch to",
                 use.at);
        if (use.table >= 0)
            function_->branch_tables[static_cast<std::size_t>(use.table)][use.operand] =
                found_label->target;
        else
            function_->operands[use.operand].target = found_label->target;
    }
}

Error at_place(const SyntaxError& e, std::string_view source, const std::string& name) {
    const std::string_view before = source.substr(0, std::min(e.at, source.size()));
    const std::size_t line_start = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
    return Error{.kind = ErrorKind::submission,
                 .message = e.message,
                 .file = name,
                 .line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
                 .column = 1 + static_cast<int>(before.size() - line_start),
                 .remedy =
                     "Correct the inline assembly that this PTX comes from, or compile with "
                     "the CUDA Toolkit 12 or 13"};
}

}  // namespace

Result<std::unique_ptr<Module>> parse(std::string source, const std::string& name) {
    if (source.size() > max_source)
        return Error{.kind = ErrorKind::submission,
                     .message = "PTX of more than 256 MiB is not accepted",
                     .file = name,
                     .remedy = "Split the program, or remove what it does not use"};
    auto module = std::make_unique<Module>();
    module->source = std::move(source);
    try {
        Parser(*module).parse_module();
    } catch (const SyntaxError& e) {
        return at_place(e, module->source, name);
    }
    return module;
}

}  // namespace cugrade::ptx
