// Operands: registers, special registers, symbols, addresses, vectors, and the numbers in them.
#include <algorithm>
#include <charconv>
#include <iterator>

#include "emulator/ptx/parser_internal.hpp"

namespace cugrade::ptx {
namespace {

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

}  // namespace

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

/// Parses elements up to `close`; the opening bracket is already consumed.
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

}  // namespace cugrade::ptx
