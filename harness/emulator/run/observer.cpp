#include "emulator/state/observer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/decode/opcodes.hpp"
#include "emulator/ops/lane_loops.hpp"

namespace cugrade::emulator {

using ptx::Space;

namespace {

Scope scope_of(const ptx::Instruction& i) {
    if (i.has("cta") && !is_barrier(opcode_of(i))) return Scope::block;
    return i.has("sys") ? Scope::system : Scope::device;
}

Access access_of(const ptx::Instruction& i, const Ins& ins) {
    Access a;
    a.space = static_cast<Space>(ins.space);
    a.scope = scope_of(i);
    const Opcode& opcode = opcode_of(i);
    const bool is_atomic = emulator::is_atomic(opcode);
    a.kind = is_atomic                            ? Access::Kind::atomic
             : opcode.memory == MemoryUse::stores ? Access::Kind::store
                                                  : Access::Kind::load;
    a.acquires = i.has("acquire") || i.has("acq_rel");
    a.releases = i.has("release") || i.has("acq_rel");
    a.is_volatile = i.has("volatile");
    a.strong =
        is_atomic || a.acquires || a.releases || a.is_volatile || i.has("relaxed") || i.has("mmio");
    if (is_atomic) {
        a.taking = i.has("cas")    ? Access::Taking::cas
                   : i.has("exch") ? Access::Taking::exch
                                   : Access::Taking::no;
        // The type is the last modifier. Its name ends with its bits (b32), in pairs then x2
        // (f16x2).
        const std::string_view type = i.modifiers[i.modifier_count - 1u];
        a.bytes = type.ends_with("x2")    ? 4u
                  : type.ends_with("64")  ? 8u
                  : type.ends_with("16")  ? 2u
                  : type.ends_with("128") ? 16u
                                          : 4u;
        for (const std::string_view vector : {"v2", "v4", "v8"})
            if (i.has(vector)) a.elements = static_cast<u32>(vector[1] - '0');
        a.bytes *= a.elements;
    } else {
        // `aux` is a number of elements only in loads and stores with a row of addresses.
        const bool is_vector = ins.touch == Touch::rows4 || ins.touch == Touch::rows8;
        a.bytes = (is_vector ? std::max<u32>(1, ins.aux) : 1u) * ins.bytes;
    }
    // Observers rely on this limit for the sizes of their arrays.
    if (a.bytes > max_access_bytes)
        throw HarnessFault(fmt::format("an access of {} bytes by one lane: `{}`", a.bytes, i.text));
    return a;
}

constexpr u64 window_bytes = u64{1} << 32;

void tell_one(Observer& observer, const Warp& w, const Ins* i, Access& a) {
    a.pattern = pattern_of(a);
    observer.accessed(w, i, a);
}

/// Tells a generic access once per space, each time with the lanes and addresses in that space.
void tell_generic(Observer& observer, const Warp& w, const Ins* i, Access& a) {
    static constexpr std::pair<Space, u64> windows[] = {
        {Space::shared, shared_window}, {Space::local, local_window}, {Space::param, param_window}};
    a.space = Space::global;
    bool any = false;
    for (u32 l = 0; l < lanes; ++l)
        for (const auto& [space, window] : windows) any |= a.address[l] - window < window_bytes;
    if (!any) return tell_one(observer, w, i, a);
    u32 rest = a.mask;
    for (const auto& [space, window] : windows) {
        u32 inside = 0;
        for_lanes(rest, [&, base = window](u32 l) {
            if (a.address[l] - base < window_bytes) inside |= 1u << l;
            return true;
        });
        if (inside == 0) continue;
        Access part = a;
        part.space = space;
        part.mask = inside;
        for_lanes(inside, [&, base = window](u32 l) { return part.address[l] -= base, true; });
        tell_one(observer, w, i, part);
        rest &= ~inside;
    }
    if (rest == 0) return;
    a.mask = rest;
    tell_one(observer, w, i, a);
}

/// cp.async: a load of the bytes that it copies, then a store of all bytes; see op::cp_async.
void tell_async(Observer& observer, const Warp& w, const Ins* i, Access& a) {
    Access from = a;
    from.kind = Access::Kind::load;  // `a` is what the last warp stored
    from.space = Space::global;
    from.mask = 0;
    for_lanes(a.mask, [&](u32 l) {
        const u32 size = i->c == no_row ? i->bytes : std::min<u32>(i->bytes, w.c<u32>(i).get(l));
        if (size != 0) from.mask |= 1u << l;
        from.address[l] =
            w.b<u64>(i).get(l) + static_cast<u64>(static_cast<s64>(static_cast<s32>(i->target)));
        const u64 to = i->aux >> 16 != 0 ? w.a<u32>(i).get(l) : w.a<u64>(i).get(l);
        a.address[l] = to + static_cast<u64>(i->imm);
        return true;
    });
    if (from.mask != 0) tell_one(observer, w, i, from);
    a.kind = Access::Kind::store;
    a.space = Space::shared;
    for_lanes(a.mask, [&](u32 l) {
        if (a.address[l] - shared_window < window_bytes) a.address[l] -= shared_window;
        return true;
    });
    tell_one(observer, w, i, a);
}

/// Copies the addresses into the access. True if all 32 lanes take part and their addresses are
/// consecutive, the most common case, which is found on the way.
template <class A>
bool fill(Access& a, Row<A> row, A offset) {
    const A start = row.get(0) + offset;
    A steps = 0, next = start;
#pragma GCC ivdep
    for (u32 l = 0; l < lanes; ++l) {
        const A at = row.get(l) + offset;
        a.address[l] = at;
        steps |= at ^ next;
        next += a.bytes;
    }
    // 32-bit addresses may wrap.
    return steps == 0 && a.mask == all_lanes && a.address[lanes - 1] >= start;
}

void tell_memory(Observer& observer, const Warp& w, const Ins* i, const Watched& watched,
                 u32 mask) {
    Access& a = *watched.access;
    a.mask = mask;
    bool is_consecutive = false;
    switch (i->touch) {
        case Touch::rows4: is_consecutive = fill(a, w.a<u32>(i), static_cast<u32>(i->imm)); break;
        case Touch::rows8: is_consecutive = fill(a, w.a<u64>(i), static_cast<u64>(i->imm)); break;
        case Touch::fixed: a.address.fill(watched.fixed_address); break;
        case Touch::async: return tell_async(observer, w, i, a);
        case Touch::nothing: return;
    }
    if (static_cast<Space>(i->space) == Space::generic) return tell_generic(observer, w, i, a);
    a.pattern = is_consecutive ? Pattern::consecutive : pattern_of(a);
    observer.accessed(w, i, a);
}

Watched& watched_at(const Warp& w, const Ins* i) { return w.launch->watched[i - w.launch->code]; }

/// The lanes that the instruction runs for.
template <bool guarded>
u32 mask_of(const Warp& w, const Ins* i) {
    u32 mask = w.current.mask;
    if constexpr (guarded) {
        const u32 p = w.predicate(i->guard);
        mask &= i->guard_negated ? ~p : p;
    }
    return mask;
}

void count(Watched& watched, u32 mask) {
    if (!watched.head) return;
    ++watched.tally.warps;
    watched.tally.lanes += static_cast<u64>(std::popcount(mask));
}

template <bool following>
void tell_followed(const Warp& w, const Ins* i, u32 mask) {
    if constexpr (following)
        if (w.followed) w.launch->options->observer->executed(w, i, mask);
}

/// Stands in for an instruction of watched code: for Ins::fast if `converged`, else for Ins::slow.
/// `following`: it asks whether its warp is followed.
template <Watched::What what, bool following, bool guarded, bool converged>
const Ins* watched_instruction(Warp& w, const Ins* i) {
    using What = Watched::What;
    Watched& watched = watched_at(w, i);
    if constexpr (what == What::branch) {
        const u32 mask = w.current.mask;
        count(watched, mask);
        tell_followed<following>(w, i, mask);
        ++watched.tally.events;
        const u32 taken = mask_of<true>(w, i);
        if (taken != 0 && taken != mask) w.launch->options->observer->parted(w, i, mask, taken);
    } else {
        const u32 mask = mask_of<guarded>(w, i);
        count(watched, mask);
        tell_followed<following>(w, i, mask);
        if constexpr (what == What::memory)
            if (mask != 0) tell_memory(*w.launch->options->observer, w, i, watched, mask);
        if constexpr (what == What::constant)
            if (mask != 0) ++watched.tally.events;
        if constexpr (what == What::fence)
            if (mask != 0) w.launch->options->observer->fenced(w, i, mask, watched.scope);
    }
    return converged ? watched.fast(w, i) : watched.slow(w, i);
}

template <Watched::What what, bool following>
void wrap_one(Ins& i) {
    if (i.guard != no_row) {
        i.fast = watched_instruction<what, following, true, true>;
        i.slow = watched_instruction<what, following, true, false>;
    } else {
        i.fast = watched_instruction<what, following, false, true>;
        i.slow = watched_instruction<what, following, false, false>;
    }
}

template <bool following>
void wrap(Ins& i, const Watched& watched) {
    using What = Watched::What;
    switch (watched.what) {
        case What::memory: return wrap_one<What::memory, following>(i);
        case What::constant: return wrap_one<What::constant, following>(i);
        case What::branch: return wrap_one<What::branch, following>(i);
        case What::fence: return wrap_one<What::fence, following>(i);
        case What::nothing:
            // Decoded instructions after the head are not counted, but a followed warp tells them.
            if (watched.head || following) wrap_one<What::nothing, following>(i);
    }
}

}  // namespace

Pattern pattern_of(const Access& a) {
    const u32 first = a.first_lane() % lanes;  // a mask of 0 has first lane 32
    const u64 start = a.address[first];
    u64 steps = 0, same = 0, next = start - u64{first} * a.bytes;
    if (a.mask == all_lanes) {
        for (u32 l = 0; l < lanes; ++l) {
            const u64 distance = a.address[l] - start;
            steps |= distance ^ u64 { l } * a.bytes;
            same |= distance;
        }
        return steps == 0  ? Pattern::consecutive
               : same == 0 ? Pattern::uniform
                           : Pattern::scattered;
    }
    for (u32 l = 0; l < lanes; ++l) {
        const u64 is_on = u64{0} - (a.mask >> l & 1);
        steps |= (a.address[l] ^ next) & is_on;
        same |= (a.address[l] ^ start) & is_on;
        next += a.bytes;
    }
    const u32 run = a.mask >> first;
    if (steps == 0 && (run & (run + 1)) == 0) return Pattern::consecutive;
    return same == 0 ? Pattern::uniform : Pattern::scattered;
}

void tell_store(const Warp& w, const Ins* i, u32 lane, u64 address, u32 bytes) {
    Observer* observer = w.launch->options->observer;
    if (observer == nullptr) return;
    Access a;
    a.kind = Access::Kind::store;
    a.space = Space::generic;
    a.mask = 1u << lane;
    a.bytes = bytes;
    a.code = w.launch->program->index_of(i);
    a.address[lane] = address;
    tell_generic(*observer, w, i, a);
}

WatchedCode watch(const Program& program, const Arena& arena) {
    WatchedCode result;
    result.code = program.code;
    result.watched.resize(program.code.size());
    for (std::size_t n = 0; n < program.code.size(); ++n) {
        Watched& watched = result.watched[n];
        Ins& ins = result.code[n];
        const Origin& origin = program.origins[n];
        const ptx::Instruction& source =
            program.functions[origin.function].source->instructions[origin.instruction];
        watched.fast = ins.fast;
        watched.slow = ins.slow;
        watched.kind = class_of(source);
        watched.head = n == 0 || program.origins[n - 1].function != origin.function ||
                       program.origins[n - 1].instruction != origin.instruction;
        using What = Watched::What;
        const auto space = static_cast<Space>(ins.space);
        if (ins.touch != Touch::nothing) {
            // A vector of atomics is decoded element by element; the first tells the whole access.
            bool is_told = false;
            for (std::size_t k = n; k != 0 && !is_told && !result.watched[k].head; --k)
                is_told = program.code[k - 1].touch != Touch::nothing;
            if (is_told) continue;
            watched.what = space == Space::global || space == Space::shared ||
                                   space == Space::local || space == Space::generic
                               ? What::memory
                               : What::constant;
            watched.access = &result.accesses.emplace_back(access_of(source, ins));
            watched.access->code = static_cast<u32>(n);
            if (ins.touch == Touch::fixed)
                watched.fixed_address = static_cast<u64>(ins.imm) - arena.bias();
        } else if (ins.op == op::bra_if) {
            watched.what = What::branch;
        } else if (watched.kind == InstructionClass::fence && ins.op == op::nop) {
            watched.what = What::fence;
            watched.scope = scope_of(source);
        }
        wrap<false>(ins, watched);
    }
    return result;
}

void follow(const Warp& w) {
    w.block->warps[w.index].followed = true;
    Program& program = *w.launch->program;
    if (program.watched->follows) return;
    program.watched->follows = true;
    // While the launch runs, Program::code is the wrapped code.
    for (std::size_t n = 0; n < program.code.size(); ++n)
        wrap<true>(program.code[n], program.watched->watched[n]);
}

void Observers::launch_started(const Launch& l) {
    for (Observer* o : all_) o->launch_started(l);
}
void Observers::launch_ended(const Launch& l) {
    for (Observer* o : all_) o->launch_ended(l);
}
void Observers::block_started(const Block& b) {
    for (Observer* o : all_) o->block_started(b);
}
void Observers::block_ended(const Block& b) {
    for (Observer* o : all_) o->block_ended(b);
}
void Observers::accessed(const Warp& w, const Ins* i, const Access& a) {
    for (Observer* o : all_) o->accessed(w, i, a);
}
void Observers::parted(const Warp& w, const Ins* i, u32 mask, u32 taken) {
    for (Observer* o : all_) o->parted(w, i, mask, taken);
}
void Observers::fenced(const Warp& w, const Ins* i, u32 mask, Scope s) {
    for (Observer* o : all_) o->fenced(w, i, mask, s);
}
void Observers::arrived(const Warp& w, const Ins* i, u32 mask, u32 barrier) {
    for (Observer* o : all_) o->arrived(w, i, mask, barrier);
}
void Observers::released(const Block& b, u32 barrier) {
    for (Observer* o : all_) o->released(b, barrier);
}
void Observers::yielded(const Warp& w, const Ins* i, u32 mask) {
    for (Observer* o : all_) o->yielded(w, i, mask);
}
void Observers::warp_synchronised(const Warp& w, const Ins* i, u32 mask) {
    for (Observer* o : all_) o->warp_synchronised(w, i, mask);
}
void Observers::ended(const Warp& w, const Ins* i, u32 mask) {
    for (Observer* o : all_) o->ended(w, i, mask);
}
void Observers::exchanged(const Warp& w, const Ins* i, u32 group, u32 members) {
    for (Observer* o : all_) o->exchanged(w, i, group, members);
}
void Observers::asked_in_vain(const Warp& w, const Ins* i, u32 mask,
                              const ShuffleSources& sources) {
    for (Observer* o : all_) o->asked_in_vain(w, i, mask, sources);
}
void Observers::executed(const Warp& w, const Ins* i, u32 mask) {
    for (Observer* o : all_) o->executed(w, i, mask);
}
void Observers::passed(const Warp& w, const std::byte* to, const Area& to_area,
                       const std::byte* from, const Area& from_area) {
    for (Observer* o : all_) o->passed(w, to, to_area, from, from_area);
}
void Observers::cleared(const Warp& w, const std::byte* frame, const std::vector<Operand>& rows) {
    for (Observer* o : all_) o->cleared(w, frame, rows);
}
void Observers::copied(u64 to, u64 from, u64 bytes) {
    for (Observer* o : all_) o->copied(to, from, bytes);
}
void Observers::filled(u64 to, u64 bytes) {
    for (Observer* o : all_) o->filled(to, bytes);
}
void Observers::consumed(const Warp& w, const Ins* i, u32 lane, u64 address, u32 bytes) {
    for (Observer* o : all_) o->consumed(w, i, lane, address, bytes);
}

}  // namespace cugrade::emulator
