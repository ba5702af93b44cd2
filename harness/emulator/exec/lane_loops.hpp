// Loops over the 32 lanes of rows, made from a function of one lane. All lanes are computed, the
// inactive ones too: wrappers put back what those had (see Ins), and the loops vectorise.
#pragma once

#include "emulator/exec/table.hpp"

namespace cugrade::emulator {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

template <class D, class A, class F>
Handler unary(F) {
    return [](Warp& w, const Ins* i) -> const Ins* {
        const auto d = w.dst<D>(i);
        const auto a = w.a<A>(i);
#pragma GCC ivdep
        for (u32 l = 0; l < lanes; ++l) d.set(l, F{}(a.get(l)));
        return i + 1;
    };
}

template <class D, class A, class B, class F>
Handler binary(F) {
    return [](Warp& w, const Ins* i) -> const Ins* {
        const auto d = w.dst<D>(i);
        const auto a = w.a<A>(i);
        const auto b = w.b<B>(i);
#pragma GCC ivdep
        for (u32 l = 0; l < lanes; ++l) d.set(l, F{}(a.get(l), b.get(l)));
        return i + 1;
    };
}

template <class D, class A, class B, class C, class F>
Handler ternary(F) {
    return [](Warp& w, const Ins* i) -> const Ins* {
        const auto d = w.dst<D>(i);
        const auto a = w.a<A>(i);
        const auto b = w.b<B>(i);
        const auto c = w.c<C>(i);
#pragma GCC ivdep
        for (u32 l = 0; l < lanes; ++l) d.set(l, F{}(a.get(l), b.get(l), c.get(l)));
        return i + 1;
    };
}

}  // namespace cugrade::emulator
