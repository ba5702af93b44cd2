#include "judging/covered_elements.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace cugrade::diagnosis {

using std::int64_t;
using std::string;

namespace {

/// A function that folds all elements of an input into one value.
struct Fold {
    std::string_view name;
    Number start;
    Number (*step)(Number, Number);
};
constexpr std::array folds{
    Fold{"sum", 0, [](Number a, Number x) { return a + x; }},
    Fold{"maximum", -std::numeric_limits<Number>::infinity(),
         [](Number a, Number x) { return x > a ? x : a; }},
    Fold{"minimum", std::numeric_limits<Number>::infinity(),
         [](Number a, Number x) { return x < a ? x : a; }},
    Fold{"sum of squares", 0, [](Number a, Number x) { return a + x * x; }},
    Fold{"sum of cubes", 0, [](Number a, Number x) { return a + x * x * x; }},
};

/// Elements of which the indices have some bits clear, or set.
struct Bits {
    int64_t low = 1;     ///< the lowest of the bits
    int64_t groups = 2;  ///< 2 to the power of their number
    int64_t rest = 0;    ///< what they are
    [[nodiscard]] bool has(int64_t i) const { return i / low % groups == rest; }
    /// "whose index is a multiple of 4"
    [[nodiscard]] string text() const {
        if (groups == 2 && low > 1)
            return fmt::format("that are in the {} half of each {}", rest == 0 ? "first" : "second",
                               2 * low);
        if (low == 1 && rest == 0) return fmt::format("whose index is a multiple of {}", groups);
        if (low == 1)
            return fmt::format("whose index is {} more than a multiple of {}", rest, groups);
        return fmt::format("that are in the first {} of each {}", low, low * groups);
    }
};

/// Threads that halve, or take several elements each, leave out or take twice what has some bits of
/// its index set. Small inputs alone: each set is one more pass over them.
Found covered_by_bits(const Evidence& e, const string& name, const Elements& in, int64_t size,
                      const Fold& fold) {
    constexpr int64_t most_elements = 1 << 16;
    // The maximum of a part is that of many parts.
    if (size < 4 || size > most_elements || !fold.name.starts_with("sum")) return {};
    const Number got = e.got(0);
    std::vector<Bits> sets;
    for (int64_t low = 1; low < size && low <= 1024; low *= 2) {
        sets.push_back({low, 2, 1});
        for (int64_t groups = 2; low * groups <= 2048 && low * (groups / 2) < size; groups *= 2)
            sets.push_back({low, groups, 0});
    }
    for (const Bits& bits : sets) {
        Number value = fold.start;
        int64_t count = 0;
        for (int64_t i = 0; i < size; ++i)
            if (bits.has(i)) {
                value = fold.step(value, in(i));
                ++count;
            }
        if (count < 1 || count == size) continue;
        if (e.near(0, got, value))
            return Diagnosis(
                fmt::format("`{}` is the {} of only those {} of the {} elements of `{}` {}: "
                            "the others are left out.",
                            e.out, fold.name, count, size, name, bits.text()),
                "tree_level_missing");
        if (fold.name == "sum" && e.near(0, got, e.want(0) + value))
            return Diagnosis(fmt::format("`{}` has the {} of the {} elements of `{}` {} twice.",
                                         e.out, count, size, name, bits.text()),
                             "wrong_stride");
    }
    return {};
}

}  // namespace

