#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "catch.hpp"
#include "datasets/generators.hpp"
#include "datasets/random.hpp"
#include "judging/compare.hpp"

using namespace cugrade;
using Catch::Matchers::ContainsSubstring;
using std::int64_t;

namespace {

Array filled(DType type, std::vector<int64_t> shape, const std::function<double(int64_t)>& f) {
    Array out(type, std::move(shape));
    with_type(type, [&]<class T>() {
        for (std::size_t i = 0; i < out.size(); ++i)
            out.as<T>()[i] = static_cast<T>(f(static_cast<int64_t>(i)));
    });
    return out;
}

Array drawn(DType type, std::vector<int64_t> shape, double low, double high,
            std::uint64_t seed = 1) {
    const double integers = is_float(type) ? 1 : 0;
    return *datasets::generate({.generator = "uniform",
                                .numbers = {{"low", low}, {"high", high}, {"integers", integers}},
                                .file = {}},
                               type, std::move(shape), seed, {});
}

void set(Array& array, int64_t i, double value) {
    with_type(array.dtype, [&]<class T>() {
        array.as<T>()[static_cast<std::size_t>(i)] = static_cast<T>(value);
    });
}

double at(const Array& array, int64_t i) { return array.number(static_cast<std::size_t>(i)); }

/// A task `out = f(in)` with one case.
struct Setting {
    TaskSpec task;
    CaseSpec spec;
    CaseData data;
    Expected expected;
    Array poison;
    ExpectedFn oracle = nullptr;

    explicit Setting(Array want, Array in = {}, std::vector<double> bound = {}) {
        task.arguments = {
            {.name = "in", .dtype = in.dtype, .role = Role::input, .shape = {"n"}},
            {.name = "mode", .dtype = DType::i32, .role = Role::scalar, .shape = {}},
            {.name = "out", .dtype = want.dtype, .role = Role::output, .shape = {"n"}}};
        spec.params = {{"mode", 0}};
        task.cases = {spec, spec};
        task.cases[1].params["mode"] = 1;
        data.buffers["out"] = Array(want.dtype, want.shape);
        data.buffers["in"] = std::move(in);
        poison = *datasets::generate(
            {.generator = "uniform", .numbers = {{"low", 0}, {"high", 255}}, .file = {}}, DType::u8,
            {static_cast<int64_t>(want.bytes.size())}, 99, {});
        poison.dtype = want.dtype;
        poison.shape = want.shape;
        expected = {.argument = "out", .value = std::move(want), .bound = std::move(bound)};
    }

    std::string diagnosis(const Array& got) {
        data.task = &task;
        data.spec = &spec;
        return diagnose(data, expected, got, compare(expected, got, poison), oracle).text;
    }
    /// The id of the cause that the diagnosis suggests.
    std::string cause(const Array& got) {
        data.task = &task;
        data.spec = &spec;
        return std::string(
            diagnose(data, expected, got, compare(expected, got, poison), oracle).cause);
    }
    /// Of the right answer with a change.
    std::string after(const std::function<void(Array&)>& change) {
        Array got = expected.value;
        change(got);
        return diagnosis(got);
    }
};

Setting ints(int64_t n) {
    return Setting(drawn(DType::i32, {n}, -1e6, 1e6), drawn(DType::i32, {n}, -1000, 1000, 2));
}

}  // namespace

TEST_CASE("a right output has no diagnosis") {
    CHECK(ints(1000).after([](Array&) {}).empty());
    CHECK(Setting(Array(DType::f32, {0})).after([](Array&) {}).empty());
}

TEST_CASE("elements wrong by chance have no diagnosis") {
    int told = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const auto random = [&](std::uint64_t i, std::uint64_t count) {
            return static_cast<int64_t>(datasets::scale(datasets::random(seed, i), count));
        };
        const bool plane = seed % 3 == 0, floats = seed % 2 == 0, bytes = seed % 5 == 0;
        const std::vector<int64_t> shape =
            plane ? std::vector<int64_t>{37 + random(0, 40), 51 + random(1, 40)}
                  : std::vector<int64_t>{300 + random(2, 3000)};
        const DType type = floats ? DType::f32 : bytes ? DType::u8 : DType::i32;
        const double low = type == DType::u8 ? 0 : -1e6, high = type == DType::u8 ? 255 : 1e6;
        Setting s(drawn(type, shape, low, high, seed), drawn(type, shape, low, high, seed + 1000));
        const Array noise = drawn(type, shape, low, high, seed + 2000);
        const int64_t count = 2 + random(3, 40);
        const std::string text = s.after([&](Array& got) {
            for (int64_t k = 0; k < count; ++k) {
                const int64_t i = random(static_cast<std::uint64_t>(10 + k), got.size());
                set(got, i, at(noise, i));
            }
        });
        if (!text.empty()) UNSCOPED_INFO("seed " << seed << ": " << text);
        told += !text.empty();
    }
    CHECK(told == 0);
}

