// setp and set: a comparison of two rows gives a word with a bit per lane; rows of pairs give two.
#include <cmath>

#include "emulator/ops/half.hpp"
#include "emulator/ops/lane_loops.hpp"

namespace cugrade::emulator {
namespace {

/// Comparisons named with a trailing u are also true if an operand is NaN. `num` and `nan` only ask
/// whether an operand is NaN. lo, ls, hi and hs are lt, le, gt and ge of unsigned types.
template <Compare C, class T>
bool holds(T a, T b) {
    if constexpr (C == Compare::eq)
        return a == b;
    else if constexpr (C == Compare::ne)
        return a < b || a > b;  // false on NaN
    else if constexpr (C == Compare::lt)
        return a < b;
    else if constexpr (C == Compare::le)
        return a <= b;
    else if constexpr (C == Compare::gt)
        return a > b;
    else if constexpr (C == Compare::ge)
        return a >= b;
    else if constexpr (C == Compare::equ)
        return !(a < b || a > b);
    else if constexpr (C == Compare::neu)
        return !(a == b);
    else if constexpr (C == Compare::ltu)
        return !(a >= b);
    else if constexpr (C == Compare::leu)
        return !(a > b);
    else if constexpr (C == Compare::gtu)
        return !(a <= b);
    else if constexpr (C == Compare::geu)
        return !(a < b);
    else if constexpr (C == Compare::num)
        return a == a && b == b;
    else
        return a != a || b != b;
}

template <class T>
struct Lane {
    using Stored = T;
    static T load(T value) { return value; }
    static T flushed(T value) {
        if constexpr (std::is_same_v<T, float>)
            return std::fpclassify(value) == FP_SUBNORMAL ? 0.0f : value;
        else
            return value;
    }
};
struct HalfLane {
    using Stored = u16;
    static float load(u16 value) { return half_to_float(value); }
    static float flushed(float value) { return std::fabs(value) < 0x1p-14f ? 0.0f : value; }
};
struct BfloatLane {
    using Stored = u16;
    static float load(u16 value) { return bfloat_to_float(value); }
    static float flushed(float value) { return value; }
};

// Ins::aux of setp and set.
enum : u32 {
    combine_none = 0,
    combine_and = 1,
    combine_or = 2,
    combine_xor = 3,
    combine_mask = 3,
    flush_operands = 4,
    has_second = 32
};

template <Compare C, class L>
u32 compare_rows(Warp& w, const Ins* i) {
    using T = typename L::Stored;
    const auto a = w.a<T>(i);
    const auto b = w.b<T>(i);
    u32 result = 0;
    if ((i->aux & flush_operands) != 0) {
        for (u32 l = 0; l < lanes; ++l)
            result |= u32{holds<C>(L::flushed(L::load(a.get(l))), L::flushed(L::load(b.get(l))))}
                      << l;
        return result;
    }
    for (u32 l = 0; l < lanes; ++l)
        result |= u32{holds<C>(L::load(a.get(l)), L::load(b.get(l)))} << l;
    return result;
}

/// The comparisons of the lower or the upper halves of pairs of 16-bit floats.
template <Compare C, class L>
u32 compare_halves(Warp& w, const Ins* i, u32 shift) {
    const auto a = w.a<u32>(i);
    const auto b = w.b<u32>(i);
    const bool flush = (i->aux & flush_operands) != 0;
    u32 result = 0;
    for (u32 l = 0; l < lanes; ++l) {
        const auto x = L::load(static_cast<u16>(a.get(l) >> shift));
        const auto y = L::load(static_cast<u16>(b.get(l) >> shift));
        result |= u32{flush ? holds<C>(L::flushed(x), L::flushed(y)) : holds<C>(x, y)} << l;
    }
    return result;
}

u32 combined(const Warp& w, const Ins* i, u32 value) {
    const u32 c = i->negated ? ~w.predicate(i->c) : w.predicate(i->c);
    switch (i->aux & combine_mask) {
        case combine_and: return value & c;
        case combine_or: return value | c;
        case combine_xor: return value ^ c;
        default: return value;
    }
}

template <Compare C, class L>
const Ins* setp(Warp& w, const Ins* i) {
    const u32 result = compare_rows<C, L>(w, i);
    if ((i->aux & (combine_mask | has_second)) == 0) {
        w.set_predicate(i->d, result);
        return i + 1;
    }
    // Both are computed before either is written: p or q may be the operand c.
    const u32 first = combined(w, i, result), second = combined(w, i, ~result);
    if (i->d != no_row) w.set_predicate(i->d, first);
    if ((i->aux & has_second) != 0) w.set_predicate(i->target, second);
    return i + 1;
}

/// set: a lane becomes imm (all ones or 1.0) if the comparison holds, else 0.
template <Compare C, class L>
const Ins* set(Warp& w, const Ins* i) {
    const u32 result = combined(w, i, compare_rows<C, L>(w, i));
    const auto yes = static_cast<u32>(i->imm);
    const auto d = w.dst<u32>(i);
    for (u32 l = 0; l < lanes; ++l) d.set(l, (result >> l & 1) != 0 ? yes : 0);
    return i + 1;
}

/// set on pairs of 16-bit floats: each half becomes imm if its comparison holds, else 0.
template <Compare C, class L>
const Ins* set_pair(Warp& w, const Ins* i) {
    const u32 low = combined(w, i, compare_halves<C, L>(w, i, 0));
    const u32 high = combined(w, i, compare_halves<C, L>(w, i, 16));
    const auto d = w.dst<u32>(i);
    const auto yes = static_cast<u32>(i->imm);
    for (u32 l = 0; l < lanes; ++l)
        d.set(l, ((low >> l & 1) != 0 ? yes : 0) | ((high >> l & 1) != 0 ? yes << 16 : 0));
    return i + 1;
}

/// setp p|q on pairs: p of the lower halves, q of the upper ones.
template <Compare C, class L>
const Ins* setp_pair(Warp& w, const Ins* i) {
    const u32 low = combined(w, i, compare_halves<C, L>(w, i, 0));
    const u32 high = combined(w, i, compare_halves<C, L>(w, i, 16));
    if (i->d != no_row) w.set_predicate(i->d, low);
    if ((i->aux & has_second) != 0) w.set_predicate(i->target, high);
    return i + 1;
}

template <class L, bool pair = false>
Handler any_compare(Compare c, bool is_set) {
#define CUGRADE_CASE(C)                                                         \
    case Compare::C:                                                            \
        if constexpr (pair)                                                     \
            return is_set ? set_pair<Compare::C, L> : setp_pair<Compare::C, L>; \
        else                                                                    \
            return is_set ? set<Compare::C, L> : setp<Compare::C, L>;
    switch (c) {
        CUGRADE_CASE(eq)
        CUGRADE_CASE(ne)
        CUGRADE_CASE(lt) CUGRADE_CASE(le) CUGRADE_CASE(gt) CUGRADE_CASE(ge) default : break;
    }
    using T = decltype(L::load({}));
    if constexpr (std::is_floating_point_v<T>) {
        switch (c) {
            CUGRADE_CASE(equ)
            CUGRADE_CASE(neu)
            CUGRADE_CASE(ltu)
            CUGRADE_CASE(leu)
            CUGRADE_CASE(gtu) CUGRADE_CASE(geu) CUGRADE_CASE(num) CUGRADE_CASE(nan) default : break;
        }
    }
#undef CUGRADE_CASE
    return nullptr;
}

}  // namespace

Handler compare_handler(Compare c, ptx::Type type, bool is_set) {
    using ptx::Type;
    switch (type) {
        case Type::b16:
        case Type::u16: return any_compare<Lane<u16>>(c, is_set);
        case Type::s16: return any_compare<Lane<s16>>(c, is_set);
        case Type::b32:
        case Type::u32: return any_compare<Lane<u32>>(c, is_set);
        case Type::s32: return any_compare<Lane<s32>>(c, is_set);
        case Type::b64:
        case Type::u64: return any_compare<Lane<u64>>(c, is_set);
        case Type::s64: return any_compare<Lane<s64>>(c, is_set);
        case Type::f32: return any_compare<Lane<float>>(c, is_set);
        case Type::f64: return any_compare<Lane<double>>(c, is_set);
        case Type::f16: return any_compare<HalfLane>(c, is_set);
        case Type::bf16: return any_compare<BfloatLane>(c, is_set);
        case Type::f16x2: return any_compare<HalfLane, true>(c, is_set);
        case Type::bf16x2: return any_compare<BfloatLane, true>(c, is_set);
        default: return nullptr;
    }
}

}  // namespace cugrade::emulator
