#include "judging/type_rules.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <string>

#include <fmt/format.h>

namespace cugrade::edit {
namespace {

/// `x * x * (long long)x`: a product is computed from left to right, and the cast comes too late.
/// The line; 0: there is none, or several.
int cast_too_late(const Text& text) {
    int found = 0;
    const std::size_t count = text.code.tokens().size();
    int line = 0;
    bool has_product = false, has_cast = false;
    for (std::size_t i = 0; i < count; ++i) {
        const bool begins =
            is_any(text.word(i), {"=", ",", ";", "+", "-", "<", ">", "?", ":", "+=", "return"});
        if (text.line(i) != line || begins) {
            line = text.line(i);
            has_product = has_cast = false;
        }
        const bool is_wide = is_any(text.word(i), {"long", "int64_t", "uint64_t", "i64", "u64"});
        const bool is_product = text.word(i) == "*" && text.word(i + 1) != ")";
        if (is_product && has_product && !has_cast && text.word(i + 1) == "(" &&
            is_any(text.word(i + 2), {"long", "int64_t", "i64"})) {  // the third factor
            if (found != 0) return 0;
            found = line;
        }
        has_product |= is_product && i > 0 &&
                       (is_name(text.token(i - 1)) || is_any(text.word(i - 1), {")", "]"})) &&
                       !is_any(text.word(i - 1), {"float", "double", "int", "char", "T", "auto"});
        has_cast |= is_wide;
    }
    return found;
}

}  // namespace

namespace {

/// `T` and `U` of `template <typename T, class U>` in front of a function.
std::set<std::string_view> types_of_template(const Text& text, const Function& f) {
    std::set<std::string_view> all;
    std::size_t i = f.at;
    while (i > 0 && !is_any(text.word(i), {";", "}", "template"})) --i;
    if (text.word(i) != "template") return all;
    for (; i + 1 < f.at; ++i)
        if (is_any(text.word(i), {"typename", "class"})) all.insert(text.word(i + 1));
    return all;
}

/// The sum is kept in the elements' type, which a template has beside that of the sum: in a shared
/// array, or because the type is deduced from what a function is called with.
void where_sum_has_another_type(const Text& text, Cause& cause) {
    const auto tell = [&](int line, const std::string& what) {
        cause.id = "accumulator_too_narrow";
        cause.sentence = what;
        cause.advice = "Give it the type of the sum.";
        put_at(text, line, cause);
    };
    for (const Function& f : text.code.functions()) {
        const auto types = types_of_template(text, f);
        for (std::size_t i = f.open; i + 3 < f.close; ++i) {
            const std::string_view type = text.word(i + 1), name = text.word(i + 2);
            if (text.word(i) != "__shared__" || !types.contains(type)) continue;
            for (std::size_t k = i + 3; k + 1 < f.close; ++k) {
                if (text.word(k) != name || text.word(k + 1) != "[") continue;
                const std::size_t behind_index = text.code.match(k + 1) + 1;
                if (text.word(behind_index) != "=" || text.word(behind_index + 2) != ";") continue;
                for (std::size_t p = f.at; p + 1 < f.open; ++p)
                    if (text.word(p + 1) == text.word(behind_index + 1) &&
                        types.contains(text.word(p)) && text.word(p) != type)
                        return tell(text.line(i),
                                    fmt::format("`{}` in line {} has the type {}, and what is "
                                                "stored in it has the type {}: sums do not fit.",
                                                name, text.line(i), type, text.word(p)));
            }
        }
    }
    // `T sum = 0; ... sum += in[i];` of a kernel that is launched as kernel<int>.
    for (const Function& f : text.code.functions()) {
        const auto types = types_of_template(text, f);
        for (std::size_t i = f.open; i + 3 < f.close; ++i) {
            if (!types.contains(text.word(i)) || !is_name(text.token(i + 1)) ||
                text.word(i + 2) != "=" || !is_any(text.word(i + 3), {"0", "T"}))
                continue;
            bool is_sum = false, is_for_int = false;
            for (std::size_t k = i + 4; k + 1 < f.close; ++k)
                is_sum |= text.word(k) == text.word(i + 1) && text.word(k + 1) == "+=";
            for (std::size_t k = 0; k + 2 < text.code.tokens().size(); ++k)
                is_for_int |= text.word(k) == f.name && text.word(k + 1) == "<" &&
                              is_any(text.word(k + 2), {"int", "int32_t", "unsigned", "uint32_t"});
            if (!is_sum || !is_for_int) continue;
            return tell(text.line(i),
                        fmt::format("`{}` in line {} has the type of the elements, {}, and `{}` is "
                                    "used for a type of 32 bits: sums do not fit.",
                                    text.word(i + 1), text.line(i), text.word(i), f.name));
        }
    }
    for (const Function* f : text.reached)
        for (std::size_t i = f->open; i + 4 < f->close; ++i) {
            const bool is_wide = (text.word(i) == "long" && text.word(i + 1) != "long") ||
                                 is_any(text.word(i), {"int64_t", "uint64_t"});
            if (!is_wide || text.word(i + 2) != "=" || text.word(i + 4) != "(") continue;
            const Function* called = function_called_at(text, i + 3);
            if (called == nullptr ||
                !types_of_template(text, *called).contains(text.word(called->at - 1)))
                continue;
            return tell(text.line(i),
                        fmt::format("`{}` is called in line {} for the type of its argument: its "
                                    "sum has no more bits than one element.",
                                    called->name, text.line(i)));
        }
}

}  // namespace

std::optional<Cause> product_of_narrow_parameters(const Text& text) {
    for (const Function* f : text.reached) {
        if (f->at == 0 || !is_any(text.word(f->at - 1), {"size_t", "int64_t", "uint64_t", "long"}))
            continue;
        const auto is_narrow_parameter = [&](std::string_view name) {
            for (std::size_t i = f->at; i + 1 < f->open; ++i)
                if (text.word(i + 1) == name && is_narrow(text.word(i))) return true;
            return false;
        };
        for (std::size_t i = f->open; i + 3 < f->close; ++i) {
            if (text.word(i) != "return" || text.word(i + 2) != "*" ||
                !is_narrow_parameter(text.word(i + 1)) || !is_narrow_parameter(text.word(i + 3)))
                continue;
            Cause cause{.id = "integer_overflow"};
            cause.location = {text.code.file(), text.line(i), 0};
            cause.sentence = fmt::format(
                "Line {} multiplies `{}` and `{}` in 32 bits, and widens what is left of the "
                "product: with large numbers it does not fit.",
                text.line(i), text.word(i + 1), text.word(i + 3));
            cause.advice = fmt::format("Widen an operand first: (long long){} * {}.",
                                       text.word(i + 1), text.word(i + 3));
            return cause;
        }
    }
    return {};
}

namespace {

/// `blockIdx.x * TILE - radius`, whose minuend is made of numbers of threads and blocks alone.
bool falls_below_zero(const Text& text, Range line) {
    bool is_of_threads = false;
    for (std::size_t i = line.first; i < line.last; ++i) {
        if (is_any(text.word(i), {"=", "(", ",", "return"})) is_of_threads = false;
        if (is_any(text.word(i), {"long", "int64_t", "size_t", "ptrdiff_t", "int"})) {
            // A cast: what follows has a sign, or more bits.
            if (is_any(text.word(i + 1), {")", ">"})) return false;
        }
        is_of_threads |= is_any(text.word(i), {"blockIdx", "threadIdx"});
        if (is_of_threads && text.word(i) == "-") return true;
    }
    return false;
}

}  // namespace

void where_operand_is_made(const Text& text, Cause& cause) {
    constexpr int just_above = 3;
    if (cause.location.line == 0) {
        if (const int late = cast_too_late(text)) {
            cause.sentence = fmt::format(
                "Line {} multiplies two numbers of 32 bits before the cast widens anything: the "
                "product does not fit.",
                late);
            cause.advice = "Widen the first operand: (long long)x * x * x.";
            return put_at(text, late, cause);
        }
        return where_sum_has_another_type(text, cause);
    }
    const Range here = text.code.tokens_of_line(cause.location.line);
    if (falls_below_zero(text, here)) {
        cause.id = "unsigned_index";
        cause.sentence = fmt::format(
            "Line {} subtracts from a number without a sign: what should be below 0 is nearly "
            "2^32, "
            "and is widened as that.",
            cause.location.line);
        cause.advice =
            "Convert to a type with a sign first: (long long)blockIdx.x * width - radius.";
        return;
    }
    for (std::size_t i = here.first; i + 1 < here.last; ++i) {
        if (!is_name(text.token(i)) || text.word(i + 1) != "*") continue;
        const int made = definition_in(text, text.word(i), cause.location.line);
        if (made > 0 && made < cause.location.line && made + just_above >= cause.location.line)
            return put_between(text, made, cause.location.line, cause);
    }
}

void where_sign_is_lost(const Text& text, Cause& cause) {
    if (cause.sentence.find("the upper half") != std::string::npos) return;
    const auto is_unsigned = [&](std::size_t i) {
        return is_any(text.word(i), {"unsigned", "uint32_t", "uint", "u32"}) &&
               !is_any(text.word(i + 1), {"*", "long"});
    };
    // What is widened is a place left of the data.
    if (std::ranges::find(text.task.arguments, "ghost", &ArgumentSpec::name) !=
        text.task.arguments.end()) {
        where_place_has_no_sign(text, cause);
        if (cause.id == "unsigned_index") return;
    }
    const Range here = text.code.tokens_of_line(cause.location.line);
    for (std::size_t i = here.first; i < here.last; ++i) {
        const Function* f = function_called_at(text, i);
        if (f == nullptr || text.line(f->at) == cause.location.line) continue;
        for (std::size_t k = f->at; k < f->open; ++k)
            if (is_unsigned(k)) return put_at(text, text.line(k), cause);
    }
    // `const unsigned step = up ? 1 : -1;`
    for (const std::string_view name : names_of(text, here)) {
        const int made = text.code.origin_of(name, cause.location.line);
        if (made == 0 || made == cause.location.line) continue;
        const Range there = text.code.tokens_of_line(made);
        bool is_of_type = false, is_negative = false;
        for (std::size_t i = there.first; i < there.last; ++i) {
            is_of_type |= is_unsigned(i);
            is_negative |= text.word(i) == "-" && is_any(text.word(i - 1), {"=", ":", "?", "("});
        }
        if (is_of_type && is_negative) return put_at(text, made, cause);
    }
    // `b.amount = value[i];` of `struct Booking { uint32_t amount; };`
    for (std::size_t i = here.first + 1; i + 1 < here.last; ++i) {
        if (!is_any(text.word(i - 1), {".", "->"}) || text.word(i + 1) == "(") continue;
        for (std::size_t k = 1; k + 1 < text.code.tokens().size(); ++k)
            if (text.word(k) == text.word(i) && is_any(text.word(k + 1), {";", "=", "{", ","}) &&
                text.code.is_member(k) &&
                (is_unsigned(k - 1) || (text.word(k - 1) == "int" && is_unsigned(k - 2))))
                return put_at(text, text.line(k), cause);
    }
    // `uint4 q = ...`, whose parts are signed numbers: q.x
    for (std::size_t i = here.first; i + 1 < here.last; ++i) {
        if (!is_name(text.token(i)) || text.word(i + 1) != ".") continue;
        const int made = definition_in(text, text.word(i), cause.location.line);
        const Range there = text.code.tokens_of_line(made);
        for (std::size_t k = there.first; made > 0 && k + 1 < there.last; ++k)
            if (is_any(text.word(k), {"uint2", "uint3", "uint4"}) &&
                text.word(k + 1) == text.word(i)) {
                cause.advice = fmt::format("Load them as {}.", text.word(k).substr(1));
                return put_near(text, made, cause);
            }
    }
    // A parameter that is widened as it is.
    const auto parameter_at = [&](std::size_t k) {
        return text.word(text.word(k + 1) == "int" ? k + 2 : k + 1);
    };
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr) return;
    const std::set<std::string_view> names = names_of(text, here);
    for (std::size_t k = f->at; k < f->open; ++k)
        if (is_unsigned(k) && names.contains(parameter_at(k)))
            return put_at(text, text.line(k), cause);
    // The same in a helper that a functor calls: `static_cast<Word>(amount)`.
    int widened = 0;
    for (const Function* helper : text.reached)
        for (std::size_t k = helper->at; k < helper->open; ++k) {
            if (!is_unsigned(k)) continue;
            for (std::size_t i = helper->open; i + 3 < helper->close; ++i)
                if (text.word(i) == ">" && text.word(i + 1) == "(" &&
                    text.word(i + 2) == parameter_at(k) && text.word(i + 3) == ")") {
                    if (widened > 0 && widened != text.line(k)) return;
                    widened = text.line(k);
                }
        }
    if (widened > 0) put_at(text, widened, cause);
}

