// ld and st for all spaces and vectors, the parameters of calls, and cp.async.
#include <fmt/format.h>

#include "emulator/ops/access.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Space;

template <class T>
T read(const std::byte* p) {
    T value;
    std::memcpy(&value, p, sizeof(T));
    return value;
}

/// Rows of a vector's elements; a single element is Ins::d.
struct Elements {
    std::array<std::byte*, 8> row{};
};
Elements destination(const Warp& w, const Ins* i, u32 count) {
    Elements e;
    const auto& lists = w.launch->program->lists;
    for (u32 n = 0; n < count; ++n) {
        const Operand& o = lists[i->target + n];
        e.row[n] = o.offset == no_row ? nullptr : w.bases[o.base] + o.offset;
    }
    return e;
}

/// T is the type in memory. It is extended to D, the type of a lane of the register.
template <class T, class D, class A, bool shared>
const Ins* load(Warp& w, const Ins* i) {
    const auto at = addresses<A>(w, i);
    const auto d = w.dst<D>(i);
    if (i->sync != 0) [[unlikely]]
        note_sync(w, i, at, sizeof(T));
    if (w.current.mask == all_lanes) [[likely]] {
        const Region region = region_for<shared>(w, i, at.at(0));
        const u64 first = at.at(0) - region.lo, size = region.size;
        if (size >= lanes * sizeof(T) && first <= size - lanes * sizeof(T) &&
            (first & (sizeof(T) - 1)) == 0 && consecutive(at, sizeof(T))) {
            const std::byte* from = region.host(at.at(0));
#pragma GCC ivdep
            for (u32 l = 0; l < lanes; ++l) d.set(l, static_cast<D>(read<T>(from + l * sizeof(T))));
            return i + 1;
        }
        if (uniform(at)) {
            if (first < size && size - first >= sizeof(T) && (first & (sizeof(T) - 1)) == 0) {
                const D value = static_cast<D>(read<T>(region.host(at.at(0))));
                for (u32 l = 0; l < lanes; ++l) d.set(l, value);
                return i + 1;
            }
        } else if (all_inside(at, region.lo, size, sizeof(T))) {
            // The destination may be the row of addresses: a lane is read before it is written.
            for (u32 l = 0; l < lanes; ++l)
                d.set(l, static_cast<D>(read<T>(region.host(at.at(l)))));
            return i + 1;
        }
    }
    const bool ok = for_lanes(w.current.mask, [&](u32 l) {
        const std::byte* p =
            translate(w, i, static_cast<Space>(i->space), l, at.at(l), sizeof(T), false);
        if (p != nullptr) d.set(l, static_cast<D>(read<T>(p)));
        return p != nullptr;
    });
    return ok ? i + 1 : stop;
}

/// v2, v4, v8: one checked access of all elements per lane.
template <class T, class D, class A, bool shared>
const Ins* load_vector(Warp& w, const Ins* i) {
    const auto at = addresses<A>(w, i);
    const u32 count = i->aux;
    const Elements to = destination(w, i, count);
    const u64 bytes = sizeof(T) * count;
    if (i->sync != 0) [[unlikely]]
        note_sync(w, i, at, static_cast<u32>(bytes));
    // Read all addresses first, because an element's row may be the row of addresses.
    std::array<const std::byte*, lanes> from;
    bool checked = false;
    if (w.current.mask == all_lanes) {
        const Region region = region_for<shared>(w, i, at.at(0));
        checked = all_inside(at, region.lo, region.size, bytes);
        if (checked)
            for (u32 l = 0; l < lanes; ++l) from[l] = region.host(at.at(l));
    }
    if (!checked && !for_lanes(w.current.mask, [&](u32 l) {
            from[l] = translate(w, i, static_cast<Space>(i->space), l, at.at(l), bytes, false);
            return from[l] != nullptr;
        }))
        return stop;
    for (u32 n = 0; n < count; ++n) {
        if (to.row[n] == nullptr) continue;
        for_lanes(w.current.mask, [&](u32 l) {
            Row<D>{to.row[n]}.set(l, static_cast<D>(read<T>(from[l] + n * sizeof(T))));
            return true;
        });
    }
    return i + 1;
}

/// Loads a constant or global variable at one address for all lanes. Ins::imm is the host address;
/// the decoder checked its bounds when the module was loaded.
template <class T, class D>
const Ins* load_static(Warp& w, const Ins* i) {
    const auto d = w.dst<D>(i);
    const D value = static_cast<D>(read<T>(reinterpret_cast<const std::byte*>(i->imm)));
    if (w.current.mask == all_lanes) {
        for (u32 l = 0; l < lanes; ++l) d.set(l, value);
    } else {
        for_lanes(w.current.mask, [&](u32 l) { return d.set(l, value), true; });
    }
    return i + 1;
}