TEST_CASE("small outputs and small numbers wrong by chance have hardly ever a diagnosis") {
    int told = 0;
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        const auto random = [&](std::uint64_t i, std::uint64_t count) {
            return static_cast<int64_t>(datasets::scale(datasets::random(seed, i), count));
        };
        const DType type = seed % 2 == 0 ? DType::i32 : DType::f32;
        const std::vector<int64_t> shape =
            seed % 3 == 0 ? std::vector<int64_t>{5 + random(0, 20), 5 + random(1, 20)}
                          : std::vector<int64_t>{9 + random(2, 300)};
        const double high = 3.0 + static_cast<double>(random(4, 8));
        Setting s(drawn(type, shape, 1, high, seed), drawn(type, shape, 1, high, seed + 10000));
        const Array noise = drawn(type, shape, 1, high, seed + 20000);
        const std::string text = s.after([&](Array& got) {
            for (std::uint64_t k = 0; k < 4; ++k) {
                // Not at the ends, where one wrong element is enough for a hint.
                const int64_t i = 4 + random(10 + k, got.size() - 8);
                set(got, i, at(noise, i));
            }
        });
        if (!text.empty()) UNSCOPED_INFO("seed " << seed << ": " << text);
        told += !text.empty();
    }
    CHECK(told < 4);
}

TEST_CASE("an output of chance has no diagnosis") {
    for (const int64_t n : {1, 2, 100, 5000}) {
        Setting s = ints(n);
        const std::string text = s.diagnosis(drawn(DType::i32, {n}, -1e6, 1e6, 77));
        INFO(n << ": " << text);
        CHECK(text.empty());
    }
}

TEST_CASE("diagnosis: never written") {
    Setting s = ints(1000);
    CHECK_THAT(s.diagnosis(s.poison), ContainsSubstring("`out` is never written"));
    const auto unwritten = [&](Setting& setting, auto which) {
        return setting.after([&](Array& got) {
            for (int64_t i = 0; i < static_cast<int64_t>(got.size()); ++i)
                if (which(i)) set(got, i, at(setting.poison, i));
        });
    };
    CHECK_THAT(unwritten(s, [](int64_t i) { return i >= 992; }),
               ContainsSubstring("in the last partial block (from index 992 on)"));
    CHECK_THAT(unwritten(s, [](int64_t i) { return i >= 300; }),
               ContainsSubstring("written before index 300 and never written"));
    CHECK_THAT(unwritten(s, [](int64_t i) { return i % 2 == 1; }),
               ContainsSubstring("last place of every 2"));
    CHECK_THAT(unwritten(s, [](int64_t i) { return i * i % 11 == 3; }),
               ContainsSubstring("elements of `out` are never written, the first"));
    Setting one(filled(DType::i64, {1}, [](int64_t) { return 5; }));
    CHECK_THAT(one.diagnosis(one.poison), ContainsSubstring("never written"));
    s.task.arguments[2].role = Role::inout;
    CHECK_THAT(s.diagnosis(s.poison), ContainsSubstring("unchanged"));
}

TEST_CASE("diagnosis: the answer to another policy") {
    Setting s = ints(100);
    s.oracle = [](const CaseData& data) {
        const double mode = data.param("mode");
        return std::vector<Expected>{
            {.argument = "out",
             .value = filled(DType::i32, {100}, [=](int64_t i) { return i * i + mode * (i < 2); }),
             .bound = {}}};
    };
    s.data.spec = &s.spec;
    s.expected = s.oracle(s.data)[0];
    CHECK_THAT(s.after([](Array& got) {
        set(got, 0, 1);
        set(got, 1, 2);
    }),
               ContainsSubstring("right for mode = 1, but this case has mode = 0"));
    CHECK_THAT(s.after([](Array& got) {
        set(got, 0, 9);
        set(got, 1, 9);
    }),
               !ContainsSubstring("mode"));
}

TEST_CASE("diagnosis: not a number") {
    Setting s(drawn(DType::f32, {500}, -100, 100));
    CHECK_THAT(s.after([](Array& got) {
        for (int i = 3; i < 90; i += 7) set(got, i, NAN);
    }),
               ContainsSubstring("NaN"));
    CHECK_THAT(s.after([](Array& got) {
        for (int i = 3; i < 90; i += 7) set(got, i, i == 3 ? NAN : 1e6 + i * i);
    }),
               !ContainsSubstring("NaN"));
}