// The output is one value from many: which elements went into it? First checks that the oracle's
// answer is such a fold.
Found part_of_a_reduction(const Evidence& e) {
    if (e.n != 1 || e.m != 1) return {};
    Found out;
    e.any_input([&](const string& name, const Array& input) {
        const auto size = static_cast<int64_t>(input.size());
        if (size < 2) return false;
        std::set<int64_t> counts{1, size - 1};
        for (const int64_t block : {32, 64, 128, 256, 512, 1024, 2048}) {
            if (block < size) counts.insert(block);
            if (size / block > 0) counts.insert(size / block * block);
        }
        int64_t power = 1;
        while (power * 2 < size) power *= 2;
        counts.insert(power);
        counts.erase(size);
        const Elements in(input);
        for (const Fold& fold : folds) {
            std::vector<std::pair<int64_t, Number>> prefixes;
            Number value = fold.start;
            bool negative = false;
            for (int64_t i = 0; i < size; ++i) {
                if (counts.contains(i)) prefixes.emplace_back(i, value);
                value = fold.step(value, in(i));
                negative |= in(i) < 0;
            }
            if (!e.near(0, value, e.want(0))) continue;
            const Number got = e.got(0);
            const bool zero = got == 0 || got == std::numeric_limits<float>::min() ||
                              got == std::numeric_limits<double>::min();
            if (fold.name == "maximum" && value < 0 && zero) {
                out = Diagnosis(
                    fmt::format("All elements of `{}` are negative, and `{}` is zero or the "
                                "smallest positive number: what does the maximum start from?",
                                name, e.out),
                    "wrong_identity");
                return true;
            }
            for (auto it = prefixes.rbegin(); it != prefixes.rend(); ++it) {
                const auto& [count, prefix] = *it;
                if (!e.near(0, got, prefix) || got == 0) continue;
                const bool power_of_two = count == power && size % count != 0 && count > 1024;
                const int64_t block = std::min<int64_t>(count & -count, 2048);
                const bool is_tail = size - count < block || count == size - 1;
                out = Diagnosis(
                    fmt::format("`{}` is the {} of only the first {} of {} elements: {}", e.out,
                                fold.name, count, size,
                                count == 1     ? "the others are never combined with it."
                                : power_of_two ? "that is a power of two; the rest is left out, "
                                                 "which a tree must take, "
                                                 "too, and a grid whose last block is not full."
                                : is_tail
                                    ? "the last partial block or the last element is left out."
                                    : "the results of the other blocks are not added."),
                    is_tail || (count > 1 && size - count < 16) ? std::string_view("tail_ignored")
                    : power_of_two                              ? "not_a_power_of_two"
                                                                : "blocks_not_combined");
                return true;
            }
            if (auto covered = covered_by_bits(e, name, in, size, fold)) {
                out = std::move(covered);
                return true;
            }
            if (fold.name == "sum" && !negative && got > 0 && got < value && size >= 32) {
                out = fmt::format(
                    "`{}` is less than the sum of all elements: some are left out, or "
                    "threads that add at the same time overwrite each other's result.",
                    e.out);
                return true;
            }
        }
        return false;
    });
    return out;
}

// Each output is the sum of so many elements, which an array of their numbers names: a row of it.
Found part_of_each_row(const Evidence& e) {
    if (e.n < 2 || e.m < 2 || !e.varied(2)) return {};
    Found out;
    e.any_input([&](const string& numbers, const Array& rows) {
        const auto total = static_cast<int64_t>(rows.size());
        if (is_float(rows.dtype) || total % e.n != 0 || total / e.n < 2 || total / e.n > 8)
            return false;
        const int64_t width = total / e.n;
        const Elements index(rows);
        return e.any_input([&](const string& name, const Array& values) {
            if (name == numbers || values.size() == 0) return false;
            const Elements in(values);
            const auto size = static_cast<Number>(values.size());
            const auto sum = [&](int64_t row, unsigned which) {
                Number value = 0;
                for (int64_t k = 0; k < width; ++k)
                    if ((which >> k & 1) != 0)
                        value += in(static_cast<int64_t>(index(row * width + k)));
                return value;
            };
            for (int64_t i = 0; i < total; ++i)
                if (index(i) < 0 || index(i) >= size) return false;
            const unsigned all = (1U << width) - 1;
            if (!e.all([&](int64_t i) { return e.near(i, e.want(i), sum(i, all)); })) return false;
            for (unsigned which = 1; which < all; ++which) {
                if (!e.all([&](int64_t i) { return e.near(i, e.got(i), sum(i, which)); })) continue;
                string left_out;
                for (int64_t k = 0; k < width; ++k)
                    if ((which >> k & 1) == 0)
                        left_out += fmt::format("{}{}", left_out.empty() ? "" : ", ", k);
                out = Diagnosis(
                    fmt::format("Each element of `{}` lacks the same of its {} elements of `{}`: "
                                "number {} of each row of `{}` is left out.",
                                e.out, width, name, left_out, numbers),
                    "elements_ignored");
                return true;
            }
            return false;
        });
    });
    return out;
}

bool is_scan(const Evidence& e, const Elements& in) {
    int64_t with = 0, without = 0;
    for (int64_t i = 1; i < e.n; ++i) {
        const Number step = e.want(i) - e.want(i - 1), slack = e.slack(i) + e.slack(i - 1);
        with += std::abs(step - in(i)) <= slack ? 1 : 0;
        without += std::abs(step - in(i - 1)) <= slack ? 1 : 0;
    }
    return std::max(with, without) * 4 >= (e.n - 1) * 3;
}

// A thread, a warp or a block begins with the sum up to its own elements, and not up to them.
Found group_of_its_own(const Evidence& e) {
    if (e.n < 16 || e.m < 8 || !e.varied()) return {};
    Found out;
    e.any_input([&](const string& name, const Array& array) {
        if (static_cast<int64_t>(array.size()) != e.n) return false;
        const Elements in(array);
        if (!is_scan(e, in)) return false;
        for (int64_t group = 2; group * 2 <= e.n && group <= 4096; group *= 2) {
            bool fits = true;
            // What a larger group begins with may be wrong in the same way.
            Number more = 0;
            for (int64_t first = 0; first < e.n && fits; first += group) {
                const int64_t end = std::min(first + group, e.n);
                Number own = 0;
                for (int64_t i = first; i < end; ++i) own += in(i);
                if (first == 0) more = e.got(0) - e.want(0) - own;
                for (int64_t i = first; i < end && fits; ++i)
                    fits = e.near(i, e.got(i), e.want(i) + own + more);
            }
            if (!fits) continue;
            out = fmt::format(
                "Each run of {} elements of `{}` begins with the sum of the same elements of `{}` "
                "in it: what is added to a group must end before it.",
                group, e.out, name);
            return true;
        }
        return false;
    });
    return out;
}