void where_byte_is_signed(const Text& text, Cause& cause) {
    constexpr int deepest = 3;
    std::set<std::string_view> names =
        names_of(text, text.code.tokens_of_line(cause.location.line));
    int line = cause.location.line;
    for (int depth = 0; depth < deepest; ++depth) {
        std::set<std::string_view> further;
        int next = 0;
        for (const std::string_view name : names) {
            const int made = definition_in(text, name, line);
            if (made == 0 || made >= line) continue;
            const std::set<std::string_view> there = names_of(text, text.code.tokens_of_line(made));
            for (const std::string_view type : {"char", "char2", "char4", "int8_t", "schar"})
                if (there.contains(type) && !there.contains("unsigned"))
                    return put_at(text, made, cause);
            next = std::max(next, made);
            further.insert(there.begin(), there.end());
        }
        if (next == 0) break;
        names = std::move(further);
        line = next;
    }
    // It is a parameter here. In the functions that call this one, the only line that names a
    // signed byte: `auto v = reinterpret_cast<const char4*>(in);`
    const Function* here = text.code.around(cause.location.line);
    if (here == nullptr || std::ranges::any_of(text.code.launches(), [&](const auto& launch) {
            return launch.kernel == here->name;
        }))
        return;
    int only = 0;
    for (const Function* f : text.reached) {
        if (!names_of(text, {f->open, f->close}).contains(here->name)) continue;
        for (std::size_t i = f->at; i < f->close; ++i) {
            if (!is_any(text.word(i), {"char", "char2", "char4", "int8_t", "schar"}) ||
                text.word(i - 1) == "unsigned" || text.line(i) == only)
                continue;
            if (only > 0) return;
            only = text.line(i);
        }
    }
    put_at(text, only, cause);
}

