// Floating-point arithmetic of f32 and f64, f16 and bf16.
//
// Every form has a fast handler (round to nearest, subnormals kept) and a general one, which reads
// rounding, .ftz, .sat and .relu from Ins::aux. Directed rounding uses the host's rounding mode:
// rows are loaded after it is set and stored before it is put back, so the compiler keeps the
// arithmetic in between. A NaN result of an f32 operation is 0x7FFFFFFF, as on the hardware; f64
// keeps payloads as x86 does. The .approx functions are computed to full precision, so they are at
// least as accurate as the hardware's.
#include <cfenv>
#include <cmath>
#include <limits>

#include "emulator/ops/half.hpp"
#include "emulator/ops/lane_loops.hpp"

namespace cugrade::emulator {
namespace {

inline float canonical(float x) { return x != x ? std::bit_cast<float>(0x7FFFFFFFu) : x; }
inline double canonical(double x) { return x; }

inline float flush(float x) {
    const u32 bits = std::bit_cast<u32>(x);
    return (bits & 0x7F800000) == 0 ? std::bit_cast<float>(bits & 0x80000000) : x;
}
inline double flush(double x) {
    const u64 bits = std::bit_cast<u64>(x);
    return (bits & 0x7FF0000000000000) == 0 ? std::bit_cast<double>(bits & 0x8000000000000000) : x;
}

template <class T>
T finish(T x, u32 flags) {
    if ((flags & flush_denormals) != 0) x = flush(x);
    if ((flags & saturate) != 0) x = x > T{0} ? (x < T{1} ? x : T{1}) : T{0};  // NaN becomes 0
    if ((flags & relu) != 0) x = x > T{0} ? x : (x != x ? x : T{0});
    return canonical(x);
}

class Rounding {
public:
    explicit Rounding(u32 flags) : before_(std::fegetround()) {
        static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
        std::fesetround(modes[flags & round_mask]);
    }
    ~Rounding() { std::fesetround(before_); }
    Rounding(const Rounding&) = delete;
    Rounding& operator=(const Rounding&) = delete;

private:
    int before_;
};

template <class T, class F>
OpRow one(std::string_view form, F) {
    constexpr auto shape = sizeof(T) == 4 ? "44" : "88";
    return {form, shape, unary<T, T>([](T a) { return canonical(F{}(a)); }),
            [](Warp& w, const Ins* i) -> const Ins* {
                const auto d = w.dst<T>(i);
                const auto a = w.a<T>(i);
                const Rounding rounding(i->aux);
                const bool ftz = (i->aux & flush_denormals) != 0;
                for (u32 l = 0; l < lanes; ++l)
                    d.set(l, finish(F{}(ftz ? flush(a.get(l)) : a.get(l)), i->aux));
                return i + 1;
            }};
}

template <class T, class F>
OpRow two(std::string_view form, F) {
    constexpr auto shape = sizeof(T) == 4 ? "444" : "888";
    return {form, shape, binary<T, T, T>([](T a, T b) { return canonical(F{}(a, b)); }),
            [](Warp& w, const Ins* i) -> const Ins* {
                const auto d = w.dst<T>(i);
                const auto a = w.a<T>(i);
                const auto b = w.b<T>(i);
                const Rounding rounding(i->aux);
                const bool ftz = (i->aux & flush_denormals) != 0;
                for (u32 l = 0; l < lanes; ++l) {
                    T x = ftz ? flush(a.get(l)) : a.get(l);
                    T y = ftz ? flush(b.get(l)) : b.get(l);
                    const bool negative = std::signbit(x) != std::signbit(y);
                    if ((i->aux & magnitudes) != 0) x = std::fabs(x), y = std::fabs(y);
                    const bool nan = (i->aux & nan_propagates) != 0 && (x != x || y != y);
                    T r = nan ? std::numeric_limits<T>::quiet_NaN() : F{}(x, y);
                    if ((i->aux & xorsign) != 0) r = std::copysign(r, negative ? T{-1} : T{1});
                    d.set(l, finish(r, i->aux));
                }
                return i + 1;
            }};
}

template <class T, class F>
OpRow three(std::string_view form, F) {
    constexpr auto shape = sizeof(T) == 4 ? "4444" : "8888";
    return {form, shape, ternary<T, T, T, T>([](T a, T b, T c) { return canonical(F{}(a, b, c)); }),
            [](Warp& w, const Ins* i) -> const Ins* {
                const auto d = w.dst<T>(i);
                const auto a = w.a<T>(i);
                const auto b = w.b<T>(i);
                const auto c = w.c<T>(i);
                const Rounding rounding(i->aux);
                const bool ftz = (i->aux & flush_denormals) != 0;
                for (u32 l = 0; l < lanes; ++l) {
                    const T x = ftz ? flush(a.get(l)) : a.get(l);
                    const T y = ftz ? flush(b.get(l)) : b.get(l);
                    const T z = ftz ? flush(c.get(l)) : c.get(l);
                    d.set(l, finish(F{}(x, y, z), i->aux));
                }
                return i + 1;
            }};
}

/// min or max of three numbers: F of two of them at a time.
template <class F>
OpRow of_three(std::string_view form, F) {
    constexpr auto body = [](Warp& w, const Ins* i) -> const Ins* {
        const auto d = w.dst<float>(i);
        const auto a = w.a<float>(i);
        const auto b = w.b<float>(i);
        const auto c = w.c<float>(i);
        for (u32 l = 0; l < lanes; ++l) {
            std::array x{a.get(l), b.get(l), c.get(l)};
            bool nan = false;
            for (float& v : x) {
                if ((i->aux & flush_denormals) != 0) v = flush(v);
                if ((i->aux & magnitudes) != 0) v = std::fabs(v);
                nan |= (i->aux & nan_propagates) != 0 && v != v;
            }
            d.set(l, nan ? canonical(std::numeric_limits<float>::quiet_NaN())
                         : canonical(F{}(F{}(x[0], x[1]), x[2])));
        }
        return i + 1;
    };
    return {form, "4444", body, body};
}

/// Two floats in one 64-bit lane.
template <class F>
OpRow pairwise(std::string_view form, std::string_view shape, F) {
    constexpr auto body = [](Warp& w, const Ins* i) -> const Ins* {
        const auto d = w.dst<u64>(i);
        const auto a = w.a<u64>(i);
        const auto b = w.b<u64>(i);
        const auto c = i->c == no_row ? a : w.c<u64>(i);
        const Rounding rounding(i->aux);
        const bool ftz = (i->aux & flush_denormals) != 0;
        for (u32 l = 0; l < lanes; ++l) {
            u64 result = 0;
            for (u32 shift : {0u, 32u}) {
                const auto load = [&](const Row<u64>& row) {
                    const float x = std::bit_cast<float>(static_cast<u32>(row.get(l) >> shift));
                    return ftz ? flush(x) : x;
                };
                const float r = finish(F{}(load(a), load(b), load(c)), i->aux);
                result |= u64{std::bit_cast<u32>(r)} << shift;
            }
            d.set(l, result);
        }
        return i + 1;
    };
    return {form, shape, body, body};
}

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, u32, u64>;
template <class T>
constexpr Bits<T> sign_bit = Bits<T>{1} << (8 * sizeof(T) - 1);

// min and max drop a NaN if the other operand is a number, and order -0 below +0.
template <class T>
T minimum(T a, T b) {
    const auto equal = std::bit_cast<T>(std::bit_cast<Bits<T>>(a) | std::bit_cast<Bits<T>>(b));
    return a < b || b != b ? a : (b < a || a != a ? b : equal);
}
template <class T>
T maximum(T a, T b) {
    const auto equal = std::bit_cast<T>(std::bit_cast<Bits<T>>(a) & std::bit_cast<Bits<T>>(b));
    return a > b || b != b ? a : (b > a || a != a ? b : equal);
}

/// If several operands are NaN, it depends on the host's fma which one it returns. An H200 returns
/// b's, so the f64 form looks for NaNs first.
inline float fused(float a, float b, float c) { return std::fma(a, b, c); }
inline double fused(double a, double b, double c) {
    constexpr double quiet = 0;  // x + 0 keeps the payload of a NaN and makes it quiet
    if (b != b) return b + quiet;
    if (a != a) return a + quiet;
    return std::fma(a, b, c);
}

/// div.approx: for |b| in (2^126, 2^128) the result is 0, or NaN if a is infinite, as PTX defines
/// it.
float divide_approx(float a, float b) {
    const float size = std::fabs(b);
    if (size > 0x1p126f && size <= std::numeric_limits<float>::max())
        return std::isinf(a) ? std::numeric_limits<float>::quiet_NaN()
                             : std::copysign(0.0f, a) * std::copysign(1.0f, b);
    return a / b;
}

/// rcp.approx.ftz.f64 works on the upper 32 bits only; code refines the result.
double reciprocal_upper(double a) {
    a = flush(std::bit_cast<double>(std::bit_cast<u64>(a) & 0xFFFFFFFF00000000));
    return std::bit_cast<double>(std::bit_cast<u64>(flush(1.0 / a)) & 0xFFFFFFFF00000000);
}

/// Computes in double, which has 29 bits more than float, and rounds the result once.
template <class F>
float via_double(float a, F f) {
    return static_cast<float>(f(static_cast<double>(a)));
}

enum class Test { finite, infinite, number, notanumber, normal, subnormal };
template <class T, Test test>
const Ins* classify(Warp& w, const Ins* i) {
    const auto a = w.a<T>(i);
    u32 result = 0;
    for (u32 l = 0; l < lanes; ++l) {
        const T x = a.get(l);
        bool is = false;
        switch (test) {
            case Test::finite: is = std::isfinite(x); break;
            case Test::infinite: is = std::isinf(x); break;
            case Test::number: is = !std::isnan(x); break;
            case Test::notanumber: is = std::isnan(x); break;
            case Test::normal: is = std::isnormal(x) || x == 0; break;  // zeros, too
            case Test::subnormal: is = std::fpclassify(x) == FP_SUBNORMAL; break;
        }
        result |= u32{is} << l;
    }
    w.set_predicate(i->d, result);
    return i + 1;
}

#define CUGRADE_FLOAT(T, name, w)                                                                \
    two<T>("add." name, [](T a, T b) { return a + b; }),                                         \
        two<T>("sub." name, [](T a, T b) { return a - b; }),                                     \
        two<T>("mul." name, [](T a, T b) { return a * b; }),                                     \
        two<T>("div." name, [](T a, T b) { return a / b; }),                                     \
        two<T>("min." name, [](T a, T b) { return minimum(a, b); }),                             \
        two<T>("max." name, [](T a, T b) { return maximum(a, b); }),                             \
        three<T>("fma." name, [](T a, T b, T c) { return fused(a, b, c); }),                     \
        three<T>("mad." name, [](T a, T b, T c) { return fused(a, b, c); }),                     \
        one<T>("sqrt." name, [](T a) { return std::sqrt(a); }),                                  \
        one<T>("rcp." name, [](T a) { return T{1} / a; }),                                       \
        one<T>("abs." name,                                                                      \
               [](T a) {                                                                         \
                   return std::bit_cast<T>(                                                      \
                       static_cast<Bits<T>>(std::bit_cast<Bits<T>>(a) & ~sign_bit<T>));          \
               }),                                                                               \
        one<T>("neg." name,                                                                      \
               [](T a) {                                                                         \
                   return std::bit_cast<T>(                                                      \
                       static_cast<Bits<T>>(std::bit_cast<Bits<T>>(a) ^ sign_bit<T>));           \
               }),                                                                               \
        OpRow{"copysign." name, w w w,                                                           \
              binary<Bits<T>, Bits<T>, Bits<T>>(                                                 \
                  [](Bits<T> a, Bits<T> b) { return (a & sign_bit<T>) | (b & ~sign_bit<T>); })}, \
        OpRow{"testp.finite." name, "P" w, classify<T, Test::finite>},                           \
        OpRow{"testp.infinite." name, "P" w, classify<T, Test::infinite>},                       \
        OpRow{"testp.number." name, "P" w, classify<T, Test::number>},                           \
        OpRow{"testp.notanumber." name, "P" w, classify<T, Test::notanumber>},                   \
        OpRow{"testp.normal." name, "P" w, classify<T, Test::normal>}, OpRow {                   \
        "testp.subnormal." name, "P" w, classify<T, Test::subnormal>                             \
    }

const OpRow table[] = {
    CUGRADE_FLOAT(float, "f32", "4"),
    CUGRADE_FLOAT(double, "f64", "8"),
    of_three("min3.f32", [](float a, float b) { return minimum(a, b); }),
    of_three("max3.f32", [](float a, float b) { return maximum(a, b); }),
    pairwise("add.f32x2", "888", [](float a, float b, float) { return a + b; }),
    pairwise("sub.f32x2", "888", [](float a, float b, float) { return a - b; }),
    pairwise("mul.f32x2", "888", [](float a, float b, float) { return a * b; }),
    pairwise("fma.f32x2", "8888", [](float a, float b, float c) { return std::fma(a, b, c); }),
    two<float>("div.full.f32", [](float a, float b) { return a / b; }),
    two<float>("div.approx.f32", [](float a, float b) { return divide_approx(a, b); }),
    one<float>("rcp.approx.f32", [](float a) { return 1.0f / a; }),
    one<float>("sqrt.approx.f32", [](float a) { return std::sqrt(a); }),
    one<float>("rsqrt.approx.f32",
               [](float a) { return via_double(a, [](double x) { return 1.0 / std::sqrt(x); }); }),
    one<float>("sin.approx.f32",
               [](float a) { return via_double(a, [](double x) { return std::sin(x); }); }),
    one<float>("cos.approx.f32",
               [](float a) { return via_double(a, [](double x) { return std::cos(x); }); }),
    one<float>("ex2.approx.f32",
               [](float a) { return via_double(a, [](double x) { return std::exp2(x); }); }),
    one<float>("lg2.approx.f32",
               [](float a) { return via_double(a, [](double x) { return std::log2(x); }); }),
    one<float>("tanh.approx.f32",
               [](float a) { return via_double(a, [](double x) { return std::tanh(x); }); }),
    one<double>("rcp.approx.f64", [](double a) { return reciprocal_upper(a); }),
    one<double>("rsqrt.approx.f64", [](double a) { return 1.0 / std::sqrt(a); }),
};

// 16-bit floats compute in float. It has more than twice their bits, so rounding the results of
// + - * a second time is still correct. fma goes through a sum rounded to odd.
struct Half {
    static constexpr u16 infinity = 0x7C00;
    static float load(u16 bits) { return half_to_float(bits); }
    static u16 store(double x) { return float_to_half(x); }
    static u16 flushed(u16 bits) { return (bits & 0x7C00) == 0 ? bits & 0x8000 : bits; }
};
struct Bfloat {
    static constexpr u16 infinity = 0x7F80;
    static float load(u16 bits) { return bfloat_to_float(bits); }
    static u16 store(double x) { return float_to_bfloat(x); }
    static u16 flushed(u16 bits) { return bits; }
};

template <class Format>
u16 finish_half(double x, u32 flags) {
    if ((flags & saturate) != 0) x = x > 0 ? (x < 1 ? x : 1) : 0;
    if ((flags & relu) != 0) x = x > 0 || x != x ? x : 0;
    const u16 bits = Format::store(x);
    return (flags & flush_denormals) != 0 ? Format::flushed(bits) : bits;
}

/// One or two 16-bit floats in a 32-bit lane; the second only in the x2 forms.
template <class Format, u32 elements, class F>
Handler half_handler(F) {
    return [](Warp& w, const Ins* i) -> const Ins* {
        const auto d = w.dst<u32>(i);
        const auto a = w.a<u32>(i);
        const auto b = i->b == no_row ? a : w.b<u32>(i);
        const auto c = i->c == no_row ? a : w.c<u32>(i);
        const bool ftz = (i->aux & flush_denormals) != 0;
        for (u32 l = 0; l < lanes; ++l) {
            u32 result = 0;
            for (u32 e = 0; e < elements; ++e) {
                const auto load = [&](const Row<u32>& row) {
                    const u16 bits = static_cast<u16>(row.get(l) >> (16 * e));
                    return Format::load(ftz ? Format::flushed(bits) : bits);
                };
                float x = load(a), y = load(b);
                const float z = load(c);
                const bool negative = std::signbit(x) != std::signbit(y);
                if ((i->aux & magnitudes) != 0) x = std::fabs(x), y = std::fabs(y);
                const bool nan = (i->aux & nan_propagates) != 0 && (x != x || y != y);
                const double r = nan ? std::numeric_limits<double>::quiet_NaN()
                                     : static_cast<double>(F{}(x, y, z));
                u16 bits = finish_half<Format>(r, i->aux);
                if ((i->aux & xorsign) != 0 && (bits & 0x7FFF) <= Format::infinity)
                    bits = static_cast<u16>((bits & 0x7FFF) | (negative ? 0x8000 : 0));
                result |= u32{bits} << (16 * e);
            }
            d.set(l, result);
        }
        return i + 1;
    };
}

#define CUGRADE_HALF_ROW(form, shape, Format, n, ...)                                           \
    OpRow {                                                                                     \
        form, shape, half_handler<Format, n>(__VA_ARGS__), half_handler<Format, n>(__VA_ARGS__) \
    }
#define CUGRADE_HALF(Format, n, name)                                                              \
    CUGRADE_HALF_ROW("add." name, "444", Format, n,                                                \
                     [](float a, float b, float) { return a + b; }),                               \
        CUGRADE_HALF_ROW("sub." name, "444", Format, n,                                            \
                         [](float a, float b, float) { return a - b; }),                           \
        CUGRADE_HALF_ROW("mul." name, "444", Format, n,                                            \
                         [](float a, float b, float) { return a * b; }),                           \
        CUGRADE_HALF_ROW("min." name, "444", Format, n,                                            \
                         [](float a, float b, float) { return minimum(a, b); }),                   \
        CUGRADE_HALF_ROW("max." name, "444", Format, n,                                            \
                         [](float a, float b, float) { return maximum(a, b); }),                   \
        CUGRADE_HALF_ROW("fma." name, "4444", Format, n,                                           \
                         [](float a, float b, float c) { return fused_to_odd(a, b, c); }),         \
        CUGRADE_HALF_ROW("ex2.approx." name, "44", Format, n,                                      \
                         [](float a, float, float) { return std::exp2(static_cast<double>(a)); }), \
        CUGRADE_HALF_ROW("tanh.approx." name, "44", Format, n,                                     \
                         [](float a, float, float) { return std::tanh(static_cast<double>(a)); })
#define CUGRADE_HALF_SIGN(name, mask)                                               \
    OpRow{"abs." name, "44", unary<u32, u32>([](u32 a) { return a & ~u32{mask}; }), \
          unary<u32, u32>([](u32 a) { return a & ~u32{mask}; })},                   \
        OpRow {                                                                     \
        "neg." name, "44", unary<u32, u32>([](u32 a) { return a ^ u32 { mask }; }), \
            unary<u32, u32>([](u32 a) { return a ^ u32 { mask }; })                 \
    }

const OpRow half_table[] = {
    CUGRADE_HALF(Half, 1, "f16"),      CUGRADE_HALF(Half, 2, "f16x2"),
    CUGRADE_HALF(Bfloat, 1, "bf16"),   CUGRADE_HALF(Bfloat, 2, "bf16x2"),
    CUGRADE_HALF_SIGN("f16", 0x8000),  CUGRADE_HALF_SIGN("f16x2", 0x80008000),
    CUGRADE_HALF_SIGN("bf16", 0x8000), CUGRADE_HALF_SIGN("bf16x2", 0x80008000),
};

}  // namespace

std::span<const OpRow> float_rows() { return table; }
std::span<const OpRow> half_rows() { return half_table; }

}  // namespace cugrade::emulator
