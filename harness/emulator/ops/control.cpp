// Branches, calls, exits, block barriers, predicates, moves and the wrappers around operations.
//
// A handler that returns `stop` has set Warp::current.pc to the place to go on from. The decoder
// never wraps branches, calls and instructions that may wait in `guard`; it puts a branch around
// them.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/ops/lane_loops.hpp"
#include "emulator/state/observer.hpp"

namespace cugrade::emulator {

/// Runs the operation for the lanes whose guard holds.
const Ins* guard(Warp& w, const Ins* i) {
    const u32 saved = w.current.mask;
    const u32 p = w.predicate(i->guard);
    w.current.mask &= i->guard_negated ? ~p : p;
    const Ins* next = w.current.mask == 0 ? i + 1 : i->inner(w, i);
    w.current.mask = saved;
    return next;
}

namespace {

/// Runs an operation that computes all lanes, then puts back the values of inactive lanes.
template <class T>
const Ins* keep(Warp& w, const Ins* i) {
    const auto d = w.dst<T>(i);
    std::array<T, lanes> before;
    for (u32 l = 0; l < lanes; ++l) before[l] = d.get(l);
    const Ins* next = i->op(w, i);
    const u32 mask = w.current.mask;
#pragma GCC ivdep
    for (u32 l = 0; l < lanes; ++l) d.set(l, (mask >> l & 1) != 0 ? d.get(l) : before[l]);
    return next;
}

/// Sends the lanes in `away` to `target` and the others on to `next`.
const Ins* diverge(Warp& w, u32 away, const Ins* target, const Ins* next) {
    Split other = w.current;
    other.mask = away;
    other.pc = target;
    w.current.mask &= ~away;
    w.current.pc = next;
    w.others.push_back(std::move(other));
    return stop;
}

u32 first_value(const Warp& w, const Ins* i, bool second) {
    return second ? w.b<u32>(i).get(w.first_lane()) : w.a<u32>(i).get(w.first_lane());
}

}  // namespace

const Ins* keep4(Warp& w, const Ins* i) { return keep<u32>(w, i); }
const Ins* keep8(Warp& w, const Ins* i) { return keep<u64>(w, i); }

const Ins* op::nop(Warp&, const Ins* i) { return i + 1; }
const Ins* op::bra(Warp& w, const Ins* i) { return w.launch->program->at(i->target); }

const Ins* op::bra_if(Warp& w, const Ins* i) {
    const u32 p = w.predicate(i->guard);
    const u32 taken = (i->guard_negated ? ~p : p) & w.current.mask;
    if (taken == 0) return i + 1;
    if (taken == w.current.mask) return w.launch->program->at(i->target);
    return diverge(w, taken, w.launch->program->at(i->target), i + 1);
}

/// aux is the table. Lanes with the first lane's index jump; the others run this instruction again.
const Ins* op::brx(Warp& w, const Ins* i) {
    const auto& table = w.launch->program->tables[i->aux];
    const auto index = w.a<u32>(i);
    const u32 first = index.get(w.first_lane());
    if (first >= table.size())
        return fail(w, i, FaultKind::trap, w.first_lane(),
                    fmt::format("jumps to entry {} of a table of {}", first, table.size()));
    u32 same = 0;
    for_lanes(w.current.mask, [&](u32 l) {
        if (index.get(l) == first) same |= 1u << l;
        return true;
    });
    const Ins* target = w.launch->program->at(table[first]);
    if (same == w.current.mask) return target;
    return diverge(w, w.current.mask & ~same, i, target);
}

namespace {

/// Copies the active lanes' part of one parameter area to another.
void copy_area(const Warp& w, std::byte* to, const Area& to_area, const std::byte* from,
               const Area& from_area) {
    if (w.followed) [[unlikely]]
        w.launch->options->observer->passed(w, to, to_area, from, from_area);
    const u32 bytes = std::min(to_area.bytes, from_area.bytes);
    for_lanes(w.current.mask, [&](u32 l) {
        std::memcpy(to + to_area.offset + std::size_t{l} * to_area.bytes,
                    from + from_area.offset + std::size_t{l} * from_area.bytes, bytes);
        return true;
    });
}

/// Where the registers of a called function go: behind the caller's. If diverged lanes use that
/// place for another function's frame, they go behind the frames of all lanes. Lanes that are in
/// the same call of the same function share its frame, so that they can meet in it.
std::byte* frame_of_callee(const Warp& w, const Ins* i, const DecodedFunction& callee,
                           std::byte* base) {
    const Program& program = *w.launch->program;
    const std::size_t depth = w.current.frames.size();
    const Frame call{i, w.current.base, w.current.local};
    bool is_free = true;
    std::byte* end = base;
    for (const Split& other : w.others) {
        const std::vector<Frame>& frames = other.frames;
        const auto base_at = [&](std::size_t n) {
            return n < frames.size() ? frames[n].base : other.base;
        };
        const auto function_at = [&](std::size_t n) -> const DecodedFunction& {
            return program.functions[n < frames.size()
                                         ? program.calls[frames[n].call->aux].caller
                                         : program.origins[program.index_of(other.pc)].function];
        };
        if (frames.size() > depth && frames[depth] == call && &function_at(depth + 1) == &callee &&
            std::equal(w.current.frames.begin(), w.current.frames.end(), frames.begin()))
            return base_at(depth + 1);
        // The first frame is the kernel's, which is not on this stack.
        for (std::size_t n = 1; n <= frames.size(); ++n) {
            std::byte* const begin = base_at(n);
            std::byte* const behind = begin + function_at(n).frame_bytes;
            is_free &= behind <= base || begin >= base + callee.frame_bytes;
            end = std::max(end, behind);
        }
    }
    return is_free ? base : end;
}

const Ins* enter(Warp& w, const Ins* i, const DecodedFunction& callee) {
    Program& program = *w.launch->program;
    const CallSite& site = program.calls[i->aux];
    const DecodedFunction& caller = program.functions[site.caller];
    const auto overflow = [&](const char* what) {
        return fail(w, i, FaultKind::stack_overflow, w.first_lane(),
                    fmt::format("is {} calls deep and out of {}: a recursion that does not end, or "
                                "arrays too large for the stack",
                                w.current.frames.size(), what));
    };
    if (site.arguments.size() != callee.params.size())
        return fail(w, i, FaultKind::trap, w.first_lane(),
                    fmt::format("calls a function of {} parameters with {} arguments",
                                callee.params.size(), site.arguments.size()));
    if (w.stack == nullptr) w.stack = reserve_stack(*w.launch, register_stack_bytes);
    // The kernel's own registers are part of the block's storage, not of the stack.
    std::byte* base = w.current.frames.empty() ? w.stack : w.current.base + caller.frame_bytes;
    if (!w.others.empty()) base = frame_of_callee(w, i, callee, base);
    if (static_cast<u64>(base - w.stack) + callee.frame_bytes > register_stack_bytes)
        return overflow("registers");
    const u32 local = w.current.local + caller.local_bytes;
    if (u64{local} + callee.local_bytes > w.launch->local_stack_bytes)
        return overflow("local memory");
    if (w.followed) [[unlikely]]
        w.launch->options->observer->cleared(w, base, callee.clear);
    for (const Operand& row : callee.clear)
        for_lanes(w.current.mask, [&](u32 l) {
            if (row.bytes == 0)
                base[row.offset + l / 8] &= ~(std::byte{1} << (l % 8));
            else
                std::memset(base + row.offset + std::size_t{l} * row.bytes, 0, row.bytes);
            return true;
        });
    for (std::size_t n = 0; n < callee.params.size(); ++n)
        copy_area(w, base, callee.params[n], w.current.base, site.arguments[n]);
    w.current.frames.push_back({i, w.current.base, w.current.local});
    w.current.base = w.bases[in_frame] = base;
    w.current.local = local;
    w.current.pc = program.at(callee.entry);
    return w.others.empty() ? w.current.pc : stop;
}

}  // namespace

const Ins* op::call(Warp& w, const Ins* i) {
    const Program& program = *w.launch->program;
    return enter(w, i, program.functions[static_cast<u32>(program.calls[i->aux].function)]);
}

/// a holds addresses of functions. As in brx, lanes that call another function than the first lane
/// run this instruction again.
const Ins* op::call_indirect(Warp& w, const Ins* i) {
    const Program& program = *w.launch->program;
    const auto a = w.a<u64>(i);
    const u64 address = a.get(w.first_lane());
    const u64 index = (address - code_window) / 16;
    if (address < code_window || address % 16 != 0 || index >= program.functions.size() ||
        program.functions[index].entry == program.functions[index].end)
        return fail(w, i, FaultKind::out_of_bounds, w.first_lane(),
                    fmt::format("calls address {:#x}, which is no device function", address),
                    address);
    u32 same = 0;
    for_lanes(w.current.mask, [&](u32 l) {
        if (a.get(l) == address) same |= 1u << l;
        return true;
    });
    if (same != w.current.mask) {
        Split rest = w.current;
        rest.mask &= ~same;
        rest.pc = i;
        w.others.push_back(std::move(rest));
        w.current.mask = same;
    }
    return enter(w, i, program.functions[index]);
}

const Ins* op::ret(Warp& w, const Ins* i) {
    if (w.current.frames.empty()) return exit_lanes(w, i);
    Program& program = *w.launch->program;
    const Frame frame = w.current.frames.back();
    w.current.frames.pop_back();
    const CallSite& site = program.calls[frame.call->aux];
    const DecodedFunction& callee =
        program.functions[program.origins[program.index_of(i)].function];
    const std::byte* from = w.current.base;
    for (std::size_t n = 0; n < std::min(site.results.size(), callee.returns.size()); ++n)
        copy_area(w, frame.base, site.results[n], from, callee.returns[n]);
    w.current.base = w.bases[in_frame] = frame.base;
    w.current.local = frame.local;
    w.current.pc = frame.call + 1;
    return w.others.empty() ? w.current.pc : stop;
}

const Ins* op::exit(Warp& w, const Ins* i) { return exit_lanes(w, i); }

const Ins* op::trap(Warp& w, const Ins* i) {
    return fail(w, i, FaultKind::trap, w.first_lane(), "executes a trap instruction");
}

const Ins* exit_lanes(Warp& w, const Ins* i) {
    Block& block = *w.block;
    const u32 gone = w.current.mask;
    if (Observer* observer = w.launch->options->observer; observer != nullptr && gone != w.alive)
        observer->ended(w, i, gone);
    ++w.launch->arrivals;
    w.alive &= ~gone;
    w.current.mask = 0;
    w.current.pc = i;
    block.alive_threads -= static_cast<u32>(std::popcount(gone));
    if (w.alive == 0) --block.live_warps;
    // Splits that wait for members check again: the missing members may have exited.
    for (Split& other : w.others)
        if (other.state == SplitState::at_sync) other.state = SplitState::running;
    if (block.alive_threads != 0)
        for (u32 ids = block.waited_at; ids != 0; ids &= ids - 1)
            if (!try_release(w, block, static_cast<u32>(std::countr_zero(ids)))) break;
    return stop;
}

// --- barriers -----------------------------------------------------------------------------------

namespace {

/// Ins::aux of bar: the reduction that it computes, or that the thread goes on without waiting.
enum : u32 { bar_sync = 0, bar_and = 1, bar_or = 2, bar_count = 3, bar_arrive = 4, bar_meet = 5 };

void release(Warp& w, Split& split, const Barrier& barrier, u32 threads) {
    const Ins* i = split.pc;
    split.state = SplitState::running;
    ++split.pc;
    if (i->d == no_row) return;
    std::byte* row = split.base + i->d;
    if (i->aux == bar_count) {
        for_lanes(split.mask,
                  [&](u32 l) { return Row<u32>{row}.set(l, barrier.true_count), true; });
        return;
    }
    const bool result = i->aux == bar_and ? barrier.true_count == threads : barrier.true_count != 0;
    u32 value;
    std::memcpy(&value, row, 4);
    value = result ? value | split.mask : value & ~split.mask;
    std::memcpy(row, &value, 4);
    (void)w;
}

}  // namespace

bool try_release(Warp& w, Block& block, u32 id) {
    Barrier& barrier = block.barriers[id];
    const u32 expected = barrier.expected != 0 ? barrier.expected : block.alive_threads;
    if (barrier.arrived < expected) return true;
    const Barrier done = barrier;
    barrier = {};
    block.waited_at &= ~(1u << id);
    if (done.other != nullptr && done.expected == 0) {
        const Program& program = *w.launch->program;
        const u32 lane = w.current.mask != 0 ? w.first_lane() : 0;
        fail(w, done.other, FaultKind::barrier_divergence, lane,
             fmt::format("the threads of a block met at different barriers: some at {}, others at "
                         "{}; __syncthreads() must be reached by all threads of the block at the "
                         "same place, so it cannot stand where a condition lets only some of them "
                         "through",
                         place_of(program, done.first).text(),
                         place_of(program, done.other).text()));
        if (const Place first = place_of(program, done.first); first.file == w.launch->fault->file)
            w.launch->fault->other_line = first.line;
        return false;
    }
    ++w.launch->arrivals;
    if (Observer* observer = w.launch->options->observer) observer->released(block, id);
    for (Warp& warp : block.warps) {
        const auto waits = [&](const Split& split) {
            return split.state == SplitState::at_barrier && split.barrier == id;
        };
        if (waits(warp.current)) release(warp, warp.current, done, done.arrived);
        for (Split& other : warp.others)
            if (waits(other)) release(warp, other, done, done.arrived);
    }
    return true;
}

bool end_meeting(Block& block) {
    Barrier& meeting = block.barriers[meeting_barrier];
    if (meeting.arrived == 0) return false;
    meeting.expected = meeting.arrived;
    return try_release(block.warps.front(), block, meeting_barrier);
}

/// The barrier's number is in a if there is one, else in imm. b, if there is one, has the number of
/// threads; c, of bar.red, is the predicate.
const Ins* op::bar(Warp& w, const Ins* i) {
    Block& block = *w.block;
    const bool is_meeting = i->aux == bar_meet;
    const u32 id = is_meeting       ? meeting_barrier
                   : i->a == no_row ? static_cast<u32>(i->imm)
                                    : first_value(w, i, false);
    if (id >= hardware_barriers && !is_meeting)
        return fail(w, i, FaultKind::trap, w.first_lane(),
                    fmt::format("uses barrier {}; a block has 16", id));
    Barrier& barrier = block.barriers[id];
    if (barrier.arrived == 0) {
        barrier.first = i;
        barrier.expected = i->b == no_row ? 0 : first_value(w, i, true);
    } else if (!is_meeting && barrier.first != i && barrier.other == nullptr &&
               place_of(*w.launch->program, barrier.first) != place_of(*w.launch->program, i)) {
        barrier.other = i;
    }
    barrier.arrived += static_cast<u32>(std::popcount(w.current.mask));
    block.waited_at |= 1u << id;
    if (Observer* observer = w.launch->options->observer)
        observer->arrived(w, i, w.current.mask, id);
    if (i->c != no_row) {
        const u32 p = w.predicate(i->c);
        barrier.true_count +=
            static_cast<u32>(std::popcount((i->negated ? ~p : p) & w.current.mask));
    }
    w.current.pc = i;
    if (i->aux == bar_arrive) {
        ++w.current.pc;
        if (!try_release(w, block, id)) return stop;
        return w.others.empty() ? w.current.pc : stop;
    }
    w.current.state = SplitState::at_barrier;
    w.current.barrier = static_cast<std::uint8_t>(id);
    if (!try_release(w, block, id)) return stop;
    return w.current.state == SplitState::running && w.others.empty() ? w.current.pc : stop;
}

// --- small operations ---------------------------------------------------------------------------

const Ins* op::nanosleep(Warp& w, const Ins* i) {
    ++w.launch->sync_operations;
    return i + 1;
}

namespace {
// The clock is the number of executed instructions, which is updated after each slice. Reading it
// ends the slice, so that the next reading is larger.
template <class T>
const Ins* read_clock(Warp& w, const Ins* i) {
    const auto now = static_cast<T>(w.launch->executed);
    for_lanes(w.current.mask, [&](u32 l) { return w.dst<T>(i).set(l, now), true; });
    ++w.launch->sync_operations;
    w.current.pc = i + 1;
    return stop;
}
template <class T>
const Ins* copy(Warp& w, const Ins* i) {
    const auto d = w.dst<T>(i);
    const auto a = w.a<T>(i);
#pragma GCC ivdep
    for (u32 l = 0; l < lanes; ++l) d.set(l, a.get(l));
    return i + 1;
}
template <class T>
const Ins* pack(Warp& w, const Ins* i) {
    const u32 width = i->aux;
    const auto count = static_cast<u32>(i->imm);
    const auto& lists = w.launch->program->lists;
    std::array<T, lanes> result{};
    for (u32 n = 0; n < count; ++n) {
        const Operand& o = lists[i->target + n];
        if (o.offset == no_row) continue;
        const Row<u32> element{w.bases[o.base] + o.offset};
        const u32 mask = width == 32 ? 0xFFFFFFFF : (1u << width) - 1;
        for (u32 l = 0; l < lanes; ++l)
            result[l] |= static_cast<T>(element.get(l) & mask) << (n * width);
    }
    for (u32 l = 0; l < lanes; ++l) w.dst<T>(i).set(l, result[l]);
    return i + 1;
}
template <class T>
const Ins* extract(Warp& w, const Ins* i) {
    const auto d = w.dst<u32>(i);
    const auto a = w.a<T>(i);
    const u32 mask = i->aux == 32 ? 0xFFFFFFFF : (1u << i->aux) - 1;
    for (u32 l = 0; l < lanes; ++l) d.set(l, static_cast<u32>(a.get(l) >> i->imm) & mask);
    return i + 1;
}
template <class F>
const Ins* combine(const Warp& w, const Ins* i, F f) {
    w.set_predicate(i->d, f(w.predicate(i->a), w.predicate(i->b)));
    return i + 1;
}
}  // namespace

const Ins* op::clock4(Warp& w, const Ins* i) { return read_clock<u32>(w, i); }
const Ins* op::clock8(Warp& w, const Ins* i) { return read_clock<u64>(w, i); }
const Ins* op::copy4(Warp& w, const Ins* i) { return copy<u32>(w, i); }
const Ins* op::copy8(Warp& w, const Ins* i) { return copy<u64>(w, i); }
const Ins* op::pack4(Warp& w, const Ins* i) { return pack<u32>(w, i); }
const Ins* op::pack8(Warp& w, const Ins* i) { return pack<u64>(w, i); }
const Ins* op::extract2(Warp& w, const Ins* i) { return extract<u32>(w, i); }
const Ins* op::extract4(Warp& w, const Ins* i) { return extract<u64>(w, i); }

const Ins* op::narrow(Warp& w, const Ins* i) {
    const auto d = w.dst<u32>(i);
    const auto a = w.a<u64>(i);
    for (u32 l = 0; l < lanes; ++l) d.set(l, static_cast<u32>(a.get(l)));
    return i + 1;
}
const Ins* op::widen(Warp& w, const Ins* i) {
    const auto d = w.dst<u64>(i);
    const auto a = w.a<u32>(i);
    for (u32 l = 0; l < lanes; ++l) d.set(l, a.get(l));
    return i + 1;
}
const Ins* op::add_imm8(Warp& w, const Ins* i) {
    const auto d = w.dst<u64>(i);
    const auto a = w.a<u64>(i);
    const auto n = static_cast<u64>(i->imm);
    for (u32 l = 0; l < lanes; ++l) d.set(l, a.get(l) + n);
    return i + 1;
}
const Ins* op::local_address(Warp& w, const Ins* i) {
    const u64 value = w.current.local + static_cast<u64>(i->imm);
    for (u32 l = 0; l < lanes; ++l) w.dst<u64>(i).set(l, value);
    return i + 1;
}

/// aux: ptx::Space.
const Ins* op::isspacep(Warp& w, const Ins* i) {
    const auto a = w.a<u64>(i);
    u32 result = 0;
    for (u32 l = 0; l < lanes; ++l) {
        const u64 address = a.get(l);
        const auto in = [&](u64 window) { return address - window < u64{1} << 32; };
        bool is = false;
        switch (static_cast<ptx::Space>(i->aux)) {
            case ptx::Space::shared: is = in(shared_window); break;
            case ptx::Space::local: is = in(local_window); break;
            case ptx::Space::param: is = in(param_window); break;
            default: is = address >= Memory::device_base && address < code_window; break;
        }
        result |= u32{is} << l;
    }
    w.set_predicate(i->d, result);
    return i + 1;
}

const Ins* op::set_predicate(Warp& w, const Ins* i) {
    w.set_predicate(i->d, i->imm != 0 ? all_lanes : 0);
    return i + 1;
}
const Ins* op::copy_predicate(Warp& w, const Ins* i) {
    const u32 p = w.predicate(i->a);
    w.set_predicate(i->d, i->negated ? ~p : p);
    return i + 1;
}
const Ins* op::and_predicate(Warp& w, const Ins* i) {
    return combine(w, i, [](u32 a, u32 b) { return a & b; });
}
const Ins* op::or_predicate(Warp& w, const Ins* i) {
    return combine(w, i, [](u32 a, u32 b) { return a | b; });
}
const Ins* op::xor_predicate(Warp& w, const Ins* i) {
    return combine(w, i, [](u32 a, u32 b) { return a ^ b; });
}

const Ins* unsupported_form(Warp& w, const Ins* i) {
    const Program& program = *w.launch->program;
    const auto form =
        std::ranges::find(program.unsupported, program.index_of(i), &UnsupportedForm::code);
    return fail(w, i, FaultKind::unsupported, w.first_lane(),
                fmt::format("the emulated GPU cannot execute `{}` (PTX line {}); run this on a GPU",
                            form == program.unsupported.end() ? program.source_of(i).opcode
                                                              : std::string_view(form->form),
                            program.source_of(i).ptx_line));
}

}  // namespace cugrade::emulator