/// `const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;`, of which a call's argument takes a
/// radius: `at(y + j - radius, x + i - radius)`. Left of the data that is nearly 2^32.
void where_place_has_no_sign(const Text& text, Cause& cause) {
    for (const Function* f : text.reached)
        for (std::size_t i = f->open; i + 2 < f->close; ++i) {
            if (text.word(i) != "(") continue;
            for (const Range argument : arguments_of(text, i)) {
                const std::string_view name = text.word(argument.first);
                const bool subtracts =
                    is_name(text.token(argument.first)) &&
                    std::ranges::any_of(std::views::iota(argument.first + 1, argument.last),
                                        [&](std::size_t k) { return text.word(k) == "-"; });
                if (!subtracts) continue;
                const int made = definition_in(text, name, text.line(i));
                const std::string written = words_of_line(text, made);
                const bool is_of_thread = written.find("threadIdx") != std::string::npos;
                if (!is_of_thread || (written.find("unsigned") == std::string::npos &&
                                      written.find("uint32_t") == std::string::npos))
                    continue;
                cause.id = "unsigned_index";
                cause.sentence = fmt::format(
                    "`{}` has no sign: where line {} goes left of the data or above it, the "
                    "place is nearly 2^32.",
                    name, text.line(i));
                cause.advice = "Declare it as int, so that a place can be below 0.";
                return put_at(text, made, cause);
            }
        }
}