TEST_CASE("diagnosis: a reduction of a part of its input") {
    const auto reduce = [](const Array& in, int64_t count, int power) {
        double sum = 0;
        for (int64_t i = 0; i < count; ++i) sum += std::pow(at(in, i), power);
        return sum;
    };
    const auto setting = [&](const Array& in, int power) {
        return Setting(
            filled(DType::i64, {1},
                   [&](int64_t) { return reduce(in, static_cast<int64_t>(in.size()), power); }),
            in);
    };
    const auto got = [](double value) {
        return filled(DType::i64, {1}, [&](int64_t) { return value; });
    };
    const Array in = drawn(DType::i32, {100003}, -1000, 1000);
    Setting sum = setting(in, 1);
    CHECK_THAT(
        sum.diagnosis(got(reduce(in, 256, 1))),
        ContainsSubstring(
            "sum of only the first 256 of 100003 elements: the results of the other blocks"));
    CHECK_THAT(sum.diagnosis(got(reduce(in, 99840, 1))),
               ContainsSubstring("first 99840 of 100003 elements: the last partial block"));
    CHECK_THAT(sum.diagnosis(got(reduce(in, 100002, 1))),
               ContainsSubstring("first 100002 of 100003"));
    CHECK_THAT(sum.diagnosis(got(reduce(in, 65536, 1))), ContainsSubstring("power of two"));
    const Array odd = drawn(DType::i32, {2049}, 1, 1000);
    Setting two_blocks = setting(odd, 1);  // what is left out is more than one of 1024 each
    CHECK_THAT(two_blocks.diagnosis(got(reduce(odd, 1024, 1))),
               ContainsSubstring("first 1024 of 2049 elements: the results of the other blocks"));
    CHECK_THAT(sum.diagnosis(got(at(in, 0))), ContainsSubstring("never combined"));
    CHECK(sum.diagnosis(got(at(in, 0) + 123457)).empty());
    CHECK_THAT(sum.diagnosis(got(0)), ContainsSubstring("The element of `out` is 0"));
    CHECK_THAT(setting(in, 3).diagnosis(got(reduce(in, 99840, 3))),
               ContainsSubstring("sum of cubes of only the first 99840"));

    Setting maximum(filled(DType::f32, {1}, [](int64_t) { return -1; }),
                    filled(DType::f32, {100}, [](int64_t i) { return -100 + i; }));
    CHECK_THAT(maximum.after([](Array& a) { set(a, 0, 0); }),
               ContainsSubstring("what does the maximum start from"));
    CHECK_THAT(maximum.after([](Array& a) { set(a, 0, std::numeric_limits<float>::min()); }),
               ContainsSubstring("what does the maximum start from"));
    CHECK_THAT(maximum.after([](Array& a) { set(a, 0, -5); }),
               ContainsSubstring("maximum of only the first 96 of 100"));

    Setting total(filled(DType::f64, {1}, [](int64_t) { return 10000; }),
                  filled(DType::f64, {10000}, [](int64_t) { return 1; }));
    CHECK_THAT(total.after([](Array& a) { set(a, 0, 7777); }),
               ContainsSubstring("less than the sum"));
    CHECK_THAT(total.after([](Array& a) { set(a, 0, 17777); }), !ContainsSubstring("sum"));
}

TEST_CASE("diagnosis: negative byte index and lost updates of a histogram") {
    const Array in = drawn(DType::u8, {10000}, 0, 255);
    std::vector<int> count(256);
    for (const auto v : in.as<std::uint8_t>()) ++count[v];
    Setting s(
        filled(DType::u32, {256}, [&](int64_t i) { return count[static_cast<std::size_t>(i)]; }),
        in);
    CHECK_THAT(s.after([](Array& got) {
        for (int i = 128; i < 256; ++i) set(got, i, 0);
    }),
               ContainsSubstring("negative number"));
    CHECK_THAT(s.after([](Array& got) {
        for (int i = 64; i < 256; ++i) set(got, i, 0);
    }),
               !ContainsSubstring("negative number"));
    CHECK_THAT(s.after([](Array& got) {
        for (int i = 3; i < 256; i += 20) set(got, i, at(got, i) - 1 - i % 3);
    }),
               ContainsSubstring("not counted"));
    CHECK_THAT(s.after([](Array& got) {
        for (int i = 3; i < 256; i += 20) set(got, i, at(got, i) + i % 3 - 1 - (i % 3 == 1));
    }),
               !ContainsSubstring("counted"));
}

TEST_CASE("diagnosis: zeros, and the input copied") {
    Setting s = ints(1000);
    CHECK_THAT(s.diagnosis(Array(DType::i32, {1000})),
               ContainsSubstring("Every element of `out` is 0"));
    CHECK_THAT(s.diagnosis(s.data["in"]), ContainsSubstring("copy of `in`"));
    Array nearly = s.data["in"];
    set(nearly, 5, 12345);
    CHECK(s.diagnosis(nearly).empty());
    CHECK_THAT(s.after([](Array& got) {
        for (const int i : {3, 77, 78, 500, 613, 871}) set(got, i, 0);
    }),
               ContainsSubstring("all 0, and the others are right"));
}

TEST_CASE("diagnosis: added to what was there") {
    for (const DType type : {DType::i32, DType::f32, DType::f64}) {
        Setting s(drawn(type, {300}, -1000, 1000));
        Array got = s.expected.value;
        with_type(type, [&]<class T>() {
            using Sum = std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                           std::type_identity<T>>;
            for (std::size_t i = 0; i < got.size(); ++i)
                got.as<T>()[i] =
                    static_cast<T>(static_cast<typename Sum::type>(got.as<T>()[i]) +
                                   static_cast<typename Sum::type>(s.poison.as<T>()[i]));
        });
        CHECK_THAT(s.diagnosis(got), ContainsSubstring("never set first"));
    }
}

