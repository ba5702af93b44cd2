// Loops over the 32 lanes of rows, made from a function of one lane. They compute inactive lanes,
// too, so that they vectorise; wrappers put back the values of inactive lanes (see Ins).
#pragma once

#include "emulator/ops/table.hpp"
#include "emulator/state/words.hpp"

namespace cugrade::emulator {

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