/// `for (size_t i = end - 1; i >= begin; i--)`
void where_it_counts_down(const Text& text, Cause& cause) {
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr || cause.sentence.find("before the start of") == std::string::npos) return;
    const std::size_t used = text.code.tokens_of_line(cause.location.line).first;
    for (const Loop& loop : loops_in(text, *f)) {
        if (!is_in(loop.all, used) || text.word(loop.at) != "for") continue;
        for (std::size_t i = loop.at; i + 1 < loop.all.last && text.line(i) == text.line(loop.at);
             ++i) {
            if (!is_name(text.token(i)) || text.word(i + 1) != ">=") continue;
            const int made = text.code.origin_of(text.word(i), text.line(i));
            const std::string written = words_of_line(text, made);
            const bool has_no_sign = written.find("unsigned") != std::string::npos ||
                                     written.find("size_t") != std::string::npos ||
                                     written.find("uint32_t") != std::string::npos;
            if (!has_no_sign) continue;
            cause.id = "unsigned_index";
            cause.sentence = fmt::format(
                "`{}` has no sign, so below 0 comes the largest number: where the loop in line {} "
                "should go down to 0, it never ends.",
                text.word(i), text.line(i));
            cause.advice = "Count with a type that has a sign, such as long long.";
            return put_at(text, text.line(i), cause);
        }
    }
}

}  // namespace cugrade::edit
