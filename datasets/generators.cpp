// Each generator is one row of the table at the end: its parameters, a check that needs no data,
// and a function that fills an array.
//
// The same bits on every platform: random bits come from random.hpp, and reals are made from them
// with IEEE 754 additions, multiplications and divisions in double, which are correctly rounded
// everywhere (CMakeLists.txt forbids fused multiply-add here). No function of the mathematical
// library is used but those that are exact (frexp, ldexp, floor, nextafter): the last bits of pow
// or log are the library's choice, so `zipf` has its own.
#include "datasets/generators.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "datasets/files.hpp"
#include "datasets/random.hpp"

namespace cugrade::datasets {
namespace {

constexpr std::int64_t max_bytes = std::int64_t{1} << 36;  // of one array
constexpr double max_zipf_values = 1 << 20;                // the table takes 16 bytes for each

struct Parameter {
    std::string_view name;
    bool required = true;
};

struct Generator {
    GeneratorInfo info;
    std::vector<Parameter> parameters;
    /// What can be known to be wrong without size and seed.
    Status (*check)(const DataSpec&, DType);
    /// Fills `out`, whose size and type are set. Errors: what depends on the size.
    Status (*fill)(const DataSpec&, std::uint64_t seed, Array& out);
};

Error wrong(std::string_view key, std::string message, std::string remedy) {
    return {.kind = ErrorKind::configuration,
            .message = std::move(message),
            .key = std::string(key),
            .remedy = std::move(remedy)};
}

double number(const DataSpec& spec, const std::string& key) { return spec.numbers.at(key); }
double number_or(const DataSpec& spec, const std::string& key, double otherwise) {
    const auto it = spec.numbers.find(key);
    return it == spec.numbers.end() ? otherwise : it->second;
}

bool is_integer(double value) { return std::isfinite(value) && std::floor(value) == value; }

/// Whether an element of this type can be `value`: integers exactly, floats after rounding.
bool holds(DType type, double value) {
    return with_type(type, [&]<class T>() {
        using Limits = std::numeric_limits<T>;
        if constexpr (std::is_integral_v<T>)
            return is_integer(value) && value >= static_cast<double>(Limits::min()) &&
                   value < std::ldexp(1.0, Limits::digits);
        else
            return std::abs(value) <= static_cast<double>(Limits::max());
    });
}

/// Whether every integer from 0 to `value` is an element of this type exactly.
bool counts_to(DType type, double value) {
    return with_type(type, [&]<class T>() {
        return std::abs(value) <= std::ldexp(1.0, std::numeric_limits<T>::digits);
    });
}

Status check_holds(const DataSpec& spec, DType type, const std::string& key) {
    const double value = number(spec, key);
    if (holds(type, value)) return Done{};
    return wrong(key, fmt::format("an element of type {} cannot be {}", name(type), value),
                 is_float(type) ? "give a finite number that the type can hold"
                                : "give a whole number within the range of the type");
}

bool wants_integers(const DataSpec& spec, DType type) {
    return !is_float(type) || number_or(spec, "integers", 0) == 1;
}

/// low, high and integers, for the generators that draw from a range.
Status check_range(const DataSpec& spec, DType type) {
    for (const char* key : {"low", "high"})
        if (auto status = check_holds(spec, type, key); !status) return status;
    const double integers = number_or(spec, "integers", 0);
    if (integers != 0 && integers != 1)
        return wrong("integers", fmt::format("integers is {}", integers), "give 0 or 1");
    const double low = number(spec, "low"), high = number(spec, "high");
    if (low > high)
        return wrong("low", fmt::format("low is {} and high is {}", low, high),
                     "give a low that is not above high");
    if (is_float(type) && integers == 1) {
        for (const char* key : {"low", "high"})
            if (const double v = number(spec, key); !is_integer(v) || !counts_to(type, v))
                return wrong(key,
                             fmt::format("{} does not hold all integers up to {}", name(type), v),
                             "give a whole number of at most 2^24 (f32) or 2^53 (f64)");
    } else if (is_float(type)) {
        if (!std::isfinite(high - low))
            return wrong("high", "high - low is not finite", "give a smaller range");
        if (low == high)
            return wrong("high", "the range [low, high) of reals is empty",
                         "give a high above low, or the generator `constant`");
    }
    return Done{};
}

/// Calls body(draw) with draw: 64 bits -> T in the range of `spec`, monotone in the bits.
template <class T, class Body>
void with_draw(const DataSpec& spec, Body&& body) {
    const double low = number(spec, "low"), high = number(spec, "high");
    if constexpr (std::is_integral_v<T>) {
        const auto base = static_cast<std::uint64_t>(static_cast<T>(low));
        const auto count = static_cast<std::uint64_t>(static_cast<T>(high)) - base + 1;
        body([=](std::uint64_t bits) { return static_cast<T>(base + scale(bits, count)); });
    } else if (wants_integers(spec, dtype_of<T>::value)) {
        const auto base = static_cast<std::int64_t>(low);
        const auto count = static_cast<std::uint64_t>(high - low) + 1;
        body([=](std::uint64_t bits) {
            return static_cast<T>(base + static_cast<std::int64_t>(scale(bits, count)));
        });
    } else {
        const T first = static_cast<T>(low);
        const T last = std::nextafter(static_cast<T>(high), first);  // rounding may reach high
        const double width = high - low;
        body([=](std::uint64_t bits) {
            return std::min(static_cast<T>(low + width * unit(bits)), last);
        });
    }
}

/// out[i] = element.operator()<T>(i), for all i.
template <class F>
void fill_each(Array& out, F&& element) {
    with_type(out.dtype, [&]<class T>() {
        const auto values = out.as<T>();
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = element.template operator()<T>(i);
    });
}

Status fill_uniform(const DataSpec& spec, std::uint64_t seed, Array& out) {
    with_type(out.dtype, [&]<class T>() {
        with_draw<T>(spec, [&](auto draw) {
            const auto values = out.as<T>();
            for (std::size_t i = 0; i < values.size(); ++i) values[i] = draw(random(seed, i));
        });
    });
    return Done{};
}

Status check_constant(const DataSpec& spec, DType type) { return check_holds(spec, type, "value"); }

Status fill_constant(const DataSpec& spec, std::uint64_t, Array& out) {
    const double value = number(spec, "value");
    fill_each(out, [=]<class T>(std::size_t) { return static_cast<T>(value); });
    return Done{};
}

// k^-s from correctly rounded operations only: the relative error is some 1e-15, and what matters
// is that it is the same everywhere.
double inverse_power(double k, double s) {
    constexpr double ln2 = 0x1.62e42fefa39efp-1;
    int exponent = 0;
    double m = std::frexp(k, &exponent);  // k = m 2^exponent, m in [0.5, 1)
    if (m < 0.70710678118654752) {        // to [sqrt 1/2, sqrt 2): |t| below 0.172
        m *= 2;
        --exponent;
    }
    const double t = (m - 1) / (m + 1);  // ln m = 2 artanh t = 2 (t + t^3/3 + t^5/5 + ...)
    double series = 0;
    for (int i = 23; i >= 1; i -= 2) series = series * (t * t) + 1.0 / i;
    const double x = -s * (exponent + 2 * t * series / ln2);  // log2 of the result
    const double whole = std::floor(x + 0.5);
    const double f = (x - whole) * ln2;  // |f| at most 0.35; e^f by Taylor's series
    double power = 1;
    for (int i = 18; i >= 1; --i) power = 1 + power * f / i;
    return whole < -1074 ? 0.0 : std::ldexp(power, static_cast<int>(whole));
}

Status check_zipf(const DataSpec& spec, DType type) {
    DataSpec range = spec;
    range.numbers["integers"] = 1;
    if (auto status = check_range(range, type); !status) return status;
    if (const double s = number(spec, "exponent"); !(s >= 0 && s <= 64))
        return wrong("exponent", fmt::format("the exponent of zipf is {}", s),
                     "give a number from 0 (uniform) to 64");
    if (number(spec, "high") - number(spec, "low") >= max_zipf_values)
        return wrong("high", "zipf has too many different values",
                     fmt::format("give a range of at most {} values", max_zipf_values));
    return Done{};
}

// P(low + k - 1) is proportional to k^-exponent. Drawn in constant time by the alias method (A. J.
// Walker 1977, set up as by M. D. Vose, "A linear algorithm for generating random numbers with a
// given distribution", IEEE TSE 17(9), 1991): column c keeps its own value with a probability of
// threshold / 2^64 and gives its alias otherwise.
Status fill_zipf(const DataSpec& spec, std::uint64_t seed, Array& out) {
    const double low = number(spec, "low");
    const auto count = static_cast<std::size_t>(number(spec, "high") - low) + 1;
    struct Column {
        std::uint64_t threshold = ~std::uint64_t{0};
        std::uint64_t alias = 0;
    };
    std::vector<Column> columns(count);
    std::vector<double> p(count);
    for (std::size_t k = 0; k < count; ++k)
        p[k] = inverse_power(static_cast<double>(k + 1), number(spec, "exponent"));
    const double mean = std::accumulate(p.begin(), p.end(), 0.0) / static_cast<double>(count);
    std::vector<std::size_t> small, large;
    for (std::size_t k = 0; k < count; ++k) {
        p[k] /= mean;
        columns[k].alias = k;
        (p[k] < 1 ? small : large).push_back(k);
    }
    while (!small.empty() && !large.empty()) {
        const std::size_t s = small.back(), l = large.back();
        small.pop_back();
        columns[s] = {.threshold = static_cast<std::uint64_t>(p[s] * 0x1p64), .alias = l};
        p[l] -= 1 - p[s];
        if (p[l] < 1) {
            large.pop_back();
            small.push_back(l);
        }
    }  // what is left over has p = 1 but for rounding, and keeps its own value
    with_type(out.dtype, [&]<class T>() {
        const auto base = static_cast<std::int64_t>(low);
        const auto values = out.as<T>();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto product = static_cast<unsigned __int128>(random(seed, i)) * count;
            const auto c = static_cast<std::uint64_t>(product >> 64);
            const auto fraction = static_cast<std::uint64_t>(product);
            const auto k = fraction < columns[c].threshold ? c : columns[c].alias;
            values[i] = static_cast<T>(base + static_cast<std::int64_t>(k));
        }
    });
    return Done{};
}

// Element i is drawn from the i-th of n equal parts of the range: ascending by construction.
Status fill_sorted(const DataSpec& spec, std::uint64_t seed, Array& out) {
    if (out.size() == 0) return Done{};
    const std::uint64_t part = ~std::uint64_t{0} / out.size();
    with_type(out.dtype, [&]<class T>() {
        with_draw<T>(spec, [&](auto draw) {
            const auto values = out.as<T>();
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = draw(i * part + scale(random(seed, i), part));
        });
    });
    return Done{};
}

Status check_ramp(const DataSpec& spec, DType type) {
    for (const char* key : {"start", "step"}) {
        const double value = number(spec, key);
        // A negative step is right for an unsigned type, as long as no element is negative.
        if (is_float(type) ? std::isfinite(value) : is_integer(value)) continue;
        return wrong(key, fmt::format("{} is {} in a ramp of {}", key, value, name(type)),
                     is_float(type) ? "give a finite number" : "give a whole number");
    }
    if (const double m = number_or(spec, "modulo", 1); !is_integer(m) || m < 1 || m > 0x1p53)
        return wrong("modulo", fmt::format("modulo is {}", m), "give a whole number of at least 1");
    return check_holds(spec, type, "start");
}

Status fill_ramp(const DataSpec& spec, std::uint64_t, Array& out) {
    const double start = number(spec, "start"), step = number(spec, "step");
    const auto n = out.size();
    const auto modulo = static_cast<std::size_t>(number_or(spec, "modulo", 0x1p53));
    if (n == 0) return Done{};
    const double last = start + step * static_cast<double>(std::min(n, modulo) - 1);
    if (!holds(out.dtype, last))
        return wrong(
            "step", fmt::format("the ramp ends at {}, which {} cannot hold", last, name(out.dtype)),
            "give a modulo, so that the ramp starts again, or a smaller step");
    with_type(out.dtype, [&]<class T>() {
        const auto values = out.as<T>();
        for (std::size_t first = 0; first < n; first += modulo) {
            const auto part = values.subspan(first, std::min(modulo, n - first));
            for (std::size_t i = 0; i < part.size(); ++i)
                part[i] = static_cast<T>(start + step * static_cast<double>(i));
        }
    });
    return Done{};
}

Status check_alternating(const DataSpec& spec, DType type) {
    if (!is_signed(type))
        return wrong("generator",
                     fmt::format("{} has no negative values to alternate with", name(type)),
                     "use a signed type or another generator");
    return check_holds(spec, type, "magnitude");
}

Status fill_alternating(const DataSpec& spec, std::uint64_t, Array& out) {
    const double m = number(spec, "magnitude");
    if (!holds(out.dtype, -m))
        return wrong("magnitude", fmt::format("{} cannot hold {}", name(out.dtype), -m),
                     "give a smaller magnitude");
    fill_each(out, [=]<class T>(std::size_t i) { return static_cast<T>(i % 2 == 0 ? m : -m); });
    return Done{};
}

Status check_one_hot(const DataSpec& spec, DType type) {
    if (auto status = check_holds(spec, type, "value"); !status) return status;
    if (spec.numbers.contains("background"))
        if (auto status = check_holds(spec, type, "background"); !status) return status;
    if (const double p = number_or(spec, "position", 0); !is_integer(p) || p < 0 || p > 0x1p53)
        return wrong("position", fmt::format("position is {}", p), "give an index, from 0");
    return Done{};
}

Status fill_one_hot(const DataSpec& spec, std::uint64_t seed, Array& out) {
    const auto n = out.size();
    if (n == 0) return Done{};
    const auto drawn = static_cast<double>(scale(random(seed, 0), n));
    const auto position = static_cast<std::size_t>(number_or(spec, "position", drawn));
    if (position >= n)
        return wrong("position", fmt::format("position {} is outside of {} elements", position, n),
                     "give an index below the size, or none for a random one");
    const double value = number(spec, "value"), background = number_or(spec, "background", 0);
    fill_each(out, [=]<class T>(std::size_t i) {
        return static_cast<T>(i == position ? value : background);
    });
    return Done{};
}

Status check_mixed_magnitudes(const DataSpec& spec, DType type) {
    if (!is_float(type))
        return wrong("generator", fmt::format("mixed_magnitudes makes floats, not {}", name(type)),
                     "use uniform or zipf for integers");
    const double low = number(spec, "low_exponent"), high = number(spec, "high_exponent");
    const double limit = type == DType::f32 ? 126 : 1022;
    for (const char* key : {"low_exponent", "high_exponent"})
        if (const double e = number(spec, key); !is_integer(e) || std::abs(e) > limit)
            return wrong(key, fmt::format("the exponent {} is not one of {}", e, name(type)),
                         fmt::format("give a whole number from -{0} to {0}", limit));
    if (low > high)
        return wrong("low_exponent",
                     fmt::format("low_exponent is {} and high_exponent {}", low, high),
                     "give a low_exponent that is not above high_exponent");
    return Done{};
}

// Sign, exponent and significand are drawn separately and put together as bits.
Status fill_mixed_magnitudes(const DataSpec& spec, std::uint64_t seed, Array& out) {
    const auto low = static_cast<std::int64_t>(number(spec, "low_exponent"));
    const auto count =
        static_cast<std::uint64_t>(number(spec, "high_exponent") - static_cast<double>(low)) + 1;
    const std::uint64_t exponents = substream(seed, 1);
    const auto make = [&]<class T, class Bits>() {
        constexpr int fraction_bits = std::numeric_limits<T>::digits - 1;
        constexpr std::int64_t bias = std::numeric_limits<T>::max_exponent - 1;
        const auto values = out.as<T>();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::uint64_t bits = random(seed, i);
            const auto e =
                low + static_cast<std::int64_t>(scale(random(exponents, i), count)) + bias;
            const Bits word = static_cast<Bits>(bits >> 63) << (8 * sizeof(T) - 1) |
                              static_cast<Bits>(e) << fraction_bits |
                              (static_cast<Bits>(bits) & ((Bits{1} << fraction_bits) - 1));
            values[i] = std::bit_cast<T>(word);
        }
    };
    if (out.dtype == DType::f32)
        make.operator()<float, std::uint32_t>();
    else
        make.operator()<double, std::uint64_t>();
    return Done{};
}

