// atom and red: one lane after the other reads, computes and writes, so lanes at one address take
// effect in lane order and a run repeats to the bit.
#include <algorithm>
#include <cmath>
#include <limits>

#include "emulator/ops/access.hpp"
#include "emulator/ops/half.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Space;

// f(old, b, c) is the new value.
struct Add {
    template <class T>
    static T f(T o, T b, T) {
        return static_cast<T>(o + b);
    }
};
struct Min {
    template <class T>
    static T f(T o, T b, T) {
        return std::min(o, b);
    }
};
struct Max {
    template <class T>
    static T f(T o, T b, T) {
        return std::max(o, b);
    }
};
struct And {
    template <class T>
    static T f(T o, T b, T) {
        return o & b;
    }
};
struct Or {
    template <class T>
    static T f(T o, T b, T) {
        return o | b;
    }
};
struct Xor {
    template <class T>
    static T f(T o, T b, T) {
        return o ^ b;
    }
};
struct Exch {
    template <class T>
    static T f(T, T b, T) {
        return b;
    }
};
struct Cas {
    template <class T>
    static T f(T o, T b, T c) {
        return o == b ? c : o;
    }
};
struct Inc {
    template <class T>
    static T f(T o, T b, T) {
        return o >= b ? T{0} : o + 1;
    }
};
struct Dec {
    template <class T>
    static T f(T o, T b, T) {
        return o == 0 || o > b ? b : o - 1;
    }
};
/// Sums of floats: NaN is one pattern, as in `add`. Global memory flushes subnormals, shared memory
/// does not.
struct AddFloat {
    static float f(float o, float b, float) {
        const float sum = o + b;
        return sum != sum ? std::bit_cast<float>(0x7FFFFFFFu) : sum;
    }
};
struct AddFlushed {
    static float flush(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }
    static float f(float o, float b, float) { return flush(AddFloat::f(flush(o), flush(b), 0)); }
};
// A NaN gives way to a number, and -0 is below +0, as in `min` and `max`.
template <class Format>
struct MinSmall {
    static u16 f(u16 o, u16 b, u16) {
        const float x = Format::load(o), y = Format::load(b);
        if (x != x || y != y) return x == x ? o : y == y ? b : u16{0x7FFF};
        return x < y || (x == y && (o & 0x8000) != 0) ? o : b;
    }
};
template <class Format>
struct MaxSmall {
    static u16 f(u16 o, u16 b, u16) {
        const float x = Format::load(o), y = Format::load(b);
        if (x != x || y != y) return x == x ? o : y == y ? b : u16{0x7FFF};
        return x > y || (x == y && (o & 0x8000) == 0) ? o : b;
    }
};
struct HalfFormat {
    static float load(u16 bits) { return half_to_float(bits); }
};
struct BfloatFormat {
    static float load(u16 bits) { return bfloat_to_float(bits); }
};
struct AddHalf {
    static u16 f(u16 o, u16 b, u16) { return float_to_half(half_to_float(o) + half_to_float(b)); }
};
struct AddBfloat {
    static u16 f(u16 o, u16 b, u16) {
        return float_to_bfloat(bfloat_to_float(o) + bfloat_to_float(b));
    }
};
template <class One>
struct Pair {
    static u32 f(u32 o, u32 b, u32) {
        return One::f(static_cast<u16>(o), static_cast<u16>(b), 0) |
               u32{One::f(static_cast<u16>(o >> 16), static_cast<u16>(b >> 16), 0)} << 16;
    }
};

/// A 128-bit value in two rows of 64 bits.
struct Wide {
    std::array<u64, 2> half;
    bool operator==(const Wide&) const = default;
};
Wide wide_at(const std::byte* row, u32 lane) {
    Row<u64> low{const_cast<std::byte*>(row)};
    Row<u64> high{low.p + lanes * 8};
    return {{low.get(lane), high.get(lane)}};
}

