// A function: its header, its scopes, its instructions, and the labels that they branch to.
#include <algorithm>
#include <charconv>
#include <utility>

#include "emulator/ptx/parser_internal.hpp"

namespace cugrade::ptx {
namespace {

constexpr std::uint64_t max_instructions = 1 << 22;
constexpr std::size_t max_scopes = 256;
constexpr std::size_t max_operands = 64;

}  // namespace

void Parser::parse_function_directives() {
    while (token_.kind == TokenKind::dotted) {
        if (accept_dotted("pragma")) {
            skip_statement();
            continue;
        }
        const bool threads = token_.is_dotted("maxntid") || token_.is_dotted("reqntid");
        const bool registers = token_.is_dotted("maxnreg");
        advance();
        Checked product(std::uint32_t{1});
        while (token_.kind == TokenKind::number) {
            product *= static_cast<std::uint32_t>(expect_count("a launch bound", 0xFFFF));
            if (!accept(',')) break;
        }
        // A product that overflows is larger than any block, so it allows all of them.
        if (threads) function_->max_threads = product.or_largest();
        if (registers) function_->reg_limit = product.or_largest();
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
    calls_.clear();
    source_ = inlined_at_ = {};
    call_ = -1;

    parse_function_directives();  // .noreturn and its like may stand before the name, too
    if (entry && token_.is('(')) fail("a kernel returns nothing");
    if (token_.is('(')) parse_parameters(f.returns, Binding::result, nullptr);
    f.name = expect_name("a function's name");
    if (token_.is('(')) parse_parameters(f.params, Binding::parameter, &f.param_bytes);
    parse_function_directives();
    if (accept(';')) {
        f.is_declaration = true;
    } else {
        if (!bodies_.insert(f.name).second)
            fail("function `" + std::string(f.name.substr(0, 60)) + "` is defined twice");
        parse_body();
        resolve_labels();
    }
    function_ = nullptr;
    module_.functions.push_back(std::move(f));
}

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
                parse_pragma();
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
        skip_statement();  // arguments are passed by position, so this is not needed
    } else {
        labels_.push_back({name.text, scope_,
                           static_cast<std::uint32_t>(function_->instructions.size()), false,
                           name.at});
    }
}

/// .pragma "used_bytes_mask N" describes the next load; other pragmas have no effect here.
void Parser::parse_pragma() {
    constexpr std::string_view mask = "used_bytes_mask ";
    if (token_.kind == TokenKind::string && token_.text.starts_with(mask)) {
        std::string_view digits = token_.text.substr(mask.size());
        const bool is_hexadecimal = digits.starts_with("0x");
        if (is_hexadecimal) digits.remove_prefix(2);
        std::uint32_t bits = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(),
                                                  bits, is_hexadecimal ? 16 : 10);
        if (error == std::errc{} && end == digits.data() + digits.size()) used_bytes_ = bits;
    }
    skip_statement();
}

void Parser::parse_instruction() {
    const Token start = token_;
    Instruction i;
    i.ptx_line = start.line;
    i.used_bytes = std::exchange(used_bytes_, 0xFFFFFFFF);
    i.source = source_;
    i.inlined_at = inlined_at_;
    i.call = call_;
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
    } else {
        if (i.opcode == "bra") label_operand = 0;
        if (i.opcode == "brx") label_operand = 1;
        if (!token_.is(';')) do {
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

}  // namespace cugrade::ptx