/// A parameter of a device function or of a call: 32 areas of Ins::bytes each, lane after lane.
template <class T, class D>
const Ins* load_param(Warp& w, const Ins* i) {
    const u32 count = i->aux;
    const Elements to = destination(w, i, count);
    const std::byte* from = w.bases[in_frame] + i->c + i->imm;
    const u64 stride = i->range;
    for_lanes(w.current.mask, [&](u32 l) {
        for (u32 n = 0; n < count; ++n)
            if (to.row[n] != nullptr)
                Row<D>{to.row[n]}.set(l,
                                      static_cast<D>(read<T>(from + l * stride + n * sizeof(T))));
        return true;
    });
    return i + 1;
}

template <class T, class D>
const Ins* store_param(Warp& w, const Ins* i) {
    const u32 count = i->aux;
    std::byte* to = w.bases[in_frame] + i->c + i->imm;
    const u64 stride = i->range;
    const Elements from = destination(w, i, count);
    for_lanes(w.current.mask, [&](u32 l) {
        for (u32 n = 0; n < count; ++n) {
            const T value = static_cast<T>(Row<D>{from.row[n]}.get(l));
            std::memcpy(to + l * stride + n * sizeof(T), &value, sizeof(T));
        }
        return true;
    });
    return i + 1;
}

template <class T>
void write(Launch& launch, std::byte* p, T value) {
    if (launch.track_changes) [[unlikely]]
        if (std::memcmp(p, &value, sizeof(T)) != 0) ++launch.tracked_changes;
    std::memcpy(p, &value, sizeof(T));
}

/// If several lanes write to one word, the highest lane's value stays.
template <class T, class D, class A, bool shared>
const Ins* store(Warp& w, const Ins* i) {
    const auto at = addresses<A>(w, i);
    const auto b = w.b<D>(i);
    Launch& launch = *w.launch;
    ++launch.changes;
    if (w.current.mask == all_lanes && !launch.track_changes) [[likely]] {
        const Region region = region_for<shared>(w, i, at.at(0));
        const u64 first = at.at(0) - region.lo, size = region.size;
        if (size >= lanes * sizeof(T) && first <= size - lanes * sizeof(T) &&
            (first & (sizeof(T) - 1)) == 0 && consecutive(at, sizeof(T))) {
            std::byte* to = region.host(at.at(0));
#pragma GCC ivdep
            for (u32 l = 0; l < lanes; ++l) {
                const T value = static_cast<T>(b.get(l));
                std::memcpy(to + l * sizeof(T), &value, sizeof(T));
            }
            if (region.written != nullptr) [[unlikely]]
                note_written(region.written, first, lanes * sizeof(T));
            return i + 1;
        }
        if (all_inside(at, region.lo, size, sizeof(T))) {
            for (u32 l = 0; l < lanes; ++l) {
                const T value = static_cast<T>(b.get(l));
                std::memcpy(region.host(at.at(l)), &value, sizeof(T));
            }
            if (region.written != nullptr) [[unlikely]]
                for (u32 l = 0; l < lanes; ++l)
                    note_written(region.written, at.at(l) - region.lo, sizeof(T));
            return i + 1;
        }
    }
    const bool ok = for_lanes(w.current.mask, [&](u32 l) {
        std::byte* p = translate(w, i, static_cast<Space>(i->space), l, at.at(l), sizeof(T), true);
        if (p != nullptr) write(launch, p, static_cast<T>(b.get(l)));
        return p != nullptr;
    });
    return ok ? i + 1 : stop;
}

template <class T, class D, class A>
const Ins* store_vector(Warp& w, const Ins* i) {
    const auto at = addresses<A>(w, i);
    const u32 count = i->aux;
    const Elements from = destination(w, i, count);
    Launch& launch = *w.launch;
    ++launch.changes;
    const bool ok = for_lanes(w.current.mask, [&](u32 l) {
        std::byte* p =
            translate(w, i, static_cast<Space>(i->space), l, at.at(l), sizeof(T) * count, true);
        if (p == nullptr) return false;
        for (u32 n = 0; n < count; ++n)
            write(launch, p + n * sizeof(T), static_cast<T>(Row<D>{from.row[n]}.get(l)));
        return true;
    });
    return ok ? i + 1 : stop;
}