/// exch or, if `swaps_if_equal`, cas of 128 bits.
template <class A, bool swaps_if_equal>
const Ins* atom_wide(Warp& w, const Ins* i) {
    const auto at = addresses<A>(w, i);
    Launch& launch = *w.launch;
    ++launch.sync_operations;
    u32 changed = 0;
    const bool ok = for_lanes(w.current.mask, [&](u32 l) {
        std::byte* p = translate(w, i, static_cast<Space>(i->space), l, at.at(l), 16, true);
        if (p == nullptr) return false;
        Wide old;
        std::memcpy(&old, p, 16);
        Wide next = wide_at(w.bases[i->kb] + i->b, l);
        if (swaps_if_equal) next = old == next ? wide_at(w.bases[i->kc] + i->c, l) : old;
        changed |= old == next ? 0u : 1u;
        std::memcpy(p, &next, 16);
        if (i->d != no_row) {
            Row<u64> low = w.dst<u64>(i);
            low.set(l, old.half[0]);
            Row<u64>{low.p + lanes * 8}.set(l, old.half[1]);
        }
        return true;
    });
    launch.changes += changed;
    if (launch.track_changes) launch.tracked_changes += changed;
    return ok ? i + 1 : stop;
}

template <class Op, class T, class A, bool shared>
const Ins* atom(Warp& w, const Ins* i) {
    const auto at = addresses<A>(w, i);
    const auto b = i->b == no_row ? w.a<T>(i) : w.b<T>(i);
    const auto c = i->c == no_row ? b : w.c<T>(i);
    Launch& launch = *w.launch;
    // A thread that does not read the result cannot wait for it: the atomic counts as a store.
    const bool has_result = i->d != no_row;
    launch.sync_operations += has_result ? 1 : 0;
    const u64 polled = has_result ? polled_address(w, at) : no_address;
    u32 changed = 0;
    const auto one = [&](u32 l, std::byte* p) {
        T old;
        std::memcpy(&old, p, sizeof(T));
        T next;
        if constexpr (std::is_same_v<Op, AddFloat> && !shared) {
            // A generic address may lie in shared memory.
            const bool is_shared = i->space == static_cast<u8>(Space::generic) &&
                                   at.at(l) - shared_window < (u64{1} << 32);
            next = is_shared ? AddFloat::f(old, b.get(l), 0) : AddFlushed::f(old, b.get(l), 0);
        } else {
            next = Op::f(old, b.get(l), c.get(l));
        }
        std::memcpy(p, &next, sizeof(T));
        changed |= std::memcmp(&old, &next, sizeof(T)) != 0 ? 1u : 0u;
        if (has_result) w.dst<T>(i).set(l, old);
    };
    const auto count = [&] {
        launch.changes += has_result ? changed : 1;
        if (launch.track_changes) launch.tracked_changes += changed;
        if (polled != no_address && changed == 0) note_poll(w, i, polled, sizeof(T));
    };
    if (w.current.mask == all_lanes) {
        const Region region = region_for<shared>(w, i, at.at(0));
        if (all_inside(at, region.lo, region.size, sizeof(T))) {
            for (u32 l = 0; l < lanes; ++l) one(l, region.host(at.at(l)));
            if (region.written != nullptr) [[unlikely]]
                for (u32 l = 0; l < lanes; ++l)
                    touched_piece(region.written, (at.at(l) - region.lo) / written_piece) = 1;
            count();
            return i + 1;
        }
    }
    const bool ok = for_lanes(w.current.mask, [&](u32 l) {
        std::byte* p = translate(w, i, static_cast<Space>(i->space), l, at.at(l), sizeof(T), true);
        if (p != nullptr) one(l, p);
        return p != nullptr;
    });
    count();
    return ok ? i + 1 : stop;
}

