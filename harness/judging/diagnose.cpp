// A diagnosis is the first pattern of the table at the end that explains all wrong elements.
// Patterns come in order of how much they explain: what the values are (the answer to another
// question, the input, twice the right value), then where the wrong elements lie, then weak hints.
// Each asks for so much evidence that elements wrong by chance fit it with a probability of about
// 10^-4 at most: a wrong diagnosis costs a student more time than none.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "judging/compare.hpp"
#include "judging/covered_elements.hpp"
#include "judging/evidence.hpp"
#include "judging/reorder.hpp"
#include "judging/wrong_places.hpp"

namespace cugrade {
namespace {

using namespace diagnosis;
using std::int64_t;
using std::optional;
using std::string;

/// The last elements of the array, or of its rows, are what a loop over whole vectors leaves out.
std::string_view cause_of_unwritten(const Evidence& e) {
    const Wrong w{e.n, e.m, e.got_array.shape, e.wrong};
    const int64_t first =
        w.plane ? std::ranges::min(e.wrong, {}, [&](int64_t i) { return w.column(i); }) % w.width
                : e.wrong[0];
    const int64_t end = w.plane ? w.width : e.n;
    const bool at_end = first > 0 && e.all_wrong([&](int64_t i) { return w.column(i) >= first; });
    if (at_end && end - first < 16 && first % 2 == 0) return "tail_ignored";
    if (at_end && end - first < 1024 && first % 32 == 0) return "grid_too_small";
    return "uninitialised_output";
}

Found never_written(const Evidence& e) {
    if (e.found.verdict != Verdict::unwritten_output) return {};
    const string state = e.is_inout() ? "unchanged" : "never written";
    if (e.m * 20 >= e.n * 19)
        return fmt::format("`{}` is {}: no thread stores into it, or the kernel was not launched.",
                           e.out, state);
    // Now and then an unwritten element is right by chance: count places by what they mostly hold.
    const int64_t first = e.wrong[0];
    const Wrong wrong{e.n, e.m, e.got_array.shape, e.wrong};
    if (auto place = place_of(wrong)) {
        const std::string_view cause = cause_of_unwritten(e);
        if (e.m * 20 >= (e.n - first) * 19 && first > 0 && !place->where.starts_with("in the last"))
            return Diagnosis(fmt::format("`{}` is written before index {} and {} from there on: do "
                                         "the threads cover all elements?",
                                         e.out, first, state),
                             cause);
        return Diagnosis(fmt::format("All elements of `{}` that are {} are {}. {}", e.out, state,
                                     place->where, place->why),
                         cause);
    }
    return Diagnosis(fmt::format("{} of {} elements of `{}` are {}, the first of them at index {}.",
                                 e.m, e.n, e.out, state, first),
                     cause_of_unwritten(e));
}

Found answer_to_another_policy(const Evidence& e) {
    if (e.oracle == nullptr) return {};
    std::size_t bytes = 0;
    for (const auto& [name, array] : e.data.buffers) bytes += array.bytes.size();
    if (bytes > std::size_t{1} << 28) return {};  // they are copied below
    for (const ArgumentSpec& argument : e.data.task->arguments) {
        if (argument.role != Role::scalar) continue;
        const bool is_size =
            std::ranges::any_of(e.data.task->arguments, [&](const ArgumentSpec& other) {
                return std::ranges::find(other.shape, argument.name) != other.shape.end();
            });
        if (is_size) continue;
        std::set<double> values;
        for (const CaseSpec& other : e.data.task->cases)
            if (const auto it = other.params.find(argument.name); it != other.params.end())
                values.insert(it->second);
        // The policy is an enumeration, so the oracle is asked only about its values.
        const bool is_policy =
            !is_float(argument.dtype) && std::ranges::all_of(values, [](double v) {
                return v >= 0 && v < 8 && v == std::floor(v);
            });
        if (!is_policy) continue;
        const double asked = e.data.param(argument.name);
        for (const double value : values) {
            if (value == asked) continue;
            CaseSpec spec = *e.data.spec;
            spec.params[argument.name] = value;
            CaseData other = e.data;
            other.spec = &spec;
            for (const Expected& answer : e.oracle(other))
                if (answer.argument == e.out &&
                    compare(answer, e.got_array, e.got_array).verdict == Verdict::accepted)
                    return fmt::format(
                        "`{}` would be right for {} = {}, but this case has {} = {}.", e.out,
                        argument.name, value, argument.name, asked);
        }
    }
    return {};
}

/// Asks for the answer to the case with one input's elements in another order.
Found answer_to_another_order(const Evidence& e) {
    if (e.oracle == nullptr || e.m < 2) return {};
    std::size_t bytes = 0;
    for (const auto& [name, array] : e.data.buffers) bytes += array.bytes.size();
    if (bytes > std::size_t{1} << 20) return {};  // each question costs an answer
    Found out;
    e.any_input([&](const string& name, const Array& array) {
        if (array.size() < 2) return false;
        for (const bool by_columns : {false, true}) {
            const Array other = by_columns ? transposed(array) : reversed(array);
            if (other.bytes == array.bytes) continue;
            CaseData data = e.data;
            data.buffers[name] = other;
            const auto answers = e.oracle(data);
            const bool fits = std::ranges::any_of(answers, [&](const Expected& answer) {
                return answer.argument == e.out &&
                       compare(answer, e.got_array, e.got_array).verdict == Verdict::accepted;
            });
            if (!fits) continue;
            if (by_columns)
                out = Diagnosis(fmt::format("`{}` would be right if the rows of `{}` were its "
                                            "columns: they are exchanged in an index.",
                                            e.out, name),
                                "transposed");
            else
                out = Diagnosis(
                    fmt::format("`{}` would be right if `{}` were in reverse order: "
                                "does an index count down that should count up?",
                                e.out, name),
                    array.size() == e.got_array.size() ? "wrong_element" : "mask_reversed");
            return true;
        }
        return false;
    });
    return out;
}

Found not_a_number(const Evidence& e) {
    if (!e.floats) return {};
    const auto count =
        std::ranges::count_if(e.wrong, [&](int64_t i) { return std::isnan(e.got(i)); });
    if (count * 2 < static_cast<int64_t>(e.wrong.size())) return {};
    return fmt::format(
        "{} of the wrong elements are NaN (not a number): memory was read that nothing "
        "was written to, or an operation such as 0/0 has no result.",
        count == e.m ? "All" : "Most");
}

Found negative_byte_index(const Evidence& e) {
    if (e.floats || e.n < 256 || e.m < 2) return {};
    const bool has_bytes =
        e.any_input([](const string&, const Array& a) { return size_of(a.dtype) == 1; });
    if (!has_bytes || !e.all_wrong([&](int64_t i) { return i >= 128 && i < 256 && e.got(i) == 0; }))
        return {};
    for (int64_t i = 0; i < 128; ++i)
        if (e.want(i) != 0)
            return fmt::format(
                "Elements 128 to 255 of `{}` are 0 where they should not be, and those "
                "below are right: is a byte of 128 or more read as a negative number?",
                e.out);
    return {};
}

Found all_zeros(const Evidence& e) {
    if (!e.all([&](int64_t i) { return e.got(i) == 0; })) return {};
    return fmt::format(
        "{} of `{}` is 0: it was set to zero, or starts from there, and no result got into it.",
        e.n == 1 ? "The element" : "Every element", e.out);
}

Found stays_at_a_limit(const Evidence& e) {
    const auto& arguments = e.data.task->arguments;
    const auto is_size = [&](const string& name) {
        return std::ranges::any_of(arguments, [&](const ArgumentSpec& one) {
            return std::ranges::count(one.shape, name) > 0;
        });
    };
    for (const ArgumentSpec& one : arguments) {
        if (one.role != Role::scalar || is_size(one.name)) continue;
        const auto limit = e.data.spec->params.find(one.name);
        // Small numbers are results of much.
        if (limit == e.data.spec->params.end() || limit->second < 16) continue;
        if (e.all_wrong([&](int64_t i) { return e.got(i) == Number(limit->second); }))
            return Diagnosis(
                fmt::format(
                    "Every wrong element of `{}` is {:g}, the `{}`: it stays there, where the "
                    "task lets it go on.",
                    e.out, limit->second, one.name),
                "saturated");
    }
    return {};
}

Found input_copied(const Evidence& e) {
    if (e.n < 3 || !e.varied()) return {};
    string name;
    const bool found = e.any_input([&](const string& input, const Array& array) {
        if (static_cast<int64_t>(array.size()) != e.n) return false;
        const Elements in(array);
        name = input;
        return e.all([&](int64_t i) { return e.got(i) == in(i); });
    });
    if (!found) return {};
    return fmt::format("`{}` is a copy of `{}`: the operation itself does not take effect.", e.out,
                       name);
}

Found added_to_what_was_there(const Evidence& e) {
    // Large floats among the poison do not change when something small is added to them.
    const int64_t explained = e.found.added_to_poison + (e.floats ? e.found.still_poison : 0);
    if (e.is_inout() || e.found.added_to_poison == 0 || explained * 10 < e.m * 9) return {};
    if (e.m * static_cast<int64_t>(size_of(e.got_array.dtype)) < 2) return {};  // a byte: by chance
    return fmt::format(
        "The wrong elements of `{}` are the right value plus what was in memory before: "
        "it is added to, but never set first.",
        e.out);
}

Found result_with_its_own_element(const Evidence& e) {
    if (e.n < 3 || e.m < 2 || !e.varied()) return {};
    Found out;
    e.any_input([&](const string& name, const Array& array) {
        if (static_cast<int64_t>(array.size()) != e.n) return false;
        const Elements in(array);
        if (is_scan(e, in)) return false;
        if (e.all([&](int64_t i) { return e.near(i, e.got(i), e.want(i) + in(i)); }))
            out = fmt::format(
                "Each element of `{}` also contains its own element of `{}`: is it the result "
                "after an operation, where the one before it is asked for?",
                e.out, name);
        return out.has_value();
    });
    return out;
}

Found other_kind_of_scan(const Evidence& e) {
    if (e.n < 3 || e.m < 2 || !e.varied()) return {};
    Found out;
    e.any_input([&](const string& name, const Array& array) {
        if (static_cast<int64_t>(array.size()) != e.n) return false;
        const Elements in(array);
        if (!is_scan(e, in)) return false;
        if (e.all([&](int64_t i) { return e.near(i, e.got(i), e.want(i) + in(i)); }))
            out = fmt::format(
                "Each element of `{}` also contains its own element of `{}`: this is an "
                "inclusive scan, and an exclusive one is asked for.",
                e.out, name);
        else if (e.all([&](int64_t i) { return e.near(i, e.got(i) + in(i), e.want(i)); }))
            out = fmt::format(
                "Each element of `{}` lacks its own element of `{}`: this is an exclusive "
                "scan, and an inclusive one is asked for.",
                e.out, name);
        return out.has_value();
    });
    return out;
}

Found shifted(const Evidence& e) {
    if (e.m < 5 || !e.varied()) return {};
    const Wrong w{e.n, e.m, e.got_array.shape, e.wrong};
    for (const int64_t step :
         w.plane ? std::vector<int64_t>{1, -1, w.width, -w.width} : std::vector<int64_t>{1, -1}) {
        int64_t matches = 0;
        const bool fits = e.all_wrong([&](int64_t i) {
            const int64_t from = i + step;
            // The element shifted in at the end of the array or of a row has no neighbour to equal.
            if (from < 0 || from >= e.n || (std::abs(step) == 1 && w.row(from) != w.row(i)))
                return true;
            ++matches;
            return e.near(i, e.got(i), e.want(from));
        });
        if (!fits || matches < 5 || matches * 2 < e.m) continue;
        return fmt::format(
            "The wrong elements of `{}` are those of the {} {}: an index is off by one.", e.out,
            step > 0 ? "next" : "previous", std::abs(step) == 1 ? "place" : "row");
    }
    return {};
}

Found other_order(const Evidence& e) {
    if (e.m < 3 || e.n > int64_t{1} << 22 || !e.varied(6)) return {};
    const Wrong w{e.n, e.m, e.got_array.shape, e.wrong};
    const auto bits = [&](const Array& array) {
        const std::size_t width = size_of(array.dtype);
        std::vector<std::uint64_t> out(array.size());
        for (std::size_t i = 0; i < out.size(); ++i)
            std::memcpy(&out[i], array.bytes.data() + i * width, width);
        std::ranges::sort(out);
        return out;
    };
    if (bits(e.got_array) != bits(e.expected.value)) return {};
    if (e.all([&](int64_t i) { return e.got(i) == e.want(e.n - 1 - i); }))
        return fmt::format("`{}` has the right values in reverse order.", e.out);
    if (w.plane &&
        e.all([&](int64_t i) { return e.got(i) == e.want(i % w.height * w.width + i / w.height); }))
        return Diagnosis(
            fmt::format("`{}` is transposed: rows and columns are exchanged in an index.", e.out),
            "transposed");
    return fmt::format(
        "`{}` has the right values in another order: {} of {} are in the wrong place. "
        "Which index belongs to the array that is read, which to the one written?",
        e.out, e.m, e.n);
}

Found multiple(const Evidence& e) {
    const int64_t first = e.wrong[0];
    if (e.want(first) == 0 || !std::isfinite(e.got(first))) return {};
    const Number ratio = e.got(first) / e.want(first);
    // Small integers have simple ratios by chance.
    const auto is_small = [&](int64_t i) {
        return std::abs(e.want(i)) < 64 && e.want(i) == std::floor(e.want(i));
    };
    if (e.m < 8 && e.all_wrong(is_small)) return {};
    const auto explain = [&](Number k) -> Found {
        if (!e.all_wrong([&](int64_t i) {
                return k >= 1 || k < 0 ? e.near(i, e.got(i), k * e.want(i))
                                       : e.near(i, e.got(i) / k, e.want(i));
            }))
            return {};
        const auto has = [&](bool more_than_one) {
            return e.any_input([&](const string&, const Array& array) {
                return more_than_one ? array.size() > 1 : array.size() == 1;
            });
        };
        if (k > 0 && k < 1 && has(false) && !has(true))
            return {};  // a fold of one element leaves none out
        if (k == -1) return fmt::format("The wrong elements of `{}` have the wrong sign.", e.out);
        if (k < 1)
            return fmt::format(
                "The wrong elements of `{}` are 1/{} of the right value: a part of the "
                "elements or of the threads is left out.",
                e.out, static_cast<int64_t>(std::round(1 / k)));
        return fmt::format("The wrong elements of `{}` are {} times the right value: {}", e.out,
                           static_cast<int64_t>(k),
                           k == 2 ? "is something done twice, by two threads or in two launches?"
                                  : "do all threads of a group add what one of them should add?");
    };
    for (const int k : {2, 3, 4, 5, 8, 16, 32, 64, 128, 256, 512, 1024})
        for (const Number value : {static_cast<Number>(k), 1 / static_cast<Number>(k)})
            if (std::abs(ratio - value) < 0.001L * value)
                if (auto text = explain(value)) return text;
    if (std::abs(ratio + 1) < 0.001L) return explain(-1);
    return {};
}

Found overflow(const Evidence& e) {
    if (e.floats) {
        // Adding ones to 2^24 in a float changes nothing.
        if (e.all_wrong([&](int64_t i) { return e.got(i) == 0x1p24L && e.want(i) > 0x1p24L; }))
            return Diagnosis(fmt::format("`{}` stays at 2^24, where a float can no longer count by "
                                         "ones: it is added up in too small a type.",
                                         e.out),
                             "accumulator_too_narrow");
        return {};
    }
    // Threads with counters of their own lose 256 at a time.
    const bool loses_counts = counts_too_few(e);
    for (const int bits : {32, 16, 8}) {
        if (size_of(e.got_array.dtype) * 8 <= static_cast<std::size_t>(bits)) continue;
        // The exact difference of 64-bit integers, modulo 2^64.
        const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
        const bool fits = e.all_wrong([&](int64_t i) {
            const auto k = static_cast<std::size_t>(i);
            const std::uint64_t difference = with_type(e.got_array.dtype, [&]<class T>() {
                return static_cast<std::uint64_t>(e.got_array.as<T>()[k]) -
                       static_cast<std::uint64_t>(e.expected.value.as<T>()[k]);
            });
            const Number got = e.got(i), half = std::ldexp(Number{1}, bits - 1);
            // Parts of 16 bits may have been added up in more of them.
            return (difference & mask) == 0 &&
                   (bits > 8 || loses_counts || (got >= -half && got < 2 * half));
        });
        if (!fits || (bits == 8 && e.m < 3 && !loses_counts)) continue;
        return Diagnosis(
            fmt::format(
                "Every wrong element of `{}` differs from the right one by a multiple of 2^{}: "
                "something is computed in {} bits and overflows before it is widened.",
                e.out, bits, bits),
            bits == 32 ? "integer_overflow" : "counter_too_narrow");
    }
    for (const Number cap : {255.0L, 65535.0L, 127.0L, 32767.0L})
        if (e.m >= 3 && e.varied() && e.all_wrong([&](int64_t i) { return e.got(i) == cap; }))
            return Diagnosis(
                fmt::format("Every wrong element of `{}` is {}: results are clamped to the largest "
                            "value of a type, which the task does not ask for.",
                            e.out, static_cast<int>(cap)),
                "saturated");
    return {};
}

/// A scan of groups whose totals are scanned in turn: the totals lack an element, or each group
/// adds its own one. What all elements of a group are off by is compared with the input.
Found totals_of_groups(const Evidence& e) {
    if (e.m < 5 || e.got_array.shape.size() != 1) return {};
    Found out;
    const auto same = [&](int64_t i, Number a, Number b) {
        // What a total is off by is more than an element at its begin is allowed.
        if (e.floats) return std::abs(a - b) <= 4 * e.slack(i) + 0x1p-20L * std::abs(a - e.want(i));
        const bool wraps = size_of(e.got_array.dtype) == 4;
        return wraps ? std::fmod(a - b, 0x1p32L) == 0 : a == b;
    };
    e.any_input([&](const string&, const Array& array) {
        if (static_cast<int64_t>(array.size()) != e.n) return false;
        const Elements in(array);
        if (!is_scan(e, in)) return false;
        for (const int64_t group : {32, 64, 128, 256, 512, 1024, 2048, 4096}) {
            // One group alone may have any size.
            if (e.n <= group && group > 32) return false;
            bool lacks_last = e.wrong[0] >= group, adds_own = e.wrong[0] < group;
            Number missing = 0, own = 0;
            for (int64_t i = 0; i < e.n && (lacks_last || adds_own); ++i) {
                if (i % group == 0) {
                    if (i > 0) missing += in(i - 1);
                    own = 0;
                    for (int64_t k = i; k < std::min(i + group, e.n); ++k) own += in(k);
                }
                lacks_last = lacks_last && same(i, e.got(i), e.want(i) - missing);
                adds_own = adds_own && same(i, e.got(i), e.want(i) + own);
            }
            if (lacks_last)
                out = fmt::format(
                    "The total that each group of {} elements hands on lacks its last element: an "
                    "exclusive sum is handed on, and the inclusive one is needed.",
                    group);
            else if (adds_own)
                out = fmt::format(
                    "Each group of {} elements adds its own total to its elements: the totals are "
                    "scanned inclusively, and what is before the group is needed.",
                    group);
            if (out) return true;
        }
        return false;
    });
    return out;
}

Found offset_per_block(const Evidence& e) {
    if (e.n < 64 || e.m < 8 || e.got_array.shape.size() != 1) return {};
    for (const int64_t block : {4096, 2048, 1024, 512, 256, 128, 64, 32}) {
        if (block >= e.n || e.wrong[0] < block) continue;
        Number offset = 0;
        bool fits = true;
        int64_t changes = 0;
        for (int64_t i = block; i < e.n && fits; ++i) {
            const Number difference = e.got(i) - e.want(i);
            if (i % block == 0) {
                changes += std::abs(difference - offset) > e.slack(i);
                offset = difference;
            } else {
                fits = std::abs(difference - offset) <= 2 * e.slack(i);
            }
        }
        if (!fits || changes == 0) continue;
        return fmt::format(
            "`{}` is right in the first {} elements, and then off by one amount per block "
            "of {}: does each block take over the result of all blocks before it?",
            e.out, block, block);
    }
    return {};
}

Found offset(const Evidence& e) {
    if (e.m < 5) return {};
    const Number difference = e.got(e.wrong[0]) - e.want(e.wrong[0]);
    if (!std::isfinite(difference) ||
        !e.all_wrong([&](int64_t i) { return e.near(i, e.got(i), e.want(i) + difference); }))
        return {};
    if (e.m == e.n)
        return fmt::format(
            "Every element of `{}` is off by the same amount: what does the computation start "
            "from?",
            e.out);
    const Wrong w{e.n, e.m, e.got_array.shape, e.wrong};
    const auto place = place_of(w);
    return fmt::format(
        "The wrong elements of `{}`{} are all off by the same amount: something is added "
        "once too often or not at all.",
        e.out, place ? fmt::format(", {},", place->where) : "");
}

bool is_half(Number value) {
    if (!std::isfinite(value)) return false;
    if (value == 0) return true;
    const int exponent = std::max(std::ilogb(value), -14);
    const Number scaled = std::ldexp(value, 10 - exponent);
    return exponent <= 15 && scaled == std::floor(scaled);
}

Found imprecise(const Evidence& e) {
    if (!e.floats) return {};
    Number worst = 0;
    for (const int64_t i : e.wrong) {
        const Number error = std::abs(e.got(i) - e.want(i)) / std::abs(e.want(i));
        if (!(error <= 0x1p-7L)) return {};
        worst = std::max(worst, error);
    }
    if (e.all_wrong([&](int64_t i) { return is_half(e.got(i)); }))
        return Diagnosis(
            fmt::format("The wrong elements of `{}` are nearly right, and all of them are numbers "
                        "of half precision: where is something stored in 16 bits?",
                        e.out),
            "accumulator_too_narrow");
    if (e.got_array.dtype == DType::f64 && e.all_wrong([&](int64_t i) {
            return e.got(i) == static_cast<Number>(static_cast<float>(e.got(i)));
        }))
        return Diagnosis(
            fmt::format("The wrong elements of `{}` are nearly right, and all of them fit a float: "
                        "where is a double stored in a float?",
                        e.out),
            "accumulator_too_narrow");
    const int digits = static_cast<int>(-std::log10(worst));
    // What a double loses by itself is in its last digits; a float has seven.
    const bool is_floats = e.got_array.dtype == DType::f64 && digits <= 9;
    return Diagnosis(
        fmt::format("The wrong elements of `{}` are nearly right, to about {} digits: rounding "
                    "errors add up, or a part is computed in too small a type.",
                    e.out, digits),
        is_floats ? "accumulator_too_narrow" : "");
}

/// Whole numbers that a float has rounded. Of bytes only the end of a sum is seen, modulo 256.
Found rounded_integers(const Evidence& e) {
    constexpr Number exact_up_to = 0x1p24L;
    // Chosen: what a thousand additions lose, each up to 1. Where any value were as likely, one in
    // four wrong bytes would be that near, and one in 10^7 times all of twelve.
    constexpr int64_t few = 32, least = 12;
    if (e.floats || e.m < least) return {};
    const bool of_bytes = e.got_array.dtype == DType::u8;
    const auto is_rounded = [&](int64_t i) {
        const Number error = e.got(i) - e.want(i);
        if (!of_bytes)
            return std::abs(e.want(i)) > exact_up_to &&
                   std::abs(error) <= std::abs(e.want(i)) * 0x1p-18L &&
                   e.got(i) == static_cast<Number>(static_cast<float>(e.got(i)));
        const auto apart = (static_cast<int64_t>(error) % 256 + 256) % 256;
        return std::min(apart, 256 - apart) <= few;
    };
    if (!e.all_wrong(is_rounded)) return {};
    return Diagnosis(fmt::format("The wrong elements of `{}` are off by little{}: a float holds "
                                 "whole numbers up to 2^24 exactly, and rounds larger ones.",
                                 e.out, of_bytes ? fmt::format(", {} at most", few) : ""),
                     "accumulator_too_narrow");
}

Found lost_updates(const Evidence& e) {
    if (e.floats || !e.all_wrong([&](int64_t i) { return e.got(i) >= 0 && e.got(i) < e.want(i); }))
        return {};
    Number total = 0;
    for (int64_t i = 0; i < e.n; ++i) total += e.want(i);
    const bool counts = e.n > 1 && e.any_input([&](const string&, const Array& array) {
        return static_cast<Number>(array.size()) == total;
    });
    if (!counts && e.m < 16) return {};
    return fmt::format("The wrong elements of `{}` are too small, none is too large: {}", e.out,
                       counts ? "some are not counted. Do two threads that count at the same time "
                                "overwrite each other's result?"
                              : "something is left out, or threads overwrite each other's result.");
}

/// Does each element come from those around it, with a smaller array of weights? Edges of tiles and
/// of the data say something only then.
bool is_stencil(const Evidence& e) {
    bool same = false, smaller = false;
    e.any_input([&](const string&, const Array& array) {
        same |= array.shape == e.got_array.shape;
        smaller |=
            array.size() != e.got_array.size() && array.shape.size() == e.got_array.shape.size();
        return false;
    });
    return same && smaller;
}

Found by_place(const Evidence& e) {
    const auto place = place_of({e.n, e.m, e.got_array.shape, e.wrong});
    if (!place) return {};
    const bool zero = e.m > 1 && e.all_wrong([&](int64_t i) { return e.got(i) == 0; });
    return Diagnosis(fmt::format("All wrong elements of `{}` are {}{}. {}", e.out,
                                 zero ? "0 and " : "", place->where, place->why),
                     is_stencil(e) ? std::string_view(place->cause) : std::string_view());
}

Found some_zeros(const Evidence& e) {
    if (e.m < 4 || !e.all_wrong([&](int64_t i) { return e.got(i) == 0; })) return {};
    return fmt::format(
        "The wrong elements of `{}` are all 0, and the others are right: which threads "
        "leave their result out?",
        e.out);
}

Found one_sided(const Evidence& e) {
    if (e.m < 16 || !e.all_wrong([&](int64_t i) { return e.got(i) > e.want(i); })) return {};
    return fmt::format(
        "The wrong elements of `{}` are all too large: something is added more than once, "
        "or to what was there before.",
        e.out);
}

/// A pattern, and the cause that it suggests if it does not say so itself.
struct Pattern {
    Found (*find)(const Evidence&);
    std::string_view cause;
};
constexpr auto patterns = std::to_array<Pattern>({
    {never_written, ""},
    {answer_to_another_policy, "ghost_policy"},
    {not_a_number, ""},
    {part_of_a_reduction, ""},
    {part_of_each_row, ""},
    {rest_not_counted, ""},
    {negative_byte_index, "signed_byte"},
    {all_zeros, ""},
    {stays_at_a_limit, ""},
    {input_copied, ""},
    {added_to_what_was_there, "uninitialised_output"},
    {other_kind_of_scan, "inclusive_exclusive"},
    {group_of_its_own, "inclusive_exclusive"},
    {result_with_its_own_element, "wrong_result_returned"},
    {answer_to_another_order, ""},
    {shifted, "wrong_element"},
    {other_order, ""},
    {multiple, ""},
    {rounded_integers, ""},
    {overflow, ""},
    {totals_of_groups, "inclusive_exclusive"},
    {offset_per_block, "blocks_not_combined"},
    {offset, ""},
    {imprecise, ""},
    {counted_again, "wrong_stride"},
    {lost_updates, ""},
    {by_place, ""},
    {some_zeros, ""},
    {one_sided, ""},
});

}  // namespace

Diagnosis diagnose(const CaseData& data, const Expected& expected, const Array& got,
                   const Comparison& found, const AskOracle& oracle) {
    if (found.wrong.empty()) return {};
    const Evidence evidence{data, expected, got, found, oracle};
    for (const Pattern& pattern : patterns)
        if (auto diagnosis = pattern.find(evidence)) {
            if (diagnosis->cause.empty()) diagnosis->cause = pattern.cause;
            return *std::move(diagnosis);
        }
    return {};
}

std::string diagnose_between(const Array& a, const Array& b) {
    const Expected first{.argument = {}, .value = a, .bound = {}};
    const Comparison found = compare(first, b, a);
    if (found.mismatch_count == 0) return "";
    const auto place = place_of({found.element_count, found.mismatch_count, a.shape, found.wrong});
    return fmt::format(
        "{} of {} elements differ between two runs that differ only in the order in which warps "
        "run{}",
        found.mismatch_count, found.element_count,
        place ? fmt::format(": {}. {}", place->where, place->why) : ".");
}

}  // namespace cugrade