/// Chooses the instantiation by address width, space and number of elements.
template <class T, class D>
Handler pick_load(Space space, int address_bytes, int count) {
    const bool shared = space == Space::shared;
    if (address_bytes == 8) {
        if (shared) return count > 1 ? load_vector<T, D, u64, true> : load<T, D, u64, true>;
        return count > 1 ? load_vector<T, D, u64, false> : load<T, D, u64, false>;
    }
    if (shared) return count > 1 ? load_vector<T, D, u32, true> : load<T, D, u32, true>;
    return count > 1 ? load_vector<T, D, u32, false> : load<T, D, u32, false>;
}
template <class T, class D>
Handler pick_store(Space space, int address_bytes, int count) {
    const bool shared = space == Space::shared;
    if (address_bytes == 8) {
        if (count > 1) return store_vector<T, D, u64>;
        return shared ? store<T, D, u64, true> : store<T, D, u64, false>;
    }
    if (count > 1) return store_vector<T, D, u32>;
    return shared ? store<T, D, u32, true> : store<T, D, u32, false>;
}

/// Calls f.operator()<T, D>() for the type and the register's width; nullptr if D cannot hold T.
template <class F>
Handler by_type(ptx::Type type, int row_bytes, F f) {
    using ptx::Type;
    const bool wide = row_bytes == 8;
    switch (type) {
        case Type::b8:
        case Type::u8:
            return wide ? f.template operator()<u8, u64>() : f.template operator()<u8, u32>();
        case Type::s8:
            return wide ? f.template operator()<s8, u64>() : f.template operator()<s8, u32>();
        case Type::b16:
        case Type::u16:
        case Type::f16:
        case Type::bf16:
            return wide ? f.template operator()<u16, u64>() : f.template operator()<u16, u32>();
        case Type::s16:
            return wide ? f.template operator()<s16, u64>() : f.template operator()<s16, u32>();
        case Type::b32:
        case Type::u32:
        case Type::f32:
        case Type::f16x2:
        case Type::bf16x2:
            return wide ? f.template operator()<u32, u64>() : f.template operator()<u32, u32>();
        case Type::s32:
            return wide ? f.template operator()<s32, u64>() : f.template operator()<s32, u32>();
        case Type::b64:
        case Type::u64:
        case Type::s64:
        case Type::f64: return wide ? f.template operator()<u64, u64>() : nullptr;
        default: return nullptr;
    }
}

ptx::Type unsigned_of(int bytes) {
    using ptx::Type;
    return bytes == 1 ? Type::u8 : bytes == 2 ? Type::u16 : bytes == 4 ? Type::u32 : Type::u64;
}

}  // namespace

Handler load_handler(Space space, ptx::Type type, int row_bytes, int address_bytes, int count) {
    return by_type(type, row_bytes, [&]<class T, class D>() {
        return pick_load<T, D>(space, address_bytes, count);
    });
}
Handler store_handler(Space space, int element_bytes, int row_bytes, int address_bytes, int count) {
    return by_type(unsigned_of(element_bytes), row_bytes, [&]<class T, class D>() {
        return pick_store<T, D>(space, address_bytes, count);
    });
}
Handler static_load_handler(ptx::Type type, int row_bytes) {
    return by_type(type, row_bytes,
                   []<class T, class D>() -> Handler { return load_static<T, D>; });
}
Handler param_load_handler(ptx::Type type, int row_bytes) {
    return by_type(type, row_bytes, []<class T, class D>() -> Handler { return load_param<T, D>; });
}
Handler param_store_handler(int element_bytes, int row_bytes) {
    return by_type(unsigned_of(element_bytes), row_bytes,
                   []<class T, class D>() -> Handler { return store_param<T, D>; });
}

/// cp.async copies at once, so any later wait finds it done. a is the shared address (32 bits wide
/// if aux says so) with the offset imm; b is the global address with the offset in `target`. c, if
/// there is one, limits the bytes that are read; the rest of the `bytes` is filled with zeros.
const Ins* op::cp_async(Warp& w, const Ins* i) {
    const bool narrow_address = i->aux >> 16 != 0;
    const u32 bytes = i->bytes;
    ++w.launch->changes;
    const bool ok = for_lanes(w.current.mask, [&](u32 l) {
        const u64 to = narrow_address ? w.a<u32>(i).get(l) : w.a<u64>(i).get(l);
        const u32 size = i->c == no_row ? bytes : std::min(bytes, w.c<u32>(i).get(l));
        std::array<std::byte, 16> buffer{};
        std::byte* target =
            translate(w, i, Space::shared, l, to + static_cast<u64>(i->imm), bytes, true);
        if (target == nullptr) return false;
        if (size != 0) {
            const u64 from =
                w.b<u64>(i).get(l) + static_cast<u64>(s64{static_cast<s32>(i->target)});
            const std::byte* p = translate(w, i, Space::global, l, from, size, false);
            if (p == nullptr) return false;
            std::memcpy(buffer.data(), p, size);  // at most 16: see decode_cp_async
        }
        std::memcpy(target, buffer.data(), bytes);
        return true;
    });
    return ok ? i + 1 : stop;
}

}  // namespace cugrade::emulator