TEST_CASE("diagnosis: the other kind of scan, and off by one") {
    for (const DType type : {DType::i32, DType::f32}) {
        const Array in = drawn(type, {2000}, -50, 50);
        const Array inclusive =
            filled(type, {2000}, [&, sum = 0.0](int64_t i) mutable { return sum += at(in, i); });
        const Array exclusive =
            filled(type, {2000}, [&](int64_t i) { return at(inclusive, i) - at(in, i); });
        CHECK_THAT(Setting(exclusive, in).diagnosis(inclusive),
                   ContainsSubstring("this is an inclusive scan"));
        CHECK_THAT(Setting(inclusive, in).diagnosis(exclusive),
                   ContainsSubstring("this is an exclusive scan"));
    }
    Setting s = ints(500);
    const Array want = s.expected.value;
    CHECK_THAT(s.after([&](Array& got) {
        for (int i = 0; i < 500; ++i) set(got, i, i < 499 ? at(want, i + 1) : 3);
    }),
               ContainsSubstring("next place: an index is off by one"));
    CHECK_THAT(s.after([&](Array& got) {
        for (int i = 1; i < 500; ++i) set(got, i, at(want, i - 1));
    }),
               ContainsSubstring("previous place"));
    CHECK_THAT(s.after([&](Array& got) {
        for (int i = 2; i < 500; ++i) set(got, i, at(want, i - 2));
    }),
               !ContainsSubstring("off by one"));
    Setting plane(drawn(DType::i32, {20, 30}, -1000, 1000));
    const Array rows = plane.expected.value;
    CHECK_THAT(plane.after([&](Array& got) {
        for (int i = 30; i < 600; ++i) set(got, i, at(rows, i - 30));
    }),
               ContainsSubstring("previous row"));
}

TEST_CASE("diagnosis: another order") {
    Setting s = ints(500);
    const Array want = s.expected.value;
    CHECK_THAT(s.after([&](Array& got) {
        for (int i = 0; i < 500; ++i) set(got, i, at(want, 499 - i));
    }),
               ContainsSubstring("reverse order"));
    CHECK_THAT(s.after([&](Array& got) {
        for (int i = 0; i < 500; ++i) set(got, i, at(want, i * 7 % 500));
    }),
               ContainsSubstring("another order"));
    Setting plane(drawn(DType::f32, {20, 30}, -1000, 1000));
    const Array rows = plane.expected.value;
    CHECK_THAT(plane.after([&](Array& got) {
        for (int i = 0; i < 600; ++i) set(got, i, at(rows, i % 20 * 30 + i / 20));
    }),
               ContainsSubstring("transposed"));
}

TEST_CASE("diagnosis: a multiple") {
    for (const DType type : {DType::i32, DType::f32, DType::f64}) {
        Setting s(drawn(type, {300}, -1000, 1000));
        const auto times = [&](double k) {
            return s.after([&](Array& got) {
                for (int i = 0; i < 300; ++i) set(got, i, k * at(got, i));
            });
        };
        CHECK_THAT(times(2),
                   ContainsSubstring("are 2 times the right value: is something done twice"));
        CHECK_THAT(times(32), ContainsSubstring("are 32 times"));
        CHECK_THAT(times(-1), ContainsSubstring("wrong sign"));
        CHECK_THAT(times(7), !ContainsSubstring("times"));
        if (is_float(type)) CHECK_THAT(times(0.25), ContainsSubstring("are 1/4 of"));
    }
    Setting one(filled(DType::f64, {1}, [](int64_t) { return 123.25; }));
    CHECK_THAT(one.after([](Array& got) { set(got, 0, 246.5); }), ContainsSubstring("2 times"));
    Setting lone(filled(DType::f64, {1}, [](int64_t) { return 123.25; }),
                 filled(DType::f64, {1}, [](int64_t) { return 123.25; }));
    CHECK_THAT(lone.after([](Array& got) { set(got, 0, 123.25 / 4); }), !ContainsSubstring("left"));
    Setting small(filled(DType::i32, {1}, [](int64_t) { return 1; }));
    CHECK(small.after([](Array& got) { set(got, 0, 2); }).empty());
}

TEST_CASE("diagnosis: a limit that is an argument") {
    Setting s(drawn(DType::u32, {300}, 0, 1e6));
    s.spec.params["mode"] = 99;
    const auto cut = [&](double limit) {
        return s.after([&](Array& got) {
            for (int i = 0; i < 300; i += 3) set(got, i, limit);
        });
    };
    CHECK_THAT(cut(99), ContainsSubstring("is 99, the `mode`: it stays there"));
    CHECK_THAT(cut(98), !ContainsSubstring("stays there"));
    s.spec.params["mode"] = 3;  // what is small is a result of much
    CHECK_THAT(cut(3), !ContainsSubstring("stays there"));
}

