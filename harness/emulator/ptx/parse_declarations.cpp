// Parses declarations of variables, registers and parameters, with their sizes and initial values.
#include <algorithm>
#include <cstring>
#include <limits>

#include "emulator/ptx/parser_internal.hpp"

namespace cugrade::ptx {
namespace {

constexpr std::uint64_t max_registers_per_function = 1 << 18;
constexpr std::uint64_t max_registers = 1 << 22;  ///< of a module
/// More than any device has. Loading the module checks the size of the actual device.
constexpr std::uint64_t max_variable_bytes = std::uint64_t{1} << 40;
/// For a function, and for one call. Hardware takes 32,764 bytes.
constexpr std::uint64_t max_parameter_bytes = 1 << 20;
/// Omitted elements of initialiser rows, which the parser fills in, per module. Chosen: they cost
/// 64 MiB.
constexpr std::uint64_t max_padding = 1 << 20;
constexpr std::uint64_t max_align = 1 << 16;

}  // namespace

/// The size in bytes of the declaration `name`; fails if it exceeds `limit`.
std::uint64_t Parser::size_within(std::uint64_t limit, Checked<> bytes, std::string_view name,
                                  std::size_t at) const {
    if (const auto size = bytes.within(limit)) return *size;
    const bool fits = bytes.at_most(std::numeric_limits<std::uint64_t>::max());
    fail("`" + std::string(name.substr(0, 60)) + "` is too large: " + (fits ? "" : "more than ") +
             std::to_string(bytes.or_largest()) + " bytes, and the limit is " +
             std::to_string(limit),
         at);
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
            // This describes the memory pointed to. Execution does not depend on it.
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
        // Empty: a scalar. A first 0: the initialiser gives the size.
        std::vector<std::uint64_t> dims;
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
            Checked row(std::uint64_t{1});
            for (std::size_t i = 1; i < dims.size(); ++i) row *= dims[i] ? dims[i] : 1;
            const std::uint64_t length = row.or_largest();
            dims.front() = v.init.size() / length + (v.init.size() % length != 0 ? 1 : 0);
        }
        Checked bytes(element);
        for (std::uint64_t n : dims) bytes *= n;
        v.bytes = size_within(space == Space::param ? max_parameter_bytes : max_variable_bytes,
                              bytes, v.name, at);
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
    // An inner list that is too short leaves the rest of its row zero. The zeros are stored only if
    // another row follows, and max_padding limits them, so two braces cannot ask for a huge row.
    if (depth > 0 && token_.is(',')) {
        std::uint64_t row = 1;
        Checked length(row);
        for (std::size_t i = depth; i < dims.size(); ++i) length *= dims[i];
        row = length.or_largest();
        const std::size_t written = v.init.size() - start;
        if (written >= row) return;
        padding_total_ += row - written;
        if (!padding_total_.at_most(max_padding))
            fail("a row of `" + std::string(v.name.substr(0, 60)) + "` has " + std::to_string(row) +
                 " elements, too many to be initialised in part");
        v.init.resize(start + row);
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
        e.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(e.offset) +
                                             static_cast<std::uint64_t>(sum_of_offsets()));
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
        Checked size(element);
        while (accept('[')) {
            const std::uint64_t n =
                token_.is(']') ? 0 : expect_count("an array's size", max_parameter_bytes);
            expect(']');
            size *= n;
        }
        p.bytes = size_within(max_parameter_bytes, size, p.name, at);
        p.offset = Checked(end).rounded_up(p.align).or_largest();
        const auto behind = (Checked(p.offset) + p.bytes).within(max_parameter_bytes);
        if (!behind)
            fail("with `" + std::string(p.name.substr(0, 60)) + "` of " + std::to_string(p.bytes) +
                     " bytes the parameters are larger than the limit of " +
                     std::to_string(max_parameter_bytes) + " bytes",
                 at);
        end = *behind;
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

}  // namespace cugrade::ptx