Status check_runs(const DataSpec& spec, DType type) {
    if (const double m = number(spec, "mean_length"); !(m >= 1 && m <= 0x1p53))
        return wrong("mean_length", fmt::format("mean_length is {}", m),
                     "give a number of at least 1");
    return check_range(spec, type);
}

// A run starts at i with probability 1 / mean_length (so lengths are geometric), and has the value
// that `uniform` would have there.
Status fill_runs(const DataSpec& spec, std::uint64_t seed, Array& out) {
    const double p = 1 / number(spec, "mean_length");
    const std::uint64_t starts = substream(seed, 1);
    with_type(out.dtype, [&]<class T>() {
        with_draw<T>(spec, [&](auto draw) {
            const auto values = out.as<T>();
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] =
                    i == 0 || unit(random(starts, i)) < p ? draw(random(seed, i)) : values[i - 1];
        });
    });
    return Done{};
}

Status check_nothing(const DataSpec&, DType) { return Done{}; }

// R. A. Fisher and F. Yates's shuffle, as by R. Durstenfeld, CACM 7(7), 1964.
Status fill_permutation(const DataSpec&, std::uint64_t seed, Array& out) {
    const auto n = out.size();
    if (n == 0) return Done{};
    const auto last = static_cast<double>(n - 1);
    if (!holds(out.dtype, last) || !counts_to(out.dtype, last))
        return wrong("generator",
                     fmt::format("{} cannot hold the indices of {} elements", name(out.dtype), n),
                     "use a wider type or fewer elements");
    with_type(out.dtype, [&]<class T>() {
        const auto values = out.as<T>();
        for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(i);
        for (std::size_t i = n - 1; i > 0; --i)
            std::swap(values[i], values[scale(random(seed, i), i + 1)]);
    });
    return Done{};
}