TEST_CASE("diagnosis: overflow and clamping") {
    Setting s(drawn(DType::u32, {300}, 0, 1e6));
    const auto modulo = [&](double m) {
        return s.after([&](Array& got) {
            for (int i = 0; i < 300; ++i) set(got, i, std::fmod(at(got, i), m));
        });
    };
    CHECK_THAT(modulo(256), ContainsSubstring("multiple of 2^8"));
    CHECK_THAT(modulo(65536), ContainsSubstring("multiple of 2^16"));
    // Parts of 16 bits, added up in 32.
    CHECK_THAT(s.after([](Array& got) { set(got, 7, at(got, 7) - 3 * 65536.0); }),
               ContainsSubstring("multiple of 2^16"));
    CHECK_THAT(modulo(1000), !ContainsSubstring("multiple of"));
    Setting wide(drawn(DType::i64, {50}, -1e15, 1e15));
    CHECK_THAT(wide.after([](Array& got) {
        for (auto& v : got.as<int64_t>()) v = static_cast<std::int32_t>(v);
    }),
               ContainsSubstring("multiple of 2^32"));
    Setting bytes(drawn(DType::u8, {500}, 0, 254));
    CHECK_THAT(bytes.after([](Array& got) {
        for (auto& v : got.as<std::uint8_t>())
            if (v % 3 == 1) v = 255;
    }),
               ContainsSubstring("clamped"));
    Setting counter(filled(DType::f32, {1}, [](int64_t) { return 2e7; }));
    CHECK_THAT(counter.after([](Array& got) { set(got, 0, 0x1p24); }),
               ContainsSubstring("stays at 2^24"));
}

TEST_CASE("diagnosis: whole numbers that a float has rounded") {
    const char* const rounded = "a float holds whole numbers up to 2^24 exactly";
    Setting bytes(drawn(DType::u8, {500}, 0, 255));
    CHECK_THAT(bytes.after([](Array& got) {
        int k = 0;
        for (auto& v : got.as<std::uint8_t>())
            if (++k % 7 == 0) v = static_cast<std::uint8_t>(v + (k % 2 == 0 ? k % 30 + 1 : -3));
    }),
               ContainsSubstring(rounded));
    // As many anywhere, and a few by chance.
    CHECK_THAT(bytes.after([](Array& got) {
        int k = 0;
        for (auto& v : got.as<std::uint8_t>())
            if (++k % 7 == 0) v = static_cast<std::uint8_t>(v + 20 * (k % 11) + 7);
    }),
               !ContainsSubstring(rounded));
    CHECK_THAT(bytes.after([](Array& got) {
        for (const int k : {3, 40, 77}) got.as<std::uint8_t>()[static_cast<std::size_t>(k)] ^= 1;
    }),
               !ContainsSubstring(rounded));
    const auto sums = [](int64_t i) { return 0x1p25 + 3 * static_cast<double>(i); };
    Setting words(filled(DType::u32, {500}, sums));
    CHECK_THAT(words.after([](Array& got) {
        for (auto& v : got.as<std::uint32_t>())
            v = static_cast<std::uint32_t>(static_cast<float>(v));
    }),
               ContainsSubstring(rounded));
    // One count that is lost leaves no number of a float's.
    CHECK_THAT(words.after([](Array& got) {
        for (auto& v : got.as<std::uint32_t>()) v -= v % 2 == 0 ? 1 : 2;
    }),
               !ContainsSubstring(rounded));
}

TEST_CASE("diagnosis: off by one amount, per block or everywhere") {
    const Array in = drawn(DType::i32, {5000}, 1, 50);
    const Array scan =
        filled(DType::i32, {5000}, [&, sum = 0.0](int64_t i) mutable { return sum += at(in, i); });
    const Array blocks = filled(DType::i32, {5000}, [&, sum = 0.0](int64_t i) mutable {
        return sum = (i % 256 == 0 ? 0 : sum) + at(in, i);
    });
    Setting s(scan, in);
    CHECK_THAT(s.diagnosis(blocks),
               ContainsSubstring(
                   "right in the first 256 elements, and then off by one amount per block of 256"));
    CHECK_THAT(s.after([](Array& got) {
        for (int i = 0; i < 5000; ++i) set(got, i, at(got, i) + 17);
    }),
               ContainsSubstring("Every element of `out` is off by the same amount"));
    CHECK_THAT(s.after([](Array& got) {
        for (int i = 777; i < 5000; ++i) set(got, i, at(got, i) + 17);
    }),
               ContainsSubstring("at index 777 or later"));
}

TEST_CASE("diagnosis: totals of groups that lack an element, or that each group adds itself") {
    for (const DType type : {DType::i32, DType::f32}) {
        const Array in = drawn(type, {1000}, -50, 50);
        Array scan(type, {1000});
        double sum = 0;
        for (int64_t i = 0; i < 1000; ++i) set(scan, i, sum), sum += at(in, i);
        Setting s(scan, in);
        for (const int64_t group : {32, 128}) {
            Array lacking = scan;
            double lost = 0;
            for (int64_t i = 0; i < 1000; ++i) {
                if (i % group == 0 && i > 0) lost += at(in, i - 1);
                set(lacking, i, at(scan, i) - lost);
            }
            CHECK_THAT(s.diagnosis(lacking),
                       ContainsSubstring(fmt::format("each group of {} elements hands on", group)));
            // One element that does not fit says that it is something else.
            set(lacking, 999, at(lacking, 999) + 7);
            CHECK_THAT(s.diagnosis(lacking), !ContainsSubstring("hands on"));
        }
        // Less than a group.
        const Array few = drawn(type, {31}, 1, 50);
        Array before(type, {31}), with_all(type, {31});
        double all = 0;
        for (int64_t i = 0; i < 31; ++i) set(before, i, all), all += at(few, i);
        for (int64_t i = 0; i < 31; ++i) set(with_all, i, at(before, i) + all);
        CHECK_THAT(Setting(before, few).diagnosis(with_all),
                   ContainsSubstring("Each group of 32 elements adds its own total"));
    }
}

