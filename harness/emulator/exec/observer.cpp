#include "emulator/exec/observer.hpp"

#include <algorithm>

#include "emulator/exec/lane_loops.hpp"

namespace cugrade::emulator {

using ptx::Space;

namespace {

bool is_any_of(std::string_view m, std::initializer_list<std::string_view> list) {
    return std::find(list.begin(), list.end(), m) != list.end();
}

InstructionClass class_of(const ptx::Instruction& i) {
    using enum InstructionClass;
    const std::string_view o = i.opcode;
    if (is_any_of(o, {"ld", "ldu", "ldmatrix", "prefetch", "prefetchu"})) return load;
    if (is_any_of(o, {"st", "stmatrix"})) return store;
    if (o == "cp") return load;
    if (is_any_of(o, {"atom", "red"})) return atomic;
    if (is_any_of(o, {"bra", "brx", "call", "ret", "exit", "trap", "brkpt", "nanosleep"}))
        return control;
    if (o == "bar" || o == "barrier") return i.has("warp") ? warp : barrier;
    if (is_any_of(o, {"shfl", "vote", "match", "redux", "elect", "activemask"})) return warp;
    if (is_any_of(o, {"membar", "fence"})) return fence;
    if (is_any_of(o, {"setp", "set", "selp", "slct", "testp"})) return predicate;
    if (o == "cvt") return conversion;
    if (is_any_of(o, {"mov", "cvta", "prmt", "isspacep"})) return move;
    const auto has_type = [&i](std::initializer_list<std::string_view> types) {
        return std::any_of(types.begin(), types.end(), [&i](auto t) { return i.has(t); });
    };
    if (is_any_of(o, {"ex2", "lg2", "rcp", "rsqrt", "sin", "cos", "sqrt", "tanh"}))
        return has_type({"f64"}) && !i.has("approx") ? fp64 : special;
    if (is_any_of(o, {"and", "or", "xor", "not"}) && i.has("pred")) return predicate;
    if (has_type({"f64"})) return fp64;
    if (has_type({"f32", "f32x2"})) return fp32;
    if (has_type({"f16", "f16x2", "bf16", "bf16x2"})) return fp16;
    return integer;
}

Scope scope_of(const ptx::Instruction& i) {
    if (i.has("cta") && i.opcode != "bar" && i.opcode != "barrier") return Scope::block;
    return i.has("sys") ? Scope::system : Scope::device;
}

Access access_of(const ptx::Instruction& i, const Ins& ins) {
    Access a;
    a.space = static_cast<Space>(ins.space);
    a.scope = scope_of(i);
    const bool is_atomic = i.opcode == "atom" || i.opcode == "red";
    a.kind = is_atomic          ? Access::Kind::atomic
             : i.opcode == "st" ? Access::Kind::store
                                : Access::Kind::load;
    a.acquires = i.has("acquire") || i.has("acq_rel");
    a.releases = i.has("release") || i.has("acq_rel");
    a.strong = is_atomic || a.acquires || a.releases || i.has("volatile") || i.has("relaxed") ||
               i.has("mmio");
    if (is_atomic) {
        // The type comes last; of b32, f16x2 and so on the number of bits follows the letters.
        const std::string_view type = i.modifiers[i.modifier_count - 1u];
        a.bytes = type.ends_with("x2")    ? 4u
                  : type.ends_with("64")  ? 8u
                  : type.ends_with("16")  ? 2u
                  : type.ends_with("128") ? 16u
                                          : 4u;
    } else {
        a.bytes = std::max<u32>(1, ins.touch == Touch::fixed ? 1 : ins.aux) * ins.bytes;
    }
    return a;
}

constexpr u64 window_bytes = u64{1} << 32;

/// Tells an access lane group by lane group, so that each has one space and its own addresses.
void tell(Observer& observer, const Warp& w, const Ins* i, Access& a) {
    if (a.space != Space::generic) return observer.accessed(w, i, a);
    const u32 all = a.mask;
    static constexpr std::pair<Space, u64> windows[] = {
        {Space::shared, shared_window}, {Space::local, local_window}, {Space::param, param_window}};
    u32 rest = all;
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
        observer.accessed(w, i, part);
        rest &= ~inside;
    }
    if (rest == 0) return;
    a.space = Space::global;
    a.mask = rest;
    observer.accessed(w, i, a);
}

void tell_memory(Observer& observer, const Warp& w, const Ins* i, const Watched& watched,
                 u32 mask) {
    Access a = watched.access;
    a.mask = mask;
    switch (i->touch) {
        case Touch::rows4:
            for (u32 l = 0; l < lanes; ++l)
                a.address[l] = static_cast<u32>(w.a<u32>(i).get(l) + static_cast<u32>(i->imm));
            break;
        case Touch::rows8:
            for (u32 l = 0; l < lanes; ++l)
                a.address[l] = w.a<u64>(i).get(l) + static_cast<u64>(i->imm);
            break;
        case Touch::fixed: a.address.fill(watched.fixed_address); break;
        case Touch::async: {
            // A load of what is there, then a store of all bytes: see op::cp_async.
            Access from = a;
            from.space = Space::global;
            from.mask = 0;
            for_lanes(mask, [&](u32 l) {
                const u32 size =
                    i->c == no_row ? i->bytes : std::min<u32>(i->bytes, w.c<u32>(i).get(l));
                if (size != 0) from.mask |= 1u << l;
                from.address[l] = w.b<u64>(i).get(l) +
                                  static_cast<u64>(static_cast<s64>(static_cast<s32>(i->target)));
                const u64 to = i->aux >> 16 != 0 ? w.a<u32>(i).get(l) : w.a<u64>(i).get(l);
                a.address[l] = to + static_cast<u64>(i->imm);
                return true;
            });
            if (from.mask != 0) observer.accessed(w, i, from);
            a.kind = Access::Kind::store;
            a.space = Space::shared;
            for_lanes(mask, [&](u32 l) {
                if (a.address[l] - shared_window < window_bytes) a.address[l] -= shared_window;
                return true;
            });
            return observer.accessed(w, i, a);
        }
        case Touch::nothing: return;
    }
    tell(observer, w, i, a);
}

/// Stands in for every instruction of watched code.
const Ins* watched_instruction(Warp& w, const Ins* i) {
    Launch& launch = *w.launch;
    const Watched& watched = launch.watched[launch.program->index_of(i)];
    Observer& observer = *launch.options->observer;
    u32 mask = w.current.mask;
    const bool is_branch = watched.what == Watched::What::branch;
    if (i->guard != no_row && !is_branch) {
        const u32 p = w.predicate(i->guard);
        mask &= i->guard_negated ? ~p : p;
    }
    if (watched.head) observer.executed(w, i, watched.kind, mask);
    switch (watched.what) {
        case Watched::What::memory:
            if (mask != 0) tell_memory(observer, w, i, watched, mask);
            break;
        case Watched::What::branch: {
            const u32 p = w.predicate(i->guard);
            observer.branched(w, i, mask, (i->guard_negated ? ~p : p) & mask);
            break;
        }
        case Watched::What::fence:
            if (mask != 0) observer.fenced(w, i, mask, watched.scope);
            break;
        case Watched::What::nothing: break;
    }
    return w.others.empty() ? watched.plain.fast(w, i) : watched.plain.slow(w, i);
}

}  // namespace

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
        watched.plain = ins;
        watched.kind = class_of(source);
        watched.head = n == 0 || program.origins[n - 1].function != origin.function ||
                       program.origins[n - 1].instruction != origin.instruction;
        if (ins.touch != Touch::nothing) {
            watched.what = Watched::What::memory;
            watched.access = access_of(source, ins);
            if (ins.touch == Touch::fixed)
                watched.fixed_address = static_cast<u64>(ins.imm) - arena.bias();
        } else if (ins.op == op::bra_if) {
            watched.what = Watched::What::branch;
        } else if (watched.kind == InstructionClass::fence && ins.op == op::nop) {
            watched.what = Watched::What::fence;
            watched.scope = scope_of(source);
        }
        ins.fast = ins.slow = watched_instruction;
    }
    return result;
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
void Observers::executed(const Warp& w, const Ins* i, InstructionClass c, u32 mask) {
    for (Observer* o : all_) o->executed(w, i, c, mask);
}
void Observers::accessed(const Warp& w, const Ins* i, const Access& a) {
    for (Observer* o : all_) o->accessed(w, i, a);
}
void Observers::branched(const Warp& w, const Ins* i, u32 mask, u32 taken) {
    for (Observer* o : all_) o->branched(w, i, mask, taken);
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

}  // namespace cugrade::emulator
