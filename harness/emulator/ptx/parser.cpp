// A module: its directives and debugging sections, and parse(). How the parser works is in
// parser_internal.hpp.
#include "emulator/ptx/parser.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "emulator/ptx/parser_internal.hpp"

namespace cugrade::ptx {
namespace {

constexpr std::size_t max_source = std::size_t{256} << 20;
constexpr std::uint64_t max_file_index = 1 << 16;

}  // namespace

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
    for (InlinedCall& call : module_.inlined_calls)
        if (call.place.file >= known) call.place = {};
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
            module_.is_debug = module_.is_debug || target == "debug";
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
    const std::int32_t call_before = call_;
    source_ = parse_place();
    inlined_at_ = {};
    call_ = -1;
    while (accept(',')) {
        const std::string_view attribute = expect_name("function_name or inlined_at");
        if (attribute == "function_name") {
            expect_name("a label");
            sum_of_offsets();
        } else if (attribute == "inlined_at") {
            // The place of the call; if that call was itself inlined, its own .loc came before.
            inlined_at_ = parse_place();
            const auto outer = calls_.find(key(inlined_at_));
            call_ = call_number({inlined_at_, outer == calls_.end() ? -1 : outer->second});
            int left = most_inlined;
            for (std::int32_t n = call_; n >= 0 && --left >= 0;) {
                const InlinedCall& call = module_.inlined_calls[static_cast<std::size_t>(n)];
                inlined_at_ = call.place;
                n = call.outer;
            }
        } else {
            fail("expected function_name or inlined_at, found `" + std::string(attribute) + "`");
        }
    }
    if (source_.line == 0) {
        // Line 0 marks instructions that the compiler added: they count for the line before, if
        // any.
        source_ = source_before;
        inlined_at_ = inlined_before;
        call_ = call_before;
        return;
    }
    if (call_ >= 0)
        calls_[key(source_)] = call_;
    else
        calls_.erase(key(source_));
}

std::int32_t Parser::call_number(const InlinedCall& call) {
    auto& all = module_.inlined_calls;
    // The instructions of one call come in many pieces.
    const auto same = [&](std::int32_t n) {
        const InlinedCall& other = all[static_cast<std::size_t>(n)];
        return other.outer == call.outer && other.place.file == call.place.file &&
               other.place.line == call.place.line && other.place.column == call.place.column;
    };
    const std::uint64_t place = static_cast<std::uint64_t>(call.place.line) << 32 |
                                static_cast<std::uint32_t>(call.outer);
    const auto [begin, end] = call_numbers_.equal_range(place);
    for (auto it = begin; it != end; ++it)
        if (same(it->second)) return it->second;
    all.push_back(call);
    const auto number = static_cast<std::int32_t>(all.size() - 1);
    call_numbers_.emplace(place, number);
    return number;
}

namespace {

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

std::uint64_t memory_to_parse(std::string_view source) {
    // An instruction with the four operands of a call, or a function; an operand, a register or a
    // label with their entries in tables.
    constexpr std::uint64_t of_statement = 640, of_operand = 128;
    static_assert(of_statement >= sizeof(Instruction) + 4 * sizeof(Operand));
    static_assert(of_statement >= sizeof(Function) && of_statement >= 2 * sizeof(Variable));
    static_assert(of_operand >= 2 * sizeof(Operand) && of_operand >= 2 * sizeof(Parameter));
    std::uint64_t bytes = 0;
    while (!source.empty()) {
        const std::size_t end = std::min(source.find('\n'), source.size());
        const std::string_view line = source.substr(0, end);
        source.remove_prefix(std::min(end + 1, source.size()));
        // The debugging sections, a third of all commas, leave nothing: `.b8 12,0,7`.
        const std::size_t first = line.find_first_not_of(" \t");
        if (first != std::string_view::npos && line.substr(first, 2) == ".b" &&
            line.find_first_not_of("0123456789, \t", first + 2) == std::string_view::npos)
            continue;
        for (const char c : line) {
            if (c == ';' || c == '{') bytes += of_statement;
            if (c == ',' || c == ':' || c == '|') bytes += of_operand;
        }
    }
    return bytes;
}

}  // namespace cugrade::ptx