TEST_CASE("diagnosis: precision") {
    const Array want = *datasets::generate(
        {.generator = "uniform", .numbers = {{"low", -1}, {"high", 1}}, .file = {}}, DType::f64,
        {500}, 3, {});
    Setting s(want, {}, {1e-14});
    const auto scaled =
        [&](double unit) {  // rounded to a multiple of the power of two below, times unit
            return s.after([&](Array& got) {
                for (int i = 0; i < 500; ++i)
                    set(got, i,
                        std::ldexp(
                            std::round(std::ldexp(at(got, i), -std::ilogb(at(got, i))) / unit) *
                                unit,
                            std::ilogb(at(got, i))));
            });
        };
    CHECK_THAT(scaled(0x1p-10), ContainsSubstring("half precision"));
    CHECK_THAT(scaled(0x1p-23), ContainsSubstring("fit a float"));
    CHECK_THAT(scaled(0x1p-33), ContainsSubstring("nearly right, to about"));
    CHECK_THAT(scaled(0.5), !ContainsSubstring("nearly"));
}

TEST_CASE("diagnosis: places") {
    const auto wrong_where = [](Setting s, auto which) {
        return s.after([&](Array& got) {
            const Array noise = drawn(got.dtype, got.shape, -1e6, 1e6, 55);
            for (int64_t i = 0; i < static_cast<int64_t>(got.size()); ++i)
                if (which(i)) set(got, i, at(noise, i));
        });
    };
    CHECK_THAT(wrong_where(ints(1025), [](int64_t i) { return i == 1024; }),
               ContainsSubstring("in the last partial block (from index 1024 on)"));
    CHECK_THAT(wrong_where(ints(1000), [](int64_t i) { return i >= 768; }),
               ContainsSubstring("in the last partial block (from index 768 on)"));
    CHECK_THAT(wrong_where(ints(1024), [](int64_t i) { return i >= 512; }),
               ContainsSubstring("at index 512 or later"));
    CHECK_THAT(wrong_where(ints(1024), [](int64_t i) { return i == 0; }),
               ContainsSubstring("very first place"));
    CHECK_THAT(wrong_where(ints(1024), [](int64_t i) { return i == 1023; }),
               ContainsSubstring("very last place"));
    CHECK(wrong_where(ints(1024), [](int64_t i) { return i == 700; }).empty());
    CHECK_THAT(wrong_where(ints(4000), [](int64_t i) { return i % 256 == 0; }),
               ContainsSubstring("first place of every 256"));
    CHECK_THAT(wrong_where(ints(4000), [](int64_t i) { return i % 32 == 31; }),
               ContainsSubstring("last place of every 32"));
    CHECK_THAT(wrong_where(ints(4000), [](int64_t i) { return i % 3 == 1; }),
               ContainsSubstring("index is 1 modulo 3"));
    CHECK_THAT(wrong_where(ints(4000), [](int64_t i) { return i < 3 || i >= 3997; }),
               ContainsSubstring("at the border (within 3 of the first or last element)"));
    CHECK_THAT(wrong_where(ints(4000),
                           [](int64_t i) { return i > 100 && i < 3900 && ((i + 3) % 256 < 6); }),
               ContainsSubstring("at tile edges (indices within 3 of a multiple of 256)"));

    const auto plane = [] { return Setting(drawn(DType::i32, {100, 130}, -1e6, 1e6)); };
    CHECK_THAT(
        wrong_where(plane(), [](int64_t i) { return i % 130 >= 128 || i / 130 >= 96; }),
        ContainsSubstring("in the last partial tiles (rows from 96 and columns from 128 on)"));
    CHECK_THAT(wrong_where(plane(),
                           [](int64_t i) {
                               return i % 130 < 2 || i / 130 < 2 || i % 130 >= 128 || i / 130 >= 98;
                           }),
               ContainsSubstring("at the border (within 2 of the first or last row or column)"));
    const auto edge = [](int64_t x, int64_t size, int64_t n) {
        return x >= size - 1 && x < n - size + 1 && (x + 1) % size < 2;
    };
    CHECK_THAT(
        wrong_where(plane(),
                    [&](int64_t i) { return edge(i % 130, 16, 130) || edge(i / 130, 16, 100); }),
        ContainsSubstring("at tile edges (rows or columns within 1 of a multiple of 16)"));
    CHECK_THAT(wrong_where(plane(), [&](int64_t i) { return edge(i % 130, 12, 130); }),
               ContainsSubstring("at tile edges (columns within 1 of a multiple of 12)"));
}