namespace {

/// All of the right counts, if they are those of an input's elements; else 0.
Number counted(const Evidence& e) {
    if (e.floats || e.n < 2) return 0;
    Number right = 0;
    for (int64_t i = 0; i < e.n; ++i) right += e.want(i);
    const bool counts = e.any_input([&](const string&, const Array& array) {
        return static_cast<Number>(array.size()) == right;
    });
    return counts ? right : 0;
}

}  // namespace

bool counts_too_few(const Evidence& e) {
    return e.all_wrong([&](int64_t i) { return e.got(i) >= 0 && e.got(i) < e.want(i); }) &&
           counted(e) > 0;
}

// A histogram that has more than there is.
Found counted_again(const Evidence& e) {
    if (!e.all_wrong([&](int64_t i) { return e.got(i) > e.want(i); })) return {};
    const Number right = counted(e);
    Number total = 0;
    for (int64_t i = 0; i < e.n; ++i) total += e.got(i);
    if (right == 0 || total > 8 * right) return {};
    return Diagnosis(
        fmt::format("`{}` counts {:.0f} elements, and there are {:.0f}: some are counted more than "
                    "once. Do two threads, or two rounds of a loop, take the same ones?",
                    e.out, static_cast<double>(total), static_cast<double>(right)));
}

namespace {

/// How often each value occurs in a part of an input, added to `counts` so many times. False: a
/// value is no index of a bin.
bool count(const Elements& in, int64_t begin, int64_t end, int64_t times, int64_t bins,
           std::map<int64_t, int64_t>& counts) {
    for (int64_t i = begin; i < end; ++i) {
        const auto value = static_cast<int64_t>(in(i));
        if (value < 0 || value >= bins) return false;
        counts[value] += times;
        if (counts[value] == 0) counts.erase(value);
    }
    return true;
}

}  // namespace

// A histogram whose threads take several elements at once: what is behind the last whole group is
// not counted, or others in its place.
Found rest_not_counted(const Evidence& e) {
    constexpr int64_t largest_group = 16;
    if (e.floats || e.m > 4 * largest_group || counted(e) == 0) return {};
    std::map<int64_t, int64_t> missing;
    for (const int64_t bin : e.wrong) {
        const auto by = static_cast<int64_t>(e.want(bin) - e.got(bin));
        if (std::abs(by) > 2 * largest_group) return {};
        missing[bin] = by;
    }
    Found out;
    e.any_input([&](const string& name, const Array& array) {
        const auto size = static_cast<int64_t>(array.size());
        const Elements in(array);
        if (static_cast<Number>(size) != counted(e)) return false;
        for (const int64_t group : {largest_group, int64_t{8}, int64_t{4}, int64_t{2}}) {
            const int64_t rest = size % group;
            if (rest == 0) continue;
            for (int64_t known = 1; known < group; known *= 2) {
                // `n % 4` of what is taken in sixteens
                const int64_t end = size - size % known;
                std::map<int64_t, int64_t> left_out;
                if (end == size - rest || !count(in, size - rest, end, 1, e.n, left_out) ||
                    left_out != missing)
                    continue;
                out = Diagnosis(
                    fmt::format("`{}` lacks the {} elements of `{}` from index {} on{}: what is "
                                "behind the last whole group of {} is not counted.",
                                e.out, end - (size - rest), name, size - rest,
                                end < size ? fmt::format(" (and has the last {})", size - end) : "",
                                group),
                    "tail_ignored");
                return true;
            }
            for (const int64_t by : {group, int64_t{16}, int64_t{8}, int64_t{4}}) {
                const int64_t begin = size / by;
                std::map<int64_t, int64_t> exchanged;
                if (begin + rest > size || begin == size - rest ||
                    !count(in, size - rest, size, 1, e.n, exchanged) ||
                    !count(in, begin, begin + rest, -1, e.n, exchanged) || exchanged != missing)
                    continue;
                out = Diagnosis(
                    fmt::format("`{}` lacks the last {} elements of `{}`, and has those from index "
                                "{} on twice: {} is the number of groups of {}, and no index of an "
                                "element.",
                                e.out, rest, name, begin, begin, by),
                    "wrong_element");
                return true;
            }
        }
        return false;
    });
    return out;
}

}  // namespace cugrade::diagnosis