const std::vector<Generator>& table() {
    static const std::vector<Generator> rows{
        {{"uniform", "independent values from a range", "low, high, integers = 0"},
         {{"low"}, {"high"}, {"integers", false}},
         check_range,
         fill_uniform},
        {{"constant", "one value everywhere: all threads meet in one bin", "value"},
         {{"value"}},
         check_constant,
         fill_constant},
        {{"zipf", "integers, of which the k-th from low has probability ~ k^-exponent",
          "low, high, exponent"},
         {{"low"}, {"high"}, {"exponent"}},
         check_zipf,
         fill_zipf},
        {{"sorted", "ascending random values from a range", "low, high, integers = 0"},
         {{"low"}, {"high"}, {"integers", false}},
         check_range,
         fill_sorted},
        {{"ramp", "start + step * (i mod modulo)", "start, step, modulo = none"},
         {{"start"}, {"step"}, {"modulo", false}},
         check_ramp,
         fill_ramp},
        {{"alternating", "+magnitude, -magnitude, ...: sums cancel", "magnitude"},
         {{"magnitude"}},
         check_alternating,
         fill_alternating},
        {{"one_hot", "one element is different", "value, position = random, background = 0"},
         {{"value"}, {"position", false}, {"background", false}},
         check_one_hot,
         fill_one_hot},
        {{"mixed_magnitudes", "random sign, significand and power of two: order matters in sums",
          "low_exponent, high_exponent"},
         {{"low_exponent"}, {"high_exponent"}},
         check_mixed_magnitudes,
         fill_mixed_magnitudes},
        {{"runs", "stretches of equal values, of geometric lengths",
          "low, high, mean_length, integers = 0"},
         {{"low"}, {"high"}, {"mean_length"}, {"integers", false}},
         check_runs,
         fill_runs},
        {{"permutation", "0 to n - 1 in random order", ""}, {}, check_nothing, fill_permutation},
    };
    return rows;
}

