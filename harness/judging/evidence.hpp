// The evidence for a pattern of diagnose.cpp: the wrong elements, the right ones and the case.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/array.hpp"
#include "judging/compare.hpp"

namespace cugrade::diagnosis {

/// Holds every element of every type exactly where long double has 64 bits of significand or more.
using Number = long double;

/// Reads elements of any type as Numbers.
class Elements {
public:
    explicit Elements(const Array& array) : bytes_(array.bytes.data()) {
        get_ = with_type(array.dtype, []<class T>() -> Number (*)(const std::byte*, std::int64_t) {
            return [](const std::byte* bytes, std::int64_t i) {
                return static_cast<Number>(reinterpret_cast<const T*>(bytes)[i]);
            };
        });
    }
    Number operator()(std::int64_t i) const { return get_(bytes_, i); }

private:
    const std::byte* bytes_;
    Number (*get_)(const std::byte*, std::int64_t);
};

/// Both arrays, and the result of `compare` on them.
struct Evidence {
    const CaseData& data;
    const Expected& expected;
    const Array& got_array;
    const Comparison& found;
    const AskOracle& oracle;

    const std::string& out = expected.argument;
    std::int64_t n = found.element_count;
    std::int64_t m = found.mismatch_count;
    const std::vector<std::int64_t>& wrong = found.wrong;
    bool floats = is_float(got_array.dtype);
    Elements got{got_array};
    Elements want{expected.value};

    /// The largest rounding difference, for values near element i, between two right ways to
    /// compute them.
    [[nodiscard]] Number slack(std::int64_t i) const {
        if (!floats) return 0;
        const auto& b = expected.bound;
        const double bound = b.empty() ? 0 : b[b.size() == 1 ? 0 : static_cast<std::size_t>(i)];
        const Number unit = got_array.dtype == DType::f32 ? 0x1p-20L : 0x1p-45L;
        return 2 * bound + unit * std::abs(want(i));
    }
    [[nodiscard]] bool near(std::int64_t i, Number a, Number b) const {
        return a == b || std::abs(a - b) <= slack(i);
    }
    /// Whether `test(i)` holds for all wrong elements.
    template <class F>
    [[nodiscard]] bool all_wrong(F test) const {
        return std::ranges::all_of(wrong, test);
    }
    template <class F>
    [[nodiscard]] bool all(F test) const {
        for (std::int64_t i = 0; i < n; ++i)
            if (!test(i)) return false;
        return true;
    }
    /// Enough different right values among the wrong elements that an exact relation of the values
    /// is no chance.
    [[nodiscard]] bool varied(std::size_t least = 3) const {
        std::set<Number> values;
        for (std::size_t i = 0; i < wrong.size() && values.size() < least; ++i)
            values.insert(want(wrong[i]));
        return values.size() >= least;
    }
    /// Calls visit(name, array) for each input buffer, in the function's order, until it is true.
    template <class F>
    bool any_input(F visit) const {
        for (const ArgumentSpec& argument : data.task->arguments)
            if (argument.role == Role::input && visit(argument.name, data[argument.name]))
                return true;
        return false;
    }
    [[nodiscard]] bool is_inout() const {
        const auto& arguments = data.task->arguments;
        const auto it = std::ranges::find(arguments, out, &ArgumentSpec::name);
        return it != arguments.end() && it->role == Role::inout;
    }
};

}  // namespace cugrade::diagnosis