TEST_CASE("diagnosis: too small, too large") {
    Setting s(drawn(DType::i32, {1000}, 100, 1e6));
    const auto scatter = [&](int sign) {
        return s.after([&](Array& got) {
            for (int i = 1; i < 40; ++i)
                set(got, i * i % 997, at(got, i * i % 997) + sign * (1 + i * i % 17));
        });
    };
    CHECK_THAT(scatter(-1), ContainsSubstring("too small, none is too large"));
    CHECK_THAT(scatter(1), ContainsSubstring("all too large"));
}

TEST_CASE("diagnosis: the answer to an input in another order") {
    // Each element is its own times the weights in order: 1, 10, 100.
    const ExpectedFn oracle = [](const CaseData& data) {
        const Array& in = data["in"];
        Array out(DType::f32, {8});
        for (int64_t i = 0; i < 8; ++i) {
            double sum = 0;
            for (int64_t k = 0; k < 3; ++k) sum += at(in, k) * static_cast<double>((i + k) % 5);
            set(out, i, sum);
        }
        return std::vector<Expected>{{.argument = "out", .value = out, .bound = {}}};
    };
    const Array weights = filled(DType::f32, {3}, [](int64_t k) { return std::pow(10, k); });
    Array back = filled(DType::f32, {3}, [](int64_t k) { return std::pow(10, 2 - k); });
    Setting right(Array(DType::f32, {8}), weights), wrong(Array(DType::f32, {8}), back);
    right.expected = oracle(right.data)[0];
    right.oracle = oracle;
    const Array got = oracle(wrong.data)[0].value;
    CHECK_THAT(right.diagnosis(got), ContainsSubstring("if `in` were in reverse order"));
    CHECK(right.cause(got) == "mask_reversed");
}

TEST_CASE("a diagnosis suggests a cause") {
    const Array in = drawn(DType::i32, {40}, 1, 9);
    Array sums(DType::i32, {40}), before(DType::i32, {40});
    double sum = 0;
    for (int64_t i = 0; i < 40; ++i) {
        set(before, i, sum);
        set(sums, i, sum += at(in, i));
    }
    CHECK(Setting(before, in).cause(sums) == "inclusive_exclusive");
    // What is no scan is the result after an operation instead of before it.
    const Array any = drawn(DType::i32, {40}, 0, 1000, 7);
    const Array after = filled(DType::i32, {40}, [&](int64_t i) { return at(any, i) + at(in, i); });
    CHECK(Setting(any, in).cause(after) == "wrong_result_returned");
    const Array bytes = filled(DType::u8, {64}, [](int64_t i) { return (i * 37 + 11) % 250; });
    CHECK(Setting(bytes, in).cause(filled(DType::u8, {64}, [&](int64_t i) {
        return i % 3 == 0 ? 255 : at(bytes, i);
    })) == "saturated");
}

TEST_CASE("two runs of one case: where they differ") {
    const Array a = drawn(DType::i32, {1000}, -1e6, 1e6);
    CHECK(diagnose_between(a, a).empty());
    Array b = a;
    set(b, 999, 5);
    set(b, 998, 5);
    for (int i = 992; i < 998; ++i) set(b, i, 1);
    CHECK_THAT(diagnose_between(a, b), ContainsSubstring("8 of 1000 elements differ") &&
                                           ContainsSubstring("last partial block"));
}

TEST_CASE("a sum tells which elements it has") {
    const Array in = drawn(DType::f64, {1000}, -1, 1);
    const auto sum = [&](const std::function<double(int64_t)>& weight) {
        double all = 0;
        for (int64_t i = 0; i < 1000; ++i) all += weight(i) * at(in, i);
        return filled(DType::f64, {1}, [&](int64_t) { return all; });
    };
    Setting setting(sum([](int64_t) { return 1; }), in);
    const Array even = sum([](int64_t i) { return i % 2 == 0 ? 1 : 0; });
    CHECK_THAT(
        setting.diagnosis(even),
        ContainsSubstring("those 500 of the 1000 elements of `in` whose index is a multiple of "
                          "2: the others are left out"));
    CHECK(setting.cause(even) == "tree_level_missing");
    const Array half_warps = sum([](int64_t i) { return i % 32 < 16 ? 1 : 0; });
    CHECK_THAT(setting.diagnosis(half_warps), ContainsSubstring("in the first half of each 32"));
    const Array first_warps = sum([](int64_t i) { return i % 128 < 32 ? 1 : 0; });
    CHECK_THAT(setting.diagnosis(first_warps), ContainsSubstring("in the first 32 of each 128"));
    const Array twice = sum([](int64_t i) { return i % 2 == 1 ? 2 : 1; });
    CHECK_THAT(setting.diagnosis(twice), ContainsSubstring("twice"));
    CHECK(setting.cause(twice) == "wrong_stride");
    // A maximum that is not the largest is that of many parts.
    const Array whole = drawn(DType::i32, {256}, 0, 1e6);
    std::vector<double> sorted;
    for (int64_t i = 0; i < 256; ++i) sorted.push_back(at(whole, i));
    std::ranges::sort(sorted);
    Setting maximum(filled(DType::i32, {1}, [&](int64_t) { return sorted[255]; }), whole);
    CHECK(maximum.cause(filled(DType::i32, {1}, [&](int64_t) { return sorted[254]; })) !=
          "tree_level_missing");
}