template <class Op, class T>
Handler pick(bool shared, int address_bytes) {
    if (address_bytes == 8) return shared ? atom<Op, T, u64, true> : atom<Op, T, u64, false>;
    return shared ? atom<Op, T, u32, true> : atom<Op, T, u32, false>;
}

struct Form {
    std::string_view name;
    ptx::Type type;
    Handler (*pick)(bool, int);
};

const Form forms[] = {
    {"add", ptx::Type::u32, pick<Add, u32>},
    {"add", ptx::Type::s32, pick<Add, u32>},
    {"add", ptx::Type::u64, pick<Add, u64>},
    {"add", ptx::Type::s64, pick<Add, u64>},
    {"add", ptx::Type::f32, pick<AddFloat, float>},
    {"add", ptx::Type::f64, pick<Add, double>},
    {"add", ptx::Type::f16, pick<AddHalf, u16>},
    {"add", ptx::Type::bf16, pick<AddBfloat, u16>},
    {"add", ptx::Type::f16x2, pick<Pair<AddHalf>, u32>},
    {"add", ptx::Type::bf16x2, pick<Pair<AddBfloat>, u32>},
    {"min", ptx::Type::f16, pick<MinSmall<HalfFormat>, u16>},
    {"min", ptx::Type::bf16, pick<MinSmall<BfloatFormat>, u16>},
    {"min", ptx::Type::f16x2, pick<Pair<MinSmall<HalfFormat>>, u32>},
    {"min", ptx::Type::bf16x2, pick<Pair<MinSmall<BfloatFormat>>, u32>},
    {"max", ptx::Type::f16, pick<MaxSmall<HalfFormat>, u16>},
    {"max", ptx::Type::bf16, pick<MaxSmall<BfloatFormat>, u16>},
    {"max", ptx::Type::f16x2, pick<Pair<MaxSmall<HalfFormat>>, u32>},
    {"max", ptx::Type::bf16x2, pick<Pair<MaxSmall<BfloatFormat>>, u32>},
    {"min", ptx::Type::u32, pick<Min, u32>},
    {"min", ptx::Type::s32, pick<Min, s32>},
    {"min", ptx::Type::u64, pick<Min, u64>},
    {"min", ptx::Type::s64, pick<Min, s64>},
    {"max", ptx::Type::u32, pick<Max, u32>},
    {"max", ptx::Type::s32, pick<Max, s32>},
    {"max", ptx::Type::u64, pick<Max, u64>},
    {"max", ptx::Type::s64, pick<Max, s64>},
    {"and", ptx::Type::b32, pick<And, u32>},
    {"and", ptx::Type::b64, pick<And, u64>},
    {"or", ptx::Type::b32, pick<Or, u32>},
    {"or", ptx::Type::b64, pick<Or, u64>},
    {"xor", ptx::Type::b32, pick<Xor, u32>},
    {"xor", ptx::Type::b64, pick<Xor, u64>},
    {"exch", ptx::Type::b32, pick<Exch, u32>},
    {"exch", ptx::Type::b64, pick<Exch, u64>},
    {"cas", ptx::Type::b16, pick<Cas, u16>},
    {"cas", ptx::Type::b32, pick<Cas, u32>},
    {"cas", ptx::Type::b64, pick<Cas, u64>},
    {"inc", ptx::Type::u32, pick<Inc, u32>},
    {"dec", ptx::Type::u32, pick<Dec, u32>},
};

}  // namespace

Handler atomic_handler(std::string_view operation, ptx::Type type, bool shared, int address_bytes) {
    if (type == ptx::Type::b128) {
        if (operation == "exch")
            return address_bytes == 8 ? atom_wide<u64, false> : atom_wide<u32, false>;
        if (operation == "cas")
            return address_bytes == 8 ? atom_wide<u64, true> : atom_wide<u32, true>;
        return nullptr;
    }
    for (const Form& form : forms)
        if (form.name == operation && form.type == type) return form.pick(shared, address_bytes);
    return nullptr;
}

}  // namespace cugrade::emulator