constexpr GeneratorInfo file_info{"file", "a file: .npy, PNG or PGM image, else its bytes", "file"};

std::string known_names() {
    std::vector<std::string_view> names;
    for (const GeneratorInfo& info : generators()) names.push_back(info.name);
    return fmt::format("use one of {}", fmt::join(names, ", "));
}

const Generator* find(const DataSpec& spec) {
    const auto it =
        std::ranges::find(table(), spec.generator, [](const Generator& g) { return g.info.name; });
    return it == table().end() ? nullptr : &*it;
}

/// `from` as `type`, if every element stays what it is.
Result<Array> converted(Array from, DType type, const std::string& file) {
    if (from.dtype == type) return from;
    Array to(type, from.shape);
    std::optional<std::size_t> lost;
    with_type(from.dtype, [&]<class S>() {
        with_type(type, [&]<class T>() {
            const auto source = std::as_const(from).as<S>();
            const auto target = to.as<T>();
            for (std::size_t i = 0; i < source.size() && !lost; ++i) {
                bool same = true;
                if constexpr (std::is_floating_point_v<S> && std::is_integral_v<T>)
                    same = holds(type, static_cast<double>(source[i]));
                else if constexpr (std::is_integral_v<S> && std::is_integral_v<T>)
                    same = std::in_range<T>(source[i]);
                else if constexpr (std::is_integral_v<S>)
                    same = counts_to(type, static_cast<double>(source[i]));
                else  // NaN and infinities are data too
                    same = !(std::isfinite(source[i]) &&
                             static_cast<S>(static_cast<T>(source[i])) != source[i]);
                if (same)
                    target[i] = static_cast<T>(source[i]);
                else
                    lost = i;
            }
        });
    });
    if (!lost) return to;
    return Error{.kind = ErrorKind::configuration,
                 .message = fmt::format("element {} is {}, which is not a value of type {}", *lost,
                                        from.text(*lost), name(type)),
                 .file = file,
                 .key = "file",
                 .remedy = fmt::format("store the data as {}", name(type))};
}