TEST_CASE("rows tell which of their elements are left out") {
    const Array values = drawn(DType::f64, {50}, -1, 1);
    const Array rows = drawn(DType::u32, {120}, 0, 49, 3);
    const auto sum = [&](unsigned which) {
        return filled(DType::f64, {30}, [&](int64_t i) {
            double all = 0;
            for (int64_t k = 0; k < 4; ++k)
                if ((which >> k & 1) != 0)
                    all += at(values, static_cast<int64_t>(at(rows, 4 * i + k)));
            return all;
        });
    };
    Setting setting(sum(15), values);
    setting.task.arguments.insert(
        setting.task.arguments.begin(),
        {.name = "rows", .dtype = DType::u32, .role = Role::input, .shape = {"k"}});
    setting.data.buffers["rows"] = rows;
    CHECK_THAT(setting.diagnosis(sum(5)), ContainsSubstring("number 1, 3 of each row of `rows`"));
    CHECK(setting.cause(sum(7)) == "elements_ignored");
}

TEST_CASE("a group of a scan that begins with its own sum") {
    const Array in = drawn(DType::i32, {64}, 1, 100);
    const auto scan = [&](int64_t group, double more) {
        return filled(DType::i32, {64}, [&](int64_t i) {
            double all = more;
            for (int64_t k = 0; k < i; ++k) all += at(in, k);
            for (int64_t k = i / group * group; group > 1 && k < i / group * group + group; ++k)
                all += at(in, k);
            return all;
        });
    };
    Setting setting(scan(1, 0), in);
    CHECK_THAT(setting.diagnosis(scan(4, 0)), ContainsSubstring("Each run of 4 elements of `out`"));
    CHECK_THAT(setting.diagnosis(scan(16, 1234)), ContainsSubstring("Each run of 16 elements"));
    CHECK(setting.cause(scan(4, 0)) == "inclusive_exclusive");
}

TEST_CASE("a histogram that counts more than there is") {
    const Array in = drawn(DType::u32, {1000}, 0, 9);
    const auto bins = [&](int64_t again) {
        return filled(DType::u32, {10}, [&](int64_t b) {
            double count = 0;
            for (int64_t i = 0; i < 1000; ++i)
                if (at(in, i) == static_cast<double>(b)) count += i < again ? 2 : 1;
            return count;
        });
    };
    Setting setting(bins(0), in);
    CHECK_THAT(setting.diagnosis(bins(700)),
               ContainsSubstring("counts 1700 elements, and there are 1000"));
    CHECK(setting.cause(bins(700)) == "wrong_stride");
}

TEST_CASE("a histogram lacks what is behind the last whole group") {
    // 1007 = 62 * 16 + 15
    const Array in = drawn(DType::u32, {1007}, 0, 40);
    const auto bins = [&](const std::function<int(int64_t)>& times) {
        return filled(DType::u32, {41}, [&](int64_t b) {
            double count = 0;
            for (int64_t i = 0; i < 1007; ++i)
                if (at(in, i) == static_cast<double>(b)) count += times(i);
            return count;
        });
    };
    Setting setting(bins([](int64_t) { return 1; }), in);
    const Array none = bins([](int64_t i) { return i < 992 ? 1 : 0; });
    CHECK(setting.cause(none) == "tail_ignored");
    CHECK_THAT(setting.diagnosis(none),
               ContainsSubstring("lacks the 15 elements of `in` from index 992 on: what is behind "
                                 "the last whole group of 16"));
    // n % 4 of what is taken in sixteens.
    CHECK_THAT(setting.diagnosis(bins([](int64_t i) { return i < 992 || i >= 1004 ? 1 : 0; })),
               ContainsSubstring("lacks the 12 elements of `in` from index 992 on (and has the "
                                 "last 3)"));
    // 62 groups: in[62 + k] for in[992 + k].
    const Array groups = bins([](int64_t i) { return i >= 992 ? 0 : i >= 62 && i < 77 ? 2 : 1; });
    CHECK(setting.cause(groups) == "wrong_element");
    CHECK_THAT(setting.diagnosis(groups), ContainsSubstring("62 is the number of groups of 16"));
    // Others are left out.
    CHECK(setting.cause(bins([](int64_t i) { return i >= 300 && i < 315 ? 0 : 1; })).empty());
}

TEST_CASE("counters of eight bits lose 256 elements at a time") {
    const Array more = drawn(DType::u32, {20000}, 0, 9);
    const auto large = [&](double lost) {
        return filled(DType::u32, {10}, [&](int64_t b) {
            double count = 0;
            for (int64_t i = 0; i < 20000; ++i)
                count += at(more, i) == static_cast<double>(b) ? 1 : 0;
            return b == 3 ? count - lost : count;
        });
    };
    Setting many(large(0), more);
    CHECK(many.cause(large(512)) == "counter_too_narrow");
    CHECK(many.cause(large(511)) != "counter_too_narrow");
}