Result<Array> from_file(const DataSpec& spec, DType type, std::vector<std::int64_t> shape,
                        std::size_t count, const std::filesystem::path& folder) {
    const auto path = folder / spec.file;
    auto read = read_any(path);
    if (!read) {
        Error error = read.error();
        error.key = "file";
        return error;
    }
    // Two dimensions must agree with two; one dimension takes an image row by row.
    const bool same = shape.size() == 1 || read->shape.size() == 1 || read->shape == shape;
    if (read->size() != count || !same)
        return Error{
            .kind = ErrorKind::configuration,
            .message = fmt::format("the file holds [{}] elements, and the case asks for [{}]",
                                   fmt::join(read->shape, ", "), fmt::join(shape, ", ")),
            .file = path.string(),
            .key = "file",
            .remedy = "give the case the sizes of the file"};
    auto array = converted(std::move(*read), type, path.string());
    if (array) array->shape = std::move(shape);
    return array;
}

}  // namespace

const std::vector<GeneratorInfo>& generators() {
    static const std::vector<GeneratorInfo> infos = [] {
        std::vector<GeneratorInfo> out;
        for (const Generator& row : table()) out.push_back(row.info);
        out.push_back(file_info);
        return out;
    }();
    return infos;
}

Status check(const DataSpec& spec, DType type) {
    if (spec.generator == file_info.name) {
        if (spec.file.empty())
            return wrong("file", "no file is named",
                         "write {file: NAME}, relative to the assignment");
        if (!spec.numbers.empty())
            return wrong(spec.numbers.begin()->first, "a file takes no parameters", "remove it");
        return Done{};
    }
    const Generator* row = find(spec);
    if (row == nullptr)
        return wrong("generator", fmt::format("there is no generator `{}`", spec.generator),
                     known_names());
    const std::string parameters = row->info.parameters.empty()
                                       ? "it takes none"
                                       : fmt::format("it takes {}", row->info.parameters);
    if (!spec.file.empty())
        return wrong("file", fmt::format("`{}` reads no file", spec.generator),
                     "write either a generator or a file");
    for (const auto& [key, value] : spec.numbers)
        if (std::ranges::find(row->parameters, key, &Parameter::name) == row->parameters.end())
            return wrong(key, fmt::format("`{}` has no parameter `{}`", spec.generator, key),
                         parameters);
    for (const Parameter& p : row->parameters)
        if (p.required && !spec.numbers.contains(std::string(p.name)))
            return wrong(p.name, fmt::format("`{}` needs a `{}`", spec.generator, p.name),
                         parameters);
    return row->check(spec, type);
}

Result<Array> generate(const DataSpec& spec, DType type, std::vector<std::int64_t> shape,
                       std::uint64_t seed, const std::filesystem::path& folder) {
    if (auto status = check(spec, type); !status) return status.error();
    std::int64_t count = shape.empty() ? 0 : 1;
    const std::int64_t limit = max_bytes / static_cast<std::int64_t>(size_of(type));
    for (const std::int64_t dim : shape) {
        if (dim < 0 || dim > limit || (count > 0 && dim > limit / count))
            return wrong(
                "shape",
                fmt::format("an array of [{}] elements cannot be made", fmt::join(shape, ", ")),
                fmt::format("give sizes from 0 whose product is at most {}", limit));
        count *= dim;
    }
    if (spec.generator == file_info.name)
        return from_file(spec, type, std::move(shape), static_cast<std::size_t>(count), folder);
    Array out(type, std::move(shape));
    if (auto status = find(spec)->fill(spec, seed, out); !status) return status.error();
    return out;
}

}  // namespace cugrade::datasets
